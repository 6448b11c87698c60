import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MendableError } from '../lib/mendable-error.ts';

/** Files that only their owner may touch: written whole or not at all, and refused when others could have. */

/** A file or directory that cannot be used as it is. The message says what to do about it. */
export class PrivateFileError extends MendableError {
  override readonly name = 'PrivateFileError';
}

/** Windows has no permission bits; there the access rights of the data directory decide. */
const hasPermissionBits = process.platform !== 'win32';
const OTHERS = 0o077;

/**
 * Makes the data directory where it is missing, and those above it. Others may pass through it, not read it: the embedded
 * PostgreSQL, which lives there too, may run as another user.
 *
 * @throws {PrivateFileError}
 */
export async function makeDataDirectory(path: string): Promise<void> {
  try {
    await makePassable(path);
  } catch (error) {
    throw new PrivateFileError(
      `GATEHOUSE_DATA_DIR must be a directory that this user may write (${(error as Error).message})`,
    );
  }
}

/** Step by step: Node's own `recursive` never ends where nobody can make a directory (`/proc/x`). */
async function makePassable(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o711 });
  } catch (error) {
    // Of one that is there, systems say so in different ways.
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return;
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makePassable(dirname(path));
    // Another process may have made it meanwhile.
    await mkdir(path, { mode: 0o711 }).catch((again: unknown) => {
      if (errorCode(again) !== 'EEXIST') throw again;
    });
  }
}

/** Where the secrets of a data directory lie; both are made where they are missing. */
export async function openKeysDirectory(dataDir: string): Promise<string> {
  await makeDataDirectory(dataDir);
  const path = join(dataDir, 'keys');
  await makePrivateDirectory(path);
  return path;
}

/** Makes the directory with mode 0700, or checks that an existing one is closed to others. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  refuseOpenToOthers(path, (await stat(path)).mode, '700');
}

/**
 * Reads a text of at most `bytesMax` bytes.
 *
 * @throws {PrivateFileError} if it is no plain file, too large, or accessible to group or others.
 */
export async function readPrivateFile(path: string, bytesMax: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    // Asked of the open file, so that what was checked is what is read.
    const found = await file.stat();
    if (!found.isFile()) throw new PrivateFileError(`${path} is not a plain file; move it away`);
    refuseOpenToOthers(path, found.mode, '600');
    if (found.size > bytesMax)
      throw new PrivateFileError(`${path} is larger than ${bytesMax} bytes; put the right file there`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Creates `path` with `text`, durably, unless it exists: of several processes at once exactly one succeeds, and no
 * reader ever sees a part. Returns whether this call created it.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return true;
}

/** Puts `text` in the place of `path`, durably: a reader, or a restart after a crash, sees the old text or the new one. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the names in a directory survive a power loss. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory; its journal keeps the names in order.
  if (!hasPermissionBits) return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function refuseOpenToOthers(path: string, mode: number, wanted: '600' | '700'): void {
  if (!hasPermissionBits || (mode & OTHERS) === 0) return;
  const found = (mode & 0o777).toString(8);
  throw new PrivateFileError(
    `${path} is open to other users (mode ${found}); run: chmod ${wanted} ${shellQuoted(path)}`,
  );
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Written beside its target, since only a name in the same file system can be linked or renamed. */
async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = join(dirname(path), `.new-${randomBytes(8).toString('hex')}`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    // A umask may have taken even the owner's bits.
    await file.chmod(0o600);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return temporary;
}
