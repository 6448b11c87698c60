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
