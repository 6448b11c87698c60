/**
 * A few things at a time, put in and taken out often, in no order; each is in it once.
 *
 * No `Set`: V8 gives one that is filled and emptied a new table every few elements, the old table goes on to refer to the new one
 * and to what it held, and once one of them is old, all that come after it live until the next full collection. One for each
 * session kept 3.7 kB of every event that was long over, which cost pauses of a quarter of a second (measured 2026-11-22).
 */
export class Bag<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    if (!this.#items.includes(item)) this.#items.push(item);
  }

  /** Takes `item` out, if it is in. */
  delete(item: T): void {
    const at = this.#items.indexOf(item);
    if (at < 0) return;
    const last = this.#items.pop() as T;
    if (at < this.#items.length) this.#items[at] = last;
  }

  clear(): void {
    this.#items.length = 0;
  }

  find(isIt: (item: T) => boolean): T | undefined {
    return this.#items.find(isIt);
  }

  /** What is in it now: what is added or deleted meanwhile does not matter. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#items][Symbol.iterator]();
  }
}
