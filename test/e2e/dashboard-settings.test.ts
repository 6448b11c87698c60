import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { EVENTS_PATH } from '../../src/gateway/events-route.ts';
import { CHROMIUM, hasBrowser, launchBrowser } from '../support/chromium.ts';
import { failQuery, looksOf, screenshot, violations } from '../support/dashboard-site.ts';
import { linkIn, startMailbox } from '../support/mailbox.ts';
import { startService } from '../support/service.ts';

/** Administration in a real browser, against a whole service, from the first owner's sign-in on. */

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: the settings are not looked at`);
else t.test('an owner sets a tenant up', walk);

const EVENT = JSON.stringify({
  event_type: 'tool_invocation',
  session_id: 'first-steps',
  timestamp: '2026-01-01T00:00:00Z',
  agent: { id: 'my-agent', name: 'My agent' },
  user: { email: 'me@example.com' },
  tool: { name: 'Bash', input: { command: 'ls' } },
});

const TABS = ['General', 'Members', 'Tokens', 'Single sign-on', 'Issuers', 'Your sessions'];

async function walk(t: Test): Promise<void> {
  const mailbox = await startMailbox(t);
  const service = await startService({ env: { GATEHOUSE_SMTP_URL: mailbox.url } });
  t.teardown(() => service.dispose());
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const problems: string[] = [];
  const newPage = async (options: Parameters<typeof browser.newContext>[0] = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    return page;
  };
  const send = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(service.url + EVENTS_PATH, { method: 'POST', headers, body: EVENT })).status;
  };
  /** By a link of the operator's command line. */
  const signIn = async (page: Page, ...who: string[]) => {
    const link = /http\S+magic-link\?\S+/.exec(await service.gatehouse('sign-in-link', '--email', ...who));
    // The command line does not know which free port the service took.
    const { pathname, search } = new URL(link?.[0] as string);
    await page.goto(`${service.url}${pathname}${search}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  const page = await newPage();
  await page.goto(/http\S+magic-link\?token=[\w-]+\S*/.exec(service.output)?.[0] as string);
  await page.getByLabel('Your name').fill('Olive');
  await page.getByLabel('E-mail address').fill('olive@example.com');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL('**/t/demo');

  await t.test('the first token and the first event', async (t) => {
    await page.getByRole('link', { name: 'Get started' }).click();
    await page.getByText('Waiting for your first event').waitFor();
    await page.getByRole('button', { name: 'Mint a token that may send events' }).click();
    const shown = page.locator('.snippet pre').first();
    await page.getByText('Copy it now').waitFor();
    t.equal(await send((await shown.textContent())?.replace('TOKEN=', '') ?? ''), 200);
    await page.getByText('Events arrive').waitFor();
    t.same(await violations(page), []);
  });

  await t.test('an agent is shared with another tenant by its short name, and taken back', async (t) => {
    await service.gatehouse('tenants', 'add', 'partner', '--name', 'Partner');
    const pat = await newPage();
    await signIn(pat, 'pat@example.com', '--tenant', 'partner', '--role', 'owner');
    await pat.waitForURL('**/t/partner');
    await page.goto(`${service.url}/t/demo/agents`);
    await page.getByRole('link', { name: 'My agent' }).click();
    const shares = page.getByRole('region', { name: 'Shared with other tenants' });
    await shares.getByText('It is shared with nobody.').waitFor();
    const guest = shares.getByLabel('Short name of the tenant');
    const share = shares.getByRole('button', { name: 'Share', exact: true });
    t.ok(await share.isDisabled(), 'not without a name');
    await guest.fill('nobody-here');
    await share.click();
    t.match(await shares.getByRole('alert').textContent(), /no such tenant to share with/);
    await guest.fill('demo');
    await share.click();
    await shares.getByText('the agent belongs to this tenant itself').waitFor();
    await guest.fill(' partner ');
    await share.click();
    await shares.getByText('It is shared with partner.').waitFor();
    t.equal(await shares.getByRole('alert').count(), 0);
    const row = shares.getByRole('row', { name: /partner/ });
    const choice = row.getByRole('combobox', { name: 'What partner may do' });
    t.equal(await choice.inputValue(), 'VIEW');
    await pat.goto(`${service.url}/t/partner/agents`);
    await pat.getByRole('row', { name: /My agent.*shared to view/ }).waitFor();
    await pat.getByRole('link', { name: 'My agent' }).click();
    await pat.getByText('shared to view').waitFor();
    t.equal(await pat.locator('main form').count(), 0, 'a guest passes nothing on');

    await choice.selectOption('MANAGE');
    await pat.reload();
    await pat.getByText('shared to view').waitFor();
    await row.getByRole('button', { name: 'Change what partner may do' }).click();
    t.same(await violations(page), []);
    await page.getByRole('dialog', { name: 'Let partner manage it?' }).getByRole('button', { name: 'Change' }).click();
    await row.getByRole('button', { name: 'Change what partner may do' }).waitFor({ state: 'detached' });
    t.equal(await choice.inputValue(), 'MANAGE');
    await pat.reload();
    await pat.getByText('shared to manage').waitFor();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        t.same(await violations(page), [], `axe: ${colorScheme} ${width}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
        t.ok(overflow <= 0, `no sideways scrolling: ${colorScheme} ${width} (${overflow} px)`);
        const box = await choice.boundingBox();
        t.ok(box !== null && box.x >= 0 && box.x + box.width <= width, 'nor beyond the edge');
      }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.reload();
    t.equal(await choice.inputValue(), 'MANAGE', 'it is kept');
    await pat.getByRole('button', { name: 'Give back My agent' }).click();
    await pat.getByRole('dialog').getByRole('button', { name: 'Give back' }).click();
    await pat.getByText('No agents').waitFor();
    await page.reload();
    await shares.getByText('It is shared with nobody.').waitFor();
    await guest.fill('partner');
    await share.click();
    await shares.getByRole('button', { name: 'Take back from partner' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share it with partner no longer?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    t.equal(await row.count(), 1, 'nothing was changed');
    await shares.getByRole('button', { name: 'Take back from partner' }).click();
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await shares.getByText('It is shared with nobody.').waitFor();
    await pat.goto(`${service.url}/t/partner/agents`);
    await pat.getByText('No agents').waitFor();
    await pat.context().close();
  });

  await t.test('settings are changed, within the bounds of the service', async (t) => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name').fill('Demo house');
    await page.getByLabel('When no decision is reached in time').selectOption('BLOCK');
    await page.getByLabel('Deadline in milliseconds').fill('300');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await page.getByLabel('Deadline in milliseconds').waitFor();
    t.equal(await page.getByLabel('Deadline in milliseconds').inputValue(), '300');
    t.equal(await page.getByLabel('Name').inputValue(), 'Demo house');
    await page.getByLabel('Name').fill(' ');
    await page.getByRole('button', { name: 'Save' }).click();
    t.match(await page.getByRole('alert').textContent(), /name must be 1 to 128 printable characters/);
    t.match(await service.gatehouse('tenants', 'list'), /demo\tblock/);
  });

  await t.test('fewer days are not kept before somebody confirms what that removes', async (t) => {
    await page.reload();
    const days = page.getByLabel('Days that events are kept');
    const dialog = page.getByRole('dialog', { name: 'Keep events for 7 days only?' });
    await days.fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    t.match(await dialog.textContent(), /kept for 90 days now.*Nothing brings it back/);
    t.same(await violations(page), []);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    t.equal(await days.inputValue(), '', 'nothing was changed');
    await days.fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Remove older ones' }).click();
    await page.getByText('Saved.').waitFor();
    await days.fill('8');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    t.equal(await page.getByRole('dialog').count(), 0, 'more days remove nothing');
  });

  await t.test('a token is minted, used, revoked and refused', async (t) => {
    await page.getByRole('tab', { name: 'Tokens' }).click();
    await page.getByLabel('Name').fill('build server');
    await page.getByRole('button', { name: 'Mint', exact: true }).click();
    await page.getByText('Copy the token now').waitFor();
    const token = (await page.locator('.snippet pre').first().textContent()) ?? '';
    t.equal(await send(token), 200);
    const row = page.getByRole('row', { name: /build server/ });
    await row.getByRole('button', { name: 'Revoke build server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Revoke build server' }).click();
    const answerAgain = await failQuery(page, 'Tokens');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Not up to date: not now').waitFor();
    t.equal(await row.getByText('Active').count(), 1, 'what was known stays, and is told to be old');
    await answerAgain();
    await page.getByRole('button', { name: 'Try again' }).click();
    await row.getByText('Revoked').waitFor();
    let status = await send(token);
    for (let tries = 0; status !== 401 && tries < 100; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      status = await send(token);
    }
    t.equal(status, 401);
  });

  await t.test('a connection is made, tried out and deleted; a domain is claimed', async (t) => {
    await page.getByRole('tab', { name: 'Single sign-on' }).click();
    await page.getByRole('button', { name: 'New connection' }).click();
    await page.getByLabel('Name').fill('Corp');
    const settings = page.getByLabel('Settings as JSON');
    await settings.fill('{');
    await page.getByText('This is no JSON').waitFor();
    t.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    const given = { issuer: 'https://idp.invalid', clientId: 'us', clientSecret: 'shh', passwordBased: false };
    await settings.fill(JSON.stringify(given));
    await page.getByRole('button', { name: 'Save' }).click();
    const card = page.getByRole('region', { name: 'Connection Corp' });
    await card.getByText('Draft').waitFor();
    t.match(await card.textContent(), /\/api\/v1\/auth\/sso\/[\w-]+\/callback/);
    t.notMatch(await page.locator('main').textContent(), 'shh');
    await card.getByRole('button', { name: 'Try it out' }).click();
    const link = await card.getByRole('link', { name: /Open the try-out/ }).getAttribute('href');
    t.match(link, /start\?test=/);
    await card.getByRole('button', { name: 'Enable' }).click();
    await card.getByText('Enabled', { exact: true }).waitFor();
    await page.getByLabel('Domain').fill('example.com');
    await page.getByRole('button', { name: 'Claim' }).click();
    const domain = page.getByRole('region', { name: 'Domain example.com' });
    t.match(await domain.textContent(), /_gatehouse-challenge\.example\.com[\s\S]*gatehouse-verification=/);
    await domain.getByLabel('Its people sign in by').selectOption({ label: 'Corp' });
    await domain.getByRole('button', { name: 'Change how people of example.com sign in' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Disable Corp' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await card.getByText('Disabled', { exact: true }).waitFor();
  });

  const guest = await newPage();
  await t.test('somebody is invited, may only look, and is signed out', async (t) => {
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByLabel('E-mail address').fill('vera@example.com');
    await page.getByLabel('Name').fill('Vera');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('An invitation is on its way to vera@example.com').waitFor();
    const row = page.getByRole('row', { name: /vera@example\.com/ });
    await row.getByText('Invited').waitFor();
    const invitation = linkIn(await mailbox.take('vera@example.com')).href;
    await guest.goto(`${service.url}/api/v1/auth/login`);
    await guest.getByLabel('E-mail address').fill('vera@example.com');
    await guest.getByRole('button', { name: 'Continue' }).click();
    await guest.goto(linkIn(await mailbox.take('vera@example.com')).href);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await guest.getByText('You are invited to Demo house as viewer.').waitFor();
    await guest.getByText('You belong to no tenant').waitFor();
    await guest.goto(invitation);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    await guest.waitForURL('**/t/demo');
    await guest.goto(`${service.url}/t/demo/settings`);
    await guest.getByText('do not allow changing its settings').waitFor();
    t.ok(await guest.getByLabel('Name').isDisabled());
    for (const name of ['Members', 'Tokens', 'Single sign-on', 'Issuers']) {
      await guest.getByRole('tab', { name }).click();
      await guest.getByText('It needs the role owner or admin').waitFor();
      t.equal(await guest.locator('main form').count(), 0, `nothing is offered on ${name}`);
    }
    t.same(await violations(guest), []);
    await guest.goto(`${service.url}/t/demo/agents`);
    await guest.getByRole('link', { name: 'My agent' }).click();
    await guest.getByText('do not allow seeing or changing with whom it is shared').waitFor();
    t.equal(await guest.locator('main form').count(), 0);
    await guest.goto(`${service.url}/t/demo/settings`);
    await page.reload();
    await row.getByText('Active').waitFor();
    await row.getByRole('button', { name: 'Sign out vera@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await guest.getByRole('tab', { name: 'Your sessions' }).click();
    await guest.getByText('You are signed out. What you had not saved is kept here').waitFor();
    const role = row.getByRole('combobox', { name: 'Role of vera@example.com' });
    await role.selectOption('admin');
    await role.press('ArrowDown');
    t.equal(await role.inputValue(), 'analyst');
    await row.getByRole('button', { name: 'Change the role of vera@example.com' }).click();
    await page.getByRole('dialog', { name: 'Make vera@example.com analyst instead of viewer?' }).waitFor();
    t.same(await violations(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await row.getByRole('button', { name: 'Change the role of vera@example.com' }).waitFor({ state: 'detached' });
    t.equal(await role.inputValue(), 'analyst');
    const own = page.getByRole('row', { name: /olive@example\.com/ });
    await own.getByRole('combobox').selectOption('admin');
    await own.getByRole('button', { name: 'Change the role of olive@example.com' }).click();
    await page.getByRole('dialog').getByText('You may not be able to take it back').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByText('this is the last owner of the tenant').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    const entries = await service.gatehouse('audit', 'list', '--tenant', 'demo');
    t.match(entries, /member\.changed.*analyst/);
    t.notMatch(entries, /member\.changed.*admin/, 'what was only gone through was never so');
    await row.getByRole('button', { name: 'Disable vera@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    await row.getByRole('button', { name: 'Remove vera@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
  });

  await t.test('an issuer is trusted and no longer', async () => {
    await page.getByRole('tab', { name: 'Issuers' }).click();
    await page.getByLabel('Issuer', { exact: true }).fill('https://issuer.example');
    await page.getByLabel('Address of its keys').fill('https://issuer.example/keys');
    await page.getByLabel('Audience').fill('gatehouse');
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    const row = page.getByRole('row', { name: /issuer\.example/ });
    await row.getByRole('button', { name: 'Remove https://issuer.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No other issuers').waitFor();
  });

  await t.test('one sees where one is signed in, and signs out elsewhere', async (t) => {
    const other = await newPage();
    await signIn(other, 'olive@example.com');
    await other.waitForURL('**/t/demo');
    await page.getByRole('tab', { name: 'Your sessions' }).click();
    await page.getByText('This one').waitFor();
    t.match(await page.locator('table').textContent(), /Chrome on Linux/);
    await other.goto(`${service.url}/t/demo/settings`);
    const name = other.getByLabel('Name', { exact: true });
    await name.fill('Typed and not saved');
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('You are signed in nowhere else').waitFor();
    const save = other.getByRole('button', { name: 'Save' });
    await save.click();
    await other.getByText('You are signed out. What you had not saved is kept here').waitFor();
    const back = other.getByRole('link', { name: 'Sign in' });
    t.equal(await back.getAttribute('href'), '/api/v1/auth/login?return_to=%2Ft%2Fdemo%2Fsettings');

    const beside = await other.context().newPage();
    const cameBack = () => other.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await signIn(beside, 'olive@example.com');
    await cameBack();
    t.equal(await name.inputValue(), 'Typed and not saved', 'it is as it was');

    await signIn(beside, 'pat@example.com');
    await beside.waitForURL('**/t/partner');
    await save.click();
    await other.getByText('Somebody else than olive@example.com has signed in in this browser.').waitFor();
    t.equal(await name.count(), 0, 'and sees nothing of hers');
    t.same(await violations(other), []);
    await page.reload();
    await page.getByRole('tab', { name: 'General' }).click();
    t.equal(
      await page.getByLabel('Name', { exact: true }).inputValue(),
      'Demo house',
      'nothing was saved in either name',
    );
    await other.context().close();
  });

  await t.test('every tab is accessible, in light and dark, on a screen and a phone', async (t) => {
    for (const [index, name] of TABS.entries())
      for (const { colorScheme, width } of looksOf(index)) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.getByRole('tab', { name }).click();
        await page.getByRole('tabpanel').locator('form, table').first().waitFor();
        const place = `${name} ${colorScheme} ${width}`;
        t.same(await violations(page), [], `axe: ${place}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
        t.ok(overflow <= 0, `no sideways scrolling: ${place} (${overflow} px)`);
        await screenshot(page, place);
      }
  });

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL('**/auth/login');
  t.same(
    problems.filter((problem) => !problem.includes('status of 401')),
    [],
    'no violation of the content security policy, nothing on the console',
  );
}
