import type { AgentSessionKey, TenantSlug } from '../domain/ids.ts';
import { type Seq, type StoredRecord, UnreadableRecord } from '../journal/journal.ts';
import type { ActorContext } from './actor-context.ts';
import { type AgentSessionState, decodeState, encodeState, initialState, step } from './state.ts';

/** A session as its snapshot and the records behind it have it. */
export interface FoldedSession {
  tenant: TenantSlug;
  key: AgentSessionKey;
  state: AgentSessionState;
  /** The first record that is not in its snapshot; undefined where all of them are. */
  unsavedFrom: Seq | undefined;
}

const BATCH_RECORDS = 1000;

/** Builds the states of sessions from what the journal holds. */
export class Recovery {
  readonly #context: Pick<ActorContext, 'journal' | 'observer'>;

  constructor(context: Pick<ActorContext, 'journal' | 'observer'>) {
    this.#context = context;
  }

  /** The state in the session's snapshot; that of a new session where there is none, or it cannot be read. */
  saved(key: AgentSessionKey): AgentSessionState {
    const snapshot = this.#context.journal.readSnapshot(key);
    if (snapshot === undefined) return initialState();
    try {
      return decodeState(snapshot.state);
    } catch {
      this.#context.observer.unreadable('snapshot', key);
      return initialState();
    }
  }

  /**
   * Folds what the journal holds of the `wanted` sessions. With more than `sessionsMax` of them, those that need nothing done are saved and
   * left out. Lets other work go on in between.
   */
  async fold(
    wanted: (key: AgentSessionKey) => boolean,
    sessionsMax = Number.POSITIVE_INFINITY,
  ): Promise<FoldedSession[]> {
    const { journal } = this.#context;
    const sessions = new Map<AgentSessionKey, FoldedSession>();
    for (let after = journal.foldedUpTo; ; ) {
      const batch = this.#readAfter(after);
      if (batch.upTo === after) return [...sessions.values()];
      for (const stored of batch.records) if (wanted(stored.record.session)) this.#foldOne(sessions, stored);
      after = batch.upTo;
      if (sessions.size > sessionsMax) await this.#putOut(sessions);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The next records behind `seq`, and up to where that is all; `seq` itself at the end. */
  #readAfter(seq: Seq): { records: StoredRecord[]; upTo: Seq } {
    const { journal, observer } = this.#context;
    try {
      const records = journal.readAfter(seq, BATCH_RECORDS);
      return { records, upTo: records.at(-1)?.seq ?? seq };
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      observer.unreadable('record', error.seq);
      return { records: [], upTo: error.seq };
    }
  }

  #foldOne(sessions: Map<AgentSessionKey, FoldedSession>, stored: StoredRecord): void {
    const { tenant, session: key } = stored.record;
    const found = sessions.get(key) ?? { tenant, key, state: this.saved(key), unsavedFrom: undefined };
    sessions.set(key, found);
    if (stored.seq > found.state.seq) found.unsavedFrom ??= stored.seq;
    try {
      step(found.state, stored);
    } catch {
      this.#context.observer.unreadable('record', stored.seq);
    }
  }

  /** Saves the sessions that have no inspection to come, and takes them out; what cannot be saved stays. */
  async #putOut(sessions: Map<AgentSessionKey, FoldedSession>): Promise<void> {
    const { journal } = this.#context;
    const saves = [...sessions.values()].map(async ({ key, state, unsavedFrom }) => {
      if (state.pending.length > 0) return;
      if (unsavedFrom !== undefined) {
        const { seq, lastAtMs } = state;
        await journal.writeSnapshot(key, { seq, lastAtMs, state: encodeState(state) });
      }
      sessions.delete(key);
    });
    await Promise.allSettled(saves);
  }
}
