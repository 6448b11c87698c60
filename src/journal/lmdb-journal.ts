import { randomUUID } from 'node:crypto';
import type { Database, RootDatabase } from 'lmdb';
import type { AgentSessionKey } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';
import { assert } from '../lib/assert.ts';
import { Disk } from './disk.ts';
import {
  type Appended,
  type Durability,
  type Journal,
  JournalFull,
  type SavedSession,
  type Seq,
  type Snapshot,
  type StoredRecord,
  UnreadableRecord,
} from './journal.ts';
import {
  bytesOf,
  type Chunks,
  chunksUpTo,
  type LmdbJournalOptions,
  lastSeqOf,
  openChunks,
  openRoot,
  outcomeOf,
  readRecordsAfter,
} from './lmdb-chunks.ts';
import { encodeChunk, encodeRecord } from './record-codec.ts';

/** Share of `bytesMax` that events may fill; the rest is kept for decisions and inspections. */
const EVENTS_SHARE = 0.9;
/** What is spent on a record beside its bytes: length, key, node header, page slack. */
const RECORD_OVERHEAD_BYTES = 48;
/** Chunks removed in one go: about a millisecond of the main thread. */
const TRIM_CHUNKS_MAX = 256;
/** A chunk that has grown to so many records, or bytes, is written at once: while one is on its way to the disk, the next is gathered. */
const CHUNK_RECORDS_MAX = 32;
const CHUNK_BYTES_MAX = 1024 * 1024;
const SNAPSHOT_HEADER_BYTES = 16;
/** How long a journal counts as failing after a write that failed. */
const FAILING_MS = 10_000;
/**
 * Bytes of the disk that records leave free; what is kept beside them may use some of these. A write must not find the disk
 * full: lmdb (3.5.6, `mdb_page_flush`) then writes its complaint past the end of the memory that it took for it, and the
 * process ends sooner or later.
 */
const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024;
const DISK_FREE_BYTES_MIN_BESIDE = DISK_FREE_BYTES_MIN / 4;

/** Records that are written together: those of one turn of the event loop, up to `CHUNK_RECORDS_MAX`. */
class OpenChunk {
  readonly first: Seq;
  readonly records: Buffer[] = [];
  readonly committed: Promise<void>;
  bytes = 0;
  /** Set where somebody asked for it. */
  onDisk: Promise<void> | undefined;
  written!: () => void;
  lost!: (error: unknown) => void;

  constructor(first: Seq) {
    this.first = first;
    this.committed = new Promise((resolve, reject) => {
      this.written = resolve;
      this.lost = reject;
    });
  }
}

/**
 * The journal on LMDB: group commit by its writer thread, reads from the memory map. The records of one turn of the event
 * loop are one value, which costs the main thread a third of a value for each.
 */
export class LmdbJournal implements Journal {
  readonly id: string;
  readonly bytesMax: number;
  readonly #root: RootDatabase<Buffer, string>;
  readonly #chunks: Chunks;
  readonly #snapshots: Database<Buffer, AgentSessionKey>;
  readonly #marks: Database<number | string, string>;
  readonly #relaxed: boolean;
  readonly #disk: Disk;
  #head: Seq;
  /** The newest record that was written: a later position may be given to another one after a restart. */
  #committed: Seq;
  #folded: Seq;
  #projected: Seq;
  #trimmed: Seq;
  #trimming: Promise<unknown> | undefined;
  #measuredBytes: number;
  #appendedBytes = 0;
  /** The last session that `nextSnapshots` told of. */
  #lookedAt: AgentSessionKey | undefined;
  #open: OpenChunk | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: LmdbJournalOptions) {
    this.bytesMax = options.bytesMax;
    this.#relaxed = options.relaxed;
    this.#disk = new Disk(options.path);
    this.#root = openRoot(options);
    this.#chunks = openChunks(this.#root);
    this.#snapshots = this.#root.openDB<Buffer, AgentSessionKey>({ name: 'snapshots', encoding: 'binary' });
    this.#marks = this.#root.openDB<number | string, string>({ name: 'marks', encoding: 'json' });
    this.#trimmed = this.#mark('trimmed');
    this.#folded = this.#mark('folded');
    this.#projected = this.#mark('projected');
    this.#head = Math.max(lastSeqOf(this.#chunks), this.#trimmed);
    this.#committed = this.#head;
    this.id = this.#identity();
    this.#measuredBytes = bytesOf(this.#chunks);
  }

  get head(): Seq {
    return this.#head;
  }

  get foldedUpTo(): Seq {
    return this.#folded;
  }

  get bytes(): number {
    return this.#measuredBytes + this.#appendedBytes;
  }

  /** Whether events are refused for lack of room. */
  get full(): boolean {
    return this.bytes >= this.bytesMax * EVENTS_SHARE || this.#disk.freeBytes < DISK_FREE_BYTES_MIN;
  }

  /** Whether the newest records could not be written, a short while ago: only the next ones tell whether it is over. */
  get failing(): boolean {
    return performance.now() - this.#failedAtMs < FAILING_MS;
  }

  append(record: JournalRecord, durability: Durability): Appended {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    const bytes = encodeRecord(record);
    const limit = record.kind === 'event' ? this.bytesMax * EVENTS_SHARE : this.bytesMax;
    if (this.bytes + bytes.length > limit)
      throw new JournalFull(`the journal holds ${this.bytes} of ${this.bytesMax} bytes`);
    if (this.#disk.freeBytes < DISK_FREE_BYTES_MIN)
      throw new JournalFull(`the disk has less than ${DISK_FREE_BYTES_MIN} bytes left`);
    const seq = ++this.#head;
    this.#appendedBytes += bytes.length + RECORD_OVERHEAD_BYTES;
    this.#open ??= this.#openChunk(seq);
    const chunk = this.#open;
    chunk.records.push(bytes);
    chunk.bytes += bytes.length;
    if (chunk.bytes >= CHUNK_BYTES_MAX || chunk.records.length >= CHUNK_RECORDS_MAX) this.#write();
    return { seq, durable: this.#relaxed && durability === 'disk' ? this.#onDisk(chunk) : chunk.committed };
  }

  #openChunk(first: Seq): OpenChunk {
    setImmediate(this.#write);
    return new OpenChunk(first);
  }

  #onDisk(chunk: OpenChunk): Promise<void> {
    chunk.onDisk ??= chunk.committed.then(() => this.#root.flushed).then(() => {});
    return chunk.onDisk;
  }

  readonly #write = (): void => {
    const chunk = this.#open;
    if (chunk === undefined) return;
    this.#open = undefined;
    try {
      outcomeOf(this.#chunks.put(chunk.first, encodeChunk(chunk.records))).then(
        () => {
          this.#failedAtMs = Number.NEGATIVE_INFINITY;
          this.#committed = Math.max(this.#committed, chunk.first + chunk.records.length - 1);
          chunk.written();
        },
        (error: unknown) => this.#lose(chunk, error),
      );
    } catch (error) {
      // Outside of any append: those who wait for the chunk are told, and nobody else could be.
      this.#lose(chunk, error);
    }
  };

  #lose(chunk: OpenChunk, error: unknown): void {
    this.#failedAtMs = performance.now();
    chunk.lost(error);
  }

  read(seq: Seq): JournalRecord | undefined {
    try {
      const [stored] = this.readAfter(seq - 1, 1);
      return stored?.seq === seq ? stored.record : undefined;
    } catch (error) {
      if (error instanceof UnreadableRecord) return undefined;
      throw error;
    }
  }

  readAfter(seq: Seq, limit: number): StoredRecord[] {
    return readRecordsAfter(this.#chunks, seq, limit);
  }

  readSnapshot(session: AgentSessionKey): Snapshot | undefined {
    const bytes = this.#snapshots.get(session);
    if (bytes === undefined) return undefined;
    return {
      seq: bytes.readDoubleLE(0),
      lastAtMs: bytes.readDoubleLE(8),
      state: bytes.subarray(SNAPSHOT_HEADER_BYTES),
    };
  }

  async writeSnapshot(session: AgentSessionKey, snapshot: Snapshot): Promise<void> {
    if (!this.#hasRoomBeside) throw new JournalFull('the disk has no room for a snapshot');
    const bytes = Buffer.allocUnsafe(SNAPSHOT_HEADER_BYTES + snapshot.state.length);
    bytes.writeDoubleLE(snapshot.seq, 0);
    bytes.writeDoubleLE(snapshot.lastAtMs, 8);
    bytes.set(snapshot.state, SNAPSHOT_HEADER_BYTES);
    await outcomeOf(this.#snapshots.put(session, bytes));
  }

  get snapshotCount(): number {
    return (this.#snapshots.getStats() as { entryCount: number }).entryCount;
  }

  nextSnapshots(limit: number): SavedSession[] {
    const found: SavedSession[] = [];
    const after = this.#lookedAt;
    const range = after === undefined ? { limit } : { start: after, exclusiveStart: true, limit };
    for (const { key, value } of this.#snapshots.getRange(range)) found.push({ key, lastAtMs: value.readDoubleLE(8) });
    this.#lookedAt = found.length === limit ? found.at(-1)?.key : undefined;
    return found;
  }

  dropSnapshots(sessions: readonly AgentSessionKey[]): void {
    if (!this.#hasRoomBeside) return;
    for (const session of sessions) this.#attempt(this.#snapshots.remove(session));
  }

  markFolded(upTo: Seq): void {
    const seq = Math.min(upTo, this.#committed);
    if (seq <= this.#folded) return;
    this.#folded = seq;
    if (!this.#hasRoomBeside) return;
    this.#attempt(this.#marks.put('folded', seq));
    this.#trim();
  }

  markProjected(seq: Seq): void {
    if (seq <= this.#projected) return;
    this.#projected = seq;
    if (!this.#hasRoomBeside) return;
    this.#attempt(this.#marks.put('projected', seq));
    this.#trim();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#write();
    await this.#trimming;
    // Those who wait for a write that failed were told.
    await this.#root.flushed.then(undefined, () => {});
    await this.#root.close();
  }

  /** A write that may fail: what it was to move or to remove is still there, and is tried again later. */
  #attempt(write: Promise<unknown>): void {
    outcomeOf(write).catch(() => {});
  }

  /** Whether snapshots and marks may be written, and records removed, which takes room too. */
  get #hasRoomBeside(): boolean {
    return this.#disk.freeBytes >= DISK_FREE_BYTES_MIN_BESIDE;
  }

  /** Removes what is both folded and projected, a bounded number at a time, so that no event waits long for it. */
  #trim(): void {
    const target = Math.min(this.#folded, this.#projected);
    if (this.#trimming !== undefined || this.#closed || target <= this.#trimmed) return;
    const { keys, upTo } = chunksUpTo(this.#chunks, target, TRIM_CHUNKS_MAX);
    if (keys.length === 0) return;
    this.#trimmed = upTo;
    // In one transaction: with the newest records gone and the mark not moved, their positions would be given again.
    const removed = this.#root.batch(() => {
      for (const key of keys) this.#attempt(this.#chunks.remove(key));
      this.#attempt(this.#marks.put('trimmed', upTo));
    });
    this.#trimming = outcomeOf(removed).then(
      () => {
        this.#measuredBytes = bytesOf(this.#chunks);
        this.#appendedBytes = 0;
        this.#trimming = undefined;
        this.#trim();
      },
      () => {
        // The disk refused it; what was to be removed is still there and is removed after the next mark.
        this.#trimming = undefined;
      },
    );
  }

  #mark(name: string): Seq {
    return Number(this.#marks.get(name) ?? 0);
  }

  #identity(): string {
    const known = this.#marks.get('id');
    if (typeof known === 'string') return known;
    const id = randomUUID();
    this.#marks.putSync('id', id);
    return id;
  }
}
