import type { TenantSlug } from '../domain/ids.ts';
import type { PolicyFile } from '../domain/policies.ts';
import type { PolicyComparison, PolicyWorkRefused } from '../domain/policy-work.ts';
import { listPastSessions, type PastStretch, readPastSession } from '../store/past-sessions.ts';
import {
  addBacktest,
  type BacktestProgress,
  type BacktestRow,
  findBacktest,
  listBacktests,
  updateBacktest,
} from '../store/policy-backtests.ts';
import { readTenant } from '../store/tenants.ts';
import type { Admission } from './admission.ts';
import { actorOf } from './caller.ts';
import { type Refusal, refuse } from './http.ts';
import type { PolicyWork } from './policy-work.ts';

/** A backtest as it is shown. `interrupted`: the service stopped while it ran. */
export type ShownBacktest = Omit<BacktestRow, 'state'> & { state: BacktestRow['state'] | 'interrupted' };

export interface WantedBacktest extends PastStretch {
  /** What decides now, and what is tried. Both are known to be right. */
  before: readonly PolicyFile[];
  after: readonly PolicyFile[];
  hash: string;
  version: number | null;
}

/** Why a backtest ends with the service. Its row stays as one that runs. */
const INTERRUPTED = Symbol('interrupted');
/** Sessions of one backtest, the newest first; more are left aside. */
const SESSIONS_MAX = 10_000;
/** Of all tenants. */
const RUNNING_MAX = 4;
/** Differences that are kept; all are counted. */
const DIFFERENCES_MAX = 200;
const PROGRESS_MS = 500;

type Scope = Pick<Admission, 'tenantId' | 'inTenant'>;
type Compare = ReturnType<PolicyWork['comparing']>;

/** Runs backtests: one of a tenant at a time, in the tenant's own scope of the database, session by session. */
export class Backtests {
  readonly #work: Pick<PolicyWork, 'comparing'>;
  readonly #onError: (error: unknown) => void;
  /** By tenant. */
  readonly #running = new Map<string, { id: string; stop: AbortController; over: Promise<void> }>();

  constructor(work: Pick<PolicyWork, 'comparing'>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** Starts one and returns at once. */
  async start(admission: Admission, wanted: WantedBacktest): Promise<ShownBacktest | Refusal> {
    const { tenantId } = admission;
    if (this.#running.has(tenantId))
      return refuse('conflict', 'a backtest of this tenant is running; wait for it, or cancel it');
    if (this.#running.size >= RUNNING_MAX)
      return refuse('too-many-requests', 'other tenants run backtests; try again later');
    const stop = new AbortController();
    // Taken before the first wait: a second one that is asked for meanwhile finds it.
    const place = { id: '', stop, over: Promise.resolve() };
    this.#running.set(tenantId, place);
    try {
      const { row, run } = await this.#prepare(admission, wanted);
      place.id = row.id;
      place.over = run(stop.signal)
        .catch(this.#onError)
        .finally(() => this.#running.delete(tenantId));
      return row;
    } catch (error) {
      this.#running.delete(tenantId);
      throw error;
    }
  }

  /** Ends one after the session that it is at. Returns it as it is then. */
  async cancel(admission: Admission, id: string): Promise<ShownBacktest | Refusal> {
    const running = this.#running.get(admission.tenantId);
    const isOurs = running?.id === id && !running.stop.signal.aborted;
    if (running?.id === id) {
      running.stop.abort();
      await running.over;
    }
    const { tenantId } = admission;
    const shown = this.#showing(tenantId);
    const row = await admission.inTenant(async (tx) => {
      const found = await findBacktest(tx, tenantId, id);
      if (isOurs && found?.state === 'cancelled')
        await admission.audit(tx, { action: 'policies.trial_cancelled', target: id });
      return found;
    });
    return row === undefined ? refuse('not-found', 'the tenant has no such backtest') : shown(row);
  }

  async find({ tenantId, inTenant }: Scope, id: string): Promise<ShownBacktest | undefined> {
    const shown = this.#showing(tenantId);
    const row = await inTenant((tx) => findBacktest(tx, tenantId, id));
    return row === undefined ? undefined : shown(row);
  }

  /** The newest of the tenant. */
  async list({ tenantId, inTenant }: Scope): Promise<ShownBacktest[]> {
    const shown = this.#showing(tenantId);
    const rows = await inTenant((tx) => listBacktests(tx, tenantId));
    return rows.map(shown);
  }

  /** Gives up what runs, which is interrupted then, and not cancelled. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort(INTERRUPTED);
    await Promise.all(running.map(({ over }) => over));
  }

  /** How rows that are read from now on are shown. One that ended while they were read was not interrupted: it ran when that began. */
  #showing(tenantId: string): (row: BacktestRow) => ShownBacktest {
    const ranBefore = this.#running.get(tenantId)?.id;
    return (row) => {
      const runs = row.id === ranBefore || row.id === this.#running.get(tenantId)?.id;
      return row.state === 'running' && !runs ? { ...row, state: 'interrupted' } : row;
    };
  }

  async #prepare(admission: Admission, wanted: WantedBacktest) {
    const { tenantId, caller } = admission;
    const { before, after, ...told } = wanted;
    return admission.inTenant(async (tx) => {
      const tenant = await readTenant(tx, tenantId);
      if (tenant === undefined) throw new Error('the tenant is not there any more');
      const sessions = await listPastSessions(tx, tenantId, wanted, SESSIONS_MAX);
      const row = await addBacktest(tx, {
        ...told,
        tenantId,
        startedBy: actorOf(caller),
        sessionsCount: sessions.length,
      });
      const detail = { version: told.version, hash: told.hash, sessions: sessions.length };
      await admission.audit(tx, { action: 'policies.tried', target: row.id, detail });
      const run = new BacktestRun(admission, row, this.#work.comparing(before, after));
      return { row, run: (signal: AbortSignal) => run.run(tenant.slug as TenantSlug, sessions, signal) };
    });
  }
}

/** One backtest under way. */
class BacktestRun {
  readonly #scope: Scope;
  readonly #row: BacktestRow;
  readonly #compare: Compare;
  readonly #progress: BacktestProgress = {
    state: 'running',
    endedAt: null,
    sessionsDone: 0,
    sessionsLeftOut: 0,
    eventsDone: 0,
    decisionsDone: 0,
    newlyBlocked: 0,
    newlyAllowed: 0,
    differences: [],
  };
  #toldAtMs = performance.now();

  constructor(scope: Scope, row: BacktestRow, compare: Compare) {
    this.#scope = scope;
    this.#row = row;
    this.#compare = compare;
  }

  async run(slug: TenantSlug, sessions: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      for (const sessionKey of sessions) {
        if (signal.aborted) break;
        const { tenantId, inTenant } = this.#scope;
        const session = await readPastSession(inTenant, { tenantId, slug, sessionKey, until: this.#row.until });
        if (session === undefined) this.#add(sessionKey, 0, undefined);
        else this.#add(sessionKey, session.events.length, await this.#compare(session));
        if (performance.now() - this.#toldAtMs >= PROGRESS_MS) await this.#tell();
      }
    } catch (error) {
      await this.#end('failed');
      throw error;
    }
    const isInterrupted = signal.reason === INTERRUPTED;
    if (isInterrupted && this.#progress.sessionsDone < sessions.length) await this.#tell();
    else await this.#end(signal.aborted && !isInterrupted ? 'cancelled' : 'done');
  }

  #add(sessionKey: string, events: number, result: PolicyComparison | PolicyWorkRefused | undefined): void {
    const progress = this.#progress;
    progress.sessionsDone++;
    if (result === undefined || 'refused' in result) {
      progress.sessionsLeftOut++;
      return;
    }
    progress.eventsDone += events;
    progress.decisionsDone += result.decisions;
    progress.newlyBlocked += result.newlyBlocked;
    progress.newlyAllowed += result.newlyAllowed;
    const room = DIFFERENCES_MAX - progress.differences.length;
    const told = result.differences.slice(0, room).map((each) => ({ ...each, sessionKey }));
    progress.differences = [...progress.differences, ...told];
  }

  async #end(state: BacktestRow['state']): Promise<void> {
    this.#progress.state = state;
    this.#progress.endedAt = new Date();
    await this.#tell();
  }

  async #tell(): Promise<void> {
    const { tenantId, inTenant } = this.#scope;
    await inTenant((tx) => updateBacktest(tx, tenantId, this.#row.id, this.#progress));
    this.#toldAtMs = performance.now();
  }
}
