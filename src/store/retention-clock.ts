import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { DAY_MS } from './partitions.ts';

/** A step of the clock that is taken for a mistake, until it lasted for `DOUBT_MS`. */
const LEAP_MS = 7 * DAY_MS;
const DOUBT_MS = DAY_MS;

/**
 * The time by which stored events are removed. A clock that was set ahead would have everything removed at once, and nothing
 * brings it back: so where the clock is far ahead of the newest event, or of itself a while ago, nothing is removed for a day.
 */
export class RetentionClock {
  readonly #clock: Clock;
  readonly #log: Log;
  #last: { nowMs: number; atMs: number } | undefined;
  #trustedFromMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Unix milliseconds; undefined while the clock is in doubt.
   *
   * @param newestMs when the newest stored event came, undefined where there is none.
   */
  async now(newestMs: () => Promise<number | undefined>): Promise<number | undefined> {
    const [nowMs, atMs] = [this.#clock.now(), this.#clock.monotonic()];
    const expectedMs = this.#last === undefined ? await newestMs() : this.#last.nowMs + atMs - this.#last.atMs;
    this.#last = { nowMs, atMs };
    if (expectedMs !== undefined && nowMs - expectedMs > LEAP_MS) {
      this.#trustedFromMs = atMs + DOUBT_MS;
      this.#log.warn(
        { daysAhead: Math.round((nowMs - expectedMs) / DAY_MS) },
        'the clock is far ahead of the newest stored event: in case it is wrong, no stored event is removed for a day',
      );
    }
    return atMs >= this.#trustedFromMs ? nowMs : undefined;
  }
}
