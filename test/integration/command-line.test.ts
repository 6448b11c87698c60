import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { PROGRAM, gatehouse as run } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

/** What the real program says to words and input that are no good: one line that says what to mend, and exit code 2. */

const ROW = `${JSON.stringify({ id: 1, event: { event_type: 'user_message', message: { content: 'hi' } } })}\n`;

const gatehouse = (dataDir: string, words: readonly string[], input?: Uint8Array | string) =>
  run({ GATEHOUSE_DATA_DIR: dataDir }, words, input);

t.test('recorded rows are read from files and from standard input; what cannot be read is told by name', async (t) => {
  const dataDir = t.testdir();
  const whole = gzipSync(ROW);
  const [file, cut] = [join(dataDir, 'rows.gz'), join(dataDir, 'cut.gz')];
  await writeFile(file, whole);
  await writeFile(cut, whole.subarray(0, 40));
  for (const [words, input] of [
    [['inspect', file], ''],
    [['inspect', '-'], whole],
    [['inspect'], ROW],
  ] as const) {
    const { code, stdout } = await gatehouse(dataDir, words, input);
    t.match([code, stdout], [0, /^\{"id":1,"events":\[\{"action":"allow"/], words.join(' '));
  }
  const refused: [words: string[], input: Uint8Array | string, said: RegExp][] = [
    [['inspect', cut], '', /cut\.gz: the gzip input is damaged or cut off/],
    [['inspect'], whole.subarray(0, 40), /standard input: the gzip input is damaged or cut off/],
    [['inspect', dataDir], '', /cannot read .* \(EISDIR\)/],
    [['inspect', join(dataDir, 'nothing')], '', /cannot read .*nothing \(ENOENT\)/],
    [['config', '--all'], '', /config takes no words/],
    ...[
      'audit',
      'demo',
      'export',
      'inspect',
      'policy lint',
      'release',
      'sign-in-link',
      'tenants',
      'token',
      'verify',
    ].map((command): [string[], string, RegExp] => {
      const words = command.split(' ');
      return [
        [...words, '--bogus'],
        '',
        new RegExp(`: Unknown option '--bogus'; see: gatehouse ${words[0]} --help\n$`),
      ];
    }),
    [['verify', 'a\u001bb'], '', /"a\\u001bb" is no decision id/],
  ];
  for (const [words, input, said] of refused) {
    const { code, stderr } = await gatehouse(dataDir, words, input);
    t.match([code, stderr], [2, said], words.join(' '));
    t.equal(stderr.trim().split('\n').length, 1, 'in one line');
  }
});

t.test('what cannot be read costs no row before it, and a row too long or ill-formed none behind it', async (t) => {
  const dataDir = t.testdir();
  const rows = join(dataDir, 'rows.jsonl');
  await writeFile(rows, ROW.repeat(200));
  const stopped = await gatehouse(dataDir, ['inspect', rows, join(dataDir, 'nothing')]);
  t.match(stopped, { code: 2, stderr: /nothing \(ENOENT\)/ });
  t.equal(stopped.stdout.trim().split('\n').length, 200);
  const event = { event_type: 'user_message', message: { content: 'hi' } };
  const given: [fields: object, said: RegExp][] = [
    [{ agent: null, user: null, session_id: null, timestamp: null }, /^\{"id":1,"events"/],
    [{ agent: { id: 'a' }, timestamp: '2026-01-01 10:00' }, /^\{"id":1,"events"/],
    [{ agent: 'a' }, /"error":"agent must be an object"/],
    [{ agent: { id: 5 } }, /"error":"agent\.id and agent\.name must be strings"/],
    [{ user: { email: 5 } }, /"error":"user must be an object with an email"/],
    [{ session_id: 5 }, /"error":"session_id must be a string"/],
    [{ timestamp: 'item 12' }, /"error":"timestamp must be an RFC 3339 date-time"/],
    [{ timestamp: 'yesterday' }, /"error":"timestamp must be an RFC 3339 date-time"/],
  ];
  const input = given.map(([fields]) => JSON.stringify({ id: 1, event: { ...event, ...fields } })).join('\n');
  const { code, stdout } = await gatehouse(dataDir, ['inspect'], input);
  t.equal(code, 1);
  const lines = stdout.trim().split('\n');
  for (const [index, [fields, said]] of given.entries()) t.match(lines[index], said, JSON.stringify(fields));
});

t.test('a reader that goes away is no error', async (t) => {
  const dataDir = t.testdir();
  await writeFile(join(dataDir, 'rows.jsonl'), ROW.repeat(20_000));
  const script = `set -o pipefail; "$0" "$1" inspect "$2" | head -n 2 && "$0" "$1" policy test policies | head -n 1`;
  const words = ['-c', script, process.execPath, PROGRAM, join(dataDir, 'rows.jsonl')];
  const run = promisify(execFile)('bash', words, { cwd: fileURLToPath(new URL('../..', import.meta.url)) });
  const { stdout } = await run;
  t.equal(stdout.trim().split('\n').length, 3);
});

t.test('an output that cannot be written is told in a line', { skip: !existsSync('/dev/full') }, async (t) => {
  const words = ['-c', '"$0" "$1" help > /dev/full; echo "code $?"', process.execPath, PROGRAM];
  const { stdout, stderr } = await promisify(execFile)('bash', words);
  t.equal(stdout, 'code 2\n');
  t.match(stderr, /^gatehouse: ENOSPC: [^\n]*\n$/);
});

t.test('a data directory that nobody can make is told of', { skip: !existsSync('/proc/self') }, async (t) => {
  for (const words of [['start'], ['token']])
    t.match(await gatehouse('/proc/gatehouse', words), {
      code: 2,
      stderr: /^gatehouse: GATEHOUSE_DATA_DIR must be a directory that this user may write \(.*\)\n$/,
    });
});

t.test('what is no socket at the place of the socket is told of, and left alone', async (t) => {
  const dataDir = temporaryDirectory(t, 'socket');
  const path = join(dataDir, 'service.sock');
  const told = async (what: string) =>
    t.match(await gatehouse(dataDir, ['start']), {
      code: 2,
      stderr: new RegExp(`^gatehouse: \\S+service\\.sock is ${what}, where the socket [^\\n]*; move it away\\n$`),
    });
  await mkdir(join(path, 'kept'), { recursive: true });
  await told('a directory');
  t.ok(existsSync(join(path, 'kept')));
  await rm(path, { recursive: true });
  await writeFile(path, 'mine');
  await told('a file that is no socket');
  t.equal(await readFile(path, 'utf8'), 'mine');
});

t.test('tokens of a tenant that is not there are not an empty list', async (t) => {
  const dataDir = t.testdir();
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, 'tenants.json'), JSON.stringify([{ slug: 'demo' }]));
  const { code, stdout, stderr } = await gatehouse(dataDir, ['token', 'list', '--tenant', 'nope']);
  t.same([code, stdout, stderr], [1, '', 'gatehouse: there is no tenant "nope"; use one of: demo\n']);
});

t.test('words that no command has are told, and not passed over', async (t) => {
  const dataDir = t.testdir();
  for (const [words, told] of [
    [['start', '--port', '9000'], /start takes no words/],
    [['help', 'nope'], /there is no command "nope"/],
    [['tenants', 'add', 'a', '--deadline-ms', '300'], /add takes --name and --on-failure only/],
    [['policy', 'lint', '--since', '7d'], /policy lint takes no --since/],
    [['policy', 'backtest', 'a', '--policy', 'b'], /policy backtest takes its path as --policy PATH/],
    [['policy', 'schema', 'a'], /policy schema takes no path/],
  ] as const) {
    const { code, stderr } = await gatehouse(dataDir, words);
    t.equal(code, 2, words.join(' '));
    t.match(stderr, told);
  }
});

const policies = (...policies: string[]): string =>
  `apiVersion: gatehouse/v1\nkind: PolicySet\nmetadata: { name: t }\nspec:\n  policies:\n${policies.map((policy) => `    - { on: tool_invocation, severity: low, ${policy} }\n`).join('')}`;

t.test('policies are counted with those that are off, and tests of these say why they fail', async (t) => {
  const test = 'tests: [{ name: "calls\\e[2J", event: { tool_invocation: { name: x } }, expect: block }]';
  const dataDir = t.testdir({
    one: { 'a.yaml': policies('id: a, effect: log') },
    three: {
      'a.yaml': policies('id: a, effect: log', `id: b, effect: block, mode: off, ${test}`, 'id: c, effect: log'),
    },
  });
  const lint = (name: string) => gatehouse(dataDir, ['policy', 'lint', join(dataDir, name)]);
  t.match(await lint('one'), { code: 0, stdout: /^1 policy is right, 0 tests, [0-9a-f]{64}\n$/ });
  t.match(await lint('three'), { code: 0, stdout: /^3 policies are right, 1 of them off, 1 test, [0-9a-f]{64}\n$/ });
  const { code, stdout } = await gatehouse(dataDir, ['policy', 'test', join(dataDir, 'three')]);
  t.match([code, stdout], [1, /^FAILED {2}b: calls \[2J: expected block, but it is off \(three\/a\.yaml\)\n/]);
});

t.test('an event is explained without a time that nobody measured; what is no event is told', async (t) => {
  const dataDir = t.testdir({ 'a.yaml': policies('id: a, effect: block, reason: never') });
  const explain = (input: string, file = '-') =>
    gatehouse(dataDir, ['policy', 'explain', join(dataDir, 'a.yaml'), '--event', file], input);
  const { code, stdout } = await explain('{"event_type":"tool_invocation","tool":{"name":"x","input":{}}}');
  t.equal(code, 0);
  const { explanation, ...answer } = JSON.parse(stdout) as { explanation: object };
  t.match(answer, { event: 'tool_invocation', action: 'block', reason: 'a: never' });
  t.notOk('tookUs' in explanation);
  const refused: [input: string, said: RegExp, file?: string][] = [
    ['{', /standard input is not JSON: /],
    ['5', /standard input: an event must be a JSON object/],
    ['{"event_type":"party"}', /standard input: event_type must be one of/],
    ['', /cannot read .*nothing \(ENOENT\)/, join(dataDir, 'nothing')],
  ];
  for (const [input, said, file] of refused) t.match(await explain(input, file), { code: 2, stderr: said }, input);
});

t.test('options that cannot work end a start with one line that names them', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const cases: [Record<string, string>, RegExp][] = [
    [{ GATEHOUSE_HOST: '999.1.1.1' }, /GATEHOUSE_HOST must be/],
    [
      { GATEHOUSE_PORT: String((taken.address() as AddressInfo).port) },
      /GATEHOUSE_PORT: cannot listen on 127\.0\.0\.1 port \d+/,
    ],
    [{ GATEHOUSE_DATA_DIR: '/dev/null' }, /GATEHOUSE_DATA_DIR must be a directory/],
    [{ GATEHOUSE_DATA_DIR: '/dev/null/data' }, /GATEHOUSE_DATA_DIR must be a directory/],
    [{ GATEHOUSE_POLICIES_DIR: '/dev/null/policies' }, /GATEHOUSE_POLICIES_DIR: .* cannot be read/],
    [{ GATEHOUSE_DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/none' }, /GATEHOUSE_DATABASE_URL: .*ECONNREFUSED/],
  ];
  const refused = async ([env, line]: (typeof cases)[number]) => {
    const failed = await startService({ env }).then(
      () => t.fail('it started'),
      (error: Error) => error.message,
    );
    const [first, printed, ...more] = String(failed).split('\n');
    t.match(first, /exit code 2/);
    t.match(printed, line);
    t.same(more, ['']);
    t.notMatch(failed, /hush/);
  };
  await Promise.all(cases.map(refused));
});

t.test('each command that is listed has a help page; one that is not there is told in a line', async (t) => {
  const dataDir = t.testdir();
  const { stdout } = await gatehouse(dataDir, ['help']);
  const commands = [...stdout.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name]) => String(name));
  t.ok(commands.includes('start') && commands.length > 10);
  const pages = await Promise.all(commands.map((name) => gatehouse(dataDir, [name, '--help'])));
  for (const [index, name] of commands.entries()) t.match(pages[index]?.stdout, `usage: gatehouse ${name}`);
  for (const name of ['strat', 'toString'])
    t.match(await gatehouse(dataDir, [name]), { code: 2, stderr: /^gatehouse: there is no command "\w+"; see: .*\n$/ });
});
