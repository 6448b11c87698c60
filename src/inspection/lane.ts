import type { MessagePort } from 'node:worker_threads';
import { INSTALLATION_SET } from '../detection/engines.ts';
import { assert } from '../lib/assert.ts';
import type { Entry } from './entry.ts';
import type { InspectionOutcome, InspectionReport } from './inspector.ts';
import {
  IDLE,
  type LaneBatch,
  type LaneResult,
  type LaneResults,
  type LaneSetAnswer,
  type LaneShadows,
  NO_SET,
  NOT_FOUND_OUT,
  PROGRESS_BATCH,
  PROGRESS_COMPILING,
  PROGRESS_INDEX,
  PROGRESS_LENGTH,
  PROGRESS_PULSE,
  PROGRESS_THREAD,
  RESULT_STRIDE,
  SHADOW_STRIDE,
  sharedClockMs,
  unpackEffects,
} from './lane-messages.ts';
import type { SetLane } from './lane-sets.ts';
import { ThreadClock } from './thread-time.ts';

interface Batch {
  readonly number: number;
  readonly entries: readonly Entry[];
  /** Results to come, and then what tried sets would have answered. */
  resultsToCome: number;
  shadowsToCome: number;
}

/** When a thread was first seen to do what it does: on the monotonic clock, and on its own, which stands while it has no processor. */
interface Seen {
  atMs: number;
  clockMs: number;
}

/** The pool's side of a lane: what it was sent and has not answered, and whether it moves. */
export class Lane implements SetLane {
  readonly port: MessagePort;
  readonly progress = new Int32Array(new SharedArrayBuffer(PROGRESS_LENGTH * Int32Array.BYTES_PER_ELEMENT));
  readonly abort = new AbortController();
  readonly knows = new Set<number>();
  state: SetLane['state'] = 'starting';
  reserved = false;
  onAnswer: ((answer: LaneSetAnswer) => void) | undefined;
  batches: Batch[] = [];
  readonly #onError: (error: string) => void;
  #batchNumber = 0;
  #seenBatch = 0;
  #seenIndex = 0;
  #seenCompiling = 0;
  #seenPulse = 0;
  /** Since when the progress has been as it is. */
  #stillSinceMs = 0;
  /** Tells for how long its thread had a processor; undefined where the system does not. */
  #clock: ThreadClock | undefined;
  /** When it was first seen to stand where it stands, by two clocks. */
  #seenStill: Seen | undefined;
  /** The same since it last looked at the time. */
  #seenSilent: Seen | undefined;

  /** @param onError told of an inspection that threw. */
  constructor(port: MessagePort, onError: (error: string) => void) {
    this.port = port;
    this.#onError = onError;
  }

  becomeReady(): void {
    if (this.state !== 'starting') return;
    this.state = 'ready';
    this.#clock = ThreadClock.open(Atomics.load(this.progress, PROGRESS_THREAD));
  }

  /** Nothing is sent to it, or taken from it, any more. */
  close(): void {
    this.state = 'ended';
    this.port.close();
    this.abort.abort();
    this.#clock?.close();
    this.#clock = undefined;
  }

  /** What it was sent and did not answer yet. */
  *entries(): Generator<Entry> {
    for (const { entries } of this.batches) yield* entries;
  }

  /** The item the lane is at, by its own account; undefined between batches. */
  get current(): Entry | undefined {
    const index = Atomics.load(this.progress, PROGRESS_INDEX);
    if (index === IDLE) return undefined;
    const number = Atomics.load(this.progress, PROGRESS_BATCH);
    return this.batches.find((batch) => batch.number === number)?.entries[index];
  }

  /** Whether it is at the policies of its item, and not at the item. */
  get isCompiling(): boolean {
    return Atomics.load(this.progress, PROGRESS_COMPILING) % 2 === 1;
  }

  /** Looks whether it moved since the last look. Returns for how long it has not, in milliseconds. */
  look(now: number): number {
    const batch = Atomics.load(this.progress, PROGRESS_BATCH);
    const index = Atomics.load(this.progress, PROGRESS_INDEX);
    const compiling = Atomics.load(this.progress, PROGRESS_COMPILING);
    if (batch !== this.#seenBatch || index !== this.#seenIndex || compiling !== this.#seenCompiling) {
      this.#seenBatch = batch;
      this.#seenIndex = index;
      this.#seenCompiling = compiling;
      this.#moved(now);
    } else {
      this.#seenStill ??= { atMs: now, clockMs: this.#clockMs(now) };
    }
    const pulse = Atomics.load(this.progress, PROGRESS_PULSE);
    if (pulse !== this.#seenPulse) this.#seenSilent = undefined;
    else this.#seenSilent ??= { atMs: now, clockMs: this.#clockMs(now) };
    this.#seenPulse = pulse;
    return now - this.#stillSinceMs;
  }

  /**
   * Whether it has worked for `ms` where it stands, by what was seen: without the time in which its thread had no processor, where the
   * system tells that.
   */
  hasWorked(ms: number, now: number): boolean {
    return this.#hasWorkedSince(this.#seenStill, ms, now);
  }

  /** The same without having looked at the time: whatever it does will not end when its time is over. */
  hasWorkedBlindly(ms: number, now: number): boolean {
    return this.hasWorked(ms, now) && this.#hasWorkedSince(this.#seenSilent, ms, now);
  }

  #hasWorkedSince(seen: Seen | undefined, ms: number, now: number): boolean {
    // No thread works for longer than it stands: the clock is asked seldom.
    return seen !== undefined && now - seen.atMs >= ms && this.#clockMs(now) - seen.clockMs >= ms;
  }

  #clockMs(now: number): number {
    return this.#clock === undefined ? now : this.#clock.ms();
  }

  #moved(now: number): void {
    this.#stillSinceMs = now;
    this.#seenStill = undefined;
    this.#seenSilent = undefined;
  }

  /** Sends what is to be inspected, under sets that it was told of. */
  send(entries: readonly Entry[]): void {
    const number = ++this.#batchNumber;
    const message: LaneBatch = [number];
    const now = performance.now();
    const clockOffsetMs = sharedClockMs() - now;
    for (const { event, facts, deadlineAtMs, kind, set, shadow } of entries) {
      const sets = [set?.number ?? INSTALLATION_SET, shadow?.number ?? NO_SET] as const;
      message.push(event, facts, deadlineAtMs + clockOffsetMs, kind, ...sets);
    }
    if (this.batches.length === 0) this.#moved(now);
    this.batches.push({ number, entries, resultsToCome: entries.length, shadowsToCome: 0 });
    this.port.postMessage(message);
  }

  /** Takes what it answers. */
  receive(message: LaneResults | LaneShadows): void {
    if (message[0] === 'shadows') this.#receiveShadows(message);
    else this.#receiveResults(message);
    this.#moved(performance.now());
    if (this.state === 'suspect') this.state = 'ready';
    this.batches = this.batches.filter(({ resultsToCome, shadowsToCome }) => resultsToCome + shadowsToCome > 0);
  }

  /** Settles what is decided without waiting for what tried sets would have answered. */
  settleAllReached(): void {
    for (const entry of this.entries()) entry.settleReached(NOT_FOUND_OUT);
  }

  #receiveResults(results: LaneResults): void {
    const [number, first] = results;
    const batch = this.batches.find((candidate) => candidate.number === number);
    if (batch === undefined) return;
    const count = (results.length - 2) / RESULT_STRIDE;
    batch.resultsToCome -= count;
    for (let index = 0; index < count; index++) {
      const entry = batch.entries[first + index];
      assert(entry !== undefined, 'a lane answers what it was sent');
      if (entry.reach(this.#outcomeAt(results, 2 + index * RESULT_STRIDE))) batch.shadowsToCome++;
    }
  }

  #receiveShadows([, number, ...shadows]: LaneShadows): void {
    const batch = this.batches.find((candidate) => candidate.number === number);
    if (batch === undefined) return;
    for (let at = 0; at < shadows.length; at += SHADOW_STRIDE) {
      const entry = batch.entries[shadows[at] as number];
      assert(entry !== undefined, 'a lane answers what it was sent');
      batch.shadowsToCome--;
      assert(batch.shadowsToCome >= 0, 'a lane tries sets only on what it has decided');
      entry.settleReached(shadows[at + 1] as string | null);
    }
  }

  #outcomeAt(results: LaneResults, at: number): InspectionOutcome {
    const kind = results[at] as LaneResult[0];
    const reason = results[at + 1] as LaneResult[1];
    if (kind === 'cut') return { kind: 'failed', cause: 'deadline' };
    if (kind === 'failed') {
      this.#onError(reason ?? '');
      return { kind: 'failed', cause: 'lane_error' };
    }
    const report: InspectionReport = {
      action: kind === 'block' ? 'block' : 'allow',
      effects: unpackEffects(results[at + 2] as LaneResult[2]),
      explanation: (results[at + 3] as LaneResult[3]) ?? '',
      clean: kind === 'clean',
    };
    if (reason !== null) report.reason = reason;
    return { kind: 'inspected', report };
  }
}
