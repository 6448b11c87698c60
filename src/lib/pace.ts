/** Work of many that must not hold up what is more urgent: it is done piece by piece, with pauses in proportion. */
export interface PaceOptions {
  /** Milliseconds of work before a pause. */
  sliceMs: number;
  /** How much longer the pause is than the work before it: 3 leaves three quarters of the time to others. */
  rest: number;
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  #isRunning = false;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Runs `work` when its turn comes; pieces of work run one at a time, in order. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    let sinceMs = performance.now();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await next();
      const spentMs = performance.now() - sinceMs;
      if (spentMs < this.#options.sliceMs) continue;
      await new Promise((resolve) => setTimeout(resolve, spentMs * this.#options.rest));
      sinceMs = performance.now();
    }
    this.#isRunning = false;
  }
}
