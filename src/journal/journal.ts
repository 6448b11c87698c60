import type { AgentSessionKey } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';

/**
 * A record's position: increasing by one for each append. Once a record is lost, be it that it could not be written or that the
 * disk was set back, a restart gives its position to another one (decision 0017). Fits a double.
 */
export type Seq = number;

export interface StoredRecord {
  seq: Seq;
  record: JournalRecord;
}

/**
 * `disk`: settled once the record survives a power loss. `process`: settled once it survives the end of the process.
 */
export type Durability = 'disk' | 'process';

export class JournalFull extends Error {
  override readonly name = 'JournalFull';
}

/** The bytes at `seq` are no record: the disk damaged them. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  readonly seq: Seq;
  readonly bytes: Uint8Array;

  constructor(seq: Seq, bytes: Uint8Array) {
    super(`the journal's record ${seq} cannot be read`);
    this.seq = seq;
    this.bytes = bytes;
  }
}

/** An append: its position at once, and a promise of its durability. */
export interface Appended {
  seq: Seq;
  /** Rejects if the record could not be written. */
  durable: Promise<void>;
}

/** A session's folded state as the journal keeps it, complete up to `seq`. */
export interface Snapshot {
  seq: Seq;
  /** When the session was last heard of, in Unix milliseconds. */
  lastAtMs: number;
  state: Uint8Array;
}

/** A session that has a snapshot. */
export interface SavedSession {
  key: AgentSessionKey;
  lastAtMs: number;
}

/**
 * The ordered, durable memory of everything that was acknowledged. One writer process.
 *
 * A record stays until it was both projected (`markProjected`) and folded into a snapshot (`markFolded`), and with it
 * those that were written together with it.
 */
export interface Journal {
  /** Made once, when the journal is created: tells a fresh journal from the one whose records the database holds. */
  readonly id: string;

  /**
   * Appends in call order. Throws `JournalFull` when the bytes bound is reached, or the disk is full. The last tenth of the
   * bytes is kept for decisions and inspections, so that events are refused first.
   */
  append(record: JournalRecord, durability: Durability): Appended;
  /** The record at `seq`, or undefined if it is not there (any more, or not yet committed) or cannot be read. */
  read(seq: Seq): JournalRecord | undefined;
  /** Committed records after `seq`, in order. Throws `UnreadableRecord` where the first of them is none. */
  readAfter(seq: Seq, limit: number): StoredRecord[];
  /** The position of the newest append, 0 before the first one. */
  readonly head: Seq;
  /** Everything up to here is folded into snapshots: where a restart begins to fold. */
  readonly foldedUpTo: Seq;

  readSnapshot(session: AgentSessionKey): Snapshot | undefined;
  /** Settled once the snapshot can be read back. */
  writeSnapshot(session: AgentSessionKey, snapshot: Snapshot): Promise<void>;

  /** How many sessions have a snapshot. */
  readonly snapshotCount: number;
  /** The next `limit` sessions that have one, in a round-robin; fewer at its end. */
  nextSnapshots(limit: number): SavedSession[];
  /** Removes snapshots. What the disk refuses to remove stays. */
  dropSnapshots(sessions: readonly AgentSessionKey[]): void;

  /** States that every record up to `seq` is in a snapshot; what is not written yet, or could not be, is not counted in. */
  markFolded(seq: Seq): void;
  /** States that every record up to `seq` is in the database. */
  markProjected(seq: Seq): void;

  readonly bytes: number;
  readonly bytesMax: number;
  /** Waits until everything appended is on disk, and closes. */
  close(): Promise<void>;
}

/** The position of the first record after `seq`, whether it can be read or not; the one behind the head where there is none. */
export function nextSeq(journal: Pick<Journal, 'readAfter' | 'head'>, seq: Seq): Seq {
  try {
    return journal.readAfter(seq, 1)[0]?.seq ?? journal.head + 1;
  } catch (error) {
    if (error instanceof UnreadableRecord) return error.seq;
    throw error;
  }
}

/** What the projector needs of the journal. */
export type ProjectedJournal = Pick<Journal, 'id' | 'head' | 'readAfter' | 'markProjected'>;
