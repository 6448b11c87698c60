import { createHash } from 'node:crypto';
import type { PolicyFile } from '../domain/policies.ts';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';
import { Shares } from '../lib/shares.ts';
import { SidePool } from '../threads/side-pool.ts';
import type { PolicySetOf, PolicyTask, PolicyTaskResult, PolicyTasks, PolicyThreadStart } from './policy-tasks.ts';

export interface PolicyPoolOptions {
  /** The bundled worker: `workers/policies.ts`, as one CommonJS file. */
  file: string;
  start: PolicyThreadStart;
  timeoutMs?: number;
  /** Checks and tests under way and waiting, of all tenants and of one. */
  tasksMax?: number;
  tasksOfTenantMax?: number;
}

/** Ten times what a set of the largest accepted size takes on a slow machine. */
const TIMEOUT_MS = 30_000;
/** Checks and tests that wait and run; more are refused at once. Backtests bound themselves. */
const TASKS_MAX = 32;
/** As many as the pages of a few people ask for at once. One of them runs at a time. */
const TASKS_OF_TENANT_MAX = 8;
/** One for what people wait for, beside one that backtests keep busy. */
const THREADS_MAX = 2;
const HEAP_MB = 384;

/**
 * The side pool for what people ask about policies: texts of people are compiled, and stored sessions lived through again, in threads
 * that give way to the lanes.
 */
export class PolicyPool {
  readonly #shares: Shares;
  readonly #pool: SidePool<PolicyTask, PolicyTaskResult>;

  constructor(options: PolicyPoolOptions) {
    const { file, start, timeoutMs = TIMEOUT_MS } = options;
    const { tasksMax = TASKS_MAX, tasksOfTenantMax = TASKS_OF_TENANT_MAX } = options;
    this.#shares = new Shares({ allMax: tasksMax, ofOneMax: tasksOfTenantMax });
    this.#pool = new SidePool({ file, threadsMax: THREADS_MAX, heapMb: HEAP_MB, timeoutMs, workerData: start });
  }

  /** What is wrong with a set, or what it holds. */
  check(tenantId: string, files: readonly PolicyFile[]): Promise<PolicyCheck | PolicyWorkRefused> {
    return this.#bounded(tenantId, 'check', { files });
  }

  /** Runs the tests that stand beside the policies of a set. */
  test(tenantId: string, files: readonly PolicyFile[]): Promise<PolicyTests | PolicyWorkRefused> {
    return this.#bounded(tenantId, 'test', { files });
  }

  /** Lives through sessions under two sets that are known to be right, and tells where they differ. */
  comparing(
    before: readonly PolicyFile[],
    after: readonly PolicyFile[],
  ): (session: PastSession) => Promise<PolicyComparison | PolicyWorkRefused> {
    const sets = { before: setOf(before), after: setOf(after) };
    return (session) => this.#run('compare', { ...sets, session });
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }

  async #bounded<Kind extends keyof PolicyTasks>(
    tenantId: string,
    kind: Kind,
    input: PolicyTasks[Kind]['input'],
  ): Promise<PolicyTasks[Kind]['result'] | PolicyWorkRefused> {
    const done = await this.#shares.run(tenantId, () => this.#run(kind, input));
    if ('result' in done) return done.result;
    return { ok: false, refused: done.full === 'own_full' ? 'share_used_up' : 'busy' };
  }

  async #run<Kind extends keyof PolicyTasks>(
    kind: Kind,
    input: PolicyTasks[Kind]['input'],
  ): Promise<PolicyTasks[Kind]['result'] | PolicyWorkRefused> {
    const outcome = await this.#pool.run({ kind, ...input } as PolicyTask);
    return outcome.kind === 'done' ? outcome.result : { ok: false, refused: outcome.kind };
  }
}

function setOf(files: readonly PolicyFile[]): PolicySetOf {
  return { key: createHash('sha256').update(JSON.stringify(files)).digest('hex'), files };
}
