/** Bounded concurrency: at most `runningMax` pieces of work at once; up to `waitingMax` more wait in order. */
export class Turns {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs `work` when its turn comes; undefined if too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#running < this.#runningMax) {
      this.#running += 1;
      return this.#take(work);
    }
    if (this.#waiting.length >= this.#waitingMax) return undefined;
    return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#take(work));
  }

  async #take<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      // The turn is handed on, so that nobody who comes now overtakes the one who waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
