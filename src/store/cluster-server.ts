import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Log } from '../lib/log.ts';
import { isLockHeld, LockTimeout, removeLeftOvers, replaceFile, withFileLock } from './file-lock.ts';
import { isHeldElsewhere, serviceLock, serviceSocket } from './live-socket.ts';
import { EmbeddedPostgresError, type Launcher, type PostgresBinaries } from './postgres-binaries.ts';
import { findPostmaster, type Postmaster } from './postmaster.ts';
import { liveLeases } from './server-leases.ts';
import { lowerPriority } from './server-priority.ts';

const ROLE = 'gatehouse';
/** Starting may include the recovery after a crash. */
const START_TIMEOUT_MS = 180_000;
/** For each of two ways to end it, so that a service manager need not lose patience (systemd waits 90 s). */
const STOP_TIMEOUT_MS = 20_000;
const INITDB_TIMEOUT_MS = 120_000;
const LOCK_TIMEOUT_MS = START_TIMEOUT_MS + STOP_TIMEOUT_MS;
const CONNECT_TIMEOUT_SECONDS = 5;
const START_ATTEMPTS_MAX = 8;
const SERVER_LOG_BYTES_MAX = 1024 * 1024;

/** In effect from each start, so that they follow this version of the code and not the day the cluster was made. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '40',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  synchronous_commit: 'on',
  // Small and short statements only: these cost memory and processes and bring nothing.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  io_method: 'sync',
  cluster_name: 'gatehouse',
  // Failed statements are told to whoever sent them; in the server's log they would be event content.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** One cluster and its server process. Every method but `withLock` is called with the lock held. */
export class ClusterServer {
  readonly #home: string;
  readonly #cluster: string;
  readonly #binaries: PostgresBinaries;
  readonly #launcher: Launcher;
  readonly #log: Log;

  constructor(home: string, binaries: PostgresBinaries, launcher: Launcher, log: Log) {
    this.#home = home;
    this.#cluster = join(home, 'cluster');
    this.#binaries = binaries;
    this.#launcher = launcher;
    this.#log = log;
  }

  async withLock<T>(work: () => Promise<T>, interrupted?: AbortSignal): Promise<T> {
    try {
      return await withFileLock(join(this.#home, 'lock'), LOCK_TIMEOUT_MS, work, interrupted);
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
      throw new EmbeddedPostgresError(`another process starts or stops PostgreSQL all the time: ${error.message}`);
    }
  }

  async start(wantedPort: () => number | undefined = () => undefined): Promise<string> {
    await this.#removeUnfinished();
    if (!(await exists(this.#cluster))) await this.#initialise();
    const password = await this.#readPassword();
    const found = findPostmaster(this.#cluster);
    if (found === 'stale') await this.#removeStale();
    else if (found !== 'none') {
      if (await this.#adopts(found, password)) return connectionUrl(found.port, password);
      await this.#stopServer();
    }
    return connectionUrl(await this.#startServer(password, wantedPort), password);
  }

  /**
   * The process that it names is none of this machine's, as far as is seen from here: from within a container, that may not be
   * far. Where the service is seen, its server would be, too.
   */
  async #removeStale(): Promise<void> {
    const dataDir = dirname(this.#home);
    if (!(await isLockHeld(serviceLock(dataDir))) && (await isHeldElsewhere(serviceSocket(dataDir))))
      throw new EmbeddedPostgresError(
        `a gatehouse in another container runs in ${dataDir}, with its PostgreSQL; run this command there`,
      );
    await rm(join(this.#cluster, 'postmaster.pid'), { force: true });
  }

  async release(lease: string): Promise<void> {
    await rm(lease, { force: true });
    const users = await liveLeases(this.#home);
    if (users > 0) this.#log.info({ users }, 'embedded PostgreSQL goes on for another process');
    else if (typeof findPostmaster(this.#cluster) === 'object') await this.#stopServer();
  }

  /** What a process that was killed while it made the cluster left behind. */
  async #removeUnfinished(): Promise<void> {
    for (const name of await readdir(this.#home)) {
      if (name.startsWith('new-')) await rm(join(this.#home, name), { recursive: true, force: true, maxRetries: 10 });
    }
    for (const name of ['password', 'port']) await removeLeftOvers(join(this.#home, name));
  }

  /** Makes the cluster aside and renames it into place, so that a half-made one is never taken for one. */
  async #initialise(): Promise<void> {
    const startedAtMs = performance.now();
    const staging = join(this.#home, `new-${randomBytes(6).toString('hex')}`);
    const cluster = join(staging, 'cluster');
    const passwordFile = join(staging, 'password');
    const password = randomBytes(24).toString('base64url');
    await mkdir(cluster, { recursive: true, mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    await this.#giveToServer(staging, cluster, passwordFile);
    const args = ['-D', cluster, '-U', ROLE, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
    args.push('-E', 'UTF8', '--locale=C', '--data-checksums', '--no-instructions');
    const made = await this.#launcher.run(this.#binaries.initdb, args, INITDB_TIMEOUT_MS);
    if (!made.ok)
      throw new EmbeddedPostgresError(`PostgreSQL cannot make its files in ${this.#home}: ${complaintIn(made.output)}`);
    await replaceFile(join(this.#home, 'password'), password);
    await rename(cluster, this.#cluster);
    await rm(staging, { recursive: true, force: true });
    this.#log.info({ ms: Math.round(performance.now() - startedAtMs) }, 'embedded PostgreSQL made its cluster');
  }

  async #giveToServer(...paths: string[]): Promise<void> {
    const { owner } = this.#launcher;
    if (owner !== undefined) for (const path of paths) await chown(path, owner.uid, owner.gid);
  }

  async #readPassword(): Promise<string> {
    try {
      return await readFile(join(this.#home, 'password'), 'utf8');
    } catch {
      throw new EmbeddedPostgresError(
        `${join(this.#home, 'password')} is missing; put it back, or move ${this.#home} away to start with an empty database`,
      );
    }
  }

  /** Whether the running server is usable: it answers to our password, from our directory. */
  async #adopts(postmaster: Postmaster, password: string): Promise<boolean> {
    const adopted = (await dataDirectoryOf(postmaster.port, password)) === this.#cluster;
    const message = adopted
      ? 'embedded PostgreSQL is running already'
      : 'embedded PostgreSQL is running but does not answer';
    this.#log.info({ pid: postmaster.pid, port: postmaster.port }, message);
    return adopted;
  }

  async #startServer(password: string, wantedPort: () => number | undefined): Promise<number> {
    const startedAtMs = performance.now();
    await this.#boundLog();
    let complaint = '';
    for (let attempt = 1; attempt <= START_ATTEMPTS_MAX; attempt++) {
      const port = wantedPort() ?? (attempt === 1 ? await lastPort(this.#home) : undefined) ?? (await freePort());
      const outcome = await this.#runPgCtl(port);
      if (outcome === 'started' && (await dataDirectoryOf(port, password)) === this.#cluster) {
        await replaceFile(join(this.#home, 'port'), String(port));
        this.giveWay();
        this.#log.info({ port, ms: Math.round(performance.now() - startedAtMs) }, 'embedded PostgreSQL started');
        return port;
      }
      if (outcome === 'started') {
        await this.#stopServer();
        throw new EmbeddedPostgresError(
          `PostgreSQL refuses the password in ${join(this.#home, 'password')}; put the right one back`,
        );
      }
      complaint = outcome;
      // The backends of a killed server need a moment to notice; a taken port needs only another port.
      if (/shared memory block|lock file/.test(complaint)) {
        // Or a lock file came to be that was not there before: a server's that lives, or one of a server that does not.
        const found = findPostmaster(this.#cluster);
        if (found === 'stale') await this.#removeStale();
        else if (found !== 'none' && (await this.#adopts(found, password))) return found.port;
        await sleep(500);
      } else if (wantedPort() !== undefined || !/could not bind|could not create any TCP/.test(complaint)) break;
    }
    throw new EmbeddedPostgresError(`PostgreSQL does not start: ${complaint} (see ${this.#logFile})`);
  }

  /** Lets the processes of the server give way, those too that began since the last time. False where it does not run. */
  giveWay(): boolean {
    const server = findPostmaster(this.#cluster);
    if (typeof server === 'string') return false;
    lowerPriority(server.pid);
    return true;
  }

  /** `started`, or the server's last words. */
  async #runPgCtl(port: number): Promise<string> {
    const before = (await this.#readLog()).length;
    const settings = Object.entries({ ...SETTINGS, port: String(port) });
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ');
    const args = [
      'start',
      '-w',
      '-t',
      String(START_TIMEOUT_MS / 1000),
      '-D',
      this.#cluster,
      '-l',
      this.#logFile,
      '-o',
      options,
    ];
    const outcome = await this.#launcher.run(this.#binaries.pgCtl, args, START_TIMEOUT_MS + 10_000);
    if (outcome.ok) return 'started';
    const said = (await this.#readLog()).slice(before);
    return said.match(/^.*(?:FATAL|PANIC|could not bind).*$/gm)?.join('; ') ?? complaintIn(outcome.output);
  }

  async #stopServer(): Promise<void> {
    for (const mode of ['fast', 'immediate']) {
      const args = ['stop', '-w', '-t', String(STOP_TIMEOUT_MS / 1000), '-m', mode, '-D', this.#cluster];
      const outcome = await this.#launcher.run(this.#binaries.pgCtl, args, STOP_TIMEOUT_MS + 10_000);
      if (outcome.ok || typeof findPostmaster(this.#cluster) !== 'object') {
        this.#log.info({ mode }, 'embedded PostgreSQL stopped');
        return;
      }
    }
    throw new EmbeddedPostgresError(`PostgreSQL does not stop; see ${this.#logFile}`);
  }

  get #logFile(): string {
    return join(this.#cluster, 'server.log');
  }

  #readLog(): Promise<string> {
    return readFile(this.#logFile, 'utf8').catch(() => '');
  }

  async #boundLog(): Promise<void> {
    if ((await this.#readLog()).length > SERVER_LOG_BYTES_MAX) await rm(this.#logFile, { force: true });
  }
}

/** The port that the server of `home` was last started at. */
export async function lastPort(home: string): Promise<number | undefined> {
  const port = Number(await readFile(join(home, 'port'), 'utf8').catch(() => 'none'));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** With the password in it. */
export function connectionUrl(port: number, password: string): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres`;
}

/** The data directory of whoever listens on `port`, if it is a PostgreSQL that takes our password. */
async function dataDirectoryOf(port: number, password: string): Promise<string | undefined> {
  const sql = postgres(connectionUrl(port, password), {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    fetch_types: false,
    connection: { statement_timeout: CONNECT_TIMEOUT_SECONDS * 1000 },
  });
  const answer = sql<{ directory: string }[]>`select current_setting('data_directory') as directory`
    .then((rows) => rows[0]?.directory)
    .catch(() => undefined);
  const directory = await Promise.race([answer, sleep(2 * CONNECT_TIMEOUT_SECONDS * 1000, undefined, { ref: false })]);
  await sql.end({ timeout: 1 });
  return directory;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Why a program of PostgreSQL gave up: mostly not in its last line, which tells how it cleaned up. */
function complaintIn(output: string): string {
  const lines = output.trim().split('\n');
  return lines.find((line) => /\b(?:error|FATAL|PANIC): /.test(line)) ?? lines.at(-1) ?? '';
}

function exists(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}
