const STOP_MS_MAX = 5_000;

/** Runs `work` again and again, `intervalMs` after its last end. Does not keep the process alive. */
export class PollLoop {
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  /** @param work must not reject. */
  constructor(intervalMs: number, work: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  /** Runs `work` once now, and from then on by itself. Resolves after the first time. */
  async start(): Promise<void> {
    await this.#turn();
  }

  /** Resolves once nothing is under way any more, or after five seconds: whoever the work asks may never answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const enough = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS_MAX).unref());
    await Promise.race([this.#running, enough]);
  }

  async #turn(): Promise<void> {
    this.#running = this.#work();
    await this.#running;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#turn(), this.#intervalMs);
    this.#timer.unref();
  }
}
