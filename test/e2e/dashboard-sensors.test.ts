import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { CHROMIUM, hasBrowser, launchBrowser } from '../support/chromium.ts';
import { violations } from '../support/dashboard-site.ts';
import { temporaryDirectory } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';

/** The sensors that the dashboard gives away: what it shows is run as it stands, against the service that shows it. */

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: the sensors are not looked at`);
else t.test('from a token to the first event, by every sensor', walk);

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const HARMFUL = 'rm -rf / --no-preserve-root';

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the shell as a person would paste it. */
function run(command: string, cwd: string, { input = '', env = {} }: { input?: string; env?: object } = {}) {
  return new Promise<Ran>((resolve) => {
    // Of the test's own: what it is run by is no part of what people run.
    const own = { ...process.env, NODE_OPTIONS: '' };
    const child = execFile('bash', ['-c', command], { cwd, env: { ...own, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    // Most read nothing, and may be over by now.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

async function walk(t: Test): Promise<void> {
  const service = await startService();
  const browser = await launchBrowser();
  t.teardown(async () => {
    await browser.close();
    await service.dispose();
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(/http\S+magic-link\?token=[\w-]+\S*/.exec(service.output)?.[0] as string);
  await page.getByLabel('Your name').fill('Olive');
  await page.getByLabel('E-mail address').fill('olive@example.com');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL('**/t/demo');
  await page.goto(`${service.url}/t/demo/get-started`);
  await page.getByText('Waiting for your first event').waitFor();

  const home = temporaryDirectory(t, 'sensors');
  // Where packages were installed before: nothing is fetched for the test.
  symlinkSync(NODE_MODULES, join(home, 'node_modules'));
  await t.test('curl, with a token of the shell and with its own', (t) => byCurl(t, page, home, service));
  await page.getByText('Events arrive').waitFor();
  for (const program of PROGRAMS) await t.test(program.label, (t) => byFile(t, page, home, program));
  await t.test('Claude Code', (t) => byHooks(t, page, home, service));
  await t.test('the page is accessible with each, on a screen and a phone', (t) => accessibility(t, page));
  await t.test('where a tenant blocks without an answer, so do its sensors', (t) =>
    failingClosed(t, page, home, service),
  );
  t.same(problems, []);
}

/** What stands on the tab, by the name that its button says. */
async function textsOf(page: Page, label: string): Promise<string[]> {
  await page.getByRole('tab', { name: label }).click();
  const shown = page.getByRole('tabpanel').locator('.snippet pre');
  await shown.first().waitFor();
  return shown.allTextContents();
}

async function byCurl(t: Test, page: Page, home: string, service: Service): Promise<void> {
  const allowed = { apiVersion: '1', response: { action: 'allow' } };
  const [before = ''] = await textsOf(page, 'curl');
  const token = await service.token();
  t.same(JSON.parse((await run(before, home, { env: { TOKEN: token } })).stdout), allowed);
  t.match(await run(before, home, { env: { TOKEN: 'x' } }), { stdout: /unauthorized/ });

  await page.getByRole('button', { name: 'Mint a token that may send events' }).click();
  await page.getByText('Copy it now').waitFor();
  const [text = ''] = await textsOf(page, 'curl');
  await page.getByRole('tabpanel').getByRole('button', { name: 'Copy the event command' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  t.equal(copied, text, 'what is copied is what is shown');
  t.same(JSON.parse((await run(copied, home)).stdout), allowed);
}

interface Program {
  label: string;
  file: string;
  /** That must be there for it. */
  program: string;
  /** Calls the sensor with what cannot be read as an event, and prints what becomes of each call. */
  unreadable: string;
}

const PROGRAMS: Program[] = [
  {
    label: 'Python',
    file: 'gatehouse.py',
    program: 'python3',
    unreadable: `import gatehouse, json
for given in ({"__proto__": 1}, {"deep": json.loads("[" * 80 + "]" * 80)}, {"large": "x" * 2**20}):
    try:
        gatehouse.ask("unreadable", "Bash", given)
        print("it runs")
    except gatehouse.Blocked as why:
        print(why)
`,
  },
  {
    label: 'TypeScript',
    file: 'gatehouse.mts',
    program: 'node',
    unreadable: `import { ask, Blocked } from './gatehouse.mts';
const inputs = ['{"__proto__":1}', '{"deep":' + '['.repeat(80) + ']'.repeat(80) + '}', JSON.stringify({ large: 'x'.repeat(2 ** 20) })];
for (const input of inputs)
  await ask('unreadable', 'Bash', JSON.parse(input)).then(
    () => console.log('it runs'),
    (error) => console.log(error instanceof Blocked ? error.message : error),
  );
`,
  },
];

const UNREADABLE = [
  /^Gatehouse refused the event: the body has a key named __proto__, which no event may have$/,
  /^Gatehouse refused the event: the body is nested deeper than 64 levels$/,
  /^the event is larger than 1048576 bytes$/,
];

async function byFile(t: Test, page: Page, home: string, { label, file, program, unreadable }: Program): Promise<void> {
  if ((await run(`command -v ${program}`, home)).code !== 0) return t.comment(`no ${program}: ${label} is not tried`);
  const [text = '', command = ''] = await textsOf(page, label);
  writeFileSync(join(home, file), text);
  t.match(await run(command, home), { code: 0, stdout: /^allowed\n$/ });
  t.match(await run(command.replace('ls -la', HARMFUL), home), { code: 1, stdout: /^$/, stderr: /^blocked: \S/m });
  const caller = `unreadable${extname(file)}`;
  writeFileSync(join(home, caller), unreadable);
  const { stdout } = await run(command.replace(`${file} 'ls -la'`, caller), home);
  t.match(
    stdout.trim().split('\n'),
    UNREADABLE,
    'a call that cannot be judged is blocked, though the tenant fails open',
  );
  const wrongToken = command.replace(/GATEHOUSE_TOKEN='[^']*'/, 'GATEHOUSE_TOKEN=wrong');
  const goesOn = { code: 0, stdout: /^allowed\n$/, stderr: /no answer, going on/ };
  t.match(await run(wrongToken, home), { ...goesOn, stderr: /no answer, going on: .*401/ });
  writeFileSync(join(home, file), unreachable(text));
  t.match(await run(command.replace('ls -la', HARMFUL), home), goesOn, 'it fails open, as the tenant does');
}

/** The same for a service that is not there: nobody listens on the port of discard. */
function unreachable(text: string): string {
  return text.replace(/http:\/\/127\.0\.0\.1:\d+\//, 'http://127.0.0.1:9/');
}

/** Calls a hook as the runtime does: as its settings say, with JSON on stdin. */
async function hook(home: string, settings: string, name: string, fields: object): Promise<Ran> {
  const { env, hooks } = JSON.parse(settings) as {
    env: Record<string, string>;
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  const input = JSON.stringify({ session_id: 'hooked', cwd: home, hook_event_name: name, ...fields });
  return run(hooks[name]?.[0]?.hooks[0]?.command ?? 'false', home, { input, env: { ...env, HOME: home } });
}

async function byHooks(t: Test, page: Page, home: string, service: Service): Promise<void> {
  const [script = '', settings = ''] = await textsOf(page, 'Claude Code');
  const file = join(home, '.claude', 'gatehouse.mjs');
  mkdirSync(dirname(file));
  writeFileSync(file, script);
  const call = (name: string, fields: object = {}) => hook(home, settings, name, fields);
  const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
  const passes = { code: 0, stdout: '', stderr: '' };
  t.same(await call('SessionStart', { source: 'startup' }), passes);
  t.same(await call('UserPromptSubmit', { prompt: 'List the files' }), passes);
  t.same(await call('PreToolUse', bash('ls -la')), passes);
  t.same(await call('PostToolUse', { ...bash('ls -la'), tool_response: { stdout: 'a b', stderr: '' } }), passes);
  t.match(await call('PreToolUse', bash(HARMFUL)), { code: 2, stderr: /^Blocked by Gatehouse: \S/ });
  const refused = /^Blocked by Gatehouse: Gatehouse refused the event: /;
  const unreadable = { tool_name: 'Bash', tool_input: JSON.parse('{"__proto__":1}') };
  t.match(await call('PreToolUse', unreadable), { code: 2, stderr: refused });
  t.match(await call('PreToolUse', bash('x'.repeat(2 ** 20))), { code: 2, stderr: refused });
  t.match(await call('PostToolUse', unreadable), { code: 0, stderr: /^Gatehouse refused the event: .*__proto__/ });
  t.same(await call('SessionEnd', { reason: 'logout' }), passes);
  await page.goto(`${service.url}/t/demo/sessions`);
  await page.getByRole('link', { name: /Claude Code/ }).click();
  const entries = page.locator('.entry');
  await entries.nth(5).waitFor();
  t.equal(await page.locator('.entry.tool_result').count(), 1);
  t.equal(await page.locator('.entry.blocked').count(), 1);
  t.match(await page.locator('main').textContent(), /olive@example\.com/, 'who copied the settings');
  await page.goBack();
  await page.goto(`${service.url}/t/demo/get-started`);

  writeFileSync(file, unreachable(script));
  t.match(await call('PreToolUse', bash(HARMFUL)), { code: 0, stderr: /gave no answer/ });
  t.match(await call('PostToolUse', { ...bash('ls'), tool_response: 'text' }), { code: 0, stderr: /gave no answer/ });
}

async function accessibility(t: Test, page: Page): Promise<void> {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const label of ['curl', 'Claude Code', 'Python', 'TypeScript']) {
      await textsOf(page, label);
      t.same(await violations(page), [], `axe: ${label} ${width}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      t.ok(overflow <= 0, `no sideways scrolling: ${label} ${width} (${overflow} px)`);
    }
  }
  await page.getByRole('tab', { name: 'curl' }).focus();
  await page.keyboard.press('ArrowRight');
  // The tabs move the focus in a turn of its own: an Enter before it is one on the old tab.
  await page.locator('[role=tab]:focus', { hasText: 'Claude Code' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Keep this as ~/.claude/gatehouse.mjs').waitFor();
}

async function failingClosed(t: Test, page: Page, home: string, service: Service): Promise<void> {
  await service.gatehouse('tenants', 'set', 'demo', '--on-failure', 'block');
  await page.getByText('Where no answer comes, they block').waitFor();
  for (const { label, file, program } of PROGRAMS) {
    if ((await run(`command -v ${program}`, home)).code !== 0) continue;
    const [text = '', command = ''] = await textsOf(page, label);
    writeFileSync(join(home, file), unreachable(text));
    t.match(await run(`export TOKEN=x; ${command}`, home), { code: 1, stderr: /^blocked: Gatehouse gave no answer/m });
  }
  const [script = '', settings = ''] = await textsOf(page, 'Claude Code');
  writeFileSync(join(home, '.claude', 'gatehouse.mjs'), unreachable(script));
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  t.match(await hook(home, settings, 'PreToolUse', bash), { code: 2, stderr: /there was no answer/ });
  t.match(await hook(home, settings, 'PostToolUse', { ...bash, tool_response: {} }), { code: 0 }, 'it is over by then');
}
