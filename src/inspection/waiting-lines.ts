import { FairQueue } from '../lib/fair-queue.ts';
import type { Entry, FailureCause, Priority } from './entry.ts';

/** Every tenth place goes to observational work while both kinds wait. */
const OBSERVATIONAL_TURN = 10;
/** Under overload (the oldest waited this share of its time) the newest is served first: the oldest will be late anyway. */
const OVERLOAD_SHARE = 0.25;
/** What nobody waits for is not begun with less time than this left: it would be cut, and never asked for again. */
const OBSERVATIONAL_MS_MIN = 250;
const BATCH_EVENTS_MAX = 32;
const BATCH_CHARS_MAX = 65_536;

/** What waits for a lane, in a line for each priority. A promoted entry stands in both, and counts in the one it `waitsIn`. */
export class WaitingLines {
  readonly #lines: Record<Priority, FairQueue<Entry>>;
  #taken = 0;

  /** @param eventsMax that may wait in each line. */
  constructor(eventsMax: number) {
    const owner = (entry: Entry) => entry.tenant;
    this.#lines = { blocking: new FairQueue(eventsMax, owner), observational: new FairQueue(eventsMax, owner) };
  }

  /** How many wait. */
  get lengths(): Record<Priority, number> {
    return { blocking: this.#lines.blocking.length, observational: this.#lines.observational.length };
  }

  /** Lines the entry up; one that must go for it, be it itself, fails. */
  push(entry: Entry): void {
    const { priority } = entry;
    entry.waitsIn = priority;
    const displaced = this.#lines[priority].push(entry);
    if (displaced?.waitsIn === priority) displaced.fail('queue_full');
  }

  /** Puts an entry that was sent, and will not be answered there, before its tenant's others. */
  putBack(entry: Entry): void {
    entry.waitsIn = entry.priority;
    this.#lines[entry.priority].unshift(entry);
  }

  /** What one lane gets at once; empty where nothing waits. */
  takeBatch(): Entry[] {
    const entries: Entry[] = [];
    let chars = 0;
    while (entries.length < BATCH_EVENTS_MAX && chars < BATCH_CHARS_MAX) {
      const entry = this.#take();
      if (entry === undefined) break;
      entries.push(entry);
      chars += entry.event.length + entry.facts.length;
    }
    return entries;
  }

  /** Fails what is over its deadline. That was time to wait in: of what nobody waits for, it says that there was no room. */
  failLate(now: number): void {
    for (const line of Object.values(this.#lines))
      for (const late of line.drop((entry) => entry.isSettled || entry.deadlineAtMs <= now)) late.fail(tooLate(late));
  }

  /** Fails all that nobody waits for. */
  failObservational(): void {
    for (const entry of this.#lines.observational.drop(() => true)) entry.fail('stopping');
  }

  #take(): Entry | undefined {
    const now = performance.now();
    for (;;) {
      const priority = this.#nextPriority();
      const entry = this.#lines[priority].take((oldest) => hasWaitedTooLong(oldest, now));
      if (entry === undefined) return undefined;
      // Settled meanwhile, or promoted and so standing in the other line too.
      if (entry.isSettled || entry.waitsIn !== priority) continue;
      entry.waitsIn = undefined;
      if (entry.deadlineAtMs > now + (entry.kind === 'observational' ? OBSERVATIONAL_MS_MIN : 0)) return entry;
      entry.fail(tooLate(entry));
    }
  }

  #nextPriority(): Priority {
    if (this.#lines.blocking.length === 0) return 'observational';
    if (this.#lines.observational.length === 0) return 'blocking';
    return ++this.#taken % OBSERVATIONAL_TURN === 0 ? 'observational' : 'blocking';
  }
}

function tooLate({ kind }: Entry): FailureCause {
  return kind === 'observational' ? 'queue_full' : 'deadline';
}

function hasWaitedTooLong(oldest: Entry, now: number): boolean {
  return now - oldest.queuedAtMs > (oldest.deadlineAtMs - oldest.queuedAtMs) * OVERLOAD_SHARE;
}
