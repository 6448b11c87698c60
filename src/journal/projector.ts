import type { Clock } from '../lib/clock.ts';
import { sqlStateOf } from '../store/connection.ts';
import type { Log } from '../store/log.ts';
import { PositionMoved, type ProjectionStore, prepareBatch } from '../store/projection.ts';
import type { ProjectedJournal, Seq, StoredRecord } from './journal.ts';

export interface ProjectorOptions {
  journal: ProjectedJournal;
  /** What the journal held before this process wrote to it. */
  headAtStart: Seq;
  /** A store for this journal. Called at the start, and again when a connection had to be given up. */
  openStore: () => ProjectionStore;
  clock: Clock;
  log: Log;
  /** Days that events and decisions are kept in the database. */
  retentionDays: number;
  bounds?: Partial<ProjectorBounds>;
}

export interface ProjectorBounds {
  /** Of one transaction. */
  batchRecordsMax: number;
  batchBytesMax: number;
  /** Pause when everything was carried over. */
  pollMs: number;
  /** First and longest pause after a failure. */
  retryMs: number;
  retryMsMax: number;
  /** A transaction that did not end by then is given up, and asked about over a new connection. */
  transactionMsMax: number;
}

const DEFAULT_BOUNDS: ProjectorBounds = {
  batchRecordsMax: 1000,
  batchBytesMax: 4 * 1024 * 1024,
  pollMs: 100,
  retryMs: 100,
  retryMsMax: 5_000,
  transactionMsMax: 60_000,
};

/** Records read from the journal in one go. */
const READ_RECORDS_MAX = 50;
const MAINTENANCE_EVERY_MS = 3_600_000;
/** Pause while the last records are being committed to the journal. */
const STOPPING_POLL_MS = 5;
/** A failure that goes on is told again after this time. */
const TELL_AGAIN_MS = 60_000;

/** `retrying`: the database could not be written the last time it was tried. */
export type ProjectorState = 'starting' | 'running' | 'retrying' | 'stopped';

export interface ProjectorCounts {
  records: number;
  batches: number;
  quarantined: number;
  failures: number;
}

/**
 * Carries records from the journal into the database, exactly once: the position is written in the transaction of the
 * rows. While the database is away it tries again for ever, and the journal keeps what it could not carry.
 */
export class Projector {
  readonly counts: ProjectorCounts = { records: 0, batches: 0, quarantined: 0, failures: 0 };
  readonly #journal: ProjectedJournal;
  readonly #options: ProjectorOptions;
  readonly #bounds: ProjectorBounds;
  #state: ProjectorState = 'starting';
  #store: ProjectionStore | undefined;
  /** Up to where records are in the database, as it said itself; undefined when a transaction's outcome is unknown. */
  #position: Seq | undefined;
  #lastPosition: Seq;
  #reconciled = false;
  #recordsMax: number;
  #retries = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #maintainedAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopAtMs: number | undefined;
  #wake: () => void = () => {};

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.#bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
    this.#recordsMax = this.#bounds.batchRecordsMax;
    const oldest = options.journal.readAfter(0, 1)[0];
    this.#lastPosition = oldest === undefined ? options.journal.head : oldest.seq - 1;
  }

  get state(): ProjectorState {
    return this.#state;
  }

  /** Records that the database does not have yet; until it was asked for the first time, at most this many. */
  get lagRecords(): number {
    return Math.max(0, this.#journal.head - this.#lastPosition);
  }

  /** Begins to carry records. Returns at once: the database need not be there. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Carries over what it can within `drainMs`, stops, and closes its connection. */
  async stop(drainMs: number): Promise<void> {
    this.#stopAtMs ??= this.#options.clock.monotonic() + drainMs;
    this.#wake();
    let timer: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    await Promise.race([this.#running, timeIsUp]);
    clearTimeout(timer);
    this.#state = 'stopped';
    await this.#closeStore();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isDone()) {
      const pauseMs = await this.#carry().catch((error: unknown) => this.#failed(error));
      if (pauseMs > 0) await this.#sleep(pauseMs);
    }
  }

  #isDone(): boolean {
    if (this.#stopAtMs === undefined) return false;
    if (this.#state === 'stopped' || this.#state === 'retrying') return true;
    return this.#position === this.#journal.head || this.#options.clock.monotonic() >= this.#stopAtMs;
  }

  /** Carries one batch over. Returns how long to pause after it, in milliseconds. */
  async #carry(): Promise<number> {
    this.#store ??= this.#options.openStore();
    this.#position ??= await this.#askPosition(this.#store);
    const records = this.#readRun(this.#position);
    if (records.length > 0) await this.#project(this.#store, records);
    this.#succeeded();
    await this.#maintain(this.#store);
    const caughtUp = records.length < this.#bounds.batchRecordsMax;
    return caughtUp ? this.#bounds.pollMs : 0;
  }

  async #askPosition(store: ProjectionStore): Promise<Seq> {
    let position = await this.#inTime(store.position());
    if (!this.#reconciled) {
      position = await this.#reconcile(store, position);
      this.#reconciled = true;
    }
    this.#lastPosition = position;
    this.#journal.markProjected(Math.min(position, this.#journal.head));
    return position;
  }

  /**
   * Settles what the journal and the database hold of each other when a process starts. A database that never saw this
   * journal answers 0 and is given everything the journal still has. A database that is ahead saw records that a power
   * loss then took from the journal: their numbers are given again to other records, which must not be taken for known.
   */
  async #reconcile(store: ProjectionStore, position: Seq): Promise<Seq> {
    const { log } = this.#options;
    if (position > this.#options.headAtStart) {
      log.warn(
        { position, head: this.#options.headAtStart },
        'the database is ahead of the journal; it goes on from the end of the journal',
      );
      await this.#inTime(store.rewind(position, this.#options.headAtStart));
      return this.#options.headAtStart;
    }
    const oldest = this.#journal.readAfter(position, 1)[0]?.seq ?? this.#journal.head + 1;
    if (oldest > position + 1) {
      log.warn(
        { position, oldest },
        'the database lacks records that the journal no longer has; was it restored or exchanged?',
      );
    }
    return position;
  }

  async #maintain(store: ProjectionStore): Promise<void> {
    const { clock, log, retentionDays } = this.#options;
    if (clock.monotonic() - this.#maintainedAtMs < MAINTENANCE_EVERY_MS) return;
    this.#maintainedAtMs = clock.monotonic();
    try {
      const expired = await this.#inTime(store.maintain(clock.now(), retentionDays));
      if (expired.partitions.length + expired.rows + expired.sessions > 0)
        log.info(expired, 'removed what retention no longer keeps');
    } catch (error) {
      log.warn({ code: codeOf(error) }, 'retention failed and is tried again in an hour');
    }
  }

  #readRun(position: Seq): StoredRecord[] {
    const run: StoredRecord[] = [];
    let bytes = 0;
    for (let after = position; run.length < this.#recordsMax; after = run.at(-1)?.seq ?? after) {
      const read = this.#journal.readAfter(after, Math.min(READ_RECORDS_MAX, this.#recordsMax - run.length));
      for (const stored of read) {
        bytes += 'body' in stored.record ? stored.record.body.length : 0;
        if (run.length > 0 && bytes > this.#bounds.batchBytesMax) return run;
        run.push(stored);
      }
      if (read.length === 0) return run;
    }
    return run;
  }

  /** Writes `records`; where the database refuses their data, halves them until the ones at fault are alone. */
  async #project(store: ProjectionStore, records: StoredRecord[]): Promise<void> {
    const from = this.#position as Seq;
    const last = records.at(-1) as StoredRecord;
    try {
      const unfit = await this.#inTime(store.write(prepareBatch(records, from, last.seq)));
      this.#advance(records, unfit);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (records.length === 1) {
        const sqlState = sqlStateOf(error) as string;
        await this.#inTime(store.quarantine(from, { stored: last, sqlState, error: (error as Error).message }));
        this.#advance(records, 1);
        return;
      }
      const middle = records.length >> 1;
      await this.#project(store, records.slice(0, middle));
      await this.#project(store, records.slice(middle));
    }
  }

  #advance(records: StoredRecord[], unfit: number): void {
    const { seq } = records.at(-1) as StoredRecord;
    this.#position = seq;
    this.#lastPosition = seq;
    this.#journal.markProjected(seq);
    this.counts.records += records.length;
    this.counts.batches++;
    this.counts.quarantined += unfit;
    if (unfit > 0)
      this.#options.log.error({ seq, unfit }, 'records could not become rows; they are kept in the table quarantine');
  }

  #succeeded(): void {
    if (this.#state === 'retrying')
      this.#options.log.info({ lag: this.lagRecords }, 'the database takes records again');
    if (this.#state !== 'stopped') this.#state = 'running';
    this.#retries = 0;
    this.#toldAtMs = Number.NEGATIVE_INFINITY;
    this.#recordsMax = Math.min(this.#bounds.batchRecordsMax, this.#recordsMax * 2);
  }

  /** Returns how long to wait before the next attempt, in milliseconds. */
  async #failed(error: unknown): Promise<number> {
    const { clock, log } = this.#options;
    if (this.#state !== 'stopped') this.#state = 'retrying';
    this.counts.failures++;
    // Whether a commit succeeded is not known: the database is asked, over a fresh connection.
    this.#position = undefined;
    await this.#closeStore();
    // What was too much for the database (time, memory) may go through in smaller pieces.
    if (sqlStateOf(error) !== undefined) this.#recordsMax = Math.max(1, this.#recordsMax >> 1);
    if (clock.monotonic() - this.#toldAtMs >= TELL_AGAIN_MS) {
      this.#toldAtMs = clock.monotonic();
      const message =
        error instanceof PositionMoved ? error.message : 'the database does not take records; they wait in the journal';
      log.warn({ code: codeOf(error), lag: this.lagRecords }, message);
    }
    return Math.min(this.#bounds.retryMsMax, this.#bounds.retryMs * 2 ** Math.min(this.#retries++, 16));
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the database did not answer in time')), this.#bounds.transactionMsMax);
    });
    try {
      return await Promise.race([work, timeIsUp]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #closeStore(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close().catch(() => {});
  }

  async #sleep(ms: number): Promise<void> {
    const sleepMs = this.#stopAtMs === undefined ? ms : Math.min(ms, STOPPING_POLL_MS);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, sleepMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** SQLSTATE classes for what is wrong with a row: data, a constraint, a limit of the program. */
const DATA_ERROR_CLASSES = new Set(['22', '23', '54']);

function isDataError(error: unknown): boolean {
  return DATA_ERROR_CLASSES.has(sqlStateOf(error)?.slice(0, 2) ?? '');
}

/** What a log may say of an error: its message may hold content. */
function codeOf(error: unknown): string | undefined {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name;
}
