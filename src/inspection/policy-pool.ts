import { createHash } from 'node:crypto';
import Piscina from 'piscina';
import type {
  PastSession,
  PolicyCheck,
  PolicyComparison,
  PolicyFile,
  PolicyTests,
  PolicyWorkRefused,
} from '../domain/policy-work.ts';
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
const IDLE_MS = 60_000;

/**
 * The side pool for what people ask about policies, apart from the lanes of the inspection: texts of people are compiled, and
 * stored sessions lived through again. Its threads are made when they are needed, give way to the lanes, and are ended
 * when a task takes too long.
 */
export class PolicyPool {
  readonly #timeoutMs: number;
  readonly #tasksMax: number;
  readonly #pool: Piscina<PolicyTask, PolicyTaskResult>;
  #tasks = 0;

  constructor({ file, start, timeoutMs = TIMEOUT_MS, tasksMax = TASKS_MAX }: PolicyPoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#tasksMax = tasksMax;
    this.#pool = new Piscina({
      filename: file,
      minThreads: 0,
      maxThreads: THREADS_MAX,
      idleTimeout: IDLE_MS,
      workerData: start,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
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
    await this.#pool.destroy();
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
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#timeoutMs);
    try {
      return (await this.#pool.run(task, { signal: limit.signal })) as Result;
    } catch (error) {
      if (limit.signal.aborted) return { ok: false, refused: 'too_long' };
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        return { ok: false, refused: 'too_much_memory' };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function setOf(files: readonly PolicyFile[]): PolicySetOf {
  return { key: createHash('sha256').update(JSON.stringify(files)).digest('hex'), files };
}
