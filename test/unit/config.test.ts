import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, describeConfig, loadConfig, OPTIONS } from '../../src/config.ts';
import { claudeCode } from '../../web/src/sensors/claude-code.ts';
import { python } from '../../web/src/sensors/python.ts';
import { typescript } from '../../web/src/sensors/typescript.ts';
import { temporaryDirectory } from '../support/postgres.ts';

t.test('defaults', async (t) => {
  const config = loadConfig({});
  t.match(config, {
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://127.0.0.1:8080',
    deadlineMs: 800,
    bodyBytesMax: 1_048_576,
    onFailure: 'allow',
  });
  t.ok(config.workers >= 1);
  t.ok(Object.isFrozen(config));
});

t.test('a misspelt or malformed option stops with one line that names it', async (t) => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ GATEHOUSE_PROT: '1' }, /^GATEHOUSE_PROT is no option of Gatehouse; did you mean GATEHOUSE_PORT\?$/],
    [{ GATEHOUSE_WHATEVER_ELSE: '1' }, /^GATEHOUSE_WHATEVER_ELSE is no option of Gatehouse$/],
    [
      { GATEHOUSE_PORT: 'tcp://10.0.0.7:8080', GATEHOUSE_SERVICE_HOST: '10.0.0.7' },
      /^GATEHOUSE_SERVICE_HOST is no option of Gatehouse; Kubernetes sets it .*enableServiceLinks: false/,
    ],
    [{ GATEHOUSE_PORT: '80a' }, /^GATEHOUSE_PORT must be a whole number from 0 to 65535, not "80a"$/],
    [{ GATEHOUSE_PORT: '' }, /GATEHOUSE_PORT must be/],
    [{ GATEHOUSE_PORT: '70000' }, /GATEHOUSE_PORT must be/],
    [{ GATEHOUSE_DEADLINE_MS: '-5' }, /GATEHOUSE_DEADLINE_MS must be/],
    [{ GATEHOUSE_HOST: '999.1.1.1' }, /^GATEHOUSE_HOST must be an IP address or a host name, not "999.1.1.1"$/],
    [{ GATEHOUSE_HOST: 'me/you' }, /^GATEHOUSE_HOST must be/],
    [{ GATEHOUSE_DATA_DIR: '/dev/null' }, /^GATEHOUSE_DATA_DIR must be a directory, not "\/dev\/null"$/],
    [{ GATEHOUSE_BASE_URL: 'ftp://x' }, /GATEHOUSE_BASE_URL must be an http or https URL/],
    [{ GATEHOUSE_BASE_URL: 'http://x/?a' }, /GATEHOUSE_BASE_URL must be/],
    [{ GATEHOUSE_BASE_URL: 'https://x/gatehouse' }, /without .*a path/],
    ...['http://x/?', 'http://x/#', ' http://x', 'http:x', 'http://x\n', 'http://x/"><', 'http://ü.example'].map(
      (value): [Record<string, string>, RegExp] => [{ GATEHOUSE_BASE_URL: value }, /GATEHOUSE_BASE_URL must be/],
    ),
    [{ GATEHOUSE_ON_FAILURE: 'panic' }, /must be one of allow, degrade, block/],
    [{ GATEHOUSE_MAIL_FROM: '@' }, /must be an e-mail address/],
    [{ GATEHOUSE_MAIL_FROM: 'a@example.com\nBcc: b@example.com' }, /must be an e-mail address/],
    [{ GATEHOUSE_MAIL_FROM: 'Me <a@example.com> <b>' }, /must be an e-mail address/],
    [{ GATEHOUSE_BASE_URL: 'https://me:secret@example.com' }, /without a user/],
    [{ GATEHOUSE_LOG_LEVEL: 'loud' }, /GATEHOUSE_LOG_LEVEL must be one of/],
    [{ GATEHOUSE_TEST_TRIGGERS: 'on', NODE_ENV: 'production' }, /GATEHOUSE_TEST_TRIGGERS must be off in production/],
  ];
  for (const [env, message] of cases)
    t.throws(() => loadConfig(env), { name: 'ConfigError', message }, JSON.stringify(env));
});

t.test('the variables of the sensors are no options, and stop no command', async (t) => {
  const sensors = { GATEHOUSE_TOKEN: 'a.b.c', GATEHOUSE_USER: 'ann@example.com' };
  t.same(loadConfig(sensors), loadConfig({}));
  for (const sensor of [claudeCode, python, typescript]) {
    const text = sensor
      .steps({ url: 'http://x', token: 't', user: 'me@example.com', failsOpen: true })
      .map((step) => step.text);
    for (const [name] of text.join('\n').matchAll(/\bGATEHOUSE_[A-Z]+\b/g)) t.ok(Object.hasOwn(sensors, name), name);
  }
});

t.test('secrets are masked, may come from a file, and are never in an error', async (t) => {
  const secret = 'postgres://me:hush@db/gatehouse';
  const file = join(temporaryDirectory(t, 'config'), 'url');
  writeFileSync(file, `${secret}\n`);
  const config = loadConfig({ GATEHOUSE_DATABASE_URL_FILE: file });
  t.equal(config.databaseUrl, secret);
  t.notMatch(describeConfig(config).join('\n'), /hush/);
  t.throws(() => loadConfig({ GATEHOUSE_DATABASE_URL_FILE: file, GATEHOUSE_DATABASE_URL: secret }), ConfigError);
  t.throws(
    () => loadConfig({ GATEHOUSE_DATABASE_URL_FILE: '/nowhere' }),
    /GATEHOUSE_DATABASE_URL_FILE must name a readable file/,
  );
  try {
    loadConfig({ GATEHOUSE_DATABASE_URL: 'hush' });
    t.fail('a malformed URL is accepted');
  } catch (error) {
    t.notMatch((error as Error).message, /hush/);
  }
});

t.test('the base URL follows from where the service listens', async (t) => {
  t.equal(loadConfig({ GATEHOUSE_PORT: '90' }).baseUrl, 'http://127.0.0.1:90');
  t.equal(loadConfig({ GATEHOUSE_HOST: '0.0.0.0' }).baseUrl, 'http://localhost:8080');
  t.equal(loadConfig({ GATEHOUSE_HOST: '::1' }).baseUrl, 'http://[::1]:8080');
  t.equal(loadConfig({ GATEHOUSE_HOST: 'gate_1.lan' }).baseUrl, 'http://gate_1.lan:8080');
  t.equal(loadConfig({ GATEHOUSE_BASE_URL: 'https://gate.example/' }).baseUrl, 'https://gate.example');
  t.equal(loadConfig({ GATEHOUSE_BASE_URL: 'http://[::1]:8080' }).baseUrl, 'http://[::1]:8080');
  t.throws(() => loadConfig({ GATEHOUSE_BASE_URL: 'http://me:hush@x' }), /^(?!.*hush)/, 'a password is not told again');
});

t.test('docs/OPERATIONS.md lists every option with its default and meaning, and no other', async (t) => {
  const page = readFileSync(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `GATEHOUSE_'));
  const expected = Object.values(OPTIONS).map((option) => {
    const { env, help, secret } = { secret: false, ...option };
    const file = secret ? ` (or \`${env}_FILE\`)` : '';
    const given = 'default' in option ? `\`${option.default}\`` : option.defaultText;
    return `| \`${env}\`${file} | ${given} | ${help} |`;
  });
  t.same(rows, expected);
});
