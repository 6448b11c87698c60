import type { Clock } from '../../src/lib/clock.ts';

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #wallMs: number;
  #elapsedMs = 0;

  constructor(startMs = 1_750_000_000_000) {
    this.#wallMs = startMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  advance(ms: number): void {
    this.#wallMs += ms;
    this.#elapsedMs += ms;
  }

  /** As when somebody sets the wall clock: the monotonic one does not notice. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }
}
