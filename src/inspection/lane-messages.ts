import type { PolicySetDocument } from '../detection/policy/document.ts';
import type { Effect } from '../domain/decision.ts';

/** What passes between the pool and a lane: flat arrays of strings and numbers, which cross threads the cheapest. */

/** What a lane gets when it starts. */
export interface LaneStart {
  port: import('node:worker_threads').MessagePort;
  /** `[batch, index]` of the item in work, index `IDLE` between batches: how the pool sees whether the lane moves. */
  progress: Int32Array;
  /** The policies, and the installation's secret: see `openEngine`. */
  policies: readonly PolicySetDocument[];
  secret: Uint8Array;
  /** Whether events may ask for faults: see `workers/test-triggers.ts`. */
  testTriggers: boolean;
}

export const PROGRESS_BATCH = 0;
export const PROGRESS_INDEX = 1;
export const IDLE = -1;

/**
 * A batch: its number, then four entries an item: event text, facts text, deadline (ms of the shared clock), priority.
 * Of an observational event the explanation is not sent back where it is clean, since nobody keeps it.
 */
export type LaneBatch = [batch: number, ...items: (string | number)[]];
export const BATCH_STRIDE = 4;

/** Results of a batch's items from `first` on, four entries an item: what came out, reason, effects, explanation. */
export type LaneResults = [batch: number, first: number, ...results: (string | null)[]];
export const RESULT_STRIDE = 4;

/** `clean` is an `allow` with nothing to tell; `failed` an inspection that threw, with a description as the reason. */
export type ResultKind = 'clean' | 'allow' | 'block' | 'failed';

export type LaneResult = [kind: ResultKind, reason: string | null, effects: string | null, explanation: string | null];

/** Effects as a lane sends them: null for none, the usual case. */
export function packEffects(effects: readonly Effect[]): string | null {
  return effects.length === 0 ? null : JSON.stringify(effects);
}

export function unpackEffects(text: string | null): Effect[] {
  return text === null ? [] : (JSON.parse(text) as Effect[]);
}

/**
 * Milliseconds on a clock that all threads of the process share. `performance.now()` starts at zero in each thread;
 * `hrtime` does not.
 */
export function sharedClockMs(): number {
  return performance.now() + OFFSET_MS;
}

const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();
