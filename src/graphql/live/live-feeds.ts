import { Turns } from '../../lib/turns.ts';
import type { FeedTopic } from '../../store/feeds.ts';
import type { TenantDatabase } from '../../store/tenant-database.ts';
import type { FeedReader, ReaderOptions } from './feed-reader.ts';
import { LiveReadings } from './live-readings.ts';
import type { RingMemory } from './ring.ts';
import { TenantFeed } from './tenant-feed.ts';
import type { LiveTopic } from './topic.ts';

export interface LiveFeedsOptions {
  /** With connections of its own, so that those who watch do not keep those who ask from an answer. */
  database: TenantDatabase;
  /** The numbers of the tenants' newest batches: for changes that other processes made. */
  readHeads: (tenantIds: readonly string[]) => Promise<readonly { tenantId: string; seq: number }[]>;
  /** Told of the first failure in a row: it is tried again until it succeeds. */
  onError: (error: unknown) => void;
}

/** Between two readings of one feed. */
const TICK_MS = 100;
const POLL_MS = 2_000;
/** After the database could not be asked. */
const RETRY_MS = 1_000;
const RING_CHARS_MAX = 64 * 1024 * 1024;
/** Readings of the past at once, waiting. */
const PAST_READINGS_MAX = 2;
const PAST_READINGS_WAITING_MAX = 10_000;

interface Watched {
  feed: TenantFeed<unknown>;
  isDirty: boolean;
  isRunning: boolean;
}

/** All that is watched, of all tenants: reads what is new when it is told that there is something, and now and then asks. */
export class LiveFeeds {
  readonly #options: LiveFeedsOptions;
  readonly #watched = new Map<string, Map<FeedTopic, Watched>>();
  readonly #memory: RingMemory = { chars: 0, charsMax: RING_CHARS_MAX };
  readonly #past = new Turns(PAST_READINGS_MAX, PAST_READINGS_WAITING_MAX);
  readonly #knownHeads = new Map<string, number>();
  #polling: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isFailing = false;

  readonly readings = new LiveReadings();

  constructor(options: LiveFeedsOptions) {
    this.#options = options;
  }

  /** Watches `topic` of the tenant. Whether the caller may see it, they have been asked before. */
  watch<Item>(tenantId: string, topic: LiveTopic<Item>, options: ReaderOptions<Item>): FeedReader<Item> {
    const ofTenant = this.#watched.get(tenantId) ?? new Map<FeedTopic, Watched>();
    this.#watched.set(tenantId, ofTenant);
    const watched = ofTenant.get(topic.name) ?? { feed: this.#open(tenantId, topic), isDirty: false, isRunning: false };
    ofTenant.set(topic.name, watched);
    this.#polling ??= setTimeout(() => void this.#poll(), POLL_MS).unref();
    return (watched.feed as unknown as TenantFeed<Item>).read(options);
  }

  /** What is read for those who watch is read here. */
  get database(): TenantDatabase {
    return this.#options.database;
  }

  /** Characters that are kept for those who lag. */
  get memoryChars(): number {
    return this.#memory.chars;
  }

  /** There is something new for these tenants. */
  note(tenantIds: readonly string[]): void {
    for (const tenantId of tenantIds)
      for (const watched of this.#watched.get(tenantId)?.values() ?? []) this.#advance(watched);
  }

  /** Ends everything that is watched, and the connections. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#polling);
    this.readings.stop();
    for (const ofTenant of this.#watched.values()) for (const { feed } of ofTenant.values()) feed.close();
    await this.#options.database.close();
  }

  #open<Item>(tenantId: string, topic: LiveTopic<Item>): TenantFeed<unknown> {
    const feed = new TenantFeed<Item>({
      tenantId,
      topic,
      inTenant: (work) => this.#options.database.inTenant({ tenantId }, work),
      inTurn: (work) => this.#past.run(work) ?? Promise.reject(new Error('too many read the past')),
      memory: this.#memory,
      onIdle: () => this.#forget(tenantId, topic.name),
    });
    return feed as unknown as TenantFeed<unknown>;
  }

  #forget(tenantId: string, name: FeedTopic): void {
    const ofTenant = this.#watched.get(tenantId);
    ofTenant?.delete(name);
    if (ofTenant?.size !== 0) return;
    this.#watched.delete(tenantId);
    this.#knownHeads.delete(tenantId);
  }

  #advance(watched: Watched): void {
    watched.isDirty = true;
    if (!watched.isRunning) void this.#run(watched);
  }

  async #run(watched: Watched): Promise<void> {
    watched.isRunning = true;
    while (watched.isDirty && !this.#isStopped) {
      watched.isDirty = false;
      const outcome = await this.#tried(() => watched.feed.advance());
      watched.isDirty ||= outcome !== false;
      const pauseMs = outcome === undefined ? RETRY_MS : TICK_MS;
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    }
    watched.isRunning = false;
  }

  async #poll(): Promise<void> {
    const heads = (await this.#tried(() => this.#options.readHeads([...this.#watched.keys()]))) ?? [];
    const moved = heads.filter(({ tenantId, seq }) => this.#knownHeads.get(tenantId) !== seq);
    for (const { tenantId, seq } of moved) if (this.#watched.has(tenantId)) this.#knownHeads.set(tenantId, seq);
    this.note(moved.map(({ tenantId }) => tenantId));
    if (!this.#isStopped) this.#polling = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  /** Undefined where it failed. */
  async #tried<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#isFailing = false;
      return result;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) this.#options.onError(error);
      this.#isFailing = true;
      return undefined;
    }
  }
}
