import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { CHROMIUM, hasBrowser } from '../support/chromium.ts';
import {
  type DashboardSite,
  lookAtPages,
  openDashboardSite,
  openPage,
  screenshot,
  untilCount,
  violations,
} from '../support/dashboard-site.ts';
import { eventId, SESSION_KEY } from '../support/dashboard-story.ts';

/** The pages where policies are looked at, edited, tried and switched. Each page opened demands zero CSP violations. */

if (!hasBrowser()) t.plan(0, `no browser at ${CHROMIUM}: the pages of policies are not looked at`);
else await main();

async function main(): Promise<void> {
  const site = await openDashboardSite(t);
  t.test('a policy is found, edited, mended, tested, saved and activated', (t) => editing(t, site));
  t.test('versions are compared and rolled back', (t) => rollingBack(t, site));
  t.test('what a version that is tried beside would change is told, and leads to the decisions', (t) =>
    triedBeside(t, site),
  );
  t.test('a version is tried on stored sessions, and what changes leads to them', (t) => trying(t, site));
  t.test('every page is accessible, in light and dark, on a screen and a phone', (t) => accessibility(t, site));
  t.test('who saves what others saved meanwhile is told, and decides', (t) => savingMeanwhile(t, site));
  t.test('a set that a newer service does not understand is told, mended and left', (t) => outdated(t, site));
  t.test('who may only look is told why', (t) => lookingOnly(t, site));
  t.test('nothing failed inside', async (t) => t.same(site.failures, []));
}

const content = (page: Page) => page.locator('.cm-content');

async function editing(t: Test, site: DashboardSite): Promise<void> {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/');
  await page.getByRole('link', { name: 'Policies' }).click();
  const row = page.getByRole('row', { name: /shell\.destructive/ });
  await row.waitFor();
  t.match(await row.textContent(), /enforced.*critical.*block.*3.*3.*none judged/s);
  t.match(await page.getByRole('row', { name: /sql\.destructive/ }).textContent(), /dormant/);
  await page.getByLabel('Show').selectOption('dormant');
  t.equal(await row.count(), 0);
  await page.getByLabel('Show').selectOption('all');
  await page.getByText('The installation’s policies').waitFor();
  t.equal(
    await page.evaluate<number>(
      "performance.getEntriesByType('resource').filter(({ name }) => /edit-/.test(name)).length",
    ),
    0,
  );

  await page.getByRole('link', { name: /shell\.destructive/ }).click();
  await content(page).waitFor();
  await page.getByText('No faults.').waitFor();
  t.match(await page.locator('.cm-activeLineGutter').allTextContents(), ['6'], 'it opens where the policy stands');
  t.ok(await page.getByRole('button', { name: 'Save as a new version' }).isDisabled());
  await page.getByText('Nothing was changed.').waitFor();

  await page.keyboard.press('End');
  await page.keyboard.insertText('\n      mo');
  await page.keyboard.press('Control+Space');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'mode' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.insertText('de: wrong');
  await page.getByText('1 fault:').waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  t.equal(await page.locator('.cm-lintRange-error').textContent(), 'wrong', 'the fault is marked in place');
  await page.getByText('Mend the faults first.').waitFor();
  t.same(await violations(page), [], 'axe: with a fault');
  await screenshot(page, 'policies editor fault');
  await page.getByRole('button', { name: /destructive-shell\.yaml, line 7/ }).click();
  await page.keyboard.press('Shift+End');
  await page.keyboard.type('sha');
  const option = page.locator('.cm-tooltip-autocomplete li', { hasText: 'shadow' });
  await option.waitFor();
  await screenshot(page, 'policies editor completion');
  await option.click();
  await page.getByText('No faults.').waitFor();
  t.match(await content(page).textContent(), /mode: shadow/);

  await page.getByRole('button', { name: 'Run the tests' }).click();
  await page.getByText(/\d+ passed, 0 failed/).waitFor();

  await page.getByLabel('Note').fill('shell.destructive only tells');
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByText('Saved as version 1.').waitFor();
  await page.getByRole('button', { name: 'Activate version 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Activate version 1?' });
  await dialog.waitFor();
  await dialog.getByText('Against what decides now (Installation):').waitFor();
  t.match(await dialog.getByRole('listitem').allTextContents(), [/destructive-shell\.yaml changed/]);
  t.same(await violations(page), [], 'axe: the dialog');
  await page.keyboard.press('Escape');
  await untilCount(dialog, 0);
  const focused = await page.evaluate<string>('document.activeElement.textContent');
  t.equal(focused, 'Activate version 1', 'the focus goes back');
  await page.getByRole('button', { name: 'Activate version 1' }).click();
  await dialog.getByRole('button', { name: 'Activate' }).click();
  await page.getByText('Version 1 decides now.').waitFor();
  await page.getByRole('link', { name: 'Policies that count' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  t.match(await row.textContent(), /shadow/);
  await close();
}

async function rollingBack(t: Test, site: DashboardSite): Promise<void> {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/policies/edit');
  await page.getByLabel('New file').fill('own-rules.yaml');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text of own-rules.yaml' }).waitFor();
  await page.getByText('No faults.').waitFor();
  await page.getByRole('link', { name: 'Versions and history' }).click();
  await page.getByRole('table', { name: 'Saved versions, newest first' }).waitFor();
  await page.goBack();
  await page.getByText('Changed since').waitFor();
  t.equal(await page.locator('option', { hasText: 'own-rules.yaml' }).count(), 1, 'changes outlive a look elsewhere');
  await page.getByText('No faults.').waitFor();
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByText('Saved as version 2.').waitFor();
  await page.getByRole('button', { name: 'Try version 2 in shadow' }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('Version 2 is tried now.').waitFor();
  await page.getByRole('link', { name: 'All versions' }).click();

  const versions = page.getByRole('table', { name: 'Saved versions, newest first' });
  await versions.waitFor();
  t.match(await versions.getByRole('row').nth(1).textContent(), /Version 2.*tried/);
  t.match(await versions.getByRole('row').nth(2).textContent(), /Version 1.*decides.*shell\.destructive only tells/);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('heading', { name: /own-rules\.yaml/ }).waitFor();
  await page.getByRole('textbox', { name: 'Differences in own-rules.yaml' }).waitFor();
  t.equal(await page.locator('.file-difference').count(), 1);
  await page.getByLabel('From').selectOption('');
  await untilCount(page.locator('.file-difference'), 2);
  const changed = page.getByRole('textbox', { name: /Differences in .*destructive-shell\.yaml/ });
  await changed.locator('.cm-changedLine', { hasText: 'mode: shadow' }).waitFor();
  t.same(await violations(page), [], 'axe: differences');
  await screenshot(page, 'policies differences');

  const confirm = async (name: string, action: string) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
    await untilCount(page.getByRole('dialog'), 0);
  };
  await page.getByRole('button', { name: 'Activate version 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Activate version 2?' });
  await dialog.getByText('Against what decides now (Version 1):').waitFor();
  t.match(await dialog.getByRole('listitem').allTextContents(), [/own-rules\.yaml new/]);
  await dialog.getByRole('link', { name: 'The whole difference' }).click();
  await untilCount(dialog, 0);
  await page.waitForURL('**/policies/history?from=1&to=2');
  await untilCount(page.locator('.file-difference'), 1);
  await confirm('Stop trying version 2', 'Stop');
  await confirm('Activate version 2', 'Activate');
  await confirm('Roll back to version 1', 'Activate');
  const told = page.getByRole('table', { name: 'What counted, newest first' });
  await told.getByRole('row').nth(5).waitFor();
  t.match(await told.getByRole('row').nth(1).textContent(), /Version 1/);
  t.match(await told.getByRole('row').nth(2).textContent(), /Version 2/);
  await confirm('Back to the installation’s policies', 'Use them');
  await page.getByText('The installation’s policies').first().waitFor();
  await close();
}

async function triedBeside(t: Test, site: DashboardSite): Promise<void> {
  const { admin, ours } = site;
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/policies/history');
  await page.getByRole('button', { name: 'Try version 2 in shadow' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Try it' }).click();
  await untilCount(page.getByRole('dialog'), 0);
  await page.getByRole('link', { name: 'Policies that count' }).click();
  const trial = page.getByRole('region', { name: 'What version 2 would change' });
  await trial.getByText('It was tried on no decision yet.').waitFor();
  t.equal(await page.getByRole('region', { name: 'What policies in shadow mode would block' }).count(), 0);

  const [set] = await admin`select hash from policy_sets where tenant_id = ${ours.id} and version = 2`;
  const hash = String(set?.['hash']);
  await admin`update decisions set shadow_set = ${hash}, shadow_action = action where tenant_id = ${ours.id} and kind = 'decided'`;
  await page.reload();
  await trial.getByText('Every decision would stay as it is.').waitFor();
  const shadow = JSON.stringify({ policySet: hash, action: 'block', reason: 'No <b>echo</b>', policies: [] });
  await admin`
    update decisions set shadow_action = 'block', explanation = jsonb_set(explanation::jsonb, '{shadow}', ${shadow}::text::jsonb)::text
    where id >= ${eventId(10)} and id < ${eventId(32)}`;
  await admin`update decisions set shadow_action = 'allow' where id = ${eventId(3)}`;
  const simulated = JSON.stringify([
    { id: 'shadow.one', severity: 'low', effect: 'block', reason: 'Would have', tags: [] },
  ]);
  await admin`
    update decisions set simulated_action = 'block', explanation = jsonb_set(explanation::jsonb, '{simulated}', ${simulated}::text::jsonb)::text
    where id = ${eventId(40)}`;
  await admin`
    insert into finding_triage (tenant_id, event_id, n, status, verdict, changed_by)
    values (${ours.id}, ${eventId(3)}, 0, 'closed', 'false_positive', 'operator'), (${ours.id}, ${eventId(5)}, 0, 'closed', 'true_positive', 'operator')`;
  await page.reload();
  const changes = page.getByRole('table', { name: 'Decisions that it would change, newest first' });
  await changes.waitFor();
  t.match(await trial.textContent(), /tried on41.*Newly blocked22.*Newly allowed1/s);
  t.equal(await changes.getByRole('row').count(), 6, 'the newest, and the head');
  t.match(await changes.getByRole('row').nth(1).textContent(), /Blocked.*Bash.*No <b>echo<\/b>/s);
  await trial.getByRole('button', { name: 'Show older' }).click();
  await untilCount(changes.getByRole('row'), 24);
  t.match(await changes.getByRole('row').nth(23).textContent(), /Allowed.*Was blocked: Deletes the home directory/s);
  t.equal(await trial.getByRole('button', { name: 'Show older' }).count(), 0);
  const rules = page.getByRole('table', { name: 'Calls that they would have blocked, newest first' });
  t.match(await rules.getByRole('row').nth(1).textContent(), /Blocked.*shadow\.one: Would have/s);
  const judged = page.getByRole('row', { name: /shell\.destructive/ }).getByRole('link', { name: '1 of 2 judged' });
  t.match(await judged.getAttribute('href'), /findings\?status=all&policy=shell\.destructive/);
  t.same(await violations(page), [], 'axe: what is tried');
  await screenshot(page, 'policies tried beside');
  await changes.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Tried beside' }).waitFor();
  await page.getByText('No <b>echo</b>').waitFor();
  t.same(await violations(page), [], 'axe: a decision that would change');
  await close();
  await untold(t, site);
}

/** What cannot be asked for is told, and takes nothing else away. */
async function untold(t: Test, site: DashboardSite): Promise<void> {
  const { page } = await openPage(t, site, 'owner', '/t/ours/sessions');
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query ShadowCounts') === true ? route.abort() : route.continue(),
  );
  await page.goto(`${site.origin}/t/ours/policies`);
  await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
  await page.getByRole('row', { name: /shell\.destructive/ }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'Decisions that it would change, newest first' }).waitFor();
  await page.context().close();
}

async function trying(t: Test, site: DashboardSite): Promise<void> {
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/policies/edit?version=1');
  await content(page).waitFor();
  const before = await content(page).textContent();
  await content(page).click();
  await page.keyboard.type('x');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('The same as').waitFor();
  t.equal(await content(page).textContent(), before);
  await page.getByRole('button', { name: 'Try on stored sessions' }).click();
  const changes = page.getByRole('table', { name: 'Decisions that change' });
  await changes.waitFor();
  t.match(await page.getByRole('region', { name: 'Backtest', exact: true }).last().textContent(), /1 of 1/);
  const row = changes.getByRole('row').nth(1);
  t.match(await row.textContent(), /Allowed.*Bash/s);
  t.match(await row.getByRole('link', { name: 'Decision' }).getAttribute('href'), `/t/ours/decisions/${eventId(3)}`);
  await row.getByRole('link', { name: 'Session' }).click();
  await page.waitForURL(`**/t/ours/sessions/${SESSION_KEY}`);
  await page.goto(`${site.origin}/t/ours/policies/history`);
  const past = page.getByRole('table', { name: 'Backtests, newest first' });
  await past.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Backtest', exact: true }).waitFor();
  await changes.waitFor();
  await close();
}

async function accessibility(t: Test, site: DashboardSite): Promise<void> {
  const [last] = await site.admin`select id from policy_backtests limit 1`;
  await lookAtPages(t, site, [
    ['/t/ours/policies', 'tbody tr'],
    ['/t/ours/policies/edit?version=1', 'text=No faults.'],
    ['/t/ours/policies/history', 'tbody tr'],
    [`/t/ours/policies/backtests/${last?.['id']}`, 'tbody tr'],
    ['/t/ours/policies/backtests/99999999-1111-4111-8111-111111111111', 'h2:has-text("No such")'],
  ]);
}

async function savingMeanwhile(t: Test, site: DashboardSite): Promise<void> {
  const begin = async (file: string) => {
    const opened = await openPage(t, site, 'owner', '/t/ours/policies/edit');
    await opened.page.getByLabel('New file').fill(file);
    await opened.page.getByRole('button', { name: 'Add', exact: true }).click();
    await opened.page.getByText('No faults.').waitFor();
    return opened;
  };
  const save = ({ page }: { page: Page }) => page.getByRole('button', { name: 'Save as a new version' }).click();
  const [one, other] = [await begin('one.yaml'), await begin('other.yaml')];
  await save(other);
  const saved = other.page.getByText(/^Saved as version \d+\./);
  await saved.waitFor();
  const version = Number(/\d+/.exec((await saved.textContent()) ?? '')?.[0]);
  await save(one);
  await one.page.getByText(`Not saved: version ${version} was saved since these files were begun`).waitFor();
  t.same(await violations(one.page), [], 'axe: the conflict');
  await one.page.getByRole('link', { name: 'See what it changes' }).click();
  await one.page.getByRole('table', { name: 'Saved versions, newest first' }).waitFor();
  await one.page.goBack();
  await one.page.getByText('No faults.').waitFor();
  await save(one);
  await one.page.getByRole('button', { name: 'Save all the same' }).click();
  await one.page.getByText(`Saved as version ${version + 1}.`).waitFor();
  await one.close();
  await other.close();
}

/** As after an update: what was saved once is no policy any more. */
async function outdated(t: Test, site: DashboardSite): Promise<void> {
  const { admin, ours } = site;
  const file = (text: string) => JSON.stringify([{ file: 'own/rules.yaml', text }]);
  const text = (effect: string) => `apiVersion: gatehouse/v1
kind: PolicySet
metadata: { name: own }
spec:
  policies:
    - id: own.rule
      on: tool_invocation
      severity: low
      when: 'true'
      effect: ${effect}
      reason: Because
`;
  await admin`
    insert into policy_sets (tenant_id, version, hash, files, note, created_by)
    select ${ours.id}, max(version) + 1, 'of-before', ${file(text('forbid'))}, 'of before', 'operator' from policy_sets where tenant_id = ${ours.id}`;
  await admin`
    insert into policy_activations (tenant_id, seq, active_version, changed_by)
    select ${ours.id}, max(a.seq) + 1, (select max(version) from policy_sets where tenant_id = ${ours.id}), 'operator'
    from policy_activations a where tenant_id = ${ours.id}`;
  const [newest] = await admin`select max(version) as n from policy_sets where tenant_id = ${ours.id}`;
  const version = `Version ${newest?.['n']}`;
  const { page, close } = await openPage(t, site, 'owner', '/t/ours/policies');
  const problem = page.getByRole('alert').filter({ hasText: `${version} cannot be used` });
  await problem.waitFor();
  await page.getByText('was chosen to decide, and cannot be used.').waitFor();
  t.equal(await page.getByRole('table', { name: /Policies that count/ }).count(), 0);
  t.match(await problem.getByRole('listitem').allTextContents(), [
    /own\/rules\.yaml, line 10, column 15 "forbid" is unknown here/,
  ]);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    t.same(await violations(page), [], `axe: ${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    t.ok(overflow <= 0, `no sideways scrolling at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await screenshot(page, 'policies that cannot be used');

  await problem.getByRole('link', { name: /line 10/ }).click();
  await page.getByText('1 fault:').waitFor();
  t.match(await page.locator('.cm-activeLineGutter').allTextContents(), ['10'], 'it opens where the fault is');
  await page.keyboard.press('End');
  await page.keyboard.press('Control+Backspace');
  await page.keyboard.insertText('block');
  await page.getByText('No faults.').waitFor();
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByText(`Saved as version ${Number(newest?.['n']) + 1}.`).waitFor();
  await page.getByRole('button', { name: /^Activate version/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
  await page.getByText(/Version \d+ decides now\./).waitFor();
  await page.getByRole('link', { name: 'Policies that count' }).click();
  await page.getByRole('row', { name: /own\.rule/ }).waitFor();
  t.equal(await problem.count(), 0);

  await admin`
    insert into policy_activations (tenant_id, seq, active_version, changed_by)
    select ${ours.id}, max(seq) + 1, ${Number(newest?.['n'])}, 'operator' from policy_activations where tenant_id = ${ours.id}`;
  await page.reload();
  await problem.getByRole('link', { name: 'Go back to another version' }).click();
  await page.getByText('was chosen to decide, and cannot be used.').waitFor();
  await page.getByRole('button', { name: 'Roll back to version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
  await untilCount(page.getByRole('dialog'), 0);
  await page.getByRole('link', { name: 'Policies that count' }).click();
  await page.getByRole('row', { name: /shell\.destructive/ }).waitFor();
  await close();
}

async function lookingOnly(t: Test, site: DashboardSite): Promise<void> {
  const { page, close } = await openPage(t, site, 'viewer', '/t/ours/policies');
  await page.getByRole('row', { name: /shell\.destructive/ }).waitFor();
  await page.getByText('needs the role owner or admin').waitFor();
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await content(page).waitFor();
  await page.getByText('needs the role owner or admin').waitFor();
  const before = await content(page).textContent();
  await content(page).click();
  await page.keyboard.type('changed');
  t.equal(await content(page).textContent(), before, 'the text cannot be changed');
  t.equal(await page.getByRole('button', { name: /Save|Run|Try|Add|Remove/ }).count(), 0);
  await page.getByRole('link', { name: 'Versions and history' }).click();
  await page.getByRole('button', { name: 'Activate version 1' }).waitFor();
  t.ok(await page.getByRole('button', { name: 'Activate version 1' }).isDisabled());
  t.same(await violations(page), []);
  await close();
}
