import type { FeedBatch } from '../../store/feeds.ts';
import { comparePositions, type Position } from './position.ts';

/** One id of a feed with what it stands for. */
export interface Slot<Item> {
  at: Position;
  /** Behind it. */
  next: Position;
  /** Absent where it cannot be seen any more. */
  item: Item | undefined;
  /** What it keeps in memory, in UTF-16 units. */
  chars: number;
}

/** An id of a batch with its place. */
export interface Place {
  id: string;
  at: Position;
  next: Position;
}

/** The ids of `batches` from `from` on, at most `limit`, with their places. */
export function placesOf(batches: readonly FeedBatch[], from: Position, limit: number): Place[] {
  const places: Place[] = [];
  for (const { seq, ids } of batches) {
    for (const [index, id] of ids.entries()) {
      const at = { seq, taken: index };
      if (comparePositions(at, from) < 0) continue;
      if (places.length >= limit) return places;
      places.push({ id, at, next: index + 1 === ids.length ? { seq: seq + 1, taken: 0 } : { seq, taken: index + 1 } });
    }
  }
  return places;
}

export interface TakeOptions<Item> {
  accepts: (item: Item) => boolean;
  itemsMax: number;
  /** UTF-16 units of the items together; one item is taken whatever it has. */
  charsMax: number;
}

/**
 * What `slots` have for somebody, and how far they were looked through: to `end` where all of them were. The position stands behind
 * the last item taken, or the last one that was not wanted.
 */
export function take<Item>(
  slots: readonly Slot<Item>[],
  end: Position,
  { accepts, itemsMax, charsMax }: TakeOptions<Item>,
): { items: Item[]; position: Position } {
  const items: Item[] = [];
  let chars = 0;
  for (const { at, item, chars: ofItem } of slots) {
    if (item === undefined || !accepts(item)) continue;
    if (items.length >= itemsMax || (items.length > 0 && chars + ofItem > charsMax)) return { items, position: at };
    items.push(item);
    chars += ofItem;
  }
  return { items, position: end };
}
