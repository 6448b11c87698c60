import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { WEB_DIR } from '../../src/bundles.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { Dashboard } from '../../src/gateway/dashboard.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { graphqlRoutes } from '../../src/graphql/graphql-routes.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { type PlatformRequest, refuse } from '../../src/platform/http.ts';
import { openDatabase } from '../../src/store/database.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { DECISIONS, EVENTS, eventId, HOSTILE, insertStory, SESSION_KEY } from '../support/dashboard-story.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/**
 * The built dashboard in a real browser, from the real gateway and a real database. Who asks is told by a cookie, in place
 * of a sign-in.
 */

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
if (!existsSync(CHROMIUM)) t.plan(0, `no browser at ${CHROMIUM}: the dashboard is not looked at`);
else await main();

async function main(): Promise<void> {
  const postgres = await startTestPostgres(t);
  const databaseUrl = await postgres.createDatabase();
  const service = openDatabase(databaseUrl);
  const people = openTenantDatabase(databaseUrl);
  const admin = openClient(t, databaseUrl);
  const newTenant = (slug: string, name: string) =>
    ensureTenant(service, { slug: slug as TenantSlug, name, onFailure: 'allow' });
  const ours = await newTenant('ours', 'Our tenant');
  const empty = await newTenant('empty', 'Empty tenant');
  await insertStory(admin, ours.id);

  const person = (tenants: Record<string, 'owner' | 'viewer'>): Caller => ({
    kind: 'person',
    userId: '22222222-2222-4222-8222-222222222222',
    email: 'ann@example.com',
    name: 'Ann',
    organization: { id: '33333333-3333-4333-8333-333333333333', name: 'Home' },
    loginSessionId: '44444444-4444-4444-8444-444444444444',
    tenants: new Map(Object.entries(tenants).map(([id, role]) => [id, [role]])),
  });
  const callers: Record<string, Caller> = {
    owner: person({ [ours.id]: 'owner', [empty.id]: 'owner' }),
    viewer: person({ [ours.id]: 'viewer' }),
    nobody: person({}),
  };
  const failures: unknown[] = [];
  /** The proof against CSRF; a test changes it to see the dashboard ask again. */
  const proof = { value: 'proof-1', asked: 0 };
  const callerOf = (request: PlatformRequest) => callers[request.cookies.get('who') ?? ''];
  const gateway = new Gateway({
    site: { baseUrl: 'http://127.0.0.1' },
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    pages: {},
    dashboard: Dashboard.read(WEB_DIR),
    platform: {
      routes: [
        ...graphqlRoutes({
          authenticate: async (request) => {
            const caller = callerOf(request);
            if (caller === undefined) return refuse('unauthorized', 'sign in first');
            return request.headers.get('x-csrf-token') === proof.value ? caller : refuse('forbidden', 'no proof');
          },
          database: people,
          services: {} as never,
          onError: (error) => failures.push(error),
        }),
        {
          method: 'GET',
          path: '/api/v1/auth/session',
          handle: (request) => {
            proof.asked++;
            if (callerOf(request) === undefined) return refuse('unauthorized', 'sign in first');
            return { kind: 'answer', status: 204, body: '', headers: [['x-csrf-token', proof.value]] };
          },
        },
        {
          method: 'POST',
          path: '/api/v1/auth/logout',
          handle: () => ({ kind: 'answer', status: 204, body: '', headers: [] }),
        },
      ],
      onError: (error) => failures.push(error),
      proxyHops: 0,
    },
  });
  const origin = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  t.teardown(async () => {
    await browser.close();
    await gateway.stop();
    await people.close();
    await service.close();
  });
  const site: Site = { browser, origin, proof };

  t.test('every page shows what is in the database', (t) => pagesShowData(t, site));
  t.test('hostile texts are texts', (t) => hostileTexts(t, site));
  t.test('every page is accessible, in light and dark, on a screen and a phone', (t) => accessibility(t, site));
  t.test('lists are walked by keyboard', (t) => keyboard(t, site));
  t.test('who is signed out, has no tenant or no permission is told so', (t) => states(t, site));
  t.test('an empty tenant waits for its first event, and sees it come', async (t) => {
    const { page, close } = await open(t, site, 'owner', '/t/empty/get-started');
    await page.getByText('Waiting for your first event').waitFor();
    await page.goto(`${origin}/t/empty/sessions`);
    await page.getByText('No sessions').waitFor();
    await page.goto(`${origin}/t/empty/live`);
    await page.getByText('They appear here').waitFor();
    await page.goto(`${origin}/t/empty/`);
    await page.getByText('No decisions in the last 1 hour').waitFor();
    await page.goto(`${origin}/t/empty/get-started`);
    await page.getByText('Waiting for your first event').waitFor();
    await insertStory(admin, empty.id, 'b');
    await page.getByText('Events arrive').waitFor();
    await close();
  });
  t.test('a proof that was replaced is asked for again', async (t) => {
    const { page, problems } = await open(t, site, 'owner', '/t/ours/');
    await page.getByRole('table', { name: 'Newest blocks' }).waitFor();
    const before = proof.asked;
    proof.value = 'proof-2';
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: /Coder/ }).waitFor();
    t.equal(proof.asked, before + 1);
    t.ok(problems.every((problem) => problem.includes('403')));
    await page.context().close();
  });
  t.test('nothing failed inside', async (t) => t.same(failures, []));
}

interface Site {
  browser: Browser;
  origin: string;
  proof: { value: string; asked: number };
}

interface Opened {
  page: Page;
  /** Console errors, violations of the content security policy, requests to elsewhere. */
  problems: string[];
  /** Closes the browser window, and demands that there were no problems. */
  close: () => Promise<void>;
}

async function open(
  t: Test,
  { browser, origin }: Site,
  who: string,
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Opened> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(10_000);
  await context.addCookies([{ name: 'who', value: who, url: origin }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`request to ${request.url()}`);
  });
  await page.goto(origin + path);
  const close = async () => {
    await context.close();
    t.same(problems, [], `no problems at ${path}`);
  };
  return { page, problems, close };
}

/** Until there are `n` of them. */
async function untilCount(locator: Locator, n: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await locator.count()) !== n; tries++) await sleep(50);
}

async function pagesShowData(t: Test, site: Site): Promise<void> {
  const { page, close } = await open(t, site, 'owner', '/');
  await page.waitForURL('**/t/ours');
  const tiles = page.locator('.tiles');
  await tiles.waitFor();
  t.match(await tiles.textContent(), new RegExp(`Decisions${DECISIONS.total}`));
  t.match(await tiles.textContent(), new RegExp(`Blocked${DECISIONS.blocked}`));
  t.match(await tiles.textContent(), new RegExp(`Failed open${DECISIONS.failedOpen}`));
  t.equal(await page.locator('.chart canvas').count(), 2);
  t.equal(await page.getByRole('table', { name: 'Newest blocks' }).locator('tbody tr').count(), DECISIONS.blocked);

  await page.getByRole('link', { name: 'Live' }).click();
  const rows = page.locator('tbody tr');
  await rows.first().waitFor();
  t.equal(await rows.count(), DECISIONS.total);
  await page.getByLabel('Show').selectOption('blocked');
  await untilCount(rows, DECISIONS.blocked);
  t.equal(await rows.count(), DECISIONS.blocked);
  t.match(await rows.first().textContent(), /Deletes the home directory/);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('table', { name: 'Decisions, paused' }).waitFor();
  await page.locator('[data-row]').nth(1).click();

  await page.getByText('shell.destructive').waitFor();
  t.equal(await page.locator('mark').first().textContent(), 'rm -rf ~');
  const main = page.locator('main');
  t.match(await main.textContent(), /Ask the user first/);
  t.match(await main.textContent(), /f00d-policy-set/);
  t.match(await main.textContent(), /text_chars/, 'what was cut');
  t.match(await main.textContent(), /session-facts-hash/);
  await page.getByRole('link', { name: 'the session it belongs to' }).click();

  const entries = page.locator('.entry');
  await entries.first().waitFor();
  t.equal(await entries.count(), 30);
  t.match(await entries.first().textContent(), /The session starts/);
  t.match(await entries.nth(1).textContent(), /The user says[\s\S]*Please tidy up/);
  await page.getByRole('button', { name: 'Go on with the story' }).click();
  await untilCount(page.locator('.entry'), EVENTS);
  t.equal(await page.locator('.entry').count(), EVENTS);
  t.equal(await page.locator('.entry.blocked').count(), DECISIONS.blocked);
  await page.getByLabel('Order').selectOption('newest');
  await page.locator('.entry.session_end').first().waitFor();

  await page.goto(`${site.origin}/t/ours/decisions/${eventId(4)}`);
  await page.getByRole('heading', { name: 'Late inspection' }).waitFor();
  t.match(await main.textContent(), /Failed open[\s\S]*deadline/);

  await page.getByRole('link', { name: 'Sessions' }).click();
  t.match(await rows.first().textContent(), /Coder/);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('policy.activated').waitFor();
  await page.getByRole('link', { name: 'Get started' }).click();
  await page.getByText('Events arrive').waitFor();
  t.match(await main.textContent(), /--tenant ours/);

  await page.getByLabel('Tenant').selectOption('empty');
  await page.getByText('No decisions in the last').waitFor();
  await page.goto(`${site.origin}/`);
  await page.waitForURL('**/t/empty', { timeout: 5_000 });
  t.pass('the tenant looked at last is remembered');
  await close();
}

async function hostileTexts(t: Test, site: Site): Promise<void> {
  const { page, close } = await open(t, site, 'owner', `/t/ours/sessions/${SESSION_KEY}`);
  await page.locator('.entry').first().waitFor();
  await page.getByRole('button', { name: 'Go on with the story' }).click();
  await untilCount(page.locator('.entry'), EVENTS);
  t.equal(await page.locator('.entry').count(), EVENTS);
  const details = page.getByRole('button', { name: 'Details', exact: true });
  while ((await details.count()) > 0) await details.first().click();
  const story = async () => (await page.locator('.timeline').textContent()) ?? '';
  const text = await story();
  t.ok(text.includes(HOSTILE.html), 'markup is shown');
  t.ok(text.includes('U+202E'), 'an override is named');
  t.ok(text.includes('U+0000'), 'so is NUL');
  t.ok(text.includes('U+200B'), 'and what has no width');
  t.notOk(text.includes('\u202e'));
  t.equal(await page.locator('main img, main script, main iframe').count(), 0);
  const unfold = page.getByRole('button', { name: /Show all 100,\d+ characters/ }).first();
  t.ok((await story()).length < 60_000, 'long texts are folded');
  await unfold.click();
  t.ok((await story()).length > 100_000);
  await close();
}

const PAGES = ['/t/ours/', '/t/ours/live', `/t/ours/decisions/${eventId(3)}`, `/t/ours/sessions/${SESSION_KEY}`].concat(
  ['/t/ours/sessions', '/t/ours/audit-log', '/t/ours/get-started', '/t/ours/nowhere', '/t/unknown'],
);

async function accessibility(t: Test, site: Site): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const { page, close } = await open(t, site, 'owner', '/t/ours/', {
        colorScheme,
        viewport: { width, height: 800 },
      });
      for (const path of PAGES) {
        await page.goto(site.origin + path);
        await page
          .locator('.tiles, tbody tr, mark, .entry, .light.on, h1:has-text("No such"), h1:has-text("Nothing")')
          .first()
          .waitFor();
        const name = `${path} ${colorScheme} ${width}`;
        t.same(await violations(page), [], `axe: ${name}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
        t.ok(overflow <= 0, `no sideways scrolling: ${name} (${overflow} px)`);
        await screenshot(page, name);
      }
      await close();
    }
  }
  const { page, close } = await open(t, site, 'owner', '/t/ours/', { colorScheme: 'light' });
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await ground();
  await page.getByLabel('Theme').selectOption('dark');
  t.not(await ground(), light);
  await page.reload();
  await page.locator('.tiles').waitFor();
  t.not(await ground(), light, 'the choice is kept');
  await close();
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify({ runOnly })})`);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Into the directory that SCREENSHOTS names, to be looked at. */
async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['SCREENSHOTS'];
  if (directory !== undefined) await page.screenshot({ path: `${directory}/${name.replaceAll(/\W+/g, '-')}.png` });
}

async function keyboard(t: Test, site: Site): Promise<void> {
  const { page, close } = await open(t, site, 'owner', '/t/ours/live');
  const rows = page.locator('[data-row]');
  await rows.first().waitFor();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate<string>("document.activeElement.getAttribute('href')");
  await rows.first().focus();
  const href = async (n: number) => rows.nth(n).getAttribute('href');
  await page.keyboard.press('ArrowDown');
  t.equal(await focused(), await href(1));
  await page.keyboard.press('j');
  t.equal(await focused(), await href(2));
  await page.keyboard.press('ArrowUp');
  t.equal(await focused(), await href(1));
  await page.keyboard.press('End');
  t.equal(await focused(), await href((await rows.count()) - 1));
  const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
  t.equal(outline, 'solid', 'the focus is seen');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor();
  t.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Decision', 'the page is told');
  await page.goto(`${site.origin}/t/ours/`);
  await page.locator('.tiles').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Skip to content');
  await close();
}

async function states(t: Test, site: Site): Promise<void> {
  const nobody = await open(t, site, 'stranger', '/t/ours/live');
  const link = nobody.page.getByRole('link', { name: 'Sign in' });
  await link.waitFor();
  t.equal(await link.getAttribute('href'), '/api/v1/auth/login');
  t.same(await violations(nobody.page), []);
  t.ok(nobody.problems.every((problem) => problem.includes('401')));
  await nobody.page.context().close();

  const homeless = await open(t, site, 'nobody', '/');
  await homeless.page.getByText('You belong to no tenant').waitFor();
  await homeless.close();

  const viewer = await open(t, site, 'viewer', '/t/ours/audit-log');
  await viewer.page.getByText('Your roles in this tenant do not allow it').waitFor();
  t.same(await violations(viewer.page), []);
  t.equal(await viewer.page.getByLabel('Tenant').count(), 0, 'there is nothing to switch to');
  await viewer.page.goto(`${site.origin}/t/ours/sessions/99999999-1111-4111-8111-111111111111`);
  await viewer.page.getByText('No such session').waitFor();
  await viewer.page.goto(`${site.origin}/t/ours/decisions/${eventId(999)}`);
  await viewer.page.getByText('No such decision').waitFor();
  await viewer.close();

  const cut = await open(t, site, 'owner', '/t/ours/');
  await cut.page.locator('.tiles').waitFor();
  await cut.page.context().setOffline(true);
  await cut.page.getByText('Not up to date').waitFor();
  t.ok(await cut.page.locator('.tiles').isVisible(), 'what was known stays');
  await cut.page.getByRole('link', { name: 'Sessions' }).click();
  await cut.page.getByRole('button', { name: 'Try again' }).waitFor();
  await cut.page.context().setOffline(false);
  await cut.page.getByRole('button', { name: 'Try again' }).click();
  await cut.page.getByRole('link', { name: /Coder/ }).waitFor();
  await cut.page.getByRole('button', { name: 'Sign out' }).click();
  await cut.page.getByText('You are signed out').waitFor();
  await cut.page.context().close();
}
