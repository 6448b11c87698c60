import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyCluster } from './cluster-template.ts';
import { PROGRAM } from './command-line.ts';

/** A real service process on a data directory of its own, as a test starts, kills and restarts it. */

const READY = /listening on (http:\/\/\S+)/;
const READY_MS_MAX = 180_000;
/** Longer than what one part of it may take: what it says of that is then in its output. */
const STOP_MS_MAX = 60_000;

export interface ServiceOptions {
  /** Used again where given, and then not removed; else a fresh one, removed with the service. */
  dataDir?: string;
  /** `GATEHOUSE_*` options and other variables on top of the defaults here. */
  env?: Record<string, string>;
  /** The command to run the service through, asked for at each start: it must exec the words that follow its own. */
  through?: () => readonly string[];
}

/** Starts a service and waits until it listens. Rejects with its output if it ends before that. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const service = new Service(options);
  await service.start();
  return service;
}

export class Service {
  readonly dataDir: string;
  readonly #ownsDataDir: boolean;
  readonly #env: NodeJS.ProcessEnv;
  readonly #through: () => readonly string[];
  #child: ChildProcess | undefined;
  #url = '';
  #output = '';

  /** Prepares the data directory only; `start` starts the process. */
  constructor(options: ServiceOptions = {}) {
    this.#ownsDataDir = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? freshDataDir();
    if (this.#ownsDataDir && options.env?.['GATEHOUSE_DATABASE_URL'] === undefined) copyCluster(this.dataDir);
    this.#env = { ...withoutOptions(process.env), ...defaults(this.dataDir), ...options.env };
    this.#through = options.through ?? (() => []);
    live.add(this);
  }

  /** Where it listens; another port after each start. */
  get url(): string {
    return this.#url;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the service was not started');
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Of its last process; null while it runs, and where a signal ended it. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /** Everything it printed since the last start, both streams, in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  /** Starts the process, on what the last one left. Settles when it listens. */
  async start(): Promise<void> {
    const child = this.spawn();
    await new Promise<void>((resolve, reject) => {
      const fail = (what: string) => {
        clearTimeout(timer);
        reject(new Error(`the service ${what}; it printed:\n${this.#output}`));
      };
      const timer = setTimeout(() => fail(`was not ready after ${READY_MS_MAX} ms`), READY_MS_MAX);
      child.once('exit', (code, signal) => fail(`ended before it was ready (${signal ?? `exit code ${code}`})`));
      child.once('error', (error) => fail(`could not be started: ${error.message}`));
      this.#onOutput = () => {
        const url = READY.exec(this.#output)?.[1];
        if (url === undefined) return;
        this.#url = url;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #onOutput: () => void = () => undefined;

  /** Starts the process without waiting for anything. */
  spawn(): ChildProcess {
    const words = [...this.#through(), process.execPath, PROGRAM, 'start'];
    const child = spawn(words[0] as string, words.slice(1), { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#output = '';
    this.#onOutput = () => undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    return child;
  }

  /** Ends the process at once (SIGKILL). Its embedded PostgreSQL lives on, as after a real crash. */
  async kill9(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops it as an operator would (SIGTERM), and resolves to its exit code. */
  async stop(): Promise<number | null> {
    const timer = setTimeout(() => {
      process.stderr.write(`the service did not stop within ${STOP_MS_MAX} ms; it printed:\n${this.#output}\n`);
      this.#child?.kill('SIGKILL');
    }, STOP_MS_MAX);
    await this.#end('SIGTERM');
    clearTimeout(timer);
    return this.exitCode;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.running) return;
    const exited = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill(signal);
    await exited;
  }

  /** Runs `gatehouse <args>` with the service's own options, and resolves to what it printed on stdout. */
  gatehouse(...args: string[]): Promise<string> {
    return this.gatehouseGiven('', ...args);
  }

  /** The same with `input` on its stdin. */
  async gatehouseGiven(input: string, ...args: string[]): Promise<string> {
    const limits = { env: this.#env, maxBuffer: 256 * 1024 * 1024 };
    const running = promisify(execFile)(process.execPath, [PROGRAM, ...args], limits);
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** The same with its stdout as a stream, for output of any size. */
  gatehouseStream(...args: string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...args], { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** What `/metrics` says of `name`, summed over its labels; 0 where nothing was counted yet. */
  async metric(name: string): Promise<number> {
    const lines = (await (await fetch(`${this.#url}/metrics`)).text()).split('\n');
    const samples = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Mints an access token. */
  async token(tenant = 'demo', subject = 'test'): Promise<string> {
    return (await this.gatehouse('token', '--tenant', tenant, '--subject', subject, '--days', '1')).trim();
  }

  /** Ends every process that lives in the data directory (an orphaned PostgreSQL) and, where it is ours, removes it. */
  async dispose(): Promise<void> {
    await this.kill9();
    this.disposeNow();
  }

  /** The same without waiting, for the end of the test process. */
  disposeNow(): void {
    live.delete(this);
    if (this.running) this.#child?.kill('SIGKILL');
    killProcessesIn(this.dataDir);
    if (this.#ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Services that were not disposed of yet: none may outlive the process that started it. */
const live = new Set<Service>();
process.once('exit', () => {
  for (const service of live) service.disposeNow();
});

/** A fresh directory that PostgreSQL's own user can reach, when the tests run as root. */
export function freshDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  chmodSync(directory, 0o755);
  return directory;
}

function defaults(dataDir: string): Record<string, string> {
  return {
    GATEHOUSE_PORT: '0',
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LOG_LEVEL: 'warn',
    // Wide, for machines that are busy: a test whose matter it is says so.
    GATEHOUSE_DEADLINE_MS: '10000',
    NODE_ENV: 'test',
  };
}

function withoutOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:GATEHOUSE_|TAP|NODE_OPTIONS)/.test(name)));
}

/** Processes whose working directory is `directory` or below it: PostgreSQL's live in its data directory. Linux only. */
export function processesIn(directory: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const cwd = workingDirectory(pid);
      return cwd === directory || cwd.startsWith(`${directory}/`);
    })
    .map(Number);
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
  } catch {
    return ''; // It has ended, or belongs to someone else.
  }
}

/** Ends (SIGKILL) every process that works in `directory`; how many there were. */
export function killProcessesIn(directory: string): number {
  const found = processesIn(directory);
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return found.length;
}
