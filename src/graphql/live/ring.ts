import { comparePositions, type Position } from './position.ts';
import type { Slot } from './slots.ts';

/** What all rings together may keep. */
export interface RingMemory {
  chars: number;
  readonly charsMax: number;
}

export interface RingBounds {
  slotsMax: number;
  charsMax: number;
}

/** The newest part of a feed, read once for all who watch it. What it cannot keep, it forgets and counts. */
export class Ring<Item> {
  readonly #memory: RingMemory;
  readonly #bounds: RingBounds;
  #slots: Slot<Item>[] = [];
  #chars = 0;
  /** From here on it has everything up to `end`. */
  #start: Position;
  #end: Position;
  #forgotten = 0;
  #isClosed = false;

  /** @param end where the feed ends when the ring begins. */
  constructor(end: Position, memory: RingMemory, bounds: RingBounds) {
    this.#start = end;
    this.#end = end;
    this.#memory = memory;
    this.#bounds = bounds;
  }

  /** Behind the newest batch that was read. */
  get end(): Position {
    return this.#end;
  }

  /** How many ids there were in it up to `position`, which must not lie before its start. */
  countTo(position: Position): number {
    return this.#forgotten + this.#indexOf(position);
  }

  /** How many ids it forgot so far. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Where what it has begins. */
  get start(): Position {
    return this.#start;
  }

  has(position: Position): boolean {
    return comparePositions(position, this.#start) >= 0;
  }

  /** What there is from `position` on. */
  slotsFrom(position: Position): readonly Slot<Item>[] {
    return this.#slots.slice(this.#indexOf(position));
  }

  push(slots: readonly Slot<Item>[], end: Position): void {
    if (this.#isClosed) return;
    for (const slot of slots) {
      this.#slots.push(slot);
      this.#count(slot.chars);
    }
    this.#end = end;
    const { slotsMax, charsMax } = this.#bounds;
    let excess = Math.max(this.#chars - charsMax, this.#memory.chars - this.#memory.charsMax);
    let drop = Math.max(0, this.#slots.length - slotsMax);
    for (const { chars } of this.#slots.slice(0, drop)) excess -= chars;
    while (excess > 0 && drop < this.#slots.length) excess -= this.#slots[drop++]?.chars ?? 0;
    this.#forget(drop);
  }

  /** Forgets what everybody has seen: `position` is where the slowest is. */
  trim(position: Position): void {
    if (this.has(position)) this.#forget(this.#indexOf(position));
  }

  /** Gives back its memory, and takes nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#forget(this.#slots.length);
  }

  #forget(count: number): void {
    const last = this.#slots[count - 1];
    if (last === undefined) return;
    for (const slot of this.#slots.splice(0, count)) this.#count(-slot.chars);
    this.#start = last.next;
    this.#forgotten += count;
  }

  #count(chars: number): void {
    this.#chars += chars;
    this.#memory.chars += chars;
  }

  /** The first slot that is not before `position`. */
  #indexOf(position: Position): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (comparePositions((this.#slots[middle] as Slot<Item>).at, position) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
