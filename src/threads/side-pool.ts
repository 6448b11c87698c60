import Piscina from 'piscina';

export interface SidePoolOptions {
  /** The bundled worker, as one CommonJS file. */
  file: string;
  threadsMax: number;
  heapMb: number;
  /** Of one task, with its wait for a thread. */
  timeoutMs: number;
  workerData?: unknown;
}

/** What became of a task. Where it took too long or too much memory, its thread was ended. */
export type SideOutcome<Result> = { kind: 'done'; result: Result } | { kind: 'too_long' } | { kind: 'too_much_memory' };

const IDLE_MS = 60_000;

/**
 * Threads for work on what strangers sent, apart from the lanes of the inspection: made when they are needed, and ended when a task
 * takes too long. How many tasks there may be at once is for the caller to bound.
 */
export class SidePool<Task, Result> {
  readonly #timeoutMs: number;
  readonly #pool: Piscina<Task, Result>;

  constructor({ file, threadsMax, heapMb, timeoutMs, workerData }: SidePoolOptions) {
    this.#timeoutMs = timeoutMs;
    this.#pool = new Piscina({
      filename: file,
      minThreads: 0,
      maxThreads: threadsMax,
      idleTimeout: IDLE_MS,
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
  }

  /** Rejects where the worker throws. */
  async run(task: Task): Promise<SideOutcome<Result>> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#timeoutMs);
    try {
      return { kind: 'done', result: await this.#pool.run(task, { signal: limit.signal }) };
    } catch (error) {
      if (limit.signal.aborted) return { kind: 'too_long' };
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'too_much_memory' };
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
  }
}
