import Piscina from 'piscina';
import type { PolicySetDocument } from '../detection/policy/document.ts';

export interface OfflineOptions {
  /** The bundled worker: `workers/offline.ts`. */
  file: string;
  /** At most; a second one is begun for what waits while the first one works. */
  threads: number;
  start: OfflineStart;
  /** Is told how many rows are done, after each batch. */
  onProgress?: (rows: number) => void;
}

/** What a thread is given when it starts: see `openEngine`. */
export interface OfflineStart {
  policies: readonly PolicySetDocument[];
  secret: Uint8Array;
}

/** What a thread is given: rows as JSON texts. */
export interface OfflineTask {
  lines: string[];
}

/** What it returns: a line of JSON for each row, and how many rows could not be inspected. */
export interface OfflineResult {
  lines: string[];
  failed: number;
}

const BATCH_LINES_MAX = 64;
const BATCH_CHARS_MAX = 1024 * 1024;
/** Batches under way or done and not yet read, for each thread. */
const BATCHES_PER_THREAD = 3;

/**
 * Inspects rows in all threads at once, and yields what came out in the order of the rows. Where `lines` throws, so does this,
 * after all that came before.
 */
export async function* inspectOffline(
  lines: AsyncIterable<string>,
  options: OfflineOptions,
): AsyncGenerator<OfflineResult> {
  const pool = new Piscina<OfflineTask, OfflineResult>({
    filename: options.file,
    minThreads: 1,
    maxThreads: options.threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    workerData: options.start,
    execArgv: [],
  });
  let rows = 0;
  const underWay: Promise<OfflineResult>[] = [];
  const oldest = async (): Promise<OfflineResult> => {
    const done = await (underWay.shift() as Promise<OfflineResult>);
    rows += done.lines.length;
    options.onProgress?.(rows);
    return done;
  };
  const source = new Source(lines);
  try {
    for await (const batch of source.batches()) {
      const work = pool.run({ lines: batch });
      // Awaited in its turn; until then a failure must not count as one that nobody looks at.
      work.catch(() => {});
      underWay.push(work);
      if (underWay.length >= options.threads * BATCHES_PER_THREAD) yield await oldest();
    }
    while (underWay.length > 0) yield await oldest();
    if (source.failure !== undefined) throw source.failure.error;
  } finally {
    await pool.destroy();
  }
}

/** Rows in batches, up to where they cannot be read any further. */
class Source {
  failure: { error: unknown } | undefined;
  readonly #lines: AsyncIterable<string>;

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines;
  }

  async *batches(): AsyncGenerator<string[]> {
    let batch: string[] = [];
    let chars = 0;
    for await (const line of this.#readable()) {
      if (line.trim() === '') continue;
      batch.push(line);
      chars += line.length;
      if (batch.length < BATCH_LINES_MAX && chars < BATCH_CHARS_MAX) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
    if (batch.length > 0) yield batch;
  }

  async *#readable(): AsyncGenerator<string> {
    try {
      for await (const line of this.#lines) yield line;
    } catch (error) {
      this.failure = { error };
    }
  }
}
