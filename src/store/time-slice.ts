import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets long work on the main thread go in short pieces, with requests served between them. */
export class TimeSlice {
  readonly #ms: number;
  #startedAtMs = performance.now();

  constructor(ms: number) {
    this.#ms = ms;
  }

  get over(): boolean {
    return performance.now() - this.#startedAtMs >= this.#ms;
  }

  /** Lets everything that waits run, and begins the next piece. */
  async next(): Promise<void> {
    await nextTurn();
    this.#startedAtMs = performance.now();
  }
}
