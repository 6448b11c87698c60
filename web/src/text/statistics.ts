/** Stretches of time, and what statistics of them add up to. */

export interface Bucket {
  from: string;
  decisions: number;
  blocked: number;
  undecided: number;
  failedOpen: number;
  p50Us: number | null;
  p99Us: number | null;
}

/** What stretches add up to. Percentiles do not: those of a longer time are asked for. */
export interface Totals {
  decisions: number;
  blocked: number;
  undecided: number;
  failedOpen: number;
}

export function totals(buckets: readonly Bucket[]): Totals {
  const sum = (field: 'decisions' | 'blocked' | 'undecided' | 'failedOpen') =>
    buckets.reduce((n, bucket) => n + bucket[field], 0);
  return {
    decisions: sum('decisions'),
    blocked: sum('blocked'),
    undecided: sum('undecided'),
    failedOpen: sum('failedOpen'),
  };
}

export interface TimeRange {
  name: string;
  label: string;
  seconds: number;
  bucketSeconds: number;
  /** What one stretch is called. */
  bucketLabel: string;
}

/** The stretches are whole minutes, which the service has counted already. */
export const TIME_RANGES: readonly TimeRange[] = [
  { name: '15m', label: '15 minutes', seconds: 900, bucketSeconds: 60, bucketLabel: 'minute' },
  { name: '1h', label: '1 hour', seconds: 3_600, bucketSeconds: 60, bucketLabel: 'minute' },
  { name: '24h', label: '24 hours', seconds: 86_400, bucketSeconds: 900, bucketLabel: '15 min' },
  { name: '7d', label: '7 days', seconds: 604_800, bucketSeconds: 7_200, bucketLabel: '2 h' },
  { name: '30d', label: '30 days', seconds: 2_592_000, bucketSeconds: 43_200, bucketLabel: '12 h' },
];

/** The stretch of time that ends at `nowMs`, from the beginning of a bucket on, so that none is counted in part. */
export function stretchOf({ seconds, bucketSeconds }: TimeRange, nowMs: number): { since: string; until: string } {
  const bucketMs = bucketSeconds * 1000;
  const since = Math.floor((nowMs - seconds * 1000) / bucketMs) * bucketMs + bucketMs;
  return { since: new Date(since).toISOString(), until: new Date(nowMs).toISOString() };
}

const HOUR_MS = 3_600_000;

/** The beginning, in UTC, of the hour that holds `time`: what is counted by the hour counts from there. */
export function hourOf(time: string): string {
  return new Date(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS).toISOString();
}

const DAY_SECONDS = 86_400;

/** How far back lies what a stretch is compared with: a day, or as long as the stretch itself where that is longer. */
export function comparedWith({ seconds, label }: TimeRange): { seconds: number; label: string } {
  if (seconds < DAY_SECONDS) return { seconds: DAY_SECONDS, label: 'the same time a day before' };
  return { seconds, label: seconds === DAY_SECONDS ? 'the day before' : `the ${label} before` };
}
