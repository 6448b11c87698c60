import { Signal } from '../../lib/signal.ts';
import { decisionStatistics, type StatisticsBucket } from '../../store/statistics.ts';
import type { TenantDatabase } from '../../store/tenant-database.ts';

/** Stretches of time whose statistics can be watched: few, so that all who watch share them. */
export const LIVE_WINDOWS = {
  minute: { seconds: 60, bucketSeconds: 1 },
  hour: { seconds: 3_600, bucketSeconds: 60 },
} as const;
export type LiveWindow = keyof typeof LIVE_WINDOWS;

export interface StatisticsTick {
  items: StatisticsBucket[];
  /** How many ticks were left out since the one before. */
  missed: number;
}

const TICK_MS = 1_000;

interface Computed {
  tick: number;
  isPending: boolean;
  buckets: Promise<StatisticsBucket[]>;
}

/** Statistics of tenants, computed at most once a second for all who watch them. */
export class LiveStatistics {
  readonly #database: TenantDatabase;
  readonly #computed = new Map<string, Computed>();
  readonly #ticked = new Signal();
  readonly #readers = new Set<StatisticsReader>();
  #tick = 1;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: TenantDatabase) {
    this.#database = database;
  }

  get tick(): number {
    return this.#tick;
  }

  watch(tenantId: string, window: LiveWindow): StatisticsReader {
    const reader = new StatisticsReader(this, { tenantId, window }, () => this.#leave(reader));
    this.#readers.add(reader);
    this.#timer ??= setInterval(() => this.#goOn(), TICK_MS).unref();
    return reader;
  }

  /** Settled with the next tick, or when somebody left. */
  ticked(): Promise<void> {
    return this.#ticked.wait();
  }

  /** Rejects while the database is away. */
  compute(tenantId: string, window: LiveWindow): Promise<StatisticsBucket[]> {
    const key = `${tenantId} ${window}`;
    const known = this.#computed.get(key);
    if (known !== undefined && (known.tick === this.#tick || known.isPending)) return known.buckets;
    const computed: Computed = { tick: this.#tick, isPending: true, buckets: this.#query(tenantId, window) };
    this.#computed.set(key, computed);
    return computed.buckets.finally(() => {
      computed.isPending = false;
    });
  }

  stop(): void {
    for (const reader of this.#readers) void reader.return();
  }

  #query(tenantId: string, window: LiveWindow): Promise<StatisticsBucket[]> {
    const { seconds, bucketSeconds } = LIVE_WINDOWS[window];
    const until = new Date();
    const since = new Date(until.getTime() - seconds * 1_000);
    return this.#database.inTenant({ tenantId }, (tx) =>
      decisionStatistics(tx, tenantId, { since, until, bucketSeconds }),
    );
  }

  #goOn(): void {
    this.#tick++;
    for (const [key, { tick, isPending }] of this.#computed)
      if (!isPending && tick < this.#tick - 1) this.#computed.delete(key);
    this.#ticked.raise();
  }

  #leave(reader: StatisticsReader): void {
    this.#readers.delete(reader);
    this.#ticked.raise();
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#computed.clear();
  }
}

/** One who watches statistics: gets the newest when they ask. */
export class StatisticsReader implements AsyncGenerator<StatisticsTick, undefined> {
  readonly #source: LiveStatistics;
  readonly #what: { tenantId: string; window: LiveWindow };
  readonly #onOver: () => void;
  #told: number;
  #isOver = false;

  constructor(source: LiveStatistics, what: { tenantId: string; window: LiveWindow }, onOver: () => void) {
    this.#source = source;
    this.#what = what;
    this.#onOver = onOver;
    this.#told = source.tick - 1;
  }

  async next(): Promise<IteratorResult<StatisticsTick, undefined>> {
    while (!this.#isOver) {
      const { tick } = this.#source;
      const items = tick > this.#told ? await this.#compute() : undefined;
      if (items !== undefined) {
        const missed = tick - this.#told - 1;
        this.#told = tick;
        return { done: false, value: { items, missed } };
      }
      await this.#source.ticked();
    }
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<StatisticsTick, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#onOver();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(): Promise<IteratorResult<StatisticsTick, undefined>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.return().then(() => {});
  }

  /** Undefined while the database is away: the next tick tries again. */
  #compute(): Promise<StatisticsBucket[] | undefined> {
    const { tenantId, window } = this.#what;
    return this.#source.compute(tenantId, window).catch(() => undefined);
  }
}
