import type { Effect, UndecidedCause } from '../domain/decision.ts';
import type { AgentSessionKey } from '../domain/ids.ts';
import type { JournalRecord, Untold } from '../domain/record.ts';
import {
  type Appended,
  type Durability,
  type Journal,
  JournalFull,
  type Seq,
  type Snapshot,
} from '../journal/journal.ts';
import { type AgentSessionState, encodeState, firstNeededSeq, foldInspected, type PendingScan, step } from './state.ts';

/** Inspections without a record of their own that wait for the next one; with so many, the record of an event tells them, too. */
const UNTOLD_MAX = 64;

/**
 * The journal, as one session writes it: what is appended is folded into the session's state in the same step, so that the
 * order of the journal is the order of the fold. Knows which records a restart would need.
 */
export class Ledger {
  readonly #key: AgentSessionKey;
  readonly #state: AgentSessionState;
  readonly #journal: Journal;
  readonly #onLost: (error: unknown) => void;
  #lastAppend: Promise<void> = Promise.resolve();
  #firstUnsaved: Seq | undefined;
  /** The state holds what the journal does not. */
  #lost = false;
  /** Folded in, and told by no record yet. */
  #untold: Untold[] = [];
  /** What snapshots under way begin with: needed until they can be read back. */
  readonly #saving: Seq[] = [];

  /** @param onLost told where the state holds what the journal does not: it must be built anew from what was really written. */
  constructor(
    { key, state }: { key: AgentSessionKey; state: AgentSessionState },
    journal: Journal,
    onLost: (error: unknown) => void,
  ) {
    this.#key = key;
    this.#state = state;
    this.#journal = journal;
    this.#onLost = onLost;
  }

  /** The oldest record that a restart needs, given what has been saved. */
  get neededFrom(): Seq {
    return Math.min(this.#firstUnsaved ?? Number.POSITIVE_INFINITY, ...this.#saving, firstNeededSeq(this.#state));
  }

  get hasUnsaved(): boolean {
    return this.#firstUnsaved !== undefined || this.#saving.length > 0;
  }

  /** Settled once everything appended so far can be read back, or could not be written. */
  get settled(): Promise<void> {
    return this.#lastAppend.catch(() => {});
  }

  /**
   * Appends and folds in. `whenKnown` is told whether the journal has it, once that is known; it is not called where the
   * journal refuses at once, and then the cause is returned.
   */
  append(
    record: JournalRecord,
    durability: Durability,
    whenKnown: (stored: boolean) => void = () => {},
  ): Appended | UndecidedCause {
    const tells = this.#untold.length > 0 && (record.kind !== 'event' || this.#untold.length >= UNTOLD_MAX);
    if (tells) record.untold = this.#untold;
    let appended: Appended;
    try {
      appended = this.#journal.append(record, durability);
    } catch (error) {
      return error instanceof JournalFull ? 'journal_full' : 'journal_error';
    }
    if (tells) this.#untold = [];
    this.#firstUnsaved ??= appended.seq;
    this.#lastAppend = appended.durable;
    appended.durable.then(
      () => whenKnown(true),
      (error: unknown) => {
        this.#lost = true;
        this.#onLost(error);
        whenKnown(false);
      },
    );
    step(this.#state, { seq: appended.seq, record });
    return appended;
  }

  /** Appends what the state does not show any more, since it is given up: whoever builds it anew reads it. Never throws. */
  appendUnfolded(record: JournalRecord): void {
    try {
      this.#lastAppend = this.#journal.append(record, 'disk').durable;
      this.#lastAppend.catch(() => {});
    } catch {
      // As where the journal refuses any other: the answer is out.
    }
  }

  /** Folds in an inspection that gets no record of its own: the next record tells it (decision 0016). */
  foldUntold({ seq, event }: PendingScan, effects: readonly Effect[]): void {
    foldInspected(this.#state, event, effects);
    this.#untold.push({ event, effects });
    // Its event must stay, though newer ones may be unsaved already: a snapshot may hold it as not inspected.
    this.markUnsaved(seq);
  }

  /** The text of the event of the record, or undefined where it is not there any more. */
  readEvent(seq: Seq): string | undefined {
    const record = this.#journal.read(seq);
    return record?.kind === 'event' || record?.kind === 'decision' ? Buffer.from(record.body).toString() : undefined;
  }

  /** Saves the state to the journal. Settled once it can be read back; a state that holds what was lost is not saved. */
  async save(): Promise<void> {
    const { seq, lastAtMs } = this.#state;
    const from = this.#firstUnsaved ?? seq + 1;
    const written = this.#write({ seq, lastAtMs, state: encodeState(this.#state) });
    // What changes from here on is not in this snapshot, even where no record comes with it.
    this.#firstUnsaved = undefined;
    this.#saving.push(from);
    try {
      await written;
    } catch (error) {
      this.markUnsaved(from);
      throw error;
    } finally {
      this.#saving.splice(this.#saving.indexOf(from), 1);
    }
  }

  /** Behind the records that it holds: a crash in between would leave a session that remembers events of which there is nothing. */
  async #write(snapshot: Snapshot): Promise<void> {
    await this.settled;
    if (this.#lost) throw new Error('the session holds records that could not be written');
    await this.#journal.writeSnapshot(this.#key, snapshot);
  }

  /** Marks what follows from the records since `from` as not saved yet. */
  markUnsaved(from: Seq): void {
    this.#firstUnsaved = Math.min(this.#firstUnsaved ?? from, from);
  }
}
