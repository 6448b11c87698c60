/**
 * Durations counted in few buckets, four a doubling from 32 µs on, so that histograms of many stretches of time add up to
 * that of all of them. A percentile read from it is at most a tenth off. `latency_bucket` of the migrations is the same.
 */

export const BUCKETS = 64;
const FIRST_US = 32;
const STEPS_A_DOUBLING = 4;

/** The bucket of a duration; what is shorter than 32 µs is in the first, what is longer than 2 s in the last. */
export function bucketOf(us: number): number {
  const bucket = Math.floor(STEPS_A_DOUBLING * Math.log2(Math.max(us, FIRST_US) / FIRST_US));
  return Math.min(bucket, BUCKETS - 1);
}

/** The duration in microseconds that a share (0 to 1) of those counted does not exceed; undefined where none was. */
export function quantileUs(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  // The middle of the bucket, as ratios go.
  return FIRST_US * 2 ** ((bucket + 0.5) / STEPS_A_DOUBLING);
}
