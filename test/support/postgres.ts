import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Test } from 'tap';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { copyCluster, createDatabase, MIGRATED } from './cluster-template.ts';
import { silentLog } from './silent-log.ts';

/** A directory that is removed when the test is over. */
export function temporaryDirectory(t: Test, name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  t.teardown(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** A client to look into a database with, closed when the test is over. */
export function openClient(t: Test, url: string): postgres.Sql {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  t.teardown(() => sql.end({ timeout: 1 }));
  return sql;
}

/** A real PostgreSQL in a directory of its own. */
export interface TestPostgres {
  dataDir: string;
  /** Of the newest start; the port may change with it. */
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The URL of a fresh, migrated database. */
  createDatabase(): Promise<string>;
  /** A fresh, migrated database, closed when `t` is over. */
  open(t: Test): Promise<Database>;
}

/** Starts a cluster for a test file; it is stopped when the file is done, whatever happened. */
export async function startTestPostgres(t: Test): Promise<TestPostgres> {
  const dataDir = temporaryDirectory(t, 'postgres');
  const isCopy = copyCluster(dataDir);
  let running = await startEmbeddedPostgres({ dataDir, log: silentLog });
  let databases = 0;
  t.teardown(() => running.stop());
  // Migrated once, and copied: that takes a tenth of the time.
  let migrated = isCopy ? Promise.resolve() : undefined;
  const createFresh = async () => {
    migrated ??= createDatabase(running.url, MIGRATED, 'template1').then(migrate);
    await migrated;
    return createDatabase(running.url, `test_${++databases}`, MIGRATED);
  };
  return {
    dataDir,
    get url() {
      return running.url;
    },
    stop: () => running.stop(),
    start: async () => {
      running = await startEmbeddedPostgres({ dataDir, log: silentLog });
    },
    createDatabase: createFresh,
    open: async (t) => {
      const database = openDatabase(await createFresh());
      t.teardown(() => database.close());
      return database;
    },
  };
}
