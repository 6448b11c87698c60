/** How long somebody waits, in all, for what may come late: the first long wait uses it up for those that follow. */
export class Patience {
  readonly #untilMs: number;

  /** @param ms from now on; `Infinity` for one that never ends. */
  constructor(ms: number) {
    this.#untilMs = performance.now() + ms;
  }

  /** Whether it never ends. */
  get isEndless(): boolean {
    return this.#untilMs === Number.POSITIVE_INFINITY;
  }

  /** Whether `work` is done before the patience ends; where it is not, it goes on by itself. Rejects as `work` does meanwhile. */
  async outlasts(work: Promise<unknown>): Promise<boolean> {
    const done = work.then(() => true);
    if (this.isEndless) return done;
    const leftMs = this.#untilMs - performance.now();
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), Math.max(0, leftMs));
    });
    try {
      return await Promise.race([done, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
