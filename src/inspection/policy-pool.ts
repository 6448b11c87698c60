import { createHash } from 'node:crypto';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyFile,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';
import { SidePool } from '../lib/side-pool.ts';
import type { PolicySetOf, PolicyTask, PolicyTaskResult, PolicyThreadStart } from './policy-tasks.ts';

export interface PolicyPoolOptions {
  /** The bundled worker: `workers/policies.ts`, as one CommonJS file. */
  file: string;
  start: PolicyThreadStart;
  timeoutMs?: number;
  tasksMax?: number;
}

/** Ten times what a set of the largest accepted size takes on a slow machine. */
const TIMEOUT_MS = 30_000;
/** Checks and tests that wait and run; more are refused at once. Backtests bound themselves. */
const TASKS_MAX = 8;
/** One for what people wait for, beside one that backtests keep busy. */
const THREADS_MAX = 2;
const HEAP_MB = 384;

/**
 * The side pool for what people ask about policies: texts of people are compiled, and stored sessions lived through again, in threads
 * that give way to the lanes.
 */
export class PolicyPool {
  readonly #tasksMax: number;
  readonly #pool: SidePool<PolicyTask, PolicyTaskResult>;
  #tasks = 0;

  constructor({ file, start, timeoutMs = TIMEOUT_MS, tasksMax = TASKS_MAX }: PolicyPoolOptions) {
    this.#tasksMax = tasksMax;
    this.#pool = new SidePool({ file, threadsMax: THREADS_MAX, heapMb: HEAP_MB, timeoutMs, workerData: start });
  }

  /** What is wrong with a set, or what it holds. */
  check(files: readonly PolicyFile[]): Promise<PolicyCheck | PolicyWorkRefused> {
    return this.#bounded<PolicyCheck>({ kind: 'check', files });
  }

  /** Runs the tests that stand beside the policies of a set. */
  test(files: readonly PolicyFile[]): Promise<PolicyTests | PolicyWorkRefused> {
    return this.#bounded<PolicyTests>({ kind: 'test', files });
  }

  /** Lives through sessions under two sets that are known to be right, and tells where they differ. */
  comparing(
    before: readonly PolicyFile[],
    after: readonly PolicyFile[],
  ): (session: PastSession) => Promise<PolicyComparison | PolicyWorkRefused> {
    const sets = { before: setOf(before), after: setOf(after) };
    return (session) => this.#run<PolicyComparison>({ kind: 'compare', ...sets, session });
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }

  async #bounded<Result extends PolicyTaskResult>(task: PolicyTask): Promise<Result | PolicyWorkRefused> {
    if (this.#tasks >= this.#tasksMax) return { ok: false, refused: 'busy' };
    this.#tasks++;
    try {
      return await this.#run<Result>(task);
    } finally {
      this.#tasks--;
    }
  }

  async #run<Result extends PolicyTaskResult>(task: PolicyTask): Promise<Result | PolicyWorkRefused> {
    const outcome = await this.#pool.run(task);
    return outcome.kind === 'done' ? (outcome.result as Result) : { ok: false, refused: outcome.kind };
  }
}

function setOf(files: readonly PolicyFile[]): PolicySetOf {
  return { key: createHash('sha256').update(JSON.stringify(files)).digest('hex'), files };
}
