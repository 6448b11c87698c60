import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { TenantSlug } from './domain/ids.ts';
import { TenantDirectory, tenantsFile } from './identity/tenant-directory.ts';
import type { LmdbJournalOptions } from './journal/lmdb-chunks.ts';
import { LmdbJournal } from './journal/lmdb-journal.ts';
import { PollLoop } from './lib/poll-loop.ts';
import type { StartedParts } from './lib/started-parts.ts';
import { reachDatabase } from './reach-database.ts';
import { type Database, openDatabase } from './store/database.ts';
import { startEmbeddedPostgres } from './store/embedded-postgres.ts';
import { migrate, NewerDatabaseError } from './store/migrate.ts';
import { ensureTenant, listTenants } from './store/tenants.ts';
import type { Logger } from './telemetry/logger.ts';

/** Made at the first start, for trying things out. */
export const DEMO_TENANT = 'demo' as TenantSlug;
const DATABASE_RETRY_MS = 1000;
const POSTGRES_WATCH_MS = 1000;

export interface Storage {
  journal: LmdbJournal;
  database: Database;
  databaseUrl: string;
  tenants: TenantDirectory;
}

/** Opens what events are kept in. */
export async function openStorage(config: Config, log: Logger, parts: StartedParts): Promise<Storage> {
  const options = journalOptions(config);
  // Event content: for this user's eyes only.
  await mkdir(options.path, { recursive: true, mode: 0o700 });
  const journal = new LmdbJournal(options);
  parts.add(() => journal.close());

  const databaseUrl = config.databaseUrl ?? (await startEmbedded(config, log, parts));
  const database = openDatabase(databaseUrl);
  parts.add(() => database.close());

  const tenants = new TenantDirectory({ listTenants: () => listTenants(database) }, tenantsFile(config.dataDir));
  parts.add(() => tenants.stop());
  await prepareDatabase(log, parts, tenants, async () => {
    if (config.databaseUrl !== undefined) await reachDatabase(database);
    await migrate(databaseUrl, log);
    if ((await listTenants(database)).length === 0) {
      await ensureTenant(database, { slug: DEMO_TENANT, name: 'Demo', onFailure: config.onFailure });
    }
    await tenants.refresh();
  });
  await tenants.follow();
  return { journal, database, databaseUrl, tenants };
}

export function journalOptions(config: Config): LmdbJournalOptions {
  return {
    path: join(config.dataDir, 'journal'),
    bytesMax: config.journalBytesMax,
    relaxed: config.decisionDurability === 'process',
  };
}

/** Starts the embedded PostgreSQL, and starts it again if it ends while the service runs. */
async function startEmbedded(config: Config, log: Logger, parts: StartedParts): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  parts.add(() => postgres.stop());
  const revive = () =>
    postgres.revive().catch((error: Error) => log.error({ error: error.message }, 'PostgreSQL does not start'));
  const watch = new PollLoop(POSTGRES_WATCH_MS, revive);
  parts.add(() => watch.stop());
  await watch.start();
  return postgres.url;
}

/**
 * Brings the database up to date. If it is down, the service still starts when it knows its tenants from an earlier
 * start (P8), and goes on trying; the first start ever needs the database.
 */
async function prepareDatabase(
  log: Logger,
  parts: StartedParts,
  tenants: TenantDirectory,
  prepare: () => Promise<void>,
): Promise<void> {
  try {
    return await prepare();
  } catch (error) {
    if (tenants.size === 0 || error instanceof NewerDatabaseError) throw error;
    log.error(
      { error: (error as Error).message },
      'the database cannot be used; events are kept in the journal until it can be',
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    timer = setTimeout(() => void prepare().catch(again), DATABASE_RETRY_MS);
  };
  again();
  parts.add(() => clearTimeout(timer));
}
