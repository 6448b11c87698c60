import { randomUUID } from 'node:crypto';
import type { AgentSessionKey } from '../../src/domain/ids.ts';
import type { JournalRecord } from '../../src/domain/record.ts';
import {
  type Appended,
  type Durability,
  type Journal,
  JournalFull,
  type SavedSession,
  type Seq,
  type Snapshot,
  type StoredRecord,
} from '../../src/journal/journal.ts';
import { assert } from '../../src/lib/assert.ts';

/** As LmdbJournal: what events may fill; the rest is kept for decisions and inspections. */
const EVENTS_SHARE = 0.9;
const RECORD_OVERHEAD_BYTES = 256;

/** The journal without a disk, for tests of what reads one. */
export class MemoryJournal implements Journal {
  readonly id: string;
  readonly bytesMax: number;
  readonly #records = new Map<Seq, JournalRecord>();
  readonly #snapshots = new Map<AgentSessionKey, Snapshot>();
  #sweep: AgentSessionKey[] = [];
  #bytes = 0;
  #head: Seq = 0;
  #folded: Seq = 0;
  #projected: Seq = 0;
  #trimmed: Seq = 0;
  #closed = false;

  constructor(options: { bytesMax: number; id?: string }) {
    this.id = options.id ?? randomUUID();
    this.bytesMax = options.bytesMax;
  }

  get head(): Seq {
    return this.#head;
  }

  get foldedUpTo(): Seq {
    return this.#folded;
  }

  get projectedUpTo(): Seq {
    return this.#projected;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(record: JournalRecord, _durability: Durability): Appended {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    const bytes = sizeOf(record);
    const limit = record.kind === 'event' ? this.bytesMax * EVENTS_SHARE : this.bytesMax;
    if (this.#bytes + bytes > limit)
      throw new JournalFull(`the journal holds ${this.#bytes} of ${this.bytesMax} bytes`);
    const seq = ++this.#head;
    this.#bytes += bytes;
    this.#records.set(seq, structuredClone(record));
    return { seq, durable: Promise.resolve() };
  }

  read(seq: Seq): JournalRecord | undefined {
    return this.#records.get(seq);
  }

  readAfter(seq: Seq, limit: number): StoredRecord[] {
    const found: StoredRecord[] = [];
    for (let next = Math.max(seq, this.#trimmed) + 1; next <= this.#head && found.length < limit; next++) {
      const record = this.#records.get(next);
      if (record !== undefined) found.push({ seq: next, record });
    }
    return found;
  }

  readSnapshot(session: AgentSessionKey): Snapshot | undefined {
    return this.#snapshots.get(session);
  }

  async writeSnapshot(session: AgentSessionKey, snapshot: Snapshot): Promise<void> {
    this.#snapshots.set(session, { ...snapshot, state: snapshot.state.slice() });
  }

  get snapshotCount(): number {
    return this.#snapshots.size;
  }

  nextSnapshots(limit: number): SavedSession[] {
    if (this.#sweep.length === 0) this.#sweep = [...this.#snapshots.keys()];
    return this.#sweep.splice(0, limit).flatMap((key) => {
      const snapshot = this.#snapshots.get(key);
      return snapshot === undefined ? [] : [{ key, lastAtMs: snapshot.lastAtMs }];
    });
  }

  dropSnapshots(sessions: readonly AgentSessionKey[]): void {
    for (const session of sessions) this.#snapshots.delete(session);
  }

  markFolded(seq: Seq): void {
    this.#folded = Math.max(this.#folded, Math.min(seq, this.#head));
    this.#trim();
  }

  markProjected(seq: Seq): void {
    this.#projected = Math.max(this.#projected, seq);
    this.#trim();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #trim(): void {
    for (const upTo = Math.min(this.#folded, this.#projected, this.#head - 1); this.#trimmed < upTo; ) {
      const record = this.#records.get(++this.#trimmed);
      if (record !== undefined) this.#bytes -= sizeOf(record);
      this.#records.delete(this.#trimmed);
    }
  }
}

function sizeOf(record: JournalRecord): number {
  const body = 'body' in record ? record.body.length : 0;
  const explanation = 'explanation' in record ? (record.explanation?.length ?? 0) : 0;
  return RECORD_OVERHEAD_BYTES + body + explanation;
}
