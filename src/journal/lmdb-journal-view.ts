import type { RootDatabase } from 'lmdb';
import type { ProjectedJournal, Seq, StoredRecord } from './journal.ts';
import {
  type Chunks,
  type LmdbJournalOptions,
  lastSeqOf,
  openChunks,
  openRoot,
  readRecordsAfter,
} from './lmdb-chunks.ts';

/** The records of a journal that another thread of this process writes: for the projector's thread. */
export class LmdbJournalView implements ProjectedJournal {
  readonly id: string;
  readonly #root: RootDatabase<Buffer, string>;
  readonly #chunks: Chunks;
  readonly #onProjected: (seq: Seq) => void;
  /** What the writer said that it has, committed or not. */
  #told: Seq = 0;

  /** `onProjected` passes `markProjected` on to the writer. */
  constructor(options: LmdbJournalOptions & { id: string }, onProjected: (seq: Seq) => void) {
    this.id = options.id;
    this.#root = openRoot(options);
    this.#chunks = openChunks(this.#root);
    this.#onProjected = onProjected;
  }

  /** Waits for `head`, though it may not be committed yet. */
  expect(head: Seq): void {
    this.#told = head;
  }

  /** The newest committed record, or what was told to expect. */
  get head(): Seq {
    return Math.max(lastSeqOf(this.#chunks), this.#told);
  }

  readAfter(seq: Seq, limit: number): StoredRecord[] {
    return readRecordsAfter(this.#chunks, seq, limit);
  }

  markProjected(seq: Seq): void {
    this.#onProjected(seq);
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}
