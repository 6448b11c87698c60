import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { CHROMIUM, hasBrowser, launchBrowser } from '../support/chromium.ts';
import { SECRET, startOidcProvider } from '../support/oidc-providers.ts';
import { type Service, startService } from '../support/service.ts';
import { hasSimpleSamlPhp, startSimpleSamlPhp } from '../support/simplesamlphp.ts';
import { signInAsFirstOwner } from '../support/visitor.ts';

/** A tenant is connected to its identity providers in the dashboard, and its people sign in and out through them: in a real browser. */

const CLIENT = 'gatehouse';
const SESSION = '/api/v1/auth/session';
const ROLES = { claim: 'groups', table: [{ value: 'security', role: 'analyst' }] };

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: nobody signs in through a provider`);
else await main();

async function main(): Promise<void> {
  const service = await startService({
    env: { GATEHOUSE_SSO_PRIVATE_NETWORKS: 'allow', GATEHOUSE_LOG_LEVEL: 'info' },
  });
  t.teardown(() => service.dispose());
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const { page: owner } = await newPage(browser);
  await signInAsFirstOwner(owner, service);
  await owner.goto(`${service.url}/t/demo/settings`);
  await owner.getByRole('tab', { name: 'Single sign-on' }).click();

  await t.test('OpenID Connect', async (t) => {
    const settings = { clientId: CLIENT, clientSecret: SECRET, passwordBased: false };
    const mapping = { roles: ROLES, defaultRole: 'viewer' };
    // What the provider must know of the connection is known once it is made, so it is made with less.
    const card = await connect(owner, 'Corp', 'oidc', { ...settings, issuer: 'https://to-be-told.invalid' });
    const issuer = await startOidcProvider(t, CLIENT, [await shown(card, 'redirect URI')]);
    await card.getByRole('button', { name: 'Edit' }).click();
    await fillSettings(owner, { ...settings, issuer, mapping });
    await tryAndEnable(t, {
      owner,
      card,
      signIn: signInAtOidc,
      expected: /ann@acme\.example[\s\S]*analyst[\s\S]*groups/,
    });

    const { page, context } = await comeIn(t, { service, browser, card, signIn: signInAtOidc });
    t.match(await sessionOf(context, service), { email: 'ann@acme.example', name: 'ann of Acme' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${issuer}/session/end**`);
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByText('You are signed out.').waitFor();
    t.equal(await sessionOf(context, service), 401, 'signed out here as well as there');
    await context.close();
  });

  await t.test('SAML', { skip: !hasSimpleSamlPhp() && 'SimpleSAMLphp is not installed' }, async (t) => {
    const idp = await startSimpleSamlPhp(t);
    const mapping = { email: 'mail', name: 'displayName', roles: ROLES, defaultRole: 'viewer' };
    const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const settings = {
      metadata: idp.metadata,
      passwordBased: false,
      signRequests: true,
      wantEncrypted: true,
      nameIdFormat,
    };
    const card = await connect(owner, 'Campus', 'saml', { ...settings, mapping });
    const metadata = await (await fetch(await shown(card, 'metadata URL'))).text();
    idp.know({
      entityId: await shown(card, 'entity id'),
      acsUrl: await shown(card, 'ACS URL'),
      sloUrl: await shown(card, 'single logout URL'),
      certificate: /<(?:\w+:)?X509Certificate>([^<]+)</.exec(metadata)?.[1]?.replaceAll(/\s/g, '') ?? '',
      encrypts: true,
    });
    await tryAndEnable(t, {
      owner,
      card,
      signIn: signInAtSaml,
      expected: /ann@idp\.example[\s\S]*analyst[\s\S]*groups/,
    });

    const { page, context } = await comeIn(t, { service, browser, card, signIn: signInAtSaml });
    t.match(await sessionOf(context, service), { email: 'ann@idp.example', name: 'Ann Ample' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    t.equal(await sessionOf(context, service), 401);
    await page.goto(await shown(card, 'sign-in URL'));
    await page.locator('input[name=password]').waitFor();
    t.pass('signed out there, too: it asks for the password again');
    await context.close();
  });
}

/** A browser of somebody's own, without a past. */
async function newPage(browser: Browser): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // Not what the providers' own pages complain of.
    if (message.type() === 'error' && page.url().includes('/t/')) problems.push(`${page.url()}: ${message.text()}`);
  });
  return { page, context, problems };
}

async function connect(owner: Page, name: string, kind: string, settings: object): Promise<Locator> {
  await owner.getByRole('button', { name: 'New connection' }).click();
  await owner.getByLabel('Kind').selectOption(kind);
  await owner.getByLabel('Name').fill(name);
  await fillSettings(owner, settings);
  const card = owner.getByRole('region', { name: `Connection ${name}` });
  await card.getByText('Draft').waitFor();
  return card;
}

async function fillSettings(owner: Page, settings: object): Promise<void> {
  await owner.getByLabel('Settings as JSON').fill(JSON.stringify(settings));
  await owner.getByRole('button', { name: 'Save' }).click();
  await owner.getByLabel('Settings as JSON').waitFor({ state: 'detached' });
}

/** What the card says beside the button that copies it. */
async function shown(card: Locator, name: string): Promise<string> {
  const snippet = card.locator('.snippet', { has: card.page().getByRole('button', { name: `Copy the ${name}` }) });
  return (await snippet.locator('pre').textContent()) ?? '';
}

interface TryOut {
  owner: Page;
  card: Locator;
  signIn: (page: Page) => Promise<void>;
  expected: RegExp;
}

async function tryAndEnable(t: Test, { owner, card, signIn, expected }: TryOut): Promise<void> {
  await card.getByRole('button', { name: 'Try it out' }).click();
  const opened = owner.context().waitForEvent('page');
  await card.getByRole('link', { name: /Open the try-out/ }).click();
  const tried = await opened;
  await orTell(tried, signIn(tried));
  await tried.getByText('Would be signed in').waitFor();
  t.match(await tried.locator('body').textContent(), expected);
  t.match(await tried.locator('body').textContent(), 'Nobody was signed in.');
  await tried.close();
  await card.getByRole('button', { name: 'Enable' }).click();
  await card.getByText('Enabled', { exact: true }).waitFor();
}

interface Newcomer {
  service: Service;
  browser: Browser;
  card: Locator;
  signIn: (page: Page) => Promise<void>;
}

/** Somebody who was never here before, up to the dashboard. */
async function comeIn(t: Test, { service, browser, card, signIn }: Newcomer) {
  const { page, context, problems } = await newPage(browser);
  await page.goto(await shown(card, 'sign-in URL'));
  await orTell(page, signIn(page));
  await page.waitForURL(`${service.url}/t/demo**`);
  await page.getByRole('link', { name: 'Findings' }).click();
  await page.getByText('No findings').first().waitFor();
  const { tenants } = (await sessionOf(context, service)) as { tenants: Record<string, { roles: string[] }> };
  t.same(Object.values(tenants), [{ roles: ['analyst'] }], 'with the role that the provider’s group stands for');
  t.same(problems, []);
  return { page, context };
}

/** What `GET /auth/session` says, or its status where nobody is signed in. */
async function sessionOf(context: BrowserContext, service: Service): Promise<unknown> {
  const answer = await context.request.get(service.url + SESSION);
  return answer.ok() ? answer.json() : answer.status();
}

async function signInAtOidc(page: Page): Promise<void> {
  await field(page, 'login').fill('ann');
  await field(page, 'password').fill('x');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signInAtSaml(page: Page): Promise<void> {
  await field(page, 'username').fill('ann');
  await field(page, 'password').fill('correct horse');
  await page.locator('button[type=submit], input[type=submit]').first().click();
}

function field(page: Page, name: string): Locator {
  return page.locator(`input[name=${name}]`);
}

/** Where it was, for whoever asks why it went no further. */
async function orTell<T>(page: Page, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const text = await page.locator('body').textContent();
    throw new Error(`at ${page.url()}: ${text?.slice(0, 500)}`, { cause: error });
  }
}
