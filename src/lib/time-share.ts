/** How much of each part is left to whoever asks next, as a part of one. */
const LEFT_TO_NEXT = 0.25;

interface Bucket {
  leftMs: number;
  seenAtMs: number;
}

/**
 * A share of a thread's time, for work that must not crowd out the rest however much of it there is: a bucket that fills with the time
 * that passes, and that work empties by the time it takes. Within it each owner that asked lately has a part, all of one size, so that one
 * who asks for much leaves the others theirs; a fraction of a part stays in the whole for whoever comes next.
 */
export class TimeShare {
  readonly #clock: () => number;
  readonly #share: number;
  readonly #mostMs: number;
  readonly #ownersMax: number;
  readonly #whole: Bucket;
  /** The one that asked last comes last. */
  readonly #owners = new Map<string, Bucket>();

  /**
   * @param clock monotonic, in milliseconds.
   * @param share of the time that passes, above 0 and at most 1.
   * @param mostMs how much may be saved up, of all.
   * @param ownersMax of more that asked lately, those that did longest ago begin anew.
   */
  constructor(
    clock: () => number,
    { share, mostMs, ownersMax = 10_000 }: { share: number; mostMs: number; ownersMax?: number },
  ) {
    this.#clock = clock;
    this.#share = share;
    this.#mostMs = mostMs;
    this.#ownersMax = ownersMax;
    this.#whole = { leftMs: mostMs, seenAtMs: clock() };
  }

  /** Does `work` of `owner`; undefined where no time is left for it. The last work may take more than is left, and the next waits the longer. */
  run<Result>(owner: string, work: () => Result): Result | undefined {
    const nowMs = this.#clock();
    const own = this.#bucketOf(owner, nowMs);
    this.#fill(own, 1 / (this.#owners.size + LEFT_TO_NEXT), nowMs);
    this.#fill(this.#whole, 1, nowMs);
    if (own.leftMs <= 0 || this.#whole.leftMs <= 0) return undefined;
    try {
      return work();
    } finally {
      const tookMs = this.#clock() - nowMs;
      own.leftMs -= tookMs;
      this.#whole.leftMs -= tookMs;
    }
  }

  #fill(bucket: Bucket, part: number, nowMs: number): void {
    const filledMs = (nowMs - bucket.seenAtMs) * this.#share * part;
    bucket.leftMs = Math.min(this.#mostMs * part, bucket.leftMs + filledMs);
    bucket.seenAtMs = nowMs;
  }

  /** In so long an empty bucket fills, and what was taken beyond it must be made up for as well: one that is forgotten then is as a new one. */
  #isForgotten({ leftMs, seenAtMs }: Bucket, nowMs: number): boolean {
    const part = 1 / (this.#owners.size + LEFT_TO_NEXT);
    return nowMs - seenAtMs >= this.#mostMs / this.#share + Math.max(0, -leftMs) / (this.#share * part);
  }

  #bucketOf(owner: string, nowMs: number): Bucket {
    const own = this.#owners.get(owner) ?? { leftMs: this.#mostMs, seenAtMs: nowMs };
    this.#owners.delete(owner);
    for (const [each, bucket] of this.#owners) {
      if (!this.#isForgotten(bucket, nowMs) && this.#owners.size < this.#ownersMax) break;
      this.#owners.delete(each);
    }
    this.#owners.set(owner, own);
    return own;
  }
}
