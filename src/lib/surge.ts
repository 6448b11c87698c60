const SAMPLE_MS = 25;
/** Of each sample in the mean: so it is a mean over about 100 ms, and a collection or a long turn is no surge. */
const SAMPLE_WEIGHT = 0.25;
/** A surge begins above this share of the time with something to do, and ends below the other one. */
const BUSY_SHARE = 0.8;
const CALM_SHARE = 0.5;
/** Goes on in one sample at most, so that those that were held back come as no surge of their own. */
const LET_GO_MAX = 256;

interface Held {
  readonly untilMs: number;
  /** Undefined once it was called. */
  proceed: (() => void) | undefined;
}

/**
 * Whether more comes in than the thread that answers can take beside all other work: then what nobody waits for waits, for a bounded time, so
 * that answers get the processors.
 */
export class Surge {
  /** 1 while it is on: other threads look here. */
  readonly flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #now: () => number;
  readonly #heldMax: number;
  #busyShare = 0;
  /** In the order in which they came. */
  #held: Held[] = [];
  #sampling: NodeJS.Timeout | undefined;

  /** `now` is a monotonic clock in milliseconds; `heldMax` how much is held back at once. */
  constructor(now: () => number, heldMax: number) {
    this.#now = now;
    this.#heldMax = heldMax;
  }

  get isOn(): boolean {
    return isOn(this.flag);
  }

  /** What is held back. */
  get heldCount(): number {
    return this.#held.reduce((count, { proceed }) => (proceed === undefined ? count : count + 1), 0);
  }

  /** Watches the event loop of the calling thread. */
  start(): void {
    let last = performance.eventLoopUtilization();
    this.#sampling = setInterval(() => {
      const now = performance.eventLoopUtilization();
      this.note(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    }, SAMPLE_MS);
    this.#sampling.unref();
  }

  /** Nothing is held back from here on; what is will not go on. */
  stop(): void {
    clearInterval(this.#sampling);
    Atomics.store(this.flag, 0, 0);
    this.#held = [];
  }

  /** @param busyShare how much of the time since the last call the thread had something to do, 0 to 1. */
  note(busyShare: number): void {
    this.#busyShare += (busyShare - this.#busyShare) * SAMPLE_WEIGHT;
    Atomics.store(this.flag, 0, this.#busyShare > (this.isOn ? CALM_SHARE : BUSY_SHARE) ? 1 : 0);
    this.#letGo();
  }

  /**
   * Calls `proceed` once the surge is over, or soon after `untilMs` and whatever was held back before it, or at once when the returned function is called. Undefined, and
   * nothing is called, where nothing need wait.
   */
  holdBack(untilMs: number, proceed: () => void): (() => void) | undefined {
    if (!this.isOn || untilMs <= this.#now() || this.#held.length >= this.#heldMax) return undefined;
    const held: Held = { untilMs, proceed };
    this.#held.push(held);
    return () => letGo(held);
  }

  #letGo(): void {
    const now = this.#now();
    let count = 0;
    const waits = ({ untilMs, proceed }: Held) => proceed !== undefined && this.isOn && untilMs > now;
    while (count < LET_GO_MAX && count < this.#held.length && !waits(this.#held[count] as Held)) count++;
    for (const held of this.#held.splice(0, count)) letGo(held);
  }
}

function letGo(held: Held): void {
  const { proceed } = held;
  held.proceed = undefined;
  proceed?.();
}

/** Whether the surge is on of which `flag` is. */
export function isOn(flag: Int32Array): boolean {
  return Atomics.load(flag, 0) === 1;
}
