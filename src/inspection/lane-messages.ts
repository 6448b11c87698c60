import type { PackedPolicySet } from '../detection/engines.ts';
import type { PolicySetDocument } from '../detection/policy/document.ts';
import type { Effect } from '../domain/decision.ts';
import type { PolicyFile } from '../domain/policies.ts';

/** What passes between the pool and a lane: flat arrays of strings and numbers, which cross threads the cheapest. */

/** What a lane gets when it starts. */
export interface LaneStart {
  port: import('node:worker_threads').MessagePort;
  /**
   * `[batch, index, compiling, thread, pulse]`: the item in work, index `IDLE` between batches; how often a compilation of its policies
   * began or ended, so that it is odd during one; the lane's `threadNumber`; and how often it looked at the time, modulo 2³². How the pool
   * sees whether the lane moves, and whether it would end by itself.
   */
  progress: Int32Array;
  /** The installation's policies and its secret: see `openEngine`. */
  policies: readonly PolicySetDocument[];
  secret: Uint8Array;
  /** Whether events may ask for faults: see `workers/test-triggers.ts`. */
  testTriggers: boolean;
}

/** Characters of an event up to which it is small: inspected together with its neighbours, which a long one would keep waiting, and for so long only. */
export const SMALL_EVENT_CHARS_MAX = 2_048;

export const PROGRESS_BATCH = 0;
export const PROGRESS_INDEX = 1;
export const PROGRESS_COMPILING = 2;
export const PROGRESS_THREAD = 3;
export const PROGRESS_PULSE = 4;
export const PROGRESS_LENGTH = 5;
export const IDLE = -1;

/**
 * A batch: its number, then six entries an item: event text, facts text, deadline (ms of the shared clock), priority, the
 * numbers of the policy set that decides and of the one that is tried beside it, or `NO_SET`.
 * Of an observational event the explanation is not sent back where it is clean, since nobody keeps it.
 */
export type LaneBatch = [batch: number, ...items: (string | number)[]];
export const BATCH_STRIDE = 6;
export const NO_SET = -1;

/** What a lane is told of policy sets, in order with its batches. `read` and `prepare` are answered. */
export type LaneOrder =
  /** Checks and compiles files, of which nothing is known. */
  | { order: 'read'; set: number; files: readonly PolicyFile[] }
  /** Keeps a set that is known to be right, to compile it when it is needed. */
  | { order: 'learn'; set: number; packed: PackedPolicySet }
  /** Compiles a set that it was told of. */
  | { order: 'prepare'; set: number }
  | { order: 'forget'; sets: readonly number[] };

/** The answer to a `read` (with what the files came to) or `prepare`; or why the set cannot be used. */
export type LaneSetAnswer = { set: number; packed?: PackedPolicySet } | { set: number; refused: string };

/**
 * What sets would have answered that are only tried, two entries an item: its index, and `ShadowOutcome` as JSON text, or
 * `NOT_FOUND_OUT`; null where no policy was asked. Comes after the results of the whole batch.
 */
export type LaneShadows = ['shadows', batch: number, ...shadows: (number | string | null)[]];
export const SHADOW_STRIDE = 2;
export const NOT_FOUND_OUT = '';

export type LaneMessage = 'ready' | LaneResults | LaneShadows | LaneSetAnswer;

/** Results of a batch's items from `first` on, four entries an item: what came out, reason, effects, explanation. */
export type LaneResults = [batch: number, first: number, ...results: (string | null)[]];
export const RESULT_STRIDE = 4;

/**
 * `clean` is an `allow` with nothing to tell; `cut` an inspection whose time was over before it had looked at everything, and found nothing to
 * block by then; `failed` one that threw, with a description as the reason.
 */
export type ResultKind = 'clean' | 'allow' | 'block' | 'cut' | 'failed';

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
