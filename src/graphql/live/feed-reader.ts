import { comparePositions, type Position, writeCursor } from './position.ts';
import { Pulled } from './pulled.ts';
import type { Ring } from './ring.ts';
import { type Slot, take } from './slots.ts';

/** A part of the past. */
export interface PastPage<Item> {
  slots: Slot<Item>[];
  /** Behind it. */
  end: Position;
  /** Where it begins: later than was asked for where the rest is not remembered any more. */
  start: Position;
}

/** What a reader reads. */
export interface FeedSource<Item> {
  /** Whether the past can be read. */
  readonly resumes: boolean;
  /** The newest part, which begins where the feed ended when it was first asked for. Rejects while the database is away. */
  ring(): Promise<Ring<Item>>;
  /** What was there from `from` on, at most `limit`. Rejects while the database is away. */
  readPast(from: Position, limit: number): Promise<PastPage<Item>>;
  /** Settled when there is something new, or somebody left. */
  moved(): Promise<void>;
}

export interface ReaderOptions<Item> {
  accepts: (item: Item) => boolean;
  /** Where to go on; from now on where it is absent. */
  after?: Position | undefined;
}

/** What a subscription tells at once. */
export interface LiveBatch<Item> {
  items: Item[];
  /** Behind everything that was told so far. */
  cursor: string;
  /** How many were left out since the batch before, of all that there were, wanted or not. */
  missed: number;
  /** Whether there was more since `after`, which is not remembered any more. */
  hasGap: boolean;
}

const ITEMS_MAX = 100;
const CHARS_MAX = 64 * 1024;
/** So far a cursor is let fall behind where nothing is wanted: it must not be forgotten with the batches of a day. */
const SILENT_BATCHES_MAX = 1_000;
/** After the database could not be asked. */
const RETRY_MS = 1_000;

/**
 * One who watches a feed. Nothing is kept for them but their place: they get what there is when they ask for the next batch, and who
 * asks late gets it late.
 */
export class FeedReader<Item> extends Pulled<LiveBatch<Item>> {
  readonly #feed: FeedSource<Item>;
  readonly #options: ReaderOptions<Item>;
  #position: Position | undefined;
  /** How many ids the ring had up to here. */
  #counted = 0;
  #toldSeq = 0;
  #missed = 0;
  /** How many to look up next in the past: about as many as can be told, since the others would be read again. */
  #pastItems = ITEMS_MAX;
  #hasGap = false;

  constructor(feed: FeedSource<Item>, options: ReaderOptions<Item>, onOver: () => void) {
    super(onOver);
    this.#feed = feed;
    this.#options = options;
  }

  /** Up to where everything was told; undefined before the first batch. */
  get position(): Position | undefined {
    return this.#position;
  }

  override async next(): Promise<IteratorResult<LiveBatch<Item>, undefined>> {
    try {
      while (!this.isOver) {
        const batch = this.#position === undefined ? await this.#begin() : await this.#goOn(this.#position);
        if (batch !== undefined) return { done: false, value: batch };
      }
    } catch (error) {
      // Nobody calls `return` after a failure.
      await this.return();
      throw error;
    }
    return { done: true, value: undefined };
  }

  /** The first batch is empty: it says from where on everything will be told. Rejects where the database is away. */
  async #begin(): Promise<LiveBatch<Item> | undefined> {
    const { after } = this.#options;
    const ring = await this.#feed.ring();
    // A database that was restored from a copy may end before a cursor that it once gave.
    this.#hasGap = after !== undefined && comparePositions(after, ring.end) > 0;
    this.#moveTo(after === undefined || this.#hasGap ? ring.end : after, ring);
    return this.#tell([]);
  }

  async #goOn(position: Position): Promise<LiveBatch<Item> | undefined> {
    const ring = await this.#feed.ring();
    if (!ring.has(position)) return this.#feed.resumes ? this.#readPast(position, ring) : this.#skip(ring);
    if (comparePositions(position, ring.end) < 0) return this.#take(ring.slotsFrom(position), ring.end, ring);
    await this.#feed.moved();
    return undefined;
  }

  async #readPast(position: Position, ring: Ring<Item>): Promise<LiveBatch<Item> | undefined> {
    try {
      const { slots, start, end } = await this.#feed.readPast(position, this.#pastItems);
      this.#hasGap ||= comparePositions(start, position) > 0;
      const batch = this.#take(slots, end, ring);
      const told =
        this.#position !== undefined && comparePositions(this.#position, end) < 0 ? batch?.items.length : slots.length;
      this.#pastItems = Math.min(ITEMS_MAX, 2 * (told ?? 1) + 1);
      return batch;
    } catch {
      // It is tried for as long as somebody waits for it.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return undefined;
    }
  }

  #skip(ring: Ring<Item>): undefined {
    this.#missed += ring.forgotten - this.#counted;
    this.#moveTo(ring.start, ring);
  }

  #take(slots: readonly Slot<Item>[], end: Position, ring: Ring<Item>): LiveBatch<Item> | undefined {
    const { accepts } = this.#options;
    const { items, position } = take(slots, end, { accepts, itemsMax: ITEMS_MAX, charsMax: CHARS_MAX });
    this.#moveTo(position, ring);
    const isSilent = items.length === 0 && this.#missed === 0 && !this.#hasGap;
    return isSilent && position.seq - this.#toldSeq < SILENT_BATCHES_MAX ? undefined : this.#tell(items);
  }

  #moveTo(position: Position, ring: Ring<Item>): void {
    this.#position = position;
    if (ring.has(position)) this.#counted = ring.countTo(position);
  }

  #tell(items: Item[]): LiveBatch<Item> | undefined {
    if (this.#position === undefined || this.isOver) return undefined;
    const batch = { items, cursor: writeCursor(this.#position), missed: this.#missed, hasGap: this.#hasGap };
    this.#toldSeq = this.#position.seq;
    this.#missed = 0;
    this.#hasGap = false;
    return batch;
  }
}
