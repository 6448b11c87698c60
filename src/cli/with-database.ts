import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts';
import type { Log } from '../store/log.ts';
import { migrate } from '../store/migrate.ts';
import { findPostmaster } from '../store/postmaster.ts';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Runs `work` with the configured database: the one of `databaseUrl`, else the embedded one of the data directory. That
 * one is used as it runs, or is started for the time of `work`.
 */
export async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== undefined) return withUrl(config.databaseUrl, work);
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: silent });
  try {
    return await withUrl(embedded.url, work);
  } finally {
    await embedded.stop();
  }
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
  const cluster = join(config.dataDir, 'postgres', 'cluster');
  if (!existsSync(cluster)) return undefined;
  if (typeof findPostmaster(realpathSync(cluster)) !== 'object')
    throw new Error('the embedded PostgreSQL does not run');
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: silent });
  try {
    return await used(openDatabase(embedded.url, 1), work);
  } finally {
    await embedded.stop();
  }
}

async function withUrl<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  await migrate(url);
  return used(openDatabase(url), work);
}

async function used<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
