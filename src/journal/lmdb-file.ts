import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MendableError } from '../lib/mendable-error.ts';

/** Layout of the two meta pages of an LMDB file, as lmdb 3.5's `mdb.c` has it (`MDB_page_header`, `MDB_meta`), in bytes. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const PAGE_SIZE_AT = 48;
const ROOTS_AT = [88, 136];
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const PAGE_SIZES = new Set([512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]);
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/**
 * Looks at the files in `path` before LMDB maps them into memory, where what is cut off or no file of LMDB's ends the process
 * without a word.
 *
 * @throws {MendableError} where they cannot be a journal. What is damaged further inside is not seen here.
 */
export function checkLmdbFiles(path: string): void {
  const file = join(path, 'data.mdb');
  const fault = faultOf(file) ?? (isDirectory(join(path, 'lock.mdb')) ? 'lock.mdb is a directory' : undefined);
  if (fault === undefined) return;
  throw new MendableError(
    `the journal ${file} is damaged (${fault}): restore it from a backup, or move ${path} away to begin an empty one; what did not reach the database is lost then`,
  );
}

function faultOf(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    // A process that was killed while it made the journal left nothing in it.
    if (size === 0) return undefined;
    return faultOfMetas(size, (at) => {
      const bytes = Buffer.alloc(META_BYTES);
      readSync(descriptor, bytes, 0, META_BYTES, at);
      return bytes;
    });
  } finally {
    closeSync(descriptor);
  }
}

function faultOfMetas(size: number, metaAt: (at: number) => Buffer): string | undefined {
  const first = metaAt(0);
  const pageSize = first.readUInt32LE(PAGE_SIZE_AT);
  if (first.readUInt32LE(MAGIC_AT) !== MAGIC || !PAGE_SIZES.has(pageSize)) return 'it is no file of LMDB';
  const second = metaAt(pageSize);
  if (second.readUInt32LE(MAGIC_AT) !== MAGIC) return 'its second page is none of LMDB';
  const newer = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT) ? second : first;
  // The file may be shorter than its last page's number says, but not than the trees' beginnings.
  const roots = ROOTS_AT.map((at) => newer.readBigUInt64LE(at)).filter((page) => page !== NO_PAGE);
  return roots.some((page) => (page + 1n) * BigInt(pageSize) > BigInt(size)) ? 'its end is cut off' : undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
