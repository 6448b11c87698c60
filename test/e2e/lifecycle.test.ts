import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ADVISORY_LOCKS } from '../../src/store/advisory-locks.ts';
import { PROGRAM } from '../support/command-line.ts';
import { EVENTS_PATH, eventOf } from '../support/load.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';
import { Service } from '../support/service.ts';
import { until } from '../support/sessions.ts';

/** Starts and stops where something is in the way: a database that does not answer, a log that cannot be written. */

const postgres = await startTestPostgres(t);

/** A service of this test, which may start or not. */
function serviceOf(t: Test, options: ConstructorParameters<typeof Service>[0]): Service {
  const service = new Service(options);
  t.teardown(() => service.dispose());
  return service;
}

/** Holds what a migration waits for, and returns how to let go of it. */
async function holdMigrations(t: Test, url: string): Promise<() => Promise<void>> {
  const sql = await openClient(t, url).reserve();
  await sql`select pg_advisory_lock(${ADVISORY_LOCKS.migrate})`;
  return async () => {
    await sql`select pg_advisory_unlock_all()`;
  };
}

/** The exit code of a process, which must come by itself. */
async function exitOf(service: Service, msMax: number): Promise<number | string> {
  for (const untilMs = performance.now() + msMax; performance.now() < untilMs; ) {
    if (!service.running) return service.exitCode ?? 'killed';
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return `still running; it printed ${service.output}`;
}

/** The status with which a WebSocket is answered. */
async function upgradeStatus(url: string): Promise<number | undefined> {
  const asked = get(url, {
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'graphql-transport-ws',
    },
  });
  const [answer] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [IncomingMessage];
  answer.destroy();
  return answer.statusCode;
}

async function answerTo(service: Service, token: string, command: string) {
  const body = JSON.stringify(eventOf('tool_invocation', { tool: { name: 'Bash', input: { command } } }));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(service.url + EVENTS_PATH, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

t.test('a signal ends a start that waits for its database', async (t) => {
  const url = await postgres.createDatabase();
  await holdMigrations(t, url);
  const service = serviceOf(t, { env: { GATEHOUSE_DATABASE_URL: url, GATEHOUSE_LOG_LEVEL: 'info' } });
  service.spawn();
  await until(() => /waiting for another process that migrates/.test(service.output));
  t.equal(await service.stop(), 0);
  t.notMatch(service.output, /listening/);
});

const hasTerminals = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

t.test('it stops as it should when its terminal closes', { skip: !hasTerminals }, async (t) => {
  const { dataDir } = serviceOf(t, {});
  const [pid, ended] = [join(dataDir, 'pid'), join(dataDir, 'ended')];
  const run = `trap '' HUP; "${process.execPath}" "${PROGRAM}" start & echo $! > "${pid}"; wait $!; echo $? > "${ended}"`;
  const env = {
    PATH: process.env['PATH'],
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_PORT: '0',
    GATEHOUSE_DATABASE_URL: await postgres.createDatabase(),
  };
  const terminal = spawn('script', ['-qec', run, '/dev/null'], {
    env,
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => terminal.kill('SIGKILL'));
  let output = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => /listening on/.test(output));
  const closed = once(terminal, 'exit');
  terminal.kill('SIGKILL');
  await closed;
  // Not every system sends it to what runs in the background.
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGHUP');
  await until(() => existsSync(ended) && readFileSync(ended, 'utf8') !== '');
  t.equal(readFileSync(ended, 'utf8'), '0\n');
});

t.test('a start that fails while the database is waited for leaves nothing that runs', async (t) => {
  const url = await postgres.createDatabase();
  const service = serviceOf(t, { env: { GATEHOUSE_DATABASE_URL: url } });
  await service.start();
  t.equal(await service.stop(), 0);
  await holdMigrations(t, url);
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const env = { GATEHOUSE_DATABASE_URL: url, GATEHOUSE_PORT: String(port) };
  const second = serviceOf(t, { dataDir: service.dataDir, env });
  second.spawn();
  t.equal(await exitOf(second, 60_000), 2);
  t.match(second.output, /GATEHOUSE_PORT: cannot listen/);
});

t.test('P8: nothing is written to a database of a newer version, however late it comes', async (t) => {
  const url = await postgres.createDatabase();
  const env = { GATEHOUSE_DATABASE_URL: url };
  const service = serviceOf(t, { env });
  await service.start();
  const token = await service.token();
  await service.stop();
  const sql = openClient(t, url);
  const written = () => sql`
    select 'event' as what, id::text from events union all select 'token', token_id from access_tokens
    union all select 'audit', seq::text from audit_log order by what, id`;
  const before = await written();
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 99999999999999)`;
  const letGo = await holdMigrations(t, url);
  await service.start();
  t.equal((await answerTo(service, token, 'ls')).status, 200);
  await letGo();
  await until(() => /migrated by a newer version/.test(service.output));
  t.equal((await answerTo(service, token, 'ls -a')).status, 200, 'it goes on');
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.same(await written(), before);
  const heldBack = { status: 503, type: /\/problems\/newer-database$/, detail: /newer version .* restore a backup/ };
  const ask = async (path: string, request: RequestInit = {}) => {
    const answer = await fetch(`${service.url}/api/v1/${path}`, request);
    return { ...((await answer.json()) as object), status: answer.status };
  };
  const body = JSON.stringify({ query: '{ viewer { id } }' });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  t.match(await ask('graphql', { method: 'POST', headers, body }), heldBack);
  t.match(await ask('auth/session'), heldBack);
  t.equal(await upgradeStatus(`${service.url}/api/v1/graphql`), 503, 'nor is a socket opened');
  await sql`delete from drizzle.__drizzle_migrations where hash = 'newer'`;
  await until(async () => (await sql`select id from events`).length === 2);
  t.not((await ask('auth/session')).status, 503);
  t.equal(await service.stop(), 0);
});

t.test('P8: nor to one that a newer version migrates while the service runs', async (t) => {
  const url = await postgres.createDatabase();
  const service = serviceOf(t, { env: { GATEHOUSE_DATABASE_URL: url } });
  await service.start();
  const token = await service.token();
  const sql = openClient(t, url);
  const stored = async () => (await sql`select id from events`).length;
  t.equal((await answerTo(service, token, 'ls')).status, 200);
  await until(async () => (await stored()) === 1);
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 99999999999999)`;
  t.equal((await answerTo(service, token, 'ls -a')).status, 200, 'it goes on');
  const session = () => fetch(`${service.url}/api/v1/auth/session`);
  await until(async () => (await session()).status === 503);
  t.match(await (await session()).json(), { type: /\/problems\/newer-database$/ });
  t.equal(await stored(), 1, 'not a row of what came since');
  t.match(service.output, /migrated by a newer version/);
  await sql`delete from drizzle.__drizzle_migrations where hash = 'newer'`;
  await until(async () => (await stored()) === 2);
  await until(async () => (await session()).status !== 503);
  t.equal(await service.stop(), 0);
});

t.test('P8: a log that cannot be written ends nothing, and is counted', async (t) => {
  const env = { GATEHOUSE_DATABASE_URL: await postgres.createDatabase(), GATEHOUSE_LOG_LEVEL: 'info' };
  const service = serviceOf(t, { env, through: () => ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh'] });
  await service.start();
  const token = await service.token();
  for (let n = 0; n < 5; n++) t.match((await answerTo(service, token, `rm -rf /; echo ${n}`)).text, /"action":"block"/);
  await until(async () => (await service.metric('gatehouse_log_lines_lost')) >= 5);
  t.equal(await service.stop(), 0);
});
