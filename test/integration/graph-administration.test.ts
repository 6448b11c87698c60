import t, { type Test } from 'tap';
import type { Browser } from '../support/browser.ts';
import { startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';

/** Administration through the graph: the same operations, rules and audit entries as over REST. */

const postgres = await startTestPostgres(t);
const platform = await startTestPlatform(t, postgres);
const { sql } = platform;
const tenantId = await platform.addTenant('acme');
const otherId = await platform.addTenant('other');
await platform.addPerson('olive@example.com', { [tenantId]: ['owner'] });
await platform.addPerson('adam@example.com', { [tenantId]: ['admin'] });
await platform.addPerson('vera@example.com', { [tenantId]: ['viewer'] });
const owner = await platform.signIn('olive@example.com');
const admin = await platform.signIn('adam@example.com');
const viewer = await platform.signIn('vera@example.com');

const ERRORS = 'userErrors { code message }';

/** The payload of one mutation. */
async function change(browser: Browser, name: string, wanted: string, input: object) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${wanted} ${ERRORS} } }`;
  const { data, errors } = await platform.ask(browser, query, { input: { tenantId, ...input } });
  return { ...data?.[name], code: errors?.[0]?.extensions?.code, message: errors?.[0]?.message };
}

/** What the tenant shows of one field. */
async function read(browser: Browser, wanted: string) {
  const { data, errors } = await platform.ask(browser, `query ($id: ID!) { tenant(id: $id) { ${wanted} } }`, {
    id: tenantId,
  });
  return { ...data?.tenant, code: errors?.[0]?.extensions?.code };
}

async function newestAudit() {
  const [row] =
    await sql`select action, actor, target from audit_log where tenant_id = ${tenantId} order by seq desc limit 1`;
  return row;
}

const isForbidden = async (t: Test, name: string, wanted: string, input: object) =>
  t.equal((await change(viewer, name, wanted, input)).code, 'FORBIDDEN', `${name} is not for a viewer`);

t.test('settings: a tenant may be stricter than the service, never laxer', async (t) => {
  const wanted = 'tenant { name onFailure deadlineMs retentionDays settingBounds { deadlineMs retentionDays } }';
  const first = await change(admin, 'changeTenantSettings', wanted, {
    deadlineMs: 200,
    retentionDays: 7,
    onFailure: 'BLOCK',
  });
  const bounds = { deadlineMs: 800, retentionDays: 90 };
  t.match(first.tenant, { onFailure: 'BLOCK', deadlineMs: 200, retentionDays: 7, settingBounds: bounds });
  t.match(await newestAudit(), { action: 'tenant.changed', target: tenantId });
  const back = await change(admin, 'changeTenantSettings', wanted, { deadlineMs: null });
  t.match(back.tenant, { deadlineMs: null, retentionDays: 7 }, "what is not named stays, null is the service's own");
  for (const [input, message] of [
    [{ deadlineMs: 801 }, /at most 800/],
    [{ deadlineMs: 49 }, /deadlineMs/],
    [{ retentionDays: 91 }, /at most 90/],
    [{ retentionDays: 0 }, /retentionDays/],
    [{ name: ' x' }, /name must be/],
    [{}, /./],
  ] as const)
    t.match((await change(admin, 'changeTenantSettings', wanted, input)).userErrors, [
      { code: 'invalid-request', message },
    ]);
  await isForbidden(t, 'changeTenantSettings', wanted, { name: 'Mine' });
});

t.test('members are invited, changed and removed', async (t) => {
  const invited = await change(admin, 'inviteMember', 'member { userId email roles invitationSent }', {
    email: 'Nina@Example.com',
    name: 'Nina',
    roles: ['analyst'],
  });
  t.match(invited.member, { email: 'nina@example.com', roles: ['analyst'], invitationSent: true });
  await platform.mailbox.take('nina@example.com');
  const { userId } = invited.member;
  const list = await read(
    admin,
    'members(first: 1) { edges { cursor node { userId name accepted roles } } pageInfo { hasNextPage endCursor } }',
  );
  t.match(list.members.edges[0].node, { userId, name: '', accepted: false });
  const after = `members(first: 3, after: ${JSON.stringify(list.members.pageInfo.endCursor)}) { edges { node { userId } } }`;
  t.equal((await read(admin, after)).members.edges.length, 3);
  t.equal((await read(admin, 'members(last: 1) { edges { node { userId } } }')).code, 'BAD_INPUT');
  t.equal((await read(admin, 'members(after: "x") { edges { node { userId } } }')).code, 'BAD_INPUT');
  t.same((await change(admin, 'changeMember', 'roles', { userId, roles: ['viewer'] })).roles, ['viewer']);
  t.match((await change(admin, 'changeMember', 'roles', { userId, roles: ['owner'] })).userErrors, [
    { code: 'forbidden' },
  ]);
  t.match((await change(admin, 'changeMember', 'roles', { userId, roles: ['boss'] })).userErrors, [
    { code: 'invalid-request' },
  ]);
  t.equal((await change(admin, 'removeMember', 'userId', { userId })).userId, userId);
  t.match(await newestAudit(), { action: 'member.removed', target: userId });
  t.match((await change(admin, 'removeMember', 'userId', { userId })).userErrors, [{ code: 'not-found' }]);
  await isForbidden(t, 'removeMember', 'userId', { userId });
  t.equal((await read(viewer, 'members { edges { node { userId } } }')).code, 'FORBIDDEN');
});

t.test('a token is in the payload of its mutation, once', async (t) => {
  const input = { name: 'build', kind: 'PLATFORM', scopes: ['platform:read'], days: 2 };
  const minted = await change(admin, 'mintAccessToken', 'token accessToken { id kind scopes expiresAt }', input);
  t.match(minted.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  t.match(minted.accessToken, { kind: 'PLATFORM', scopes: ['platform:read'] });
  const list = await read(admin, 'accessTokens { edges { node { id name revokedAt keyRetired createdBy } } }');
  t.match(list.accessTokens.edges[0].node, {
    id: minted.accessToken.id,
    name: 'build',
    revokedAt: null,
    keyRetired: false,
  });
  t.notMatch(JSON.stringify(list), minted.token);
  t.equal((await change(admin, 'revokeAccessToken', 'id', { id: minted.accessToken.id })).id, minted.accessToken.id);
  t.match(await newestAudit(), { action: 'token.revoked', target: minted.accessToken.id });
  const few = await change(admin, 'mintAccessToken', 'token', { name: 'x', kind: 'PLATFORM' });
  t.match(few, { token: null, userErrors: [{ code: 'invalid-request', message: /scopes/ }] });
  await isForbidden(t, 'mintAccessToken', 'token', input);
});

t.test('issuers are trusted and no longer', async (t) => {
  const input = {
    issuer: 'https://i.example',
    jwksUrl: 'https://i.example/keys',
    audience: 'us',
    scopes: ['events:write'],
  };
  const { trustedIssuer } = await change(admin, 'trustIssuer', 'trustedIssuer { id issuer }', input);
  t.match((await change(admin, 'trustIssuer', 'trustedIssuer { id }', input)).userErrors, [{ code: 'conflict' }]);
  const list = await read(admin, 'trustedIssuers { edges { node { id jwksUrl } } }');
  t.match(list.trustedIssuers.edges, [{ node: { id: trustedIssuer.id } }]);
  t.equal((await change(admin, 'distrustIssuer', 'id', { id: trustedIssuer.id })).id, trustedIssuer.id);
  await isForbidden(t, 'trustIssuer', 'trustedIssuer { id }', input);
});

t.test('the audit log is read from its newest entry on', async (t) => {
  const seqs = (entries: { seq: number }[]) => entries.map(({ seq }) => seq);
  const log = await read(admin, 'auditLog { seq } recentAuditLog { seq }');
  const oldestFirst = seqs(log.auditLog);
  t.ok(oldestFirst.length >= 3);
  t.same(seqs(log.recentAuditLog), oldestFirst.toReversed());
  const older = await read(admin, `recentAuditLog(before: ${oldestFirst[2]}) { seq }`);
  t.same(seqs(older.recentAuditLog), oldestFirst.slice(0, 2).toReversed());
});

t.test('the audit log names the people of the tenant, and nobody of another', async (t) => {
  await platform.addPerson('eve@example.com', { [otherId]: ['admin'] });
  const [adam, eve] = await sql`
    select id, name from users where email in ('adam@example.com', 'eve@example.com') order by email`;
  const write = (actor: string, target: string | null) => sql`
    insert into audit_log (tenant_id, seq, at, actor, action, target, detail, previous_hash, hash)
    select ${tenantId}, max(seq) + 1, now(), ${actor}, 'made', ${target}, '{}', '\\x00', '\\x00' from audit_log where tenant_id = ${tenantId}`;
  await write(`user:${adam?.['id']}`, eve?.['id'] as string);
  await write(`user:${eve?.['id']}`, adam?.['id'] as string);
  await write(`token:${adam?.['id']}`, null);
  await write('operator', 'user:x');
  await write('operator', '-'.repeat(36));
  const { recentAuditLog } = await read(admin, 'recentAuditLog { actorName targetName }');
  t.same(recentAuditLog.slice(0, 5), [
    { actorName: null, targetName: null },
    { actorName: null, targetName: null },
    { actorName: null, targetName: null },
    { actorName: null, targetName: adam?.['name'] },
    { actorName: adam?.['name'], targetName: null },
  ]);
});

t.test('agents are shared and taken back', async (t) => {
  const agentKey = '11111111-1111-4111-8111-111111111111';
  await sql`
    insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
    values (${tenantId}, ${agentKey}, 'coder', 'Coder', now(), now(), 1)`;
  const shared = await change(admin, 'shareAgent', 'guestId permission', {
    agentKey,
    guest: 'other',
    permission: 'VIEW',
  });
  t.match(shared, { guestId: otherId, permission: 'VIEW' });
  const list = await read(admin, `agentShares(agentKey: "${agentKey}") { edges { node { slug permission } } }`);
  t.match(list.agentShares.edges, [{ node: { slug: 'other', permission: 'VIEW' } }]);
  const { agent } = await read(admin, `agent(key: "${agentKey}") { guests { slug permission } }`);
  t.same(agent.guests, [{ slug: 'other', permission: 'VIEW' }]);
  t.equal((await read(admin, `agentShares(agentKey: "${otherId}") { edges { node { slug } } }`)).code, 'BAD_INPUT');
  t.equal((await change(admin, 'unshareAgent', 'guestId', { agentKey, guest: 'other' })).guestId, otherId);
  t.match((await change(admin, 'unshareAgent', 'guestId', { agentKey, guest: 'other' })).userErrors, [
    { code: 'not-found' },
  ]);
  await isForbidden(t, 'shareAgent', 'guestId', { agentKey, guest: 'other', permission: 'MANAGE' });
});

t.test('connections and domains are set up', async (t) => {
  const settings = { issuer: 'https://idp.example', clientId: 'us', clientSecret: 'shh', passwordBased: false };
  const wanted = 'connection { id state name settings redirectUri }';
  const made = await change(admin, 'makeSsoConnection', wanted, {
    kind: 'OIDC',
    name: 'Corp',
    settings: JSON.stringify(settings),
  });
  t.match(made.connection, { state: 'DRAFT', redirectUri: /\/callback$/ });
  t.notMatch(made.connection.settings, 'shh');
  const { id } = made.connection;
  t.equal((await change(admin, 'changeSsoConnection', wanted, { id, name: 'Company' })).connection.name, 'Company');
  t.equal((await change(admin, 'changeSsoConnection', wanted, { id, settings: '{' })).code, 'BAD_INPUT');
  t.match((await change(admin, 'changeSsoConnection', wanted, { id, settings: '{}' })).userErrors, [
    { code: 'invalid-request' },
  ]);
  t.match((await change(admin, 'beginSsoTest', 'startUrl', { id })).startUrl, /start\?test=/);
  t.equal((await change(admin, 'switchSsoConnection', wanted, { id, enabled: true })).connection.state, 'ENABLED');
  const record = 'domain { domain verifiedAt connectionId record { name type value } }';
  const claimed = await change(admin, 'claimDomain', record, { domain: 'acme.invalid', connectionId: id });
  t.match(claimed.domain, {
    verifiedAt: null,
    connectionId: id,
    record: { name: '_gatehouse-challenge.acme.invalid' },
  });
  t.match((await change(admin, 'verifyDomain', record, { domain: 'acme.invalid' })).userErrors, [{ code: 'conflict' }]);
  t.equal((await change(admin, 'directDomain', record, { domain: 'acme.invalid' })).domain.connectionId, null);
  t.match(await read(admin, 'verifiedDomains { domain } ssoConnections { id kind state }'), {
    verifiedDomains: [{ domain: 'acme.invalid' }],
    ssoConnections: [{ id, kind: 'OIDC', state: 'ENABLED' }],
  });
  t.equal((await change(admin, 'removeDomain', 'domain', { domain: 'acme.invalid' })).domain, 'acme.invalid');
  t.equal((await change(admin, 'deleteSsoConnection', 'id', { id })).id, id);
  t.match(await newestAudit(), { action: 'sso.removed', target: id });
  await isForbidden(t, 'deleteSsoConnection', 'id', { id });
  t.equal((await read(viewer, 'ssoConnections { id }')).code, 'FORBIDDEN');
});

t.test("another tenant is nobody's to change", async (t) => {
  const query = `mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { userId } }`;
  const { errors } = await platform.ask(owner, query, { input: { tenantId: otherId, userId: tenantId } });
  t.equal(errors?.[0]?.extensions?.code, 'FORBIDDEN');
});
