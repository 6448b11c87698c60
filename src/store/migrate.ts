import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import type { Log } from '../lib/log.ts';
import { MendableError } from '../lib/mendable-error.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { connectOnce } from './connection.ts';
import { migrationsFolder, refuseNewerIfMigrated } from './schema-version.ts';

/** Rewriting a large table may take long, and so may the one who migrates first. */
const NO_TIMEOUTS = { statementTimeoutMs: 0, lockTimeoutMs: 0, silenceMsMax: 0 };

const TOLD_AFTER_MS = 3_000;
/** SQLSTATE: no privilege, a transaction that only reads. */
const ADMINISTRATORS: ReadonlySet<string> = new Set(['42501', '25006']);

/** Brings the database at `url` to the schema of this version. Safe to call from several processes at once. */
export async function migrate(url: string, log?: Pick<Log, 'info'>): Promise<void> {
  // One connection: the lock belongs to it, and ends with it whatever happens.
  const connection = connectOnce(url, NO_TIMEOUTS);
  try {
    await waitForTurn(connection.sql, log);
    await refuseNewerIfMigrated(connection.sql);
    await applyMigrations(drizzle(connection.sql), { migrationsFolder: migrationsFolder() });
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
