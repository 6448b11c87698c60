/** One point in time to be called at: see `Deadlines`. */
export interface Deadline {
  /** Undefined once it was called or taken off. */
  callback: (() => void) | undefined;
}

const TICK_MS = 2;

/**
 * Calls back at points in time, up to some milliseconds late. For deadlines of which many are set and nearly all are taken
 * off again: both cost a tenth of what a timer of their own would.
 */
export class Deadlines {
  readonly #now: () => number;
  /** By tick: the points in time that fall into it. */
  readonly #ticks = new Map<number, Deadline[]>();
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Calls `callback` once `atMs` is over; in the past: soon. */
  add(atMs: number, callback: () => void): Deadline {
    const deadline: Deadline = { callback };
    if (this.#timer === undefined) this.#start();
    const tick = Math.max(this.#next, Math.ceil(atMs / TICK_MS));
    const others = this.#ticks.get(tick);
    if (others === undefined) this.#ticks.set(tick, [deadline]);
    else others.push(deadline);
    return deadline;
  }

  #start(): void {
    this.#next = Math.floor(this.#now() / TICK_MS);
    this.#timer = setTimeout(this.#run, TICK_MS);
  }

  readonly #run = (): void => {
    const upTo = Math.floor(this.#now() / TICK_MS);
    // After a long sleep of the machine there are more ticks than deadlines.
    if (upTo - this.#next > this.#ticks.size) {
      for (const tick of [...this.#ticks.keys()].sort((a, b) => a - b)) if (tick <= upTo) this.#call(tick);
    } else for (let tick = this.#next; tick <= upTo; tick++) this.#call(tick);
    this.#next = upTo + 1;
    this.#timer = this.#ticks.size === 0 ? undefined : setTimeout(this.#run, TICK_MS);
  };

  #call(tick: number): void {
    const due = this.#ticks.get(tick);
    if (due === undefined) return;
    this.#ticks.delete(tick);
    for (const deadline of due) takeOff(deadline)?.();
  }
}

/** Takes `deadline` off: it is not called any more. Returns what it would have called. */
export function takeOff(deadline: Deadline | undefined): (() => void) | undefined {
  const callback = deadline?.callback;
  if (deadline !== undefined) deadline.callback = undefined;
  return callback;
}
