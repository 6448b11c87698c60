import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { assert } from '../lib/assert.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { connectOnce } from './connection.ts';

/** Rewriting a large table may take long, and so may the one who migrates first. */
const NO_TIMEOUTS = { statementTimeoutMs: 0, lockTimeoutMs: 0, silenceMsMax: 0 };

/** Brings the database at `url` to the schema of this version. Safe to call from several processes at once. */
export async function migrate(url: string): Promise<void> {
  // One connection: the lock belongs to it, and ends with it whatever happens.
  const connection = connectOnce(url, NO_TIMEOUTS);
  try {
    await connection.sql`select pg_advisory_lock(${ADVISORY_LOCKS.migrate})`;
    await applyMigrations(drizzle(connection.sql), { migrationsFolder: migrationsFolder() });
  } finally {
    await connection.close(1);
  }
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
