/** Something that many wait for, again and again. Nothing is remembered: who waits after it was raised waits for the next time. */
export class Signal {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  raise(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
