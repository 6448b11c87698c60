import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import { assert } from '../lib/assert.ts';
import type { Log } from '../lib/log.ts';
import { MendableError } from '../lib/mendable-error.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { connectOnce } from './connection.ts';

/** Rewriting a large table may take long, and so may the one who migrates first. */
const NO_TIMEOUTS = { statementTimeoutMs: 0, lockTimeoutMs: 0, silenceMsMax: 0 };

/** The database is of a version that this program does not know: it must not write to it. */
export class NewerDatabaseError extends MendableError {
  override readonly name = 'NewerDatabaseError';
}

const TOLD_AFTER_MS = 3_000;
/** SQLSTATE: no privilege, a transaction that only reads. */
const ADMINISTRATORS: ReadonlySet<string> = new Set(['42501', '25006']);

/** Brings the database at `url` to the schema of this version. Safe to call from several processes at once. */
export async function migrate(url: string, log?: Pick<Log, 'info'>): Promise<void> {
  // One connection: the lock belongs to it, and ends with it whatever happens.
  const connection = connectOnce(url, NO_TIMEOUTS);
  try {
    await waitForTurn(connection.sql, log);
    const folder = migrationsFolder();
    await refuseNewer(connection.sql, folder);
    await applyMigrations(drizzle(connection.sql), { migrationsFolder: folder });
  } catch (error) {
    throw mendable(error) ?? error;
  } finally {
    await connection.close(1);
  }
}

/** One at a time. Told where it takes longer than a moment. */
async function waitForTurn(sql: postgres.Sql, log: Pick<Log, 'info'> | undefined): Promise<void> {
  const telling = setTimeout(
    () => log?.info({}, 'waiting for another process that migrates the database'),
    TOLD_AFTER_MS,
  );
  try {
    await sql`select pg_advisory_lock(${ADVISORY_LOCKS.migrate})`;
  } finally {
    clearTimeout(telling);
  }
}

/** A newer version may have changed what this one relies on. */
async function refuseNewer(sql: postgres.Sql, folder: string): Promise<void> {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { when: number }[];
  };
  const newest = Math.max(...entries.map(({ when }) => when));
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (table?.['name'] === null) return;
  const [applied] = await sql`select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  if ((applied?.['newest'] ?? 0) > newest)
    throw new NewerDatabaseError(
      'the database was migrated by a newer version of Gatehouse: use that version, or restore a backup from before',
    );
}

/** What an administrator of the database can mend, in one line; undefined for all else. */
function mendable(error: unknown): MendableError | undefined {
  const { code, message, hint } = ((error as Error).cause ?? error) as {
    code?: string;
    message: string;
    hint?: string;
  };
  if (code === undefined || !ADMINISTRATORS.has(code)) return undefined;
  return new MendableError(
    `GATEHOUSE_DATABASE_URL: the database cannot be migrated: ${message}${hint === undefined ? '' : `; ${hint}`}. Its role must be allowed to create schemas and tables there, and to create or grant the role gatehouse_app`,
  );
}

/** The checkout's `migrations/`, found from this file or from the bundle that it became a part of. */
function migrationsFolder(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'migrations/meta/_journal.json'))) {
    const parent = dirname(directory);
    assert(parent !== directory, 'migrations/ lies in a directory above the code');
    directory = parent;
  }
  return join(directory, 'migrations');
}
