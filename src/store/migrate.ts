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
    refuseOldServer(await versionOf(connection.sql));
    await waitForTurn(connection.sql, log);
    await refuseNewerIfMigrated(connection.sql);
    await applyMigrations(drizzle(connection.sql), { migrationsFolder: migrationsFolder() });
  } catch (error) {
    throw mendable(error) ?? error;
  } finally {
    await connection.close(1);
  }
}

/** `server_version_num` of the first PostgreSQL whose grants tell who may take a role on (`WITH SET`): row-level security rests on that. */
const SERVER_VERSION_MIN = 160_000;

async function versionOf(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ version: number }[]>`select current_setting('server_version_num')::int as version`;
  return row?.version ?? 0;
}

/**
 * @param version as `server_version_num` has it: 150004 is 15.4.
 * @throws {MendableError} where the server is too old.
 */
export function refuseOldServer(version: number): void {
  if (version >= SERVER_VERSION_MIN) return;
  const [major, minor] = [Math.floor(version / 10_000), version % 10_000];
  throw new MendableError(
    `GATEHOUSE_DATABASE_URL: the server is PostgreSQL ${major}.${minor}; it must be ${SERVER_VERSION_MIN / 10_000} or later`,
  );
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
