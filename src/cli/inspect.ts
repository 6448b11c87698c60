import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { OFFLINE_FILE } from '../bundles.ts';
import { readPolicySet } from '../detection/read-policies.ts';
import { LONG_ROW } from '../domain/offline-row.ts';
import { inspectOffline, type OfflineStart } from '../inspection/offline.ts';
import { MendableError } from '../lib/mendable-error.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../policy-files.ts';
import { type Command, UsageError, unreadableWords } from './command.ts';
import { linesOf } from './json-lines.ts';
import { print } from './output.ts';

const USAGE = `usage: gatehouse inspect [--policies DIR] [--threads N] [FILE …] < rows.jsonl > out.jsonl

Runs the whole inspection over recorded events, without a server. Rows are JSON lines, gzip or not, of files or (- or no
file) of standard input:

  {"id": …, "event": {"event_type": …, …}}        one event
  {"id": …, "session": [{"event_type": …}, …]}    a session: each event sees what those before it left

Envelope fields that a row lacks (session_id, timestamp, agent, user) are filled in. One line is printed for each row,
in the same order:

  {"id", "events": [{"action", "reason", "policies", "findings", "ms"}]}

A row that cannot be read gives {"id", "error"}, and the exit code is 1 in the end. A file that cannot be read ends the run,
after the rows before.

  --policies DIR   apply the policies of this directory instead of the built-in ones
  --threads N      how many threads inspect (default: one for each core)

  npm run --silent gatehouse -- inspect < rows.jsonl > out.jsonl
`;

const PROGRESS_MS = 1_000;

export const inspectCommand: Command = {
  usage: USAGE,
  async run(words) {
    const { values, positionals } = parse(words);
    const threads = Number(values.threads ?? availableParallelism());
    if (!Number.isInteger(threads) || threads < 1 || threads > 256)
      throw new UsageError('--threads takes a number from 1 to 256');
    const meter = new Meter();
    let failed = 0;
    const start = offlineStart(values.policies);
    const options = { file: OFFLINE_FILE, threads, start, onProgress: (rows: number) => meter.at(rows) };
    for await (const result of inspectOffline(linesOfAll(positionals), options)) {
      failed += result.failed;
      await print(`${result.lines.join('\n')}\n`);
    }
    meter.end(failed);
    return failed === 0 ? 0 : 1;
  },
};

/** Offline there is no installation: its secret is a fixed one, so that results are the same everywhere. */
export const OFFLINE_SECRET = new Uint8Array(32);

/** What offline threads start with, from the policies of `path` or the built-in ones. */
export function offlineStart(path: string | undefined): OfflineStart {
  const { sources } = readPolicySet(readPolicyFiles(path ?? BUILTIN_POLICIES_DIR));
  return { policies: sources.map(({ document }) => document), secret: OFFLINE_SECRET };
}

function parse(words: string[]) {
  try {
    const options = { policies: { type: 'string' }, threads: { type: 'string' } } as const;
    return parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    throw unreadableWords('inspect', error);
  }
}

/** Of every file; `-`, or none, is the standard input. */
async function* linesOfAll(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files.length === 0 ? ['-'] : files) {
    const name = file === '-' ? 'standard input' : file;
    try {
      yield* linesOf(file === '-' ? process.stdin : createReadStream(file), { insteadOfLong: LONG_ROW });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      if (code !== undefined) throw new MendableError(`cannot read ${name} (${code})`);
      throw error instanceof MendableError ? new MendableError(`${name}: ${message}`) : error;
    }
  }
}

/** Progress on standard error: once a second where somebody looks, and once in the end. */
class Meter {
  readonly #startedAtMs = performance.now();
  #toldAtMs = performance.now();
  #rows = 0;

  at(rows: number): void {
    this.#rows = rows;
    if (performance.now() - this.#toldAtMs < PROGRESS_MS) return;
    this.#toldAtMs = performance.now();
    process.stderr.write(`${this.#told()} …\n`);
  }

  end(failed: number): void {
    const unread = failed === 0 ? '' : `, ${failed} of them could not be read`;
    process.stderr.write(`${this.#told()}${unread}\n`);
  }

  #told(): string {
    const seconds = (performance.now() - this.#startedAtMs) / 1000;
    return `${this.#rows} rows in ${seconds.toFixed(1)} s, ${Math.round(this.#rows / seconds)} rows/s`;
  }
}
