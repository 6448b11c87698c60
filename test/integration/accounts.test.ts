import t from 'tap';
import { browserName } from '../../src/domain/browser-name.ts';
import type { Answer, Browser } from '../support/browser.ts';
import { linkIn } from '../support/mailbox.ts';
import { startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';

/** What may be done to people's accounts and login sessions: by themselves, and by the tenants they share. */

const postgres = await startTestPostgres(t);
const platform = await startTestPlatform(t, postgres);
const { sql } = platform;
const SESSION = '/api/v1/auth/session';
const SESSIONS = '/api/v1/auth/sessions';
const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' };

async function post(browser: Browser, path: string): Promise<Answer> {
  const proof = (await browser.get(SESSION)).headers['x-csrf-token'] as string;
  return browser.postJson(path, undefined, { 'x-csrf-token': proof });
}

const isSignedIn = async (browser: Browser) => (await browser.get(SESSION)).status === 200;
const audited = async (tenantId: string, action: string) =>
  (await sql`select target from audit_log where tenant_id = ${tenantId} and action = ${action}`).map(
    (row) => row['target'],
  );

/** A tenant of its own with an owner, an admin and a member, each signed in. */
async function newHouse(slug: string) {
  const tenantId = await platform.addTenant(slug);
  const add = async (name: string, role: string) => {
    const email = `${name}@${slug}.example`;
    const userId = await platform.addPerson(email, { [tenantId]: [role] });
    return { userId, email, browser: await platform.signIn(email) };
  };
  const owner = await add('owner', 'owner');
  const members = `/api/v1/tenants/${tenantId}/members`;
  return { tenantId, owner, admin: await add('admin', 'admin'), member: await add('member', 'viewer'), members };
}

t.test('a disabled person is out at once, and nobody learns of it at the sign-in page', async (t) => {
  const { tenantId, owner, admin, member, members } = await newHouse('disable');
  await sql`
    insert into access_tokens (token_id, tenant_id, subject, audience, scopes, created_by, expires_at)
    values ('mine', ${tenantId}, 's', 'gatehouse-platform', array['platform:read'], ${member.userId}, now() + interval '1 day'),
      ('sensor', ${tenantId}, 's', 'gatehouse-events', array['events:write'], ${member.userId}, now() + interval '1 day')`;
  t.equal((await post(admin.browser, `${members}/${member.userId}/disable`)).status, 403, 'owners alone');
  const answer = await post(owner.browser, `${members}/${member.userId}/disable`);
  t.same([answer.status, JSON.parse(answer.body)], [200, { userId: member.userId, disabled: true }]);
  t.notOk(await isSignedIn(member.browser));
  const [session] = await sql`select ended_at from login_sessions where user_id = ${member.userId}`;
  t.ok(session?.['ended_at'], 'its sessions are over, not only refused');
  t.same(
    (await sql`select token_id from access_tokens where revoked_at is not null`).map((row) => row['token_id']),
    ['mine'],
    'platform tokens end; sensors keep theirs',
  );
  const asked = await platform.browser().postForm('/api/v1/auth/login', { email: member.email });
  const unknown = await platform.browser().postForm('/api/v1/auth/login', { email: 'nobody@disable.example' });
  t.same([asked.status, asked.body], [unknown.status, unknown.body]);
  const list = JSON.parse((await owner.browser.get(members)).body);
  t.match(
    list.items.find(({ userId }: { userId: string }) => userId === member.userId),
    { disabled: true },
  );
  t.same(await audited(tenantId, 'member.disabled'), [member.userId]);

  t.equal((await post(owner.browser, `${members}/${member.userId}/enable`)).status, 200);
  t.notOk(await isSignedIn(member.browser), 'what ended does not come back');
  t.ok(await isSignedIn(await platform.signIn(member.email)));
  t.equal((await post(owner.browser, `${members}/${owner.userId}/disable`)).status, 409, 'nobody disables themselves');
  t.equal((await post(owner.browser, `${members}/${tenantId}/disable`)).status, 404);
});

t.test('P6 through one tenant nobody reaches into others', async (t) => {
  const ours = await newHouse('ours');
  const theirs = await newHouse('theirs');
  const { userId } = ours.member;
  await sql`insert into memberships (tenant_id, user_id, roles) values (${theirs.tenantId}, ${userId}, array['viewer'])`;
  for (const verb of ['disable', 'end-sessions']) {
    const answer = await post(ours.owner.browser, `${ours.members}/${userId}/${verb}`);
    t.match([answer.status, answer.body], [403, /other tenants/]);
  }
  t.ok(await isSignedIn(ours.member.browser));
  await sql`update memberships set accepted_at = null where tenant_id = ${theirs.tenantId} and user_id = ${userId}`;
  t.equal((await post(ours.owner.browser, `${ours.members}/${userId}/disable`)).status, 200, 'inviting gives no say');
  t.equal((await post(ours.owner.browser, `${ours.members}/${userId}/enable`)).status, 200);
  t.same(await audited(theirs.tenantId, 'member.disabled'), [], 'nor news');
  t.equal(
    (await post(theirs.owner.browser, `${theirs.members}/${userId}/disable`)).status,
    409,
    'nor by inviting somebody',
  );
  await sql`update memberships set accepted_at = now() where tenant_id = ${theirs.tenantId} and user_id = ${userId}`;
  await sql`insert into memberships (tenant_id, user_id, roles) values (${theirs.tenantId}, ${ours.owner.userId}, array['owner'])`;
  t.equal((await post(ours.owner.browser, `${ours.members}/${userId}/disable`)).status, 200, 'an owner of both may');
  t.same(await audited(theirs.tenantId, 'member.disabled'), [userId], 'and both are told');

  const [elsewhere] = await sql`insert into organizations (name) values ('Elsewhere') returning id`;
  await sql`update users set organization_id = ${elsewhere?.['id']} where id = ${ours.admin.userId}`;
  const foreign = await post(ours.owner.browser, `${ours.members}/${ours.admin.userId}/disable`);
  t.match([foreign.status, foreign.body], [403, /another organization/]);
});

t.test('an admin signs a member out, but nobody who may do more', async (t) => {
  const { tenantId, owner, admin, member, members } = await newHouse('signout');
  const answer = await post(admin.browser, `${members}/${member.userId}/end-sessions`);
  t.same(JSON.parse(answer.body), { userId: member.userId, count: 1 });
  t.notOk(await isSignedIn(member.browser));
  t.same(await audited(tenantId, 'login_sessions.revoked'), [member.userId]);
  t.equal((await post(admin.browser, `${members}/${owner.userId}/end-sessions`)).status, 403);
  const again = await platform.signIn(member.email);
  t.equal((await post(again, `${members}/${admin.userId}/end-sessions`)).status, 403);
  t.ok(await isSignedIn(owner.browser));
});

t.test('a disabled owner does not count as the one that a tenant needs', async (t) => {
  const { tenantId, owner, members } = await newHouse('lastowner');
  const second = await platform.addPerson('second@lastowner.example', { [tenantId]: ['owner'] });
  t.equal((await post(owner.browser, `${members}/${second}/disable`)).status, 200);
  const mutation = `mutation ($input: ChangeMemberInput!) { changeMember(input: $input) { userErrors { code } } }`;
  const input = { tenantId, userId: owner.userId, roles: ['viewer'] };
  const { data } = await platform.ask(owner.browser, mutation, { input });
  t.same(data.changeMember.userErrors, [{ code: 'conflict' }]);
});

t.test('a person sees where they are signed in, and signs out elsewhere', async (t) => {
  const { tenantId, member, owner } = await newHouse('own');
  const here = member.browser;
  const other = await platform.signIn(member.email, FIREFOX);
  const third = await platform.signIn(member.email);
  const listed = JSON.parse((await here.get(SESSIONS)).body).items;
  t.equal(listed.length, 3);
  t.equal(listed.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent).length, 1);
  const firefox = listed.find(({ browser }: { browser: string }) => browser === 'Firefox on Linux');
  t.match(firefox, { address: other.address, method: 'magic_link', isCurrent: false });
  t.notMatch(JSON.stringify(listed), /token|hash/i);
  const { data } = await platform.ask(
    here,
    '{ viewer { loginSessions { id browser address isCurrent method lastUsedAt } } }',
  );
  t.same(
    data.viewer.loginSessions.map(({ id }: { id: string }) => id).sort(),
    listed.map(({ id }: { id: string }) => id).sort(),
  );

  const end = `mutation ($id: ID!) { endLoginSession(input: { id: $id }) { id userErrors { code } } }`;
  const stranger = await platform.ask(owner.browser, end, { id: firefox.id });
  t.same(stranger.data.endLoginSession.userErrors, [{ code: 'not-found' }], 'nobody ends those of others');
  t.equal((await platform.ask(here, end, { id: firefox.id })).data.endLoginSession.id, firefox.id);
  t.notOk(await isSignedIn(other));
  const others = await platform.ask(here, 'mutation { endOtherLoginSessions { count userErrors { code } } }');
  t.equal(others.data.endOtherLoginSessions.count, 1);
  t.notOk(await isSignedIn(third));
  t.ok(await isSignedIn(here));
  t.equal((await audited(tenantId, 'login_sessions.revoked')).length, 2);
  const again = await platform.signIn(member.email);
  t.same(JSON.parse((await post(here, `${SESSIONS}/revoke-others`)).body), { count: 1 });
  t.notOk(await isSignedIn(again));
});

t.test('invitations are limited, for each inviter', async (t) => {
  const { tenantId, admin, owner } = await newHouse('limits');
  const mutation = `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { userErrors { code message } } }`;
  const invite = async (browser: Browser, n: number) => {
    const input = { tenantId, email: `guest${n}@limits.example`, name: 'Guest', roles: ['viewer'] };
    return (await platform.ask(browser, mutation, { input })).data.inviteMember.userErrors;
  };
  for (let n = 0; n < 20; n++) t.same(await invite(admin.browser, n), []);
  t.match(await invite(admin.browser, 20), [{ code: 'too-many-requests', message: /try again in 180 seconds/ }]);
  t.same(await invite(owner.browser, 21), [], 'somebody else still may');
  platform.clock.advance(180_000);
  t.same(await invite(admin.browser, 22), []);
  t.match(await invite(admin.browser, 23), [{ code: 'too-many-requests' }]);
});

t.test('who is invited again, by whomever, is called what the invitation that they accept calls them', async (t) => {
  const first = await newHouse('naming');
  const second = await newHouse('renaming');
  const email = 'invited@elsewhere.example';
  await sql`update users set name = 'Adam Admin' where id = ${first.admin.userId}`;
  const invite = async (by: Browser, members: string, name: string) => {
    const proof = (await by.get(SESSION)).headers['x-csrf-token'] as string;
    const answer = await by.postJson(members, { email, name, roles: ['viewer'] }, { 'x-csrf-token': proof });
    t.equal(answer.status, 201);
    const received = await platform.mailbox.take(email);
    return { mail: received.mail.text ?? '', token: linkIn(received).searchParams.get('token') as string };
  };
  await invite(second.owner.browser, second.members, 'Nickname');
  await invite(first.owner.browser, first.members, 'Misspelt');
  const [named] = await sql`select name from users where email = ${email}`;
  t.equal(named?.['name'], email, 'nobody names others for good by inviting them');
  const { mail, token } = await invite(first.admin.browser, first.members, 'Ines Invited');
  t.match(mail, /^Adam Admin invites you to naming /, 'whoever sent it last');
  const own = platform.browser();
  t.equal((await own.postForm('/api/v1/auth/magic-link', { token })).status, 303);
  const nameNow = async () => JSON.parse((await own.get(SESSION)).body).name;
  t.equal(await nameNow(), 'Ines Invited');
  const later = await invite(second.owner.browser, second.members, 'Nickname');
  t.equal((await own.postForm('/api/v1/auth/magic-link', { token: later.token })).status, 303);
  t.equal(await nameNow(), 'Ines Invited', 'and so they stay');
});

t.test('an invitation is declined by whom it is for, and by nobody else', async (t) => {
  const { tenantId, owner, members } = await newHouse('declined');
  const { member: guest, tenantId: guests } = await newHouse('guests');
  const proof = (await owner.browser.get(SESSION)).headers['x-csrf-token'] as string;
  const invitation = { email: guest.email, name: 'Guest', roles: ['analyst'] };
  t.equal((await owner.browser.postJson(members, invitation, { 'x-csrf-token': proof })).status, 201);
  const token = linkIn(await platform.mailbox.take(guest.email)).searchParams.get('token') as string;
  const decline = async (browser: Browser, tenantId: string) => {
    const mutation = `mutation ($input: DeclineInvitationInput!) { declineInvitation(input: $input) { tenantId userErrors { code } } }`;
    return (await platform.ask(browser, mutation, { input: { tenantId } })).data.declineInvitation;
  };
  const waiting = async () =>
    (await platform.ask(guest.browser, '{ viewer { invitations { tenantId tenantName } } }')).data.viewer.invitations;
  const refused = { tenantId: null, userErrors: [{ code: 'not-found' }] };
  t.same(await decline(owner.browser, tenantId), refused, 'a member has none');
  t.same(await decline(guest.browser, guests), refused, 'and leaves no tenant by it');
  t.same(await decline(guest.browser, 'x'), refused);
  t.same(await waiting(), [{ tenantId, tenantName: 'declined' }]);
  t.same(await decline(guest.browser, tenantId), { tenantId, userErrors: [] });
  t.same(await waiting(), []);
  t.same(await decline(guest.browser, tenantId), refused);
  t.not((await platform.browser().postForm('/api/v1/auth/magic-link', { token })).status, 303, 'its link is over');
  t.same(await audited(tenantId, 'member.declined'), [guest.userId]);
});

t.test('one mailbox gets few invitations, whoever sends them', async (t) => {
  const houses = [await newHouse('flood'), await newHouse('flood2')];
  const mutation = `mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { userErrors { code message } } }`;
  const codes: unknown[] = [];
  for (let n = 0; n < 6; n++) {
    const { tenantId, owner } = houses[n % 2] as (typeof houses)[0];
    const input = { tenantId, email: 'stranger@elsewhere.example', name: 'S', roles: ['viewer'] };
    const { data } = await platform.ask(owner.browser, mutation, { input });
    codes.push(...data.inviteMember.userErrors);
  }
  t.match(codes, [{ code: 'too-many-requests', message: /try again in 180 seconds/ }]);
  t.equal(codes.length, 1);
});

t.test('a browser is called by few words, whatever its header holds', async (t) => {
  for (const [header, name] of [
    [FIREFOX['user-agent'], 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Edg/120.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.0 Safari/605.1',
      'Safari on macOS',
    ],
    ['<script>alert(1)</script>', 'Another browser'],
    [undefined, 'Another browser'],
    ['x'.repeat(100_000), 'Another browser'],
  ] as const)
    t.equal(browserName(header), name);
});
