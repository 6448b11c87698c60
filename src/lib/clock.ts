/** Time as a port: the wall clock for records, the monotonic one for deadlines. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** A clock that stands still until it is moved. For tests. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  readonly #startMs: number;

  constructor(startMs = 1_750_000_000_000) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  advance(ms: number): void {
    this.#elapsedMs += ms;
  }
}
