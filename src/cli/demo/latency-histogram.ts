/**
 * Counts durations in buckets whose width grows with the value, in the manner of HdrHistogram: below 256 µs one bucket a
 * microsecond, above that 128 buckets a doubling, so that a percentile is at most 0.8 % too high. Its size is fixed,
 * whatever is recorded.
 */
export class LatencyHistogram {
  readonly #counts = new Uint32Array(bucketOf(DURATION_US_MAX) + 1);
  #count = 0;
  #maxUs = 0;

  /** Counts one duration in microseconds; one beyond an hour counts as an hour. */
  record(durationUs: number): void {
    const us = Math.min(Math.max(0, Math.round(durationUs)), DURATION_US_MAX);
    const bucket = bucketOf(us);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count++;
    if (us > this.#maxUs) this.#maxUs = us;
  }

  get count(): number {
    return this.#count;
  }

  get maxUs(): number {
    return this.#maxUs;
  }

  /** The smallest duration in microseconds that `percent` (0 to 100) of all recorded ones do not exceed; 0 if none is. */
  percentileUs(percent: number): number {
    const rank = Math.max(1, Math.ceil((percent / 100) * this.#count));
    let seen = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] ?? 0;
      if (seen >= rank) return Math.min(highestOf(bucket), this.#maxUs);
    }
    return 0;
  }
}

/** An hour: longer than any request is waited for. */
const DURATION_US_MAX = 3_600_000_000;
/** Buckets of each doubling; values below twice this have a bucket of their own. */
const STEPS_BITS = 7;
const STEPS = 1 << STEPS_BITS;

function bucketOf(us: number): number {
  if (us < 2 * STEPS) return us;
  const doubling = Math.floor(Math.log2(us)) - STEPS_BITS;
  return doubling * STEPS + Math.floor(us / 2 ** doubling);
}

function highestOf(bucket: number): number {
  if (bucket < 2 * STEPS) return bucket;
  const doubling = Math.floor(bucket / STEPS) - 1;
  return (bucket - doubling * STEPS + 1) * 2 ** doubling - 1;
}
