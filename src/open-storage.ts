import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { TenantSlug } from './domain/ids.ts';
import { TenantDirectory, tenantsFile } from './identity/tenant-directory.ts';
import type { LmdbJournalOptions } from './journal/lmdb-chunks.ts';
import { LmdbJournal } from './journal/lmdb-journal.ts';
import { Patience } from './lib/patience.ts';
import { PollLoop } from './lib/poll-loop.ts';
import type { StartedParts } from './lib/started-parts.ts';
import { reachDatabase } from './reach-database.ts';
import { type Database, openDatabase } from './store/database.ts';
import { type EmbeddedPostgres, lastUrl, startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { migrate } from './store/migrate.ts';
import { NewerDatabaseError, refuseNewer } from './store/schema-version.ts';
import { ensureTenant, listTenants } from './store/tenants.ts';
import type { Logger } from './telemetry/logger.ts';

/** Made at the first start, for trying things out. */
export const DEMO_TENANT = 'demo' as TenantSlug;
const DATABASE_RETRY_MS = 1000;
/** A failure that goes on is told again after this time. */
const TELL_AGAIN_MS = 60_000;
/** How often it is asked whether somebody migrated the database meanwhile: rows are not written to it in any case. */
const VERSION_WATCH_MS = 2_000;
const POSTGRES_WATCH_MS = 1000;
/** It is asked twice, and may wait for a command that has it in hand. */
const POSTGRES_STOP_MS_MAX = 60_000;
/** Each try starts programs, for which the thread that answers stands still. */
const POSTGRES_RETRY_MS_MAX = 10_000;
/** So long a start that need not wait for the database waits for it all the same: mostly it is there by then. */
const DATABASE_WAIT_MS = 5000;

export interface Storage {
  journal: LmdbJournal;
  database: Database;
  databaseUrl: string;
  tenants: TenantDirectory;
  /** Settled once the database is of this version. What does not wait for somebody who asks writes nothing to it before. */
  prepared: Promise<void>;
  /** What to do about a database that a newer version migrated, as long as it is one: nothing is to be worked on with it. */
  newerDatabase: () => string | undefined;
  /** With what the database has to say during the start: without end at the first start ever, which needs it. */
  patience: Patience;
}

/** Opens what events are kept in. */
export async function openStorage(config: Config, log: Logger, parts: StartedParts): Promise<Storage> {
  const options = journalOptions(config);
  // Event content: for this user's eyes only.
  await mkdir(options.path, { recursive: true, mode: 0o700 });
  const journal = new LmdbJournal(options);
  parts.add('journal', () => journal.close());

  const tenants = new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(config.dataDir));
  const patience = new Patience(tenants.size === 0 ? Number.POSITIVE_INFINITY : DATABASE_WAIT_MS);
  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, log, parts, patience));
  const database = openDatabase(databaseUrl);
  parts.add('database', () => database.close());
  parts.addWatch('tenants', () => tenants.stop());
  const prepare = async () => {
    if (config.databaseUrl !== undefined) await reachDatabase(database);
    await migrate(databaseUrl, log);
    if ((await listTenants(database)).length === 0) {
      await ensureTenant(database, { slug: DEMO_TENANT, name: 'Demo', onFailure: config.onFailure });
    }
    await tenants.refresh();
  };
  const lookAgain = () => database.withSql(refuseNewer);
  const prepared = await prepareDatabase(log, parts, { tenants, patience, prepare, lookAgain });
  await patience.outlasts(tenants.follow((problem) => log.warn(problem)));
  return { journal, database, databaseUrl, tenants, prepared: prepared.done, newerDatabase: prepared.newer, patience };
}

export function journalOptions(config: Config): LmdbJournalOptions {
  return {
    path: join(config.dataDir, 'journal'),
    bytesMax: config.journalBytesMax,
    relaxed: config.decisionDurability === 'process',
  };
}

/**
 * Starts the embedded PostgreSQL, and starts it again if it ends while the service runs. One that takes longer than the
 * patience, or does not start, is expected where it was the last time (P8).
 */
async function startEmbedded(config: Config, log: Logger, parts: StartedParts, patience: Patience): Promise<string> {
  const { dataDir } = config;
  const last = await lastUrl(dataDir);
  let usedUrl: string | undefined;
  let postgres: EmbeddedPostgres | undefined;
  let starting: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const port = () => (usedUrl === undefined ? undefined : Number(new URL(usedUrl).port));
  const start = async () => {
    const started = await startEmbeddedPostgres({ dataDir, log, port, interrupted: stopping.signal });
    if (usedUrl === undefined || usedUrl === started.url) postgres = started;
    else await started.stop();
  };
  const startAgain = () => {
    starting = postgres?.revive() ?? start();
    return starting;
  };
  const keepRunning = () =>
    startAgain().catch((error: Error) => {
      if (!stopping.signal.aborted) log.error({ error: error.message }, 'PostgreSQL does not start');
      return false;
    });
  const watch = new PollLoop(POSTGRES_WATCH_MS, keepRunning, POSTGRES_RETRY_MS_MAX);
  const stop = async () => {
    stopping.abort(new Error('the service is stopping'));
    // One that is being started must not be left behind.
    await starting.catch(() => {});
    await postgres?.stop();
  };
  parts.add('PostgreSQL', stop, POSTGRES_STOP_MS_MAX);
  parts.addWatch('watch over PostgreSQL', () => watch.stop());
  if (last === undefined || patience.isEndless) await startAgain();
  const watching = watch.start();
  if (postgres === undefined) await patience.outlasts(watching);
  usedUrl = postgres?.url ?? (last as string);
  return usedUrl;
}

interface Preparing extends Pick<Storage, 'tenants' | 'patience'> {
  /** Brings the database up to date. */
  prepare: () => Promise<void>;
  /** Rejects with a `NewerDatabaseError` where a newer version has done so since. */
  lookAgain: () => Promise<void>;
}

/**
 * Brings the database up to date. If it is down or takes long, the service still starts when it knows its tenants from an
 * earlier start (P8), and goes on trying; the first start ever needs the database. Later on it is watched: one that a newer version
 * migrates while the service runs is treated as one that was found so.
 */
async function prepareDatabase(
  log: Logger,
  parts: StartedParts,
  { tenants, patience, prepare, lookAgain }: Preparing,
): Promise<{ done: Promise<void>; newer: Storage['newerDatabase'] }> {
  let timer: NodeJS.Timeout | undefined;
  /** By the start. */
  let isAwaited = true;
  let isStopping = false;
  const tell = repeatedly((error) =>
    log.error({ error }, 'the database cannot be used; events are kept in the journal until it can be'),
  );
  let newer: string | undefined;
  let noteDone = () => {};
  const done = new Promise<void>((resolve) => {
    noteDone = resolve;
  });
  const later = (work: () => Promise<void>, ms: number) => {
    if (!isStopping) timer = setTimeout(() => void work(), ms);
  };
  const succeed = () => {
    newer = undefined;
    if (!isAwaited) log.info('the database can be used');
    noteDone();
    later(watch, VERSION_WATCH_MS);
  };
  const fail = (error: Error) => {
    if (isAwaited && (tenants.size === 0 || error instanceof NewerDatabaseError)) throw error;
    isAwaited = false;
    // One that does not answer now may still be it.
    if (error instanceof NewerDatabaseError) newer = error.message;
    if (isStopping) return;
    tell(error.message);
    later(attempt, DATABASE_RETRY_MS);
  };
  const attempt = () => prepare().then(succeed, fail);
  // A database that does not answer now is no news.
  const goOn = (error?: unknown) =>
    error instanceof NewerDatabaseError ? fail(error) : later(watch, VERSION_WATCH_MS);
  const watch = () => lookAgain().then(() => goOn(), goOn);
  const preparing = attempt();
  parts.addWatch('database tries', () => {
    isStopping = true;
    clearTimeout(timer);
  });
  if (!(await patience.outlasts(preparing)))
    log.warn({ waitedMs: DATABASE_WAIT_MS }, 'the database is not ready; events are kept in the journal until it is');
  isAwaited = false;
  return { done, newer: () => newer };
}

/** Calls `tell` with what is new, and with what goes on once a minute. */
function repeatedly(tell: (what: string) => void): (what: string) => void {
  let last = { what: '', atMs: Number.NEGATIVE_INFINITY };
  return (what) => {
    const atMs = performance.now();
    if (what === last.what && atMs - last.atMs < TELL_AGAIN_MS) return;
    last = { what, atMs };
    tell(what);
  };
}
