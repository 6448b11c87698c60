import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Test } from 'tap';
import type { Log } from '../../src/lib/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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
  let running = await startEmbeddedPostgres({ dataDir, log: silentLog });
  let databases = 0;
  t.teardown(() => running.stop());
  const create = async (name: string, template: string) => {
    const admin = postgres(running.url, { max: 1, onnotice: () => {} });
    await admin`create database ${admin(name)} template ${admin(template)}`;
    await admin.end();
    const url = new URL(running.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  // Migrated once, and copied: that takes a tenth of the time.
  let migrated: Promise<void> | undefined;
  const createDatabase = async () => {
    migrated ??= create('migrated', 'template1').then(migrate);
    await migrated;
    return create(`test_${++databases}`, 'migrated');
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
    createDatabase,
    open: async (t) => {
      const database = openDatabase(await createDatabase());
      t.teardown(() => database.close());
      return database;
    },
  };
}
