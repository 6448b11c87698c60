import { Patience } from './patience.ts';

const STOP_MS_MAX = 5_000;

/** Runs `work` again and again, an interval after its last end. Does not keep the process alive. */
export class PollLoop {
  readonly #intervalMs: number;
  readonly #intervalMsMax: number;
  readonly #work: () => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #failures = 0;
  #stopped = false;

  /**
   * @param work must not reject. `false` is a failure.
   * @param intervalMsMax up to which the interval doubles with each failure in a row but the first.
   */
  constructor(intervalMs: number, work: () => Promise<unknown>, intervalMsMax = intervalMs) {
    this.#intervalMs = intervalMs;
    this.#intervalMsMax = intervalMsMax;
    this.#work = work;
  }

  /** Runs `work` once now, and from then on by itself. Resolves after the first time. Does nothing once it was stopped. */
  async start(): Promise<void> {
    await this.#turn();
  }

  /** Resolves once nothing is under way any more, or after five seconds: whoever the work asks may never answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await new Patience(STOP_MS_MAX).outlasts(this.#running ?? Promise.resolve());
  }

  async #turn(): Promise<void> {
    if (this.#stopped) return;
    this.#running = this.#work();
    this.#failures = (await this.#running) === false ? this.#failures + 1 : 0;
    if (this.#stopped) return;
    const intervalMs = Math.min(this.#intervalMs * 2 ** Math.max(0, this.#failures - 1), this.#intervalMsMax);
    this.#timer = setTimeout(() => void this.#turn(), intervalMs);
    this.#timer.unref();
  }
}
