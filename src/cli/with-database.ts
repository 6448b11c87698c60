import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { startEmbeddedPostgres } from '../store/embedded-postgres.ts';
import type { Log } from '../store/log.ts';
import { migrate } from '../store/migrate.ts';

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

async function withUrl<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  await migrate(url);
  const database = openDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
