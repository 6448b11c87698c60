import { type Database, open, type RootDatabase } from 'lmdb';
import type { JournalRecord } from '../domain/record.ts';
import { type Seq, type StoredRecord, UnreadableRecord } from './journal.ts';
import { checkLmdbFiles } from './lmdb-file.ts';
import { chunkCount, chunkRecord, decodeRecord } from './record-codec.ts';

export interface LmdbJournalOptions {
  /** Directory of the LMDB files. */
  path: string;
  bytesMax: number;
  /**
   * Lets `process` durability be had without waiting for the disk: commits and syncs then overlap, and a start after a
   * reboot (told by the boot id) goes back to what was synced. Without it every commit is synced, and `process` means `disk`.
   */
  relaxed: boolean;
}

/** Records, those of a turn of the event loop together, by the position of the first of them. */
export type Chunks = Database<Buffer, Seq>;

export function openRoot({ path, bytesMax, relaxed }: LmdbJournalOptions): RootDatabase<Buffer, string> {
  checkLmdbFiles(path);
  return open<Buffer, string>({
    path,
    maxDbs: 4,
    // Address space, not memory: records, snapshots, and the pages that a long read keeps from being used again.
    mapSize: 2 * bytesMax + 1024 ** 3,
    noMemInit: true,
    overlappingSync: relaxed,
    // A chunk is a batch already: its commit begins while the main thread goes on with the same turn.
    eventTurnBatching: false,
  });
}

export function openChunks(root: RootDatabase<Buffer, string>): Chunks {
  return root.openDB<Buffer, Seq>({ name: 'records', encoding: 'binary' });
}

/** The key of the chunk that would hold `seq`: the last one that begins at or before it. */
function chunkKeyOf(chunks: Chunks, seq: Seq): Seq {
  for (const key of chunks.getKeys({ start: seq, reverse: true, limit: 1 })) return key;
  return seq;
}

/** At most `limit` records behind `seq`, oldest first. Each chunk is read as a whole. Ends before one that cannot be read. */
export function readRecordsAfter(chunks: Chunks, seq: Seq, limit: number): StoredRecord[] {
  const found: StoredRecord[] = [];
  for (const { key, value } of chunks.getRange({ start: chunkKeyOf(chunks, seq + 1) })) {
    const count = chunkCount(value);
    for (let index = Math.max(0, seq + 1 - key); index < count; index++) {
      if (found.length === limit) return found;
      const bytes = chunkRecord(value, index);
      const record = readable(bytes);
      if (record !== undefined) found.push({ seq: key + index, record });
      else if (found.length === 0) throw new UnreadableRecord(key + index, Buffer.from(bytes));
      else return found;
    }
  }
  return found;
}

function readable(bytes: Buffer): JournalRecord | undefined {
  try {
    return decodeRecord(bytes);
  } catch (error) {
    // A version that this program does not know is no damage.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The position of the newest record, 0 where there is none. */
export function lastSeqOf(chunks: Chunks): Seq {
  for (const { key, value } of chunks.getRange({ reverse: true, limit: 1 })) return key + chunkCount(value) - 1;
  return 0;
}

/**
 * The first chunks, `limit` at most, whose records all stand at or before `target`, and the last position that they hold. Never the newest
 * chunk: by its last record a start knows how far time had got.
 */
export function chunksUpTo(chunks: Chunks, target: Seq, limit: number): { keys: Seq[]; upTo: Seq } {
  const first = [...chunks.getKeys({ limit: limit + 1 })];
  const keys: Seq[] = [];
  let upTo = 0;
  for (const [index, key] of first.slice(0, -1).entries()) {
    // Each begins where the one before ends.
    const next = first[index + 1] as Seq;
    if (next - 1 > target) break;
    keys.push(key);
    upTo = next - 1;
  }
  return { keys, upTo };
}

/** Bytes of the pages that hold records. */
export function bytesOf(chunks: Chunks): number {
  const stats = chunks.getStats() as {
    pageSize: number;
    treeBranchPageCount: number;
    treeLeafPageCount: number;
    overflowPages: number;
  };
  return stats.pageSize * (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages);
}

/**
 * The outcome of a write. lmdb tells of a commit that failed twice: the second rejection comes with the error, and would end
 * the process as one that nobody handles.
 */
export async function outcomeOf(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    (error as { commitError?: Promise<never> }).commitError?.catch(() => {});
    throw error;
  }
}
