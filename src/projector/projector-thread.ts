import { Worker } from 'node:worker_threads';
import { type Journal, nextSeq, type Seq } from '../journal/journal.ts';
import type { Log } from '../lib/log.ts';
import type { ProjectorCounts, ProjectorState } from './projector.ts';
import type { ProjectorLogLine, ProjectorReport, ProjectorStart, ProjectorStop } from './projector-messages.ts';

export interface ProjectorThreadOptions {
  /** The bundled thread. */
  file: string;
  start: ProjectorStart;
  journal: Journal;
  log: Log;
  /** Of lines that the thread's own log makes. */
  writeLog: (line: string) => void;
}

const RESTART_MS = 1_000;
/** Beyond the time to drain: for the thread to close its connection. */
const STOP_GRACE_MS = 2_000;

/**
 * The projector in a thread of its own, so that making rows never holds up an answer. A thread that ends unasked is
 * started again: where it was is in the database.
 */
export class ProjectorThread {
  readonly #options: ProjectorThreadOptions;
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #restarting: NodeJS.Timeout | undefined;
  #stopping = false;
  #projected: Seq;
  #state: ProjectorState = 'starting';
  #counts: ProjectorCounts = { records: 0, batches: 0, quarantined: 0, failures: 0 };
  #onFed: (tenantIds: readonly string[]) => void = () => {};

  constructor(options: ProjectorThreadOptions) {
    this.#options = options;
    this.#projected = nextSeq(options.journal, 0) - 1;
  }

  get state(): ProjectorState {
    return this.#state;
  }

  get counts(): Readonly<ProjectorCounts> {
    return this.#counts;
  }

  /** Records that the database does not have yet; until it was asked for the first time, at most this many. */
  get lagRecords(): number {
    return Math.max(0, this.#options.journal.head - this.#projected);
  }

  /** Calls `listener` with the tenants who can see something new, soon after they can. */
  whenFed(listener: (tenantIds: readonly string[]) => void): void {
    this.#onFed = listener;
  }

  /** Returns at once: the database need not be there. Nothing begins any more once it was stopped. */
  start(): void {
    if (this.#stopping) return;
    const worker = new Worker(this.#options.file, { workerData: this.#options.start, execArgv: [], env: {} });
    this.#worker = worker;
    worker.on('message', (message: ProjectorReport | ProjectorLogLine) => {
      if (typeof message === 'string') this.#options.writeLog(message);
      else this.#take(message);
    });
    worker.on('error', (error) => this.#options.log.error({ error: error.stack }, 'the projector failed'));
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    void this.#ended.then(() => this.#restart());
  }

  /** Has it carry over what it can within `drainMs`, and end. */
  async stop(drainMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restarting);
    const message: ProjectorStop = { head: this.#options.journal.head, drainMs };
    this.#worker?.postMessage(message);
    const giveUp = setTimeout(() => void this.#worker?.terminate(), drainMs + STOP_GRACE_MS);
    await this.#ended;
    clearTimeout(giveUp);
    this.#state = 'stopped';
  }

  #take({ state, projected, counts, fed }: ProjectorReport): void {
    this.#state = state;
    this.#counts = counts;
    if (fed.length > 0) this.#onFed(fed);
    if (projected === undefined) return;
    this.#projected = projected;
    this.#options.journal.markProjected(Math.min(projected, this.#options.journal.head));
  }

  #restart(): void {
    this.#worker = undefined;
    if (this.#stopping) return;
    this.#state = 'retrying';
    this.#restarting = setTimeout(() => this.start(), RESTART_MS);
  }
}
