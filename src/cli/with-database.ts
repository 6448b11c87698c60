import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Log } from '../lib/log.ts';
import { reachDatabase } from '../reach-database.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts';
import { migrate } from '../store/migrate.ts';
import { findPostmaster } from '../store/postmaster.ts';
import { unlessInterrupted, withInterruption } from './interruption.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Runs `work` with the configured database: the one of `databaseUrl`, else the embedded one of the data directory. That
 * one is used as it runs, or is started for the time of `work`, which ends early where a stop signal comes.
 *
 * @throws {ConfigError} where there is none.
 * @throws {Interrupted}
 */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  requireDatabase(config);
  return withNewDatabase(config, work);
}

/**
 * A data directory without a database was probably mistyped: there is nothing in it to be read or changed.
 *
 * @throws {ConfigError}
 */
export function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl === undefined && !existsSync(clusterOf(dataDir)))
    throw new ConfigError(`GATEHOUSE_DATA_DIR: ${dataDir} holds no database; gatehouse start would make one`);
}

/** As `withDatabase`; makes the database first where there is none. */
export async function withNewDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== undefined) return withUrl(config.databaseUrl, work);
  return withEmbedded(config, (url) => withUrl(url, work));
}

/**
 * Runs `work` with the configured database as it is: nothing is started for it, and nothing migrated. Undefined before the
 * first start ever, when there is none.
 *
 * @throws where the database does not run, or does not answer.
 */
export async function withRunningDatabase<T>(
  config: Config,
  work: (database: Database) => Promise<T>,
): Promise<T | undefined> {
  if (config.databaseUrl !== undefined) return used(openDatabase(config.databaseUrl, 1), work);
  const cluster = clusterOf(config.dataDir);
  if (!existsSync(cluster)) return undefined;
  if (typeof findPostmaster(realpathSync(cluster)) !== 'object')
    throw new Error('the embedded PostgreSQL does not run');
  return withEmbedded(config, (url) => used(openDatabase(url, 1), work));
}

/** Whether `work` ends, fails or is interrupted: a server that was started for it ends with it. */
function withEmbedded<T>({ dataDir }: Config, work: (url: string) => Promise<T>): Promise<T> {
  return withInterruption(async (interrupted) => {
    const embedded = await startEmbeddedPostgres({ dataDir, log: silent, interrupted });
    try {
      return await unlessInterrupted(work(embedded.url), interrupted);
    } finally {
      await embedded.stop();
    }
  });
}

function clusterOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster');
}

function withUrl<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  return used(openDatabase(url), async (database) => {
    await reachDatabase(database);
    await migrate(url);
    return work(database);
  });
}

async function used<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
