import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { ownerLine, withFileLock } from '../../src/store/file-lock.ts';
import { PROGRAM } from '../support/command-line.ts';
import { openClient, temporaryDirectory } from '../support/postgres.ts';
import { silentLog } from '../support/silent-log.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/store/embedded-postgres.ts')).href;

function start(t: Test, dataDir: string): Promise<EmbeddedPostgres> {
  const starting = startEmbeddedPostgres({ dataDir, log: silentLog });
  t.teardown(async () => (await starting.catch(() => undefined))?.stop());
  return starting;
}

/** Another process that starts the server, says its URL, and stops it when told to. */
function startElsewhere(t: Test, dataDir: string): ChildProcess & { url: Promise<string> } {
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)});
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const { url, stop } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
    process.stdin.once('data', async () => { await stop(); process.exit(0); });
    process.stdout.write(url);`;
  const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const url = once(child.stdout, 'data').then(([data]) => String(data));
  return Object.assign(child, { url });
}

async function stopElsewhere(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin?.write('stop');
  await ended;
}

async function killed(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function serverPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres/cluster/postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 5 });
  const answer = await sql`select 1`.then(
    () => true,
    () => false,
  );
  await sql.end({ timeout: 1 });
  return answer;
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (const untilMs = Date.now() + 120_000; !condition(); ) {
    if (Date.now() > untilMs) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

t.test('starts, keeps its data over a restart, stops, and is closed to others', async (t) => {
  const dataDir = join(temporaryDirectory(t, 'embedded'), 'a new directory/data');
  const first = await start(t, dataDir);
  const sql = openClient(t, first.url);
  await sql`create table kept (n int)`;
  await sql`insert into kept values (7)`;
  const [settings] = await sql`
    select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
      current_setting('synchronous_commit') as sync, current_setting('server_encoding') as encoding,
      current_setting('data_checksums') as checksums`;
  t.same(settings, { listen: '127.0.0.1', sockets: '', sync: 'on', encoding: 'UTF8', checksums: 'on' });
  const wrong = new URL(first.url);
  wrong.password = 'wrong';
  t.notOk(await answers(wrong.href), 'a wrong password is refused');
  t.equal(statSync(join(dataDir, 'postgres/password')).mode & 0o777, 0o600);
  t.equal(statSync(join(dataDir, 'postgres/cluster')).mode & 0o777, 0o700);
  await first.stop();
  await first.stop();
  t.equal(serverPid(dataDir), undefined);
  t.notOk(await answers(first.url));
  const second = await start(t, dataDir);
  t.equal(second.url, first.url, 'port and password stay');
  t.same(await openClient(t, second.url)`select n from kept`, [{ n: 7 }]);
});

t.test(
  'its processes give way, those too that began later',
  { skip: !existsSync('/proc/self/autogroup') && 'no autogroups here' },
  async (t) => {
    const server = await start(t, temporaryDirectory(t, 'priority'));
    const sql = openClient(t, server.url);
    const [row] = await sql`select pg_backend_pid() as pid`;
    const weight = () => readFileSync(`/proc/${row?.['pid']}/autogroup`, 'utf8');
    t.match(weight(), /nice 0/, 'a process of the server begins with the weight of any other');
    await server.revive();
    t.match(weight(), /nice 10/);
  },
);

t.test('a failed statement leaves no content in the server log', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const { url } = await start(t, dataDir);
  const sql = openClient(t, url);
  await t.rejects(sql`select ${'top-secret'}::int`);
  await t.rejects(sql.unsafe("select 'top-secret'::int"));
  t.notMatch(readFileSync(join(dataDir, 'postgres/cluster/server.log'), 'utf8'), /top-secret/);
});

t.test('an orphan of a killed process is adopted, and stopped by whoever adopted it', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const child = startElsewhere(t, dataDir);
  const url = await child.url;
  await openClient(t, url)`create table kept (n int)`;
  const pid = serverPid(dataDir);
  await killed(child, 'SIGKILL');
  t.ok(await answers(url), 'the server outlives the process that started it');
  const adopted = await start(t, dataDir);
  t.equal(adopted.url, url);
  t.equal(serverPid(dataDir), pid, 'it is the same server');
  await adopted.stop();
  t.equal(serverPid(dataDir), undefined);
});

t.test('a command that is interrupted stops the server that it started, and no other', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const interrupted = async (isReady: () => boolean, ...signals: NodeJS.Signals[]): Promise<number | null> => {
    const child = spawn(process.execPath, [PROGRAM, 'verify', '-'], {
      env: { PATH: process.env['PATH'], GATEHOUSE_DATA_DIR: dataDir },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    await until('it uses the server', isReady);
    const ended = once(child, 'exit');
    for (const signal of signals) child.kill(signal);
    return (await ended)[0] as number | null;
  };
  const running = await start(t, dataDir);
  const isUsed = (users: number) => readdirSync(join(dataDir, 'postgres/users')).length === users;
  t.equal(await interrupted(() => isUsed(2), 'SIGINT'), 130);
  t.ok(await answers(running.url), 'which another one uses');
  await running.stop();
  const code = await interrupted(() => isUsed(1), 'SIGTERM', 'SIGHUP');
  t.ok(code === 143 || code === 129, `as a service manager sends them, in some order: ${code}`);
  t.equal(serverPid(dataDir), undefined);
});

t.test('a lock is given up though somebody took it away, and waited for until that is interrupted', async (t) => {
  const path = join(temporaryDirectory(t, 'lock'), 'lock');
  t.equal(await withFileLock(path, 0, async () => rmSync(`${path}.1`)).then(() => 'done'), 'done');
  const stop = new AbortController();
  await withFileLock(path, 0, async () => {
    const waiting = withFileLock(path, 60_000, async () => 'had', stop.signal);
    stop.abort(new Error('stopped'));
    await t.rejects(waiting, { message: 'stopped' });
  });
  t.equal(await withFileLock(path, 0, async () => 'had'), 'had', 'and is free again');
});

t.test('what dead processes left of waiting for a lock is removed once it is old, and nothing else', async (t) => {
  const directory = temporaryDirectory(t, 'lock');
  const twoHoursAgo = Date.now() / 1000 - 7_200;
  const left = (name: string, text: string, isOld: boolean) => {
    writeFileSync(join(directory, name), text);
    if (isOld) utimesSync(join(directory, name), twoHoursAgo, twoHoursAgo);
  };
  left('.lock-00000000000a', `${2 ** 30} of another boot/1`, true);
  left('.lock-00000000000b', '', true);
  left('.lock-00000000000c', `${2 ** 30} of another container/1`, false);
  left('.lock-00000000000d', ownerLine(process.pid), true);
  left('.lock-notes', '', true);
  left('.other-00000000000a', '', true);
  mkdirSync(join(directory, '.lock-00000000000e'));
  await withFileLock(join(directory, 'lock'), 0, async () => {});
  const kept = ['.lock-00000000000c', '.lock-00000000000d', '.lock-00000000000e', '.lock-notes', '.other-00000000000a'];
  t.same(readdirSync(directory).toSorted(), [...kept, 'lock.1']);
});

t.test('a server that was itself killed is started anew, and its data recovered', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const child = startElsewhere(t, dataDir);
  await openClient(t, await child.url)`create table kept as select generate_series(1, 1000) as n`;
  await killed(child, 'SIGKILL');
  process.kill(serverPid(dataDir) as number, 'SIGKILL');
  const { url } = await start(t, dataDir);
  t.same(await openClient(t, url)`select count(*)::int as n from kept`, [{ n: 1000 }]);
});

t.test('a postmaster.pid whose pid is another process by now does not count', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  await (await start(t, dataDir)).stop();
  const cluster = join(dataDir, 'postgres/cluster');
  const stranger = spawn('sleep', ['60']);
  t.teardown(() => stranger.kill());
  const named = spawn('sh', ['-c', 'exec -a postgres sleep 60']);
  t.teardown(() => named.kill());
  for (const pid of [process.pid, stranger.pid, named.pid, 1, 999_999_999]) {
    writeFileSync(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n 1 2\nready\n`);
    const running = await start(t, dataDir);
    t.ok(await answers(running.url));
    await running.stop();
    t.notOk(stranger.killed || stranger.exitCode !== null, 'the other process is left alone');
  }
});

t.test('a cluster that was half made when its maker was killed is made again', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const home = join(dataDir, 'postgres');
  const unfinished = () => (existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('new-')) : []);
  const child = startElsewhere(t, dataDir);
  child.url.catch(() => {});
  await until('initdb is at work', () =>
    unfinished().some((name) => existsSync(join(home, name, 'cluster/PG_VERSION'))),
  );
  await killed(child, 'SIGKILL');
  t.notOk(existsSync(join(home, 'cluster')));
  const { url } = await start(t, dataDir);
  t.ok(await answers(url));
  t.same(unfinished(), [], 'nothing of it is left');
});

t.test('many processes start at once: one server, which the last of them stops', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const children = [startElsewhere(t, dataDir), startElsewhere(t, dataDir), startElsewhere(t, dataDir)] as const;
  const mine = await Promise.all([start(t, dataDir), start(t, dataDir)]);
  const urls = new Set([...mine.map(({ url }) => url), ...(await Promise.all(children.map(({ url }) => url)))]);
  t.equal(urls.size, 1);
  const [url] = urls;
  await Promise.all([mine[0].stop(), stopElsewhere(children[0]), killed(children[1], 'SIGKILL')]);
  t.ok(await answers(url as string), 'others still use it');
  await mine[1].stop();
  t.ok(await answers(url as string));
  await stopElsewhere(children[2]);
  t.notOk(await answers(url as string), 'the last one stops it; a killed one does not count');
});

t.test('a start that meets a stop waits for it', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  for (let round = 0; round < 3; round++) {
    const first = await start(t, dataDir);
    const [, second] = await Promise.all([first.stop(), start(t, dataDir)]);
    t.ok(await answers(second.url));
    await second.stop();
  }
});

t.test('a port that was taken meanwhile is replaced', async (t) => {
  const dataDir = temporaryDirectory(t, 'embedded');
  const first = await start(t, dataDir);
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(squatter, 'listening');
  t.teardown(() => squatter.close());
  const second = await start(t, dataDir);
  t.not(second.url, first.url);
  t.ok(await answers(second.url));
});

t.test('what cannot be mended is said in one line that says what to do', async (t) => {
  const directory = temporaryDirectory(t, 'embedded');
  const refusal = async (dataDir: string): Promise<string> => {
    const error = await start(t, dataDir).then(
      () => t.fail('it started'),
      (error: Error) => error,
    );
    const { name, message } = error as Error;
    t.equal(name, 'EmbeddedPostgresError');
    t.notMatch(message, /\n/);
    return message;
  };
  writeFileSync(join(directory, 'file'), '');
  t.match(await refusal(join(directory, 'file/data')), /cannot write .*GATEHOUSE_DATA_DIR/);
  mkdirSync(join(directory, 'a"b'));
  t.match(await refusal(join(directory, 'a"b')), /must hold none of/);
  const dataDir = join(directory, 'data');
  const running = await start(t, dataDir);
  await openClient(t, running.url)`alter role gatehouse password 'another'`;
  await running.stop();
  t.match(await refusal(dataDir), /refuses the password/);
  t.equal(serverPid(dataDir), undefined, 'and nothing is left running');
});
