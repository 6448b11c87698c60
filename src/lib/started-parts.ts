/** What was started so far, to be stopped in the reverse order. */
export class StartedParts {
  readonly #stops: (() => unknown)[] = [];
  #stopped: Promise<void> | undefined;

  /** Registers how to stop a part: call right after it was started. */
  add(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Stops every part, also when one fails to; then throws the first failure. Further calls wait for the same. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of this.#stops.splice(0).toReversed()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
