import { POLICY_LIMITS } from './limits.ts';

/** What a rate counts. */
export interface RateShape {
  windowMs: number;
  gt: number;
  /** Counts distinct values rather than events. */
  distinct: boolean;
}

/** What one counter has seen. Plain data. */
export interface Counter {
  /** When it was last touched. */
  atMs: number;
  /** Events: pairs of a time and how many, oldest first. */
  times?: readonly (readonly [number, number])[];
  /** Distinct values: the hash of each and when it was last seen, oldest first. */
  values?: readonly (readonly [string, number])[];
}

/**
 * `counter` after an event at `atMs` with these hashes of values (none where events are counted). No more is kept than
 * is needed to tell whether the count is above `gt`. Up to `counterTimesMax` events count exactly; above, times are
 * rounded down to that many parts of the window, so that an event may drop out by so much too late.
 */
export function addToCounter(
  counter: Counter | undefined,
  rate: RateShape,
  values: readonly string[],
  atMs: number,
): Counter {
  // The journal's order is what counts: an event that is received "earlier" than the one before it is of its time.
  const nowMs = Math.max(atMs, counter?.atMs ?? 0);
  return rate.distinct
    ? { atMs: nowMs, values: addValues(counter?.values ?? [], rate, values, nowMs) }
    : { atMs: nowMs, times: addTime(counter?.times ?? [], rate, nowMs) };
}

/** What is counted at `atMs`. */
export function countAt(counter: Counter, { windowMs }: RateShape, atMs: number): number {
  const sinceMs = Math.max(atMs, counter.atMs) - windowMs;
  let count = 0;
  for (const [timeMs, events] of counter.times ?? []) if (timeMs > sinceMs) count += events;
  for (const [, timeMs] of counter.values ?? []) if (timeMs > sinceMs) count++;
  return count;
}

function addTime(
  times: NonNullable<Counter['times']>,
  { windowMs, gt }: RateShape,
  nowMs: number,
): NonNullable<Counter['times']> {
  const { counterTimesMax } = POLICY_LIMITS;
  const kept = times.filter(([timeMs]) => timeMs > nowMs - windowMs);
  if (gt < counterTimesMax) return [...kept, [nowMs, 1] as const].slice(-(gt + 1));
  const partMs = Math.max(1, Math.ceil(windowMs / counterTimesMax));
  // The part's end, so that nothing is forgotten before its time.
  const partEndMs = Math.floor(nowMs / partMs) * partMs + partMs - 1;
  const last = kept.at(-1);
  if (last === undefined || last[0] !== partEndMs) return [...kept, [partEndMs, 1] as const];
  return [...kept.slice(0, -1), [partEndMs, last[1] + 1] as const];
}

function addValues(
  seen: NonNullable<Counter['values']>,
  { windowMs, gt }: RateShape,
  values: readonly string[],
  nowMs: number,
): NonNullable<Counter['values']> {
  const added = new Set(values);
  const kept = seen.filter(([value, timeMs]) => timeMs > nowMs - windowMs && !added.has(value));
  const all = [...kept, ...[...added].map((value) => [value, nowMs] as const)];
  return all.slice(-Math.min(gt + 1, POLICY_LIMITS.counterValuesMax));
}
