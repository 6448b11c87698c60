/**
 * A share of a thread's time, for work that must not crowd out the rest however much of it there is: a bucket that fills with the time
 * that passes, and that work empties by the time it takes.
 */
export class TimeShare {
  readonly #clock: () => number;
  readonly #share: number;
  readonly #mostMs: number;
  #leftMs: number;
  #seenAtMs: number;

  /**
   * @param clock monotonic, in milliseconds.
   * @param share of the time that passes, above 0 and at most 1.
   * @param mostMs how much may be saved up.
   */
  constructor(clock: () => number, { share, mostMs }: { share: number; mostMs: number }) {
    this.#clock = clock;
    this.#share = share;
    this.#mostMs = mostMs;
    this.#leftMs = mostMs;
    this.#seenAtMs = clock();
  }

  /** Does `work`; undefined where no time is left for it. The last work may take more than is left, and the next waits the longer. */
  run<Result>(work: () => Result): Result | undefined {
    const startedAtMs = this.#clock();
    this.#leftMs = Math.min(this.#mostMs, this.#leftMs + (startedAtMs - this.#seenAtMs) * this.#share);
    this.#seenAtMs = startedAtMs;
    if (this.#leftMs <= 0) return undefined;
    try {
      return work();
    } finally {
      this.#leftMs -= this.#clock() - startedAtMs;
    }
  }
}
