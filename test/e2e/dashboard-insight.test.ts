import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Role } from '../../src/domain/roles.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { CHROMIUM, hasBrowser, launchBrowser } from '../support/chromium.ts';
import { lookAtPages, openPage } from '../support/dashboard-site.ts';
import { startTestGraph } from '../support/graph.ts';
import { explain, HOSTILE_TEXT, project, Story } from '../support/insight-story.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/** Findings, agents and the overview in a real browser, over what a projector stored. */

const OURS = 'ours' as TenantSlug;
const THEIRS = 'theirs' as TenantSlug;
const MINUTE = 60_000;
/** Findings of one story. */
const FOUND = 59;

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: the dashboard is not looked at`);
else await main();

interface Site {
  browser: Browser;
  origin: string;
  sql: ReturnType<typeof openClient>;
  story: Story;
  url: string;
}

async function main(): Promise<void> {
  const postgres = await startTestPostgres(t);
  const url = await postgres.createDatabase();
  const service = openDatabase(url);
  const sql = openClient(t, url);
  const tenant = (slug: TenantSlug) => ensureTenant(service, { slug, name: slug, onFailure: 'allow' });
  const [ours, theirs] = [await tenant(OURS), await tenant(THEIRS)];
  const story = tell(OURS);
  const foreign = tell(THEIRS);
  await project(url, [...story.records, ...foreign.records]);
  await sql`
    insert into agent_shares (tenant_id, agent_key, shared_with, permission)
    values (${theirs.id}, ${foreign.agentKey}, ${ours.id}, 'view')`;
  const member = async (name: string, role: Role): Promise<Caller> => {
    const [user] = await sql<{ id: string }[]>`
      insert into users (email, name, signs_in_by_email) values (${`${name}@example.com`}, ${name}, true) returning id`;
    const userId = user?.id ?? '';
    await sql`insert into memberships (tenant_id, user_id, roles) values (${ours.id}, ${userId}, ${[role]})`;
    return {
      kind: 'person',
      userId,
      email: `${name}@example.com`,
      name,
      organization: { id: userId, name: 'Home' },
      loginSessionId: userId,
      tenants: new Map([[ours.id, [role]]]),
    };
  };
  const callers = {
    analyst: await member('ann', 'analyst'),
    owner: await member('olga', 'owner'),
    viewer: await member('vic', 'viewer'),
  };
  const { origin, failures } = await startTestGraph(t, url, callers, { withDashboard: true });
  const browser = await launchBrowser();
  t.teardown(async () => {
    await browser.close();
    await service.close();
  });
  const site: Site = { browser, origin, sql, story, url };
  t.test('findings are narrowed, and the address says to what', (t) => narrowed(t, site));
  t.test('findings are judged, many at once, by keyboard too', (t) => judged(t, site));
  t.test('a filter is kept by name', (t) => savedFilters(t, site));
  t.test('who may not judge is told so', (t) => looksOnly(t, site));
  t.test('an agent tells what it does', (t) => agents(t, site));
  t.test('a session leads to its agent', (t) => fromSessionToAgent(t, site));
  t.test('a page whose chart does not come is there without it', (t) => withoutCharts(t, site));
  t.test('the overview tells what stands out', (t) => overview(t, site));
  t.test('new findings wait until they are asked for', (t) => waits(t, site));
  t.test('every page is accessible, in light and dark, on a screen and a phone', (t) => accessibility(t, site));
  t.test('nothing failed inside', async (t) => t.same(failures, []));
}

/** Sixty findings of three kinds, some blocks, a call that failed open, and hostile texts. */
function tell(tenant: TenantSlug): Story {
  const now = Date.now();
  const story = new Story({ tenant, agent: `coder ${HOSTILE_TEXT}` });
  for (let n = 0; n < 57; n++) {
    const { length } = story.records;
    const record = story.blocked(
      now - 30 * MINUTE + n * 1_000,
      explain({ policies: ['shell.destructive'], findings: [['destructive.delete', 'high']] }),
    );
    // Half of a minute's decisions are quick: the p50 of all of them is that of no minute.
    story.records[length] = { ...record, tookUs: n % 2 === 0 ? 200 : 4_000 };
  }
  story.blocked(
    now - 20 * MINUTE,
    explain({ policies: ['a'], findings: [['secrets.token', 'critical', HOSTILE_TEXT]], reason: HOSTILE_TEXT }),
  );
  story.observed(
    now - 19 * MINUTE,
    'tool_result',
    explain({ findings: [['coverage.unannounced_result', 'low']], simulated: ['shadow.one'] }),
  );
  story.call(now - 18 * MINUTE, {}, 'WebFetch');
  // In the last 15 minutes, so that what is counted by their hour is never empty.
  story.failedOpen(now - 10 * MINUTE);
  return story;
}

async function untilCount(t: Test, locator: Locator, n: number, what: string): Promise<void> {
  for (let tries = 0; tries < 200 && (await locator.count()) !== n; tries++) await sleep(50);
  t.equal(await locator.count(), n, what);
}

function rowsOf(page: Page): Locator {
  return page.locator('table.list tbody tr');
}

async function narrowed(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'analyst', '/t/ours/');
  await page.getByRole('link', { name: 'Findings' }).click();
  const rows = rowsOf(page);
  await untilCount(t, rows, 50, 'a page');
  await page.getByRole('button', { name: 'Show older' }).click();
  await untilCount(t, rows, 100, 'two pages');
  await page.getByRole('button', { name: 'Show older' }).click();
  await untilCount(t, rows, 2 * FOUND, 'the tenant’s own and those of the shared agent');
  await page.getByLabel('critical').check();
  await untilCount(t, rows, 2, 'of a severity');
  t.match(page.url(), /\/t\/ours\/findings\?severity=critical$/);
  t.equal(await page.locator('main img, main script').count(), 0, 'hostile texts are texts');
  await page.getByLabel('Search').fill('secrets token nothing');
  await page.getByText('None is as the filters say').waitFor();
  await page.getByLabel('Search').fill('secr');
  await untilCount(t, rows, 2, 'searched');
  await page.reload();
  await untilCount(t, rows, 2, 'the address says it all');
  t.equal(await page.getByLabel('Search').inputValue(), 'secr');
  await page.goto(`${site.origin}/t/ours/findings?policy=shadow.one`);
  await untilCount(t, rows, 2, 'of a policy');
  await page.getByRole('button', { name: 'All of any policy' }).click();
  await untilCount(t, rows, 50, 'and back');
  await close();
}

async function judged(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'analyst', '/t/ours/findings?severity=critical');
  const rows = rowsOf(page);
  await untilCount(t, rows, 2, 'before');
  t.equal(await rows.locator('input:disabled').count(), 1, 'what is not ours is not judged');
  await page.goto(`${site.origin}/t/ours/findings?search=destructive`);
  const links = page.locator('[data-row]');
  await links.first().waitFor();
  const own = page.locator('tbody tr:has(input:enabled)');
  await own.first().locator('[data-row]').focus();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('x');
  await page.getByText('0 selected').waitFor();
  t.ok(await page.getByRole('button', { name: 'Apply' }).isDisabled());
  await page.getByLabel('Select all that are shown').check();
  const shown = await own.count();
  await page.getByText(`${shown} selected`).waitFor();
  const bar = page.getByRole('form', { name: 'Judge the selected findings' });
  await bar.getByLabel('Verdict').selectOption('false_positive');
  t.equal(await bar.getByLabel('Status').inputValue(), 'closed', 'a verdict ends the matter');
  await bar.getByLabel('Assignee').selectOption({ label: 'ann' });
  await bar.getByLabel('Note').fill(HOSTILE_TEXT.replaceAll(/[\0\ud800]/g, ''));
  await bar.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(`${shown} findings were changed.`).waitFor();
  const [stored] =
    await site.sql`select count(*)::int as n from finding_triage where verdict = 'false_positive' and status = 'closed'`;
  t.equal(stored?.['n'], shown);
  await page.getByLabel('Filters').getByLabel('Status').selectOption('closed');
  await untilCount(t, rows, shown, 'they are closed');
  t.match(await rows.first().textContent(), /False positive.*onerror.*ann/);
  t.equal(await page.locator('main img').count(), 0);
  await page.goto(`${site.origin}/t/ours/`);
  await page.getByRole('table', { name: 'Policies that matched most' }).getByText(`100 % of ${shown}`).waitFor();
  await close();
}

async function waits(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'analyst', '/t/ours/findings?severity=critical');
  const rows = rowsOf(page);
  await untilCount(t, rows, 2, 'before');
  await page.locator('tbody input:enabled').check();
  const news = new Story({ tenant: OURS, session: 'another' });
  news.blocked(Date.now(), explain({ policies: ['a'], findings: [['brand.new', 'critical']] }));
  await project(site.url, news.records);
  const show = page.getByRole('button', { name: 'Show 1 new' });
  await show.waitFor();
  t.equal(await rows.count(), 2, 'nothing moved');
  await show.click();
  await untilCount(t, rows, 3, 'and then it is there');
  t.match(await rows.first().textContent(), /brand\.new/);
  t.ok(await page.getByText('1 selected').isVisible(), 'what was selected still is');
  await close();
}

async function savedFilters(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'analyst', '/t/ours/findings?severity=critical');
  await untilCount(t, rowsOf(page), 2, 'critical ones');
  await page.getByText('Saved filters (0)').click();
  await page.getByLabel('Name').fill('Grave ones');
  await page.getByRole('button', { name: 'Save this filter' }).click();
  await page.goto(`${site.origin}/t/ours/findings`);
  await untilCount(t, rowsOf(page), 50, 'all');
  await page.getByText('Saved filters (1)').click();
  await page.getByRole('button', { name: 'Grave ones', exact: true }).click();
  await untilCount(t, rowsOf(page), 2, 'critical ones again');
  await close();

  const other = await openPage(t, site, 'viewer', '/t/ours/findings');
  await other.page.getByText('Saved filters (0)').waitFor();
  await other.close();
  const elsewhere = await openPage(t, site, 'analyst', '/t/ours/findings');
  await elsewhere.page.getByText('Saved filters (1)').click();
  await elsewhere.page.getByRole('button', { name: 'Grave ones', exact: true }).click();
  await untilCount(t, rowsOf(elsewhere.page), 2, 'in another browser');
  await elsewhere.page.getByRole('button', { name: 'Forget the filter Grave ones' }).click();
  await elsewhere.page.getByText('Saved filters (0)').waitFor();
  await elsewhere.close();
}

async function looksOnly(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'viewer', '/t/ours/findings');
  await page.getByText('needs the role owner, admin or analyst').waitFor();
  await page.locator('[data-row]').first().waitFor();
  t.equal(await page.locator('tbody input').count(), 0);
  await close();
}

async function agents(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/agents');
  await untilCount(t, rowsOf(page), 2, 'the tenant’s own and the shared one');
  t.match(
    await page.locator('main').textContent(),
    /this tenant[\s\S]*another tenant, shared to view|shared to view[\s\S]*this tenant/,
  );
  await page.getByLabel('Name').fill('nobody');
  await page.getByText('No agents').waitFor();
  await page.goto(`${site.origin}/t/ours/agents/${site.story.agentKey}`);
  const main = page.locator('main');
  await page.getByRole('table', { name: 'What it did' }).waitFor();
  const text = (await main.textContent()) ?? '';
  t.match(text, /Shared with other tenantsIt is shared with nobody/);
  t.match(text, /tool_invocationshell58/);
  t.match(text, /tool_invocationnet1/);
  t.match(text, /1 of 1 results \(100 %\) belong to calls that were never asked about/);
  t.match(text, /shell\.destructive57/);
  t.match(text, /shadow\.one01/);
  await page.locator('.chart canvas').waitFor();
  await page.getByRole('link', { name: 'Its findings' }).click();
  await untilCount(t, rowsOf(page), 50, 'its findings');
  await page.goto(`${site.origin}/t/ours/agents/99999999-1111-4111-8111-111111111111`);
  await page.getByText('No such agent').waitFor();
  await close();
}

async function withoutCharts(t: Test, site: Site): Promise<void> {
  const { page, problems, close } = await openPage(t, site, 'owner', '/t/ours/agents');
  await untilCount(t, rowsOf(page), 2, 'the agents');
  await page.route('**/assets/plot-*', (route) => route.abort());
  await page.goto(`${site.origin}/t/ours/agents/${site.story.agentKey}`);
  await page.getByText('The chart could not be loaded').waitFor();
  await page.getByRole('table', { name: 'What it did' }).waitFor();
  t.match(problems.splice(0), [/ERR_FAILED/], 'and the rest of the page is there');
  await close();
}

async function fromSessionToAgent(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/sessions');
  await page.locator('[data-row]').first().click();
  await page.locator('main dl').getByRole('link').click();
  await page.waitForURL('**/t/ours/agents/*');
  await page.getByRole('table', { name: 'What it did' }).waitFor();
  await close();
}

async function overview(t: Test, site: Site): Promise<void> {
  const { page, close } = await openPage(t, site, 'viewer', '/t/ours/');
  await page.getByText('Fail-open budget exceeded').waitFor();
  const text = (await page.locator('main').textContent()) ?? '';
  t.match(text, /1\.7 % of decisions failed open \(1, of which 1 were answered 408\); the budget is 0\.1 %/);
  t.match(text, /Compared with the same time a day before/);
  t.match(text, /Decisions600new/);
  t.match(text, /destructive\.deletehigh57/);
  await toldOfTheWhole(t, page);
  await page.locator('.page-head').getByLabel('Last').selectOption('15m');
  const since = page.locator('.charts caption time');
  await since.first().waitFor();
  const begin = Date.now() - 15 * MINUTE;
  for (const caption of await since.all()) {
    const at = Date.parse((await caption.getAttribute('datetime')) ?? '');
    t.ok(at % (60 * MINUTE) === 0 && at <= begin + 2 * MINUTE, 'the hour from which they count');
  }
  await page.locator('.page-head').getByLabel('Last').selectOption('30d');
  await page.getByText('Compared with the 30 days before').waitFor();
  await page.getByRole('table', { name: 'What was found most' }).getByRole('link', { name: 'secrets.token' }).click();
  await page.waitForURL('**/findings?status=all&kind=secrets.token');
  await untilCount(t, rowsOf(page), 2, 'the findings of the kind');
  await close();
}

/** The tiles say what the table beneath says: percentiles of the whole time. */
async function toldOfTheWhole(t: Test, page: Page): Promise<void> {
  const table = page.getByRole('table', { name: 'Compared with' });
  for (const [tile, row] of [
    ['Half decided within', 'p50'],
    ['99 % decided within', 'p99'],
  ] as const) {
    const shown = page.locator('.tile', { hasText: tile }).locator('strong');
    const now = table.getByRole('row', { name: row }).getByRole('cell').first();
    t.equal(await shown.textContent(), await now.textContent(), tile);
  }
  const half = await page.locator('.tile', { hasText: 'Half decided within' }).locator('strong').textContent();
  t.match(half, /^(3[5-9]|4[0-5])\d µs$/, 'no stretch has that');
}

async function accessibility(t: Test, site: Site): Promise<void> {
  const pages: [path: string, sign: string][] = [
    ['/t/ours/', '.charts table.list'],
    ['/t/ours/findings', '[data-row]'],
    ['/t/ours/findings?status=all&policy=a&agent=x', '[data-row]'],
    ['/t/ours/agents', '[data-row]'],
    [`/t/ours/agents/${site.story.agentKey}`, '.chart canvas'],
  ];
  await lookAtPages(t, site, pages);
}
