/** A double-ended queue on an array: all operations take constant time, amortised. */
class Deque<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  pushBack(item: T): void {
    this.#items.push(item);
  }

  pushFront(item: T): void {
    if (this.#head === 0) {
      // Room in front for as many as there are, so that a run of these stays cheap.
      this.#head = this.#items.length + 1;
      this.#items = [...Array<undefined>(this.#head).fill(undefined), ...this.#items];
    }
    this.#items[--this.#head] = item;
  }

  front(): T | undefined {
    return this.#items[this.#head];
  }

  popFront(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  popBack(): T | undefined {
    return this.length === 0 ? undefined : this.#items.pop();
  }
}

/**
 * A bounded queue that serves its owners (tenants) in turn: whoever floods it waits behind its own flood only.
 * When it is full, the owner with the most waiting loses its oldest item.
 */
export class FairQueue<T> {
  readonly itemsMax: number;
  readonly #ownerOf: (item: T) => string;
  readonly #queues = new Map<string, Deque<T>>();
  #length = 0;

  constructor(itemsMax: number, ownerOf: (item: T) => string) {
    this.itemsMax = itemsMax;
    this.#ownerOf = ownerOf;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds `item` behind its owner's others. Returns the item that had to go for it, which may be `item` itself. */
  push(item: T): T | undefined {
    const displaced = this.#length >= this.itemsMax ? this.#makeRoom(item) : undefined;
    if (displaced === item) return item;
    this.#queueOf(item).pushBack(item);
    this.#length++;
    return displaced;
  }

  /** Puts an item back before its owner's others. Not bounded: it was in the queue before. */
  unshift(item: T): void {
    this.#queueOf(item).pushFront(item);
    this.#length++;
  }

  /** The next owner's oldest item, or its newest where `newestFirst` says so of the oldest. */
  take(newestFirst: (oldest: T) => boolean): T | undefined {
    for (const [owner, queue] of this.#queues) {
      const oldest = queue.front() as T;
      const item = newestFirst(oldest) ? queue.popBack() : queue.popFront();
      this.#length--;
      if (queue.length === 0) this.#queues.delete(owner);
      else if (this.#queues.size > 1) this.#toTheEnd(owner, queue);
      return item;
    }
    return undefined;
  }

  /** Removes and returns every item at the old end for which `isOver` holds. */
  *drop(isOver: (item: T) => boolean): Generator<T> {
    for (const [owner, queue] of this.#queues) {
      for (let oldest = queue.front(); oldest !== undefined && isOver(oldest); oldest = queue.front()) {
        queue.popFront();
        this.#length--;
        yield oldest;
      }
      if (queue.length === 0) this.#queues.delete(owner);
    }
  }

  #queueOf(item: T): Deque<T> {
    const owner = this.#ownerOf(item);
    const known = this.#queues.get(owner);
    if (known !== undefined) return known;
    const queue = new Deque<T>();
    this.#queues.set(owner, queue);
    return queue;
  }

  /** A map keeps the order in which its keys were set: the line of owners. */
  #toTheEnd(owner: string, queue: Deque<T>): void {
    this.#queues.delete(owner);
    this.#queues.set(owner, queue);
  }

  #makeRoom(item: T): T {
    const own = this.#queues.get(this.#ownerOf(item))?.length ?? 0;
    let longest: [string, Deque<T>] | undefined;
    for (const entry of this.#queues) if (longest === undefined || entry[1].length > longest[1].length) longest = entry;
    if (longest === undefined || longest[1].length <= own) return item;
    const displaced = longest[1].popFront() as T;
    this.#length--;
    if (longest[1].length === 0) this.#queues.delete(longest[0]);
    return displaced;
  }
}
