import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { assert } from '../lib/assert.ts';
import { MendableError } from '../lib/mendable-error.ts';

/** The database is of a version that this program does not know: it must not write to it. */
export class NewerDatabaseError extends MendableError {
  override readonly name = 'NewerDatabaseError';
}

/** SQLSTATE undefined_table, invalid_schema_name: nothing was migrated yet, or somebody emptied the database. */
const NOT_MIGRATED: ReadonlySet<string> = new Set(['42P01', '3F000']);

/**
 * A newer version may have changed what this one relies on. As the last statement of a transaction it tells of every migration whose
 * tables the transaction writes to: such a one has ended by then, or waits for the transaction's end.
 *
 * @throws {NewerDatabaseError}
 */
export async function refuseNewer(sql: postgres.Sql): Promise<void> {
  const [applied] = await sql<{ newest: number | null }[]>`
    select max(created_at)::float8 as newest from drizzle.__drizzle_migrations`;
  if ((applied?.newest ?? 0) > newestMigration())
    throw new NewerDatabaseError(
      'the database was migrated by a newer version of Gatehouse: use that version, or restore a backup from before',
    );
}

/** The same of a database that may be empty yet. */
export async function refuseNewerIfMigrated(sql: postgres.Sql): Promise<void> {
  try {
    await refuseNewer(sql);
  } catch (error) {
    if (!NOT_MIGRATED.has((error as { code?: string }).code ?? '')) throw error;
  }
}

let newest: number | undefined;

/** When the newest migration that this program brings was made, in Unix milliseconds. */
function newestMigration(): number {
  newest ??= Math.max(...madeAt());
  return newest;
}

function madeAt(): number[] {
  const { entries } = JSON.parse(readFileSync(join(migrationsFolder(), 'meta/_journal.json'), 'utf8')) as {
    entries: { when: number }[];
  };
  return entries.map(({ when }) => when);
}

/** The checkout's `migrations/`, found from this file or from the bundle that it became a part of. */
export function migrationsFolder(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'migrations/meta/_journal.json'))) {
    const parent = dirname(directory);
    assert(parent !== directory, 'migrations/ lies in a directory above the code');
    directory = parent;
  }
  return join(directory, 'migrations');
}
