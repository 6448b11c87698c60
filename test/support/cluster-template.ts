import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { silentLog } from './silent-log.ts';

/**
 * The files of a PostgreSQL whose databases are migrated, made once for all tests by `npm run build:tests`: PostgreSQL takes a second and a
 * half of a processor to make its files, and each test file and service has a cluster of its own.
 */
const TEMPLATE = fileURLToPath(new URL('../../build/postgres', import.meta.url));

/** A migrated database that nothing connects to, beside the one of a service. */
export const MIGRATED = 'migrated';

/** Makes the files anew: migrations may have changed. */
export async function makeClusterTemplate(): Promise<void> {
  rmSync(TEMPLATE, { recursive: true, force: true });
  // Not where it is kept: PostgreSQL's own user may not reach that.
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-template-'));
  try {
    const running = await startEmbeddedPostgres({ dataDir, log: silentLog });
    try {
      for (const url of [running.url, await createDatabase(running.url, MIGRATED, 'template1')]) await migrate(url);
    } finally {
      await running.stop();
    }
    const home = join(dataDir, 'postgres');
    // Each copy takes a port and locks of its own.
    for (const name of readdirSync(home))
      if (name !== 'cluster' && name !== 'password') rmSync(join(home, name), { recursive: true });
    copy(home, TEMPLATE);
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Puts a copy into `dataDir`, which has no PostgreSQL yet. False where there is none to copy: a test that runs by itself makes its own. */
export function copyCluster(dataDir: string): boolean {
  if (!existsSync(TEMPLATE)) return false;
  copy(TEMPLATE, join(dataDir, 'postgres'));
  return true;
}

/** With owners, which the server insists on; a copy that was cut short is never taken for one. */
function copy(from: string, to: string): void {
  const unfinished = `${to}.new`;
  execFileSync('mkdir', ['-p', dirname(to)]);
  execFileSync('cp', ['-a', from, unfinished]);
  renameSync(unfinished, to);
}

/** Resolves to the URL of a new database. */
export async function createDatabase(url: string, name: string, template: string): Promise<string> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(name)} template ${admin(template)}`;
  await admin.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}
