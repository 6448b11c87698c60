const SAMPLE_MS = 25;
/** The mean over about this time counts: a collection or a long turn is no surge. */
const SMOOTHED_MS = 100;
/** A surge begins above this share of the time with something to do, and ends below the other one. */
const BUSY_SHARE = 0.8;
const CALM_SHARE = 0.5;
/** With so many things waiting, they are not held back any more. */
export const HELD_BACK_MAX = 100_000;

/**
 * Whether more comes in than the thread that answers can take beside all other work: then what nobody waits for waits, so that
 * answers get the processors. Once too much of it waits, everything shares them again, until half of that is done.
 */
export class Surge {
  /** 1 while it is on: other threads look here. */
  readonly flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #busyShare = 0;
  #waiting = 0;
  /** After too much waited, none is on until no more than this waits. */
  #resumesAt = Number.POSITIVE_INFINITY;
  #sampling: NodeJS.Timeout | undefined;

  get isOn(): boolean {
    return isOn(this.flag);
  }

  /** How much waits that a surge may hold back. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Watches the event loop of the calling thread. */
  start(): void {
    let last = performance.eventLoopUtilization();
    let lastAtMs = performance.now();
    this.#sampling = setInterval(() => {
      const [now, nowMs] = [performance.eventLoopUtilization(), performance.now()];
      this.note(performance.eventLoopUtilization(now, last).utilization, nowMs - lastAtMs);
      [last, lastAtMs] = [now, nowMs];
    }, SAMPLE_MS);
    this.#sampling.unref();
  }

  stop(): void {
    clearInterval(this.#sampling);
    this.#turn(false);
  }

  /** @param busyShare how much of the last `tookMs` the thread had something to do, 0 to 1. */
  note(busyShare: number, tookMs: number): void {
    this.#busyShare += (busyShare - this.#busyShare) * Math.min(1, tookMs / SMOOTHED_MS);
    if (this.#waiting <= this.#resumesAt) this.#resumesAt = Number.POSITIVE_INFINITY;
    const mayBe = this.#resumesAt === Number.POSITIVE_INFINITY;
    this.#turn(mayBe && this.#busyShare > (this.isOn ? CALM_SHARE : BUSY_SHARE));
  }

  /** One thing more waits that a surge may hold back. */
  holdsBack(): void {
    if (++this.#waiting >= HELD_BACK_MAX) this.end();
  }

  /** One of those does not wait any more. */
  letsGo(): void {
    this.#waiting--;
  }

  /** What waits has no more room. */
  end(): void {
    this.#resumesAt = Math.min(this.#resumesAt, this.#waiting >> 1);
    this.#turn(false);
  }

  #turn(on: boolean): void {
    Atomics.store(this.flag, 0, on ? 1 : 0);
  }
}

/** Whether the surge is on of which `flag` is. */
export function isOn(flag: Int32Array): boolean {
  return Atomics.load(flag, 0) === 1;
}
