import { Signal } from '../../lib/signal.ts';
import { readFeed, readFeedHead } from '../../store/feeds.ts';
import type { TenantTransaction } from '../../store/tenant-database.ts';
import { FeedReader, type FeedSource, type PastPage, type ReaderOptions } from './feed-reader.ts';
import { comparePositions, type Position } from './position.ts';
import { Ring, type RingBounds, type RingMemory } from './ring.ts';
import { type Place, placesOf, type Slot } from './slots.ts';
import type { LiveTopic } from './topic.ts';

export interface TenantFeedOptions<Item> {
  tenantId: string;
  topic: LiveTopic<Item>;
  inTenant: <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;
  /** Readings of the past for those who lag: they take turns, so that the newest is not held up. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  memory: RingMemory;
  /** Called when nobody watches any more. */
  onIdle: () => void;
}

const RING_BOUNDS: RingBounds = { slotsMax: 2_000, charsMax: 4 * 1024 * 1024 };
/** Batches read in one go; a batch is one transaction of a projector. */
const BATCHES_MAX = 4;

/** The feed of one topic of one tenant, read once for everybody who watches it. */
export class TenantFeed<Item> implements FeedSource<Item> {
  readonly #options: TenantFeedOptions<Item>;
  readonly #readers = new Set<FeedReader<Item>>();
  #ring: Promise<Ring<Item>> | undefined;
  readonly #moved = new Signal();

  constructor(options: TenantFeedOptions<Item>) {
    this.#options = options;
  }

  get resumes(): boolean {
    return this.#options.topic.resumes;
  }

  /** Watches the feed, from `after` on where it is given, else from now on. */
  read(options: ReaderOptions<Item>): FeedReader<Item> {
    const reader = new FeedReader(this, options, () => this.#leave(reader));
    this.#readers.add(reader);
    return reader;
  }

  ring(): Promise<Ring<Item>> {
    this.#ring ??= this.#openRing();
    return this.#ring;
  }

  moved(): Promise<void> {
    return this.#moved.wait();
  }

  /** Reads what is new. Returns whether there is more. Rejects while the database is away. */
  async advance(): Promise<boolean> {
    const { topic, tenantId, inTenant } = this.#options;
    if (this.#ring === undefined) return false;
    const ring = await this.#ring;
    const batches = await inTenant(async (tx) => {
      const found = await readFeed(tx, tenantId, topic.name, { after: ring.end.seq - 1, limit: BATCHES_MAX });
      return { found, slots: await this.#load(tx, placesOf(found, ring.end, Number.POSITIVE_INFINITY)) };
    });
    const last = batches.found.at(-1);
    this.#trim(ring);
    if (last === undefined) return false;
    ring.push(batches.slots, { seq: last.seq + 1, taken: 0 });
    this.#moved.raise();
    return batches.found.length === BATCHES_MAX;
  }

  readPast(from: Position, limit: number): Promise<PastPage<Item>> {
    const { topic, tenantId, inTenant, inTurn } = this.#options;
    return inTurn(() =>
      inTenant(async (tx) => {
        const batches = await readFeed(tx, tenantId, topic.name, { after: from.seq - 1, limit: BATCHES_MAX });
        const [first] = batches;
        const start =
          first === undefined ? await behindHead(tx, tenantId) : laterOf(from, { seq: first.seq, taken: 0 });
        const places = placesOf(batches, start, limit);
        const last = batches.at(-1);
        const whole = last === undefined ? start : { seq: last.seq + 1, taken: 0 };
        const end = places.length < limit ? whole : (places.at(-1) as Place).next;
        return { slots: await this.#load(tx, places), start, end };
      }),
    );
  }

  /** Ends every reader. */
  close(): void {
    for (const reader of this.#readers) void reader.return();
  }

  async #openRing(): Promise<Ring<Item>> {
    const { tenantId, inTenant, memory } = this.#options;
    try {
      const end = await inTenant((tx) => behindHead(tx, tenantId));
      return new Ring<Item>(end, memory, RING_BOUNDS);
    } catch (error) {
      this.#ring = undefined;
      throw error;
    }
  }

  async #load(tx: TenantTransaction, places: readonly Place[]): Promise<Slot<Item>[]> {
    const { topic, tenantId } = this.#options;
    const ids = [...new Set(places.map(({ id }) => id))];
    const items = ids.length === 0 ? new Map<string, Item>() : await topic.load(tx, tenantId, ids);
    return places.map(({ id, at, next }) => {
      const item = items.get(id);
      return { at, next, item, chars: item === undefined ? 0 : topic.charsOf(item) };
    });
  }

  #trim(ring: Ring<Item>): void {
    let slowest = ring.end;
    for (const { position } of this.#readers)
      if (position !== undefined && comparePositions(position, slowest) < 0) slowest = position;
    // Whoever is behind its start reads the past, or has missed it.
    ring.trim(slowest);
  }

  #leave(reader: FeedReader<Item>): void {
    this.#readers.delete(reader);
    // Whoever waits looks again whether they are the one.
    this.#moved.raise();
    if (this.#readers.size > 0) return;
    void this.#ring?.then(
      (ring) => ring.close(),
      () => {},
    );
    this.#ring = undefined;
    this.#options.onIdle();
  }
}

async function behindHead(tx: TenantTransaction, tenantId: string): Promise<Position> {
  return { seq: (await readFeedHead(tx, tenantId)) + 1, taken: 0 };
}

function laterOf(one: Position, other: Position): Position {
  return comparePositions(one, other) >= 0 ? one : other;
}
