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

  sum(weigh: (item: T) => number): number {
    let sum = 0;
    for (let at = this.#head; at < this.#items.length; at++) sum += weigh(this.#items[at] as T);
    return sum;
  }

  popBack(): T | undefined {
    return this.length === 0 ? undefined : this.#items.pop();
  }
}

/** An owner's items, and whether it stands in line. */
class Owned<T> {
  readonly items = new Deque<T>();
  inLine = false;
}

/** Owners that are remembered though they have nothing waiting. */
const OWNERS_IDLE_MAX = 1000;

/**
 * A bounded queue that serves its owners (tenants) in turn: whoever floods it waits behind its own flood only.
 * When it is full, the owner with the most waiting loses its oldest item.
 */
export class FairQueue<T> {
  readonly itemsMax: number;
  readonly #ownerOf: (item: T) => string;
  /** Owners stay when they have nothing waiting: see `Bag` for why they are not put in and taken out each time. */
  readonly #owners = new Map<string, Owned<T>>();
  /** Those that have something waiting, whose turn is next first. */
  readonly #line = new Deque<Owned<T>>();
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
    this.#lineUp(item).pushBack(item);
    return displaced;
  }

  /** Takes out the oldest item of the owner with the most waiting, by what `weigh` says of each. */
  displace(weigh: (item: T) => number): T | undefined {
    let most: Owned<T> | undefined;
    let mostWeight = 0;
    for (const owned of this.#owners.values()) {
      const weight = owned.items.sum(weigh);
      if (weight > mostWeight) [most, mostWeight] = [owned, weight];
    }
    return most === undefined ? undefined : this.#takeOldest(most);
  }

  #takeOldest({ items }: Owned<T>): T {
    this.#length--;
    return items.popFront() as T;
  }

  /** Puts an item back before its owner's others. Not bounded: it was in the queue before. */
  unshift(item: T): void {
    this.#lineUp(item).pushFront(item);
  }

  /** The next owner's oldest item, or its newest where `newestFirst` says so of the oldest. */
  take(newestFirst: (oldest: T) => boolean): T | undefined {
    const owned = this.#next();
    if (owned === undefined) return undefined;
    const { items } = owned;
    const item = newestFirst(items.front() as T) ? items.popBack() : items.popFront();
    this.#length--;
    if (items.length > 0) this.#line.pushBack(owned);
    else owned.inLine = false;
    return item;
  }

  /** Removes and returns every item at the old end for which `isOver` holds. */
  *drop(isOver: (item: T) => boolean): Generator<T> {
    for (const { items } of this.#owners.values()) {
      for (let oldest = items.front(); oldest !== undefined && isOver(oldest); oldest = items.front()) {
        items.popFront();
        this.#length--;
        yield oldest;
      }
    }
  }

  /** Takes the owner whose turn it is out of the line. What was dropped or displaced can have left it nothing. */
  #next(): Owned<T> | undefined {
    for (let owned = this.#line.popFront(); owned !== undefined; owned = this.#line.popFront()) {
      if (owned.items.length > 0) return owned;
      owned.inLine = false;
    }
    return undefined;
  }

  /** The items of the owner of `item`, which is about to get one more. */
  #lineUp(item: T): Deque<T> {
    const owned = this.#ownedOf(this.#ownerOf(item));
    if (!owned.inLine) this.#line.pushBack(owned);
    owned.inLine = true;
    this.#length++;
    return owned.items;
  }

  #ownedOf(owner: string): Owned<T> {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    if (this.#owners.size >= OWNERS_IDLE_MAX) this.#forgetIdle();
    const owned = new Owned<T>();
    this.#owners.set(owner, owned);
    return owned;
  }

  #forgetIdle(): void {
    for (const [owner, { inLine }] of this.#owners) if (!inLine) this.#owners.delete(owner);
  }

  #makeRoom(item: T): T {
    const own = this.#owners.get(this.#ownerOf(item))?.items.length ?? 0;
    const longest = this.#longest();
    return longest === undefined || longest.items.length <= own ? item : this.#takeOldest(longest);
  }

  #longest(): Owned<T> | undefined {
    let longest: Owned<T> | undefined;
    for (const owned of this.#owners.values())
      if (longest === undefined || owned.items.length > longest.items.length) longest = owned;
    return longest;
  }
}
