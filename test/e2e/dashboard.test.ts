import t, { type Test } from 'tap';
import { CHROMIUM, hasBrowser } from '../support/chromium.ts';
import {
  failQuery,
  lookAtPages,
  openPage as open,
  openDashboardSite,
  type DashboardSite as Site,
  untilCount,
  violations,
} from '../support/dashboard-site.ts';
import { DECISIONS, EVENTS, eventId, HOSTILE, insertStory, SESSION_KEY } from '../support/dashboard-story.ts';
import { signedIn } from '../support/graph.ts';

/** The pages that show what agents did. */

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: the dashboard is not looked at`);
else await main();

async function main(): Promise<void> {
  const site = await openDashboardSite(t);
  const { admin, empty, failures, origin, proof } = site;

  t.test('every page shows what is in the database', (t) => pagesShowData(t, site));
  t.test('hostile texts are texts', (t) => hostileTexts(t, site));
  t.test('who looks at it is asked for by the page itself, and not again by its script', async (t) => {
    const { page, close } = await open(t, site, 'owner', '/policy-schema.json');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
    await page.goto(`${origin}/t/ours/`);
    await page.locator('.tiles').waitFor();
    const viewer = asked.flatMap((url, place) => (url.includes('operationName=Viewer') ? [place] : []));
    t.equal(viewer.length, 1);
    t.ok((viewer[0] ?? 99) < asked.findIndex((url) => url.endsWith('.js')), 'before the scripts');
    await close();
  });
  t.test('who looks for an agent that is not there is told so', async (t) => {
    const { page, close } = await open(t, site, 'owner', '/t/ours/agents');
    await page.getByRole('link', { name: /Coder/ }).waitFor();
    await page.getByLabel('Name').fill('nobody of this name');
    await page.getByText('None is of this name').waitFor();
    await close();
  });
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
    const overview = await open(t, site, 'owner', '/t/empty/');
    const compared = overview.page.getByRole('row', { name: /^Decisions/ });
    await compared.getByText('0', { exact: true }).first().waitFor();
    await insertStory(admin, empty.id, 'b');
    await page.getByText('Events arrive').waitFor();
    await compared.getByText(String(DECISIONS.total), { exact: true }).waitFor();
    await overview.close();
    await close();
  });
  t.test('who is invited is told so, until the invitation is accepted', (t) => invited(t, site));
  t.test('the audit log is told from its newest entry on, to its beginning', (t) => auditLog(t, site));
  t.test('sessions that begin while the list is open push none out of it', (t) => manySessions(t, site));
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

async function pagesShowData(t: Test, site: Site): Promise<void> {
  const { page, close } = await open(t, site, 'owner', '/');
  await page.waitForURL('**/t/ours');
  const tiles = page.locator('.tiles');
  await tiles.waitFor();
  t.match(await tiles.textContent(), new RegExp(`Decisions${DECISIONS.total}`));
  t.match(await tiles.textContent(), new RegExp(`Blocked${DECISIONS.blocked}`));
  t.match(await tiles.textContent(), new RegExp(`Failed open${DECISIONS.failedOpen}`));
  await untilCount(page.locator('.chart canvas'), 2);
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

  await page.getByText('shell.destructive').first().waitFor();
  t.equal(await page.locator('mark').first().textContent(), 'rm -rf ~');
  const main = page.locator('main');
  t.match(await main.textContent(), /Ask the user first/);
  t.match(await main.textContent(), /f00d-policy-set/);
  t.match(await main.textContent(), /text_chars/, 'what was cut');
  t.match(await main.textContent(), /Private data was first seen in a result of read_contacts/);
  t.match(await main.textContent(), /labelled marked <img[\s\S]*by injection\.order, last at/);
  t.match(await main.textContent(), /session-facts-hash/);
  await page.getByRole('link', { name: 'the session it belongs to' }).click();

  const entries = page.locator('.entry');
  await entries.first().waitFor();
  t.equal(await entries.count(), 25);
  const origin = page.getByRole('link', { name: 'a result of read_contacts' }).first();
  t.equal(await origin.getAttribute('href'), `#entry-${eventId(1)}`);
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
  await page.waitForURL('**/t/empty', { timeout: 60_000 });
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

async function accessibility(t: Test, site: Site): Promise<void> {
  await lookAtPages(t, site, [
    ['/t/ours/', '.chart canvas'],
    ['/t/ours/live', 'tbody tr'],
    [`/t/ours/decisions/${eventId(3)}`, 'mark'],
    [`/t/ours/sessions/${SESSION_KEY}`, '.entry'],
    ['/t/ours/sessions', 'tbody tr'],
    ['/t/ours/audit-log', 'tbody tr'],
    ['/t/ours/get-started', '.light.on'],
    ['/t/ours/nowhere', 'h1:has-text("Nothing")'],
    ['/t/unknown', 'h1:has-text("No such")'],
  ]);
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

async function invited(t: Test, site: Site): Promise<void> {
  const { admin, ours, empty } = site;
  const caller = signedIn({});
  const userId = caller.kind === 'person' ? caller.userId : '';
  const other = '55555555-5555-4555-8555-555555555555';
  await admin`
    insert into users (id, email, name, signs_in_by_email)
    values (${userId}, 'ann@example.com', 'Ann', true), (${other}, 'other@example.com', 'Other', true)`;
  const [third] = await admin`insert into tenants (slug, name) values ('third', 'Third tenant') returning id`;
  await admin`
    insert into memberships (tenant_id, user_id, roles, created_at, accepted_at)
    values (${ours.id}, ${userId}, '{analyst}', now(), null), (${empty.id}, ${userId}, '{viewer}', now() - interval '9 days', null),
      (${String(third?.['id'])}, ${userId}, '{viewer}', now() - interval '10 days', null), (${empty.id}, ${other}, '{owner}', now(), null)`;
  await admin`
    insert into magic_links (token_hash, user_id, purpose, tenant_id, expires_at)
    values ('one', ${userId}, 'invitation', ${ours.id}, now() + interval '6 days'),
      ('two', ${userId}, 'invitation', ${empty.id}, now() - interval '2 days')`;
  const { page, close } = await open(t, site, 'nobody', '/');
  const notices = page.locator('.notice');
  await notices.first().waitFor();
  t.match(await notices.allTextContents(), [
    /^You are invited to Our tenant as analyst\. Accept by the link in the mail to ann@example\.com\. It works until .*\./,
    /^You are invited to Empty tenant as viewer\. The link that was mailed to you works no more: ask for another/,
    /^You are invited to Third tenant as viewer\./,
  ]);
  t.equal(await notices.count(), 3, 'what others are invited to is theirs');
  await page.getByText('You belong to no tenant').waitFor();
  t.same(await violations(page), []);
  await page.getByRole('button', { name: 'Decline the invitation to Third tenant' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decline the invitation?' });
  t.same(await violations(page), []);
  await dialog.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('You are invited to Third tenant').waitFor({ state: 'detached' });
  t.equal(await notices.count(), 2);
  await page.goto(`${site.origin}/t/ours/`);
  await notices.first().waitFor();
  t.equal(await page.locator('nav').count(), 0, 'to be told admits nobody');
  await close();
  await admin`update memberships set accepted_at = now() where user_id = ${userId} and tenant_id = ${ours.id}`;
  const member = await open(t, site, 'viewer', '/t/ours/');
  await member.page.getByText('You are invited to Empty tenant').waitFor();
  t.equal(await member.page.getByText('You are invited to Our tenant').count(), 0, 'what was accepted waits no more');
  await member.close();
  await admin`delete from memberships where user_id in (${userId}, ${other})`;
}

async function auditLog(t: Test, site: Site): Promise<void> {
  const { admin, empty } = site;
  const write = (from: number, to: number) => admin`
    insert into audit_log (tenant_id, seq, at, actor, action, target, detail, previous_hash, hash)
    select ${empty.id}, n, now(), 'operator', 'entry.' || n, null, '{}', '\\x00', '\\x00' from generate_series(${from}::int, ${to}::int) n`;
  const { page, close } = await open(t, site, 'owner', '/t/empty/audit-log');
  // The story of the tenant, where it was told by now, is the first entry.
  await page.getByText(/^policy\.activated$|^Nothing was done yet$/).waitFor();
  const [before] = await admin`select count(*)::int as n from audit_log where tenant_id = ${empty.id}`;
  await write(Number(before?.['n']) + 1, 400);
  await page.reload();
  const rows = page.locator('tbody tr');
  await untilCount(rows, 200);
  // Exactly: in the hour after midnight, "entry.7" and the time of the next row read "entry.700:12:40".
  const shown = (entry: string) => page.getByText(entry, { exact: true }).waitFor({ timeout: 60_000 });
  const ends = async () => [await rows.first().textContent(), await rows.last().textContent()];
  t.match(await ends(), [/entry\.400/, /entry\.201/]);
  await page.getByRole('button', { name: 'Show older' }).click();
  await untilCount(rows, 400);
  t.match(await ends(), [/entry\.400/, /policy\.activated|entry\.1$/]);
  t.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0, 'there is nothing more');
  await write(401, 403);
  await shown('entry.403');
  t.equal(await rows.count(), 403, 'what is new comes in front, and what was read stays');
  t.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0);
  await write(404, 700);
  await shown('entry.700');
  t.equal(await rows.count(), 200, 'no hole is left');
  await page.getByRole('button', { name: 'Show older' }).click();
  await untilCount(rows, 400);
  t.match(await ends(), [/entry\.700/, /entry\.301/]);
  await close();
}

async function manySessions(t: Test, site: Site): Promise<void> {
  const { admin, ours } = site;
  const begin = (from: number, to: number) => admin`
    insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, state,
      reopened_count, events_count, blocked_count, undecided_count)
    select tenant_id, gen_random_uuid(), 'made-' || n, agent_key, 'made@example.com', now() + n * interval '1 s', now(), 'open', 0, 0, 0, 0
    from (select * from agent_sessions where tenant_id = ${ours.id} limit 1) one, generate_series(${from}::int, ${to}::int) n`;
  await begin(1, 60);
  const { page, close } = await open(t, site, 'owner', '/t/ours/sessions');
  const rows = page.locator('tbody tr', { hasText: 'made@example.com' });
  await untilCount(rows, 50);
  const answerAgain = await failQuery(page, 'Sessions');
  await page.getByRole('button', { name: 'Show older' }).click();
  await page.getByRole('alert').getByText('not now').waitFor();
  await answerAgain();
  await page.getByRole('button', { name: 'Show older' }).click();
  await untilCount(rows, 60);
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await begin(61, 70);
  await rows.nth(69).waitFor({ timeout: 60_000 });
  const twice = await page.evaluate<number>(
    `(([...links]) => links.length - new Set(links.map(({ href }) => href)).size)(document.querySelectorAll('tbody tr a'))`,
  );
  t.equal(twice, 0, 'each once');
  await admin`delete from agent_sessions where user_email = 'made@example.com'`;
  await close();
}

async function states(t: Test, site: Site): Promise<void> {
  const nobody = await open(t, site, 'stranger', '/t/ours/live');
  const link = nobody.page.getByRole('link', { name: 'Sign in' });
  await link.waitFor();
  t.equal(await link.getAttribute('href'), '/api/v1/auth/login?return_to=%2Ft%2Fours%2Flive');
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
  await cut.page.context().close();
}
