import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { launchBrowser } from './chromium.ts';
import { insertStory } from './dashboard-story.ts';
import { signedIn, startTestGraph, type TestGraph } from './graph.ts';
import { openClient, startTestPostgres } from './postgres.ts';

/**
 * The built dashboard in a real browser, from the real gateway and a real database. Who asks is told by a cookie, in place
 * of a sign-in.
 */

export interface DashboardSite {
  browser: Browser;
  origin: string;
  admin: ReturnType<typeof openClient>;
  /** With the story, and without any event. */
  ours: Tenant;
  empty: Tenant;
  proof: TestGraph['proof'];
  /** What failed inside of the service. */
  failures: unknown[];
}

/** Callers: `owner` (of both tenants), `viewer` (of ours), `nobody` (of none). */
export async function openDashboardSite(t: Test): Promise<DashboardSite> {
  const postgres = await startTestPostgres(t);
  const databaseUrl = await postgres.createDatabase();
  const service = openDatabase(databaseUrl);
  const admin = openClient(t, databaseUrl);
  const newTenant = (slug: string, name: string) =>
    ensureTenant(service, { slug: slug as TenantSlug, name, onFailure: 'allow' });
  const ours = await newTenant('ours', 'Our tenant');
  const empty = await newTenant('empty', 'Empty tenant');
  await insertStory(admin, ours.id);

  const callers: Record<string, Caller> = {
    owner: signedIn({ [ours.id]: 'owner', [empty.id]: 'owner' }),
    viewer: signedIn({ [ours.id]: 'viewer' }),
    nobody: signedIn({}),
  };
  const { origin, proof, failures } = await startTestGraph(t, databaseUrl, callers, { withDashboard: true });
  const browser = await launchBrowser();
  t.teardown(async () => {
    await browser.close();
    await service.close();
  });
  return { browser, origin, admin, ours, empty, proof, failures };
}

export interface OpenedPage {
  page: Page;
  /** Console errors, violations of the content security policy, requests to elsewhere. */
  problems: string[];
  /** Closes the browser window, and demands that there were no problems. */
  close: () => Promise<void>;
}

/** Chromium's remark on a machine that takes seconds to run the page's first script. */
const LATE_PRELOAD = /was preloaded using link preload but not used within a few seconds/;

export async function openPage(
  t: Test,
  { browser, origin }: Pick<DashboardSite, 'browser' | 'origin'>,
  who: string,
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenedPage> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(60_000);
  await context.addCookies([{ name: 'session', value: who, url: origin }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (isProblem && !LATE_PRELOAD.test(message.text())) problems.push(message.text());
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
export async function untilCount(locator: Locator, n: number): Promise<void> {
  for (let tries = 0; tries < 1000 && (await locator.count()) !== n; tries++) await sleep(50);
}

/** Answers the query of that name with an error, until what is returned is called. */
export async function failQuery(page: Page, name: string): Promise<() => Promise<void>> {
  const address = '**/api/v1/graphql';
  await page.route(address, (route) =>
    route.request().postDataJSON()?.operationName === name
      ? route.fulfill({ json: { errors: [{ message: 'not now' }] } })
      : route.fallback(),
  );
  return () => page.unroute(address);
}

/** Minified: a page takes half as long to read it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Nothing is told of what is right, and nothing fetched again, which halves the time. */
const AXE_OPTIONS = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  preload: false,
};

/** What axe finds on the page. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const found = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(AXE_OPTIONS)})`);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/**
 * How the page number `index` is looked at: on a screen in one theme and on a phone in the other, in turns. What a theme changes and
 * what a width changes are different things.
 */
export const looksOf = (index: number) => (index % 2 === 0 ? LOOKS[0] : LOOKS[1]);

const LOOKS = [
  [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ],
  [
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'light', width: 360 },
  ],
] as const;

/** On a phone the names of columns are out of sight. */
const NAMELESS = ':not(.scrolls) > table.list td.number:not([data-label])';

/** Demands that axe finds nothing on the pages, and that none scrolls sideways. Each is given with what is there when it is loaded. */
export async function lookAtPages(
  t: Test,
  site: Pick<DashboardSite, 'browser' | 'origin'>,
  pages: readonly (readonly [path: string, sign: string])[],
) {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/');
  for (const [index, [path, sign]] of pages.entries()) {
    for (const { colorScheme, width } of looksOf(index)) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      if (width === 1280) await page.goto(site.origin + path);
      await page.locator(sign).first().waitFor();
      const name = `${path.replace(/[\da-f-]{36}/, '')} ${colorScheme} ${width}`;
      t.same(await violations(page), [], `axe: ${name}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      t.ok(overflow <= 0, `no sideways scrolling: ${name} (${overflow} px)`);
      t.same(await page.locator(NAMELESS).allTextContents(), [], `each number says what it is: ${name}`);
      await screenshot(page, name);
    }
  }
  await close();
}

/** Into the directory that SCREENSHOTS names, to be looked at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['SCREENSHOTS'];
  if (directory !== undefined) await page.screenshot({ path: `${directory}/${name.replaceAll(/\W+/g, '-')}.png` });
}
