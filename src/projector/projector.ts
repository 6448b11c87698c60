import { nextSeq, type ProjectedJournal, type Seq, type StoredRecord, UnreadableRecord } from '../journal/journal.ts';
import type { Clock } from '../lib/clock.ts';
import { inTime } from '../lib/in-time.ts';
import type { Log } from '../lib/log.ts';
import { Patience } from '../lib/patience.ts';
import { sqlStateOf } from '../store/connection.ts';
import { type HeldPosition, markOf, PositionMoved, type ProjectionStore, prepareBatch } from '../store/projection.ts';
import { REMOVALS, type Removal } from '../store/retention.ts';
import { RetentionClock } from '../store/retention-clock.ts';
import { NewerDatabaseError } from '../store/schema-version.ts';

export interface ProjectorOptions {
  journal: ProjectedJournal;
  /** A store for this journal. Called at the start, and again when a connection had to be given up. */
  openStore: () => ProjectionStore;
  clock: Clock;
  log: Log;
  /** Days that events and decisions are kept in the database. */
  retentionDays: number;
  /** Whether rows should wait, as long as they are not late. */
  givesWay: () => boolean;
  bounds?: Partial<ProjectorBounds>;
}

export interface ProjectorBounds {
  /** Of one transaction. */
  batchRecordsMax: number;
  batchBytesMax: number;
  /** Pause when everything was carried over. */
  pollMs: number;
  /** Pause after each batch while it gives way, and up to which age of the newest row it does so. */
  giveWayMs: number;
  lateMs: number;
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
  giveWayMs: 500,
  lateMs: 1000,
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
  readonly #retentionClock: RetentionClock;
  #state: ProjectorState = 'starting';
  #store: ProjectionStore | undefined;
  /** Up to where records are in the database, as it said itself; undefined when a transaction's outcome is unknown. */
  #position: Seq | undefined;
  #lastPosition: Seq;
  #recordsMax: number;
  #retries = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #toldAgainAtMs = Number.NEGATIVE_INFINITY;
  #maintainedAtMs = Number.NEGATIVE_INFINITY;
  /** What retention has yet to remove, what was too old when it began, and how much of the first is gone. */
  #removals: Removal[] = [];
  #removingAtMs = 0;
  #removed = 0;
  #running: Promise<void> | undefined;
  #stopAtMs: number | undefined;
  #wake: () => void = () => {};

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.#retentionClock = new RetentionClock(options.clock, options.log);
    this.#bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
    this.#recordsMax = this.#bounds.batchRecordsMax;
    this.#lastPosition = nextSeq(options.journal, 0) - 1;
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
    await new Patience(drainMs).outlasts(this.#running ?? Promise.resolve());
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
    const run = this.#readRun(this.#position);
    if (run instanceof UnreadableRecord) await this.#setAside(this.#store, this.#position, run);
    else if (run.records.length > 0) await this.#project(this.#store, run.records);
    this.#succeeded();
    await this.#maintain(this.#store);
    if (run instanceof UnreadableRecord) return 0;
    if (run.isLast) return this.#bounds.pollMs;
    return this.#givesWay(run.records) ? this.#bounds.giveWayMs : 0;
  }

  /** `records` were the last ones carried over. */
  #givesWay(records: readonly StoredRecord[]): boolean {
    const newest = records.at(-1);
    if (newest === undefined || !this.#options.givesWay()) return false;
    const ageMs = this.#options.clock.now() - newest.record.atMs;
    return ageMs >= 0 && ageMs < this.#bounds.lateMs;
  }

  async #askPosition(store: ProjectionStore): Promise<Seq> {
    const held = await this.#inTime(store.position());
    const position = this.#knows(held) ? held.seq : await this.#carryAgain(store, held);
    const next = nextSeq(this.#journal, position);
    if (next > position + 1)
      this.#options.log.warn(
        { position, oldest: next },
        'the database lacks records that the journal no longer has; was it restored or exchanged?',
      );
    this.#lastPosition = position;
    this.#journal.markProjected(Math.min(position, this.#journal.head));
    return position;
  }

  /**
   * Whether what the database holds is of this journal. One that a power loss or a backup set back, or a copy of one that is used
   * as well, gives the same numbers to other records, which must not be taken for known.
   */
  #knows({ seq, mark }: HeldPosition): boolean {
    if (seq > this.#journal.head) return false;
    if (mark === undefined || nextSeq(this.#journal, seq - 1) !== seq) return true;
    const records = this.#read(seq - 1, 1);
    return records instanceof UnreadableRecord || markOf(records[0] as StoredRecord) === mark;
  }

  /** From the first record that is left. Those that the database has are found there, and neither stored nor counted again. */
  async #carryAgain(store: ProjectionStore, { seq }: HeldPosition): Promise<Seq> {
    const { clock, log } = this.#options;
    const from = nextSeq(this.#journal, 0) - 1;
    if (clock.monotonic() - this.#toldAgainAtMs >= TELL_AGAIN_MS) {
      this.#toldAgainAtMs = clock.monotonic();
      log.warn(
        { position: seq, head: this.#journal.head },
        'the database holds other records of this journal: it was set back, or a copy of it feeds the same database. All that is left in it is carried over again',
      );
    }
    await this.#inTime(store.rewind(seq, from));
    return from;
  }

  /** Each hour, and one removal after each batch, so that no row waits for more than one, and each batch is followed by what makes up for it. */
  async #maintain(store: ProjectionStore): Promise<void> {
    if (this.#stopAtMs !== undefined) return;
    try {
      if (this.#removals.length === 0) await this.#beginMaintenance(store);
      const [removal] = this.#removals;
      if (removal !== undefined) await this.#remove(store, removal);
    } catch (error) {
      this.#removals.shift();
      this.#removed = 0;
      // What did not end in time keeps the connection.
      await this.#closeStore();
      this.#options.log.warn({ code: codeOf(error) }, 'retention failed and is tried again in an hour');
    }
  }

  async #beginMaintenance(store: ProjectionStore): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#maintainedAtMs < MAINTENANCE_EVERY_MS) return;
    this.#maintainedAtMs = clock.monotonic();
    await this.#inTime(store.prepareDays(clock.now()));
    const nowMs = await this.#retentionClock.now(() => this.#inTime(store.newestEventMs()));
    if (nowMs === undefined) return;
    this.#removingAtMs = nowMs;
    this.#removals = [...REMOVALS];
  }

  async #remove(store: ProjectionStore, removal: Removal): Promise<void> {
    const { log, retentionDays } = this.#options;
    const { count, more } = await this.#inTime(store.removeExpired(removal, this.#removingAtMs, retentionDays));
    this.#removed += count;
    if (more) return;
    if (this.#removed > 0)
      log.info({ what: removal.what, count: this.#removed }, 'removed what retention no longer keeps');
    this.#removals.shift();
    this.#removed = 0;
  }

  /** The next records, and whether the journal had no more; or the next one alone where it cannot be read. */
  #readRun(position: Seq): { records: StoredRecord[]; isLast: boolean } | UnreadableRecord {
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (let after = position; records.length < this.#recordsMax; after = records.at(-1)?.seq ?? after) {
      const read = this.#read(after, Math.min(READ_RECORDS_MAX, this.#recordsMax - records.length));
      if (read instanceof UnreadableRecord) return records.length === 0 ? read : { records, isLast: false };
      for (const stored of read) {
        bytes += 'body' in stored.record ? stored.record.body.length : 0;
        if (records.length > 0 && bytes > this.#bounds.batchBytesMax) return { records, isLast: false };
        records.push(stored);
      }
      if (read.length === 0) return { records, isLast: true };
    }
    return { records, isLast: false };
  }

  #read(after: Seq, limit: number): StoredRecord[] | UnreadableRecord {
    try {
      return this.#journal.readAfter(after, limit);
    } catch (error) {
      if (error instanceof UnreadableRecord) return error;
      throw new JournalDamaged(error);
    }
  }

  /** Its bytes go to quarantine: what the disk damaged must not keep back what came after it. */
  async #setAside(store: ProjectionStore, from: Seq, unreadable: UnreadableRecord): Promise<void> {
    await this.#inTime(store.quarantineBytes(from, unreadable));
    this.#advance(unreadable.seq, 1, 1);
  }

  /** Writes `records`; where the database refuses their data, halves them until the ones at fault are alone. */
  async #project(store: ProjectionStore, records: StoredRecord[]): Promise<void> {
    const from = this.#position as Seq;
    const last = records.at(-1) as StoredRecord;
    try {
      const unfit = await this.#inTime(store.write(prepareBatch(records, from, last)));
      this.#advance(last.seq, records.length, unfit);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (records.length === 1) {
        const sqlState = sqlStateOf(error) as string;
        await this.#inTime(store.quarantine(from, { stored: last, sqlState, error: (error as Error).message }));
        this.#advance(last.seq, 1, 1);
        return;
      }
      const middle = records.length >> 1;
      await this.#project(store, records.slice(0, middle));
      await this.#project(store, records.slice(middle));
    }
  }

  #advance(seq: Seq, records: number, unfit: number): void {
    this.#position = seq;
    this.#lastPosition = seq;
    this.#journal.markProjected(seq);
    this.counts.records += records;
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
      const isTold = TOLD_ERRORS.some((each) => error instanceof each);
      const message = isTold
        ? (error as Error).message
        : 'the database does not take records; they wait in the journal';
      log.warn({ code: codeOf(error), lag: this.lagRecords }, message);
    }
    return Math.min(this.#bounds.retryMsMax, this.#bounds.retryMs * 2 ** Math.min(this.#retries++, 16));
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return inTime(work, this.#bounds.transactionMsMax, 'the database did not answer in time');
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

/** The journal itself cannot be read. */
class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';

  constructor(cause: unknown) {
    super(
      'the journal cannot be read, and nothing in it reaches the database: its files are damaged, or of another version',
      { cause },
    );
  }
}

/** Their messages hold no content, and say what to mend. */
const TOLD_ERRORS = [PositionMoved, JournalDamaged, NewerDatabaseError];

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
