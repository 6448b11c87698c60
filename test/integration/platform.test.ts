import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrizzleQueryError } from 'drizzle-orm';
import t from 'tap';
import { AUDIENCES, PLATFORM_SCOPES } from '../../src/domain/scopes.ts';
import { retireSigningKey, rotateSigningKey } from '../../src/identity/signing-keys.ts';
import { ADVISORY_LOCKS } from '../../src/store/advisory-locks.ts';
import { updateTenant } from '../../src/store/tenants.ts';
import { type As, openTestPlatform } from '../support/administration.ts';

/** What admins and programs do over REST: tokens, agents, members, shares, settings. */

const platform = await openTestPlatform(t);
const { admin, call, newAgent, newPerson, newTenant, token } = platform;
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');
const owner = { person: await newPerson('owner', [ours, ['owner']]) };
const chief = { person: await newPerson('chief', [ours, ['admin']]) };
const viewer = { person: await newPerson('viewer', [ours, ['viewer']]) };
const both = { person: await newPerson('both', [ours, ['viewer']], [theirs, ['owner']]) };
const nobody = { person: await newPerson('nobody') };

const audited = async (action: string) =>
  (
    await admin`select actor, target, detail from audit_log where tenant_id = ${ours.id} and action = ${action} order by seq`
  ).map((row) => ({ actor: row['actor'], target: row['target'], detail: JSON.parse(row['detail']) }));

t.test('a token opens the interface that it is for, and what its scopes say there', async (t) => {
  const reader = { token: await token(ours, ['platform:read']) };
  const sensor = { token: await token(ours, ['events:write'], 'ingest') };
  t.match(await call('GET', '/agents', { as: reader }), { code: 200 });
  t.match(await call('GET', '/agents', { as: sensor }), { code: 'unauthorized', detail: /another interface/ });
  t.match(await platform.events.verify(`Bearer ${reader.token}`), { ok: false, detail: /another interface/ });
  t.match(await call('GET', '/agents'), { code: 'unauthorized', detail: /no access token/ });
  for (const scope of PLATFORM_SCOPES) {
    const as = { token: await token(ours, [scope]) };
    const got = {
      read: (await call('GET', '/agents', { as })).code,
      tokens: (await call('GET', '/tenants/ours/tokens', { as })).code,
      members: (await call('GET', '/tenants/ours/members', { as })).code,
      audit: (await call('GET', '/tenants/ours/audit', { as })).code,
    };
    for (const [permission, code] of Object.entries(got))
      t.equal(code, scope === `platform:${permission}` ? 200 : 'forbidden', `${scope}: ${permission}`);
  }
  t.match(await call('GET', `/tenants/${theirs.id}`, { as: reader }), { code: 'not-found' });
  t.match(await call('GET', '/tenants/theirs', { as: reader }), { code: 'not-found' });
  t.match(await call('GET', '/tenants/no-such-tenant', { as: reader }), { code: 'not-found' });
  t.match(await call('GET', '/agents?tenant=theirs', { as: reader }), { code: 'not-found' });
});

t.test('JWT attacks on the platform are refused', async (t) => {
  const { keys } = platform;
  const { kid } = keys.signing;
  const pem = readFileSync(`${platform.dataDir}/keys/${kid}.pem`);
  const publicPem = createPublicKey(pem).export({ type: 'spki', format: 'pem' });
  const attacker = generateKeyPairSync('ed25519').privateKey;
  const attackerJwk = createPublicKey(attacker).export({ format: 'jwk' });
  const now = Math.floor(Date.now() / 1000);
  const HEADER = { alg: 'EdDSA', kid, typ: 'at+jwt' };
  const CLAIMS = {
    tenant: 'ours',
    scope: 'platform:read',
    iss: keys.issuer,
    aud: AUDIENCES.platform as string,
    sub: 'ci',
    jti: 'attack',
    iat: now,
    nbf: now,
    exp: now + 60,
  };
  const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forge = (header: object, claims: object, signer: (input: Buffer) => Buffer) => {
    const input = `${b64(header)}.${b64(claims)}`;
    return `${input}.${signer(Buffer.from(input)).toString('base64url')}`;
  };
  const ourKey = (input: Buffer) => sign(null, input, pem);
  const theirKey = (input: Buffer) => sign(null, input, attacker);
  const cases: Record<string, string> = {
    'alg none': forge({ ...HEADER, alg: 'none' }, CLAIMS, () => Buffer.alloc(0)),
    'alg confusion: HMAC with the public key': forge({ ...HEADER, alg: 'HS256' }, CLAIMS, (input) =>
      createHmac('sha256', publicPem).update(input).digest(),
    ),
    'kid injection: a path': forge({ ...HEADER, kid: '../../../dev/null' }, CLAIMS, theirKey),
    'kid injection: SQL': forge({ ...HEADER, kid: "' or 1=1 --" }, CLAIMS, theirKey),
    'embedded jwk': forge({ ...HEADER, jwk: attackerJwk }, CLAIMS, theirKey),
    jku: forge({ ...HEADER, jku: 'https://attacker.example/jwks' }, CLAIMS, theirKey),
    x5u: forge({ ...HEADER, x5u: 'https://attacker.example/cert' }, CLAIMS, theirKey),
    crit: forge({ ...HEADER, crit: ['exp'] }, CLAIMS, ourKey),
    'wrong key': forge(HEADER, CLAIMS, theirKey),
    'wrong audience': forge(HEADER, { ...CLAIMS, aud: AUDIENCES.ingest }, ourKey),
    'both audiences': forge(HEADER, { ...CLAIMS, aud: [AUDIENCES.platform, AUDIENCES.ingest] }, ourKey),
    'wrong issuer': forge(HEADER, { ...CLAIMS, iss: 'urn:uuid:0' }, ourKey),
    expired: forge(HEADER, { ...CLAIMS, iat: now - 120, exp: now - 60 }, ourKey),
    'not yet valid': forge(HEADER, { ...CLAIMS, nbf: now + 60 }, ourKey),
    'a tenant that does not exist': forge(HEADER, { ...CLAIMS, tenant: 'gone' }, ourKey),
    'no scope of the platform': forge(HEADER, { ...CLAIMS, scope: 'events:write owners platform:owners' }, ourKey),
  };
  t.match(await call('GET', '/agents', { as: { token: forge(HEADER, CLAIMS, ourKey) } }), { code: 200 }, 'control');
  for (const [name, attack] of Object.entries(cases)) {
    const refused = await call('GET', '/agents', { as: { token: attack } });
    t.equal(refused.code, 'unauthorized', name);
    t.notOk(refused.detail.includes(attack.split('.')[1] as string), `${name}: the token is not repeated`);
  }
  const other = { token: forge(HEADER, { ...CLAIMS, tenant: 'theirs' }, ourKey) };
  t.match(await call('GET', `/tenants/${ours.id}`, { as: other }), { code: 'not-found' }, 'another tenant');
});

t.test('a token is minted, shown once, listed and revoked; the log tells of both', async (t) => {
  const as = chief;
  const body = { name: 'build server', kind: 'ingest', days: 7 };
  const minted = await call('POST', '/tenants/ours/tokens', { as, body });
  t.match(minted, {
    code: 201,
    body: { name: 'build server', kind: 'ingest', scopes: ['events:write'], createdBy: chief.person, revokedAt: null },
  });
  const authorization = `Bearer ${minted.body.token}`;
  t.match(await platform.events.verify(authorization), {
    ok: true,
    principal: { tenant: 'ours', subject: 'build server' },
  });
  const listed = await call('GET', '/tenants/ours/tokens', { as });
  t.match(listed.body.items, [{ id: minted.body.id, name: 'build server', keyRetired: false }]);
  t.notOk(JSON.stringify(listed.body).includes(minted.body.token), 'the token itself is kept nowhere');
  const id = minted.body.id;
  t.match(await call('DELETE', `/tenants/ours/tokens/${id}`, { as }), { code: 204 });
  const startedAt = Date.now();
  while ((await platform.events.verify(authorization)).ok && Date.now() - startedAt < 2000) await sleep(20);
  t.ok(Date.now() - startedAt < 1000, `refused after ${Date.now() - startedAt} ms`);
  t.match(await call('DELETE', `/tenants/ours/tokens/${id}`, { as }), { code: 204 }, 'again is the same as once');
  t.match(await call('DELETE', '/tenants/ours/tokens/unknown', { as }), { code: 'not-found' });
  t.ok((await call('GET', '/tenants/ours/tokens', { as })).body.items[0]?.revokedAt);
  t.match(await audited('token.minted'), [{ actor: `user:${chief.person}`, target: id, detail: { kind: 'ingest' } }]);
  t.equal((await audited('token.revoked')).length, 1, 'once, however often it was asked');
  t.notOk(JSON.stringify(await audited('token.minted')).includes(minted.body.token));
});

t.test('revoking at the same time, by several and by the command line, revokes once and blocks nobody', async (t) => {
  const { TokenRevocations } = await import('../../src/store/token-revocations.ts');
  const direct = new TokenRevocations(platform.database);
  const before = (await audited('token.revoked')).length;
  for (let round = 0; round < 5; round++) {
    const { body } = await call('POST', '/tenants/ours/tokens', { as: chief, body: { name: 'x', kind: 'ingest' } });
    const done = await Promise.all([
      ...[1, 2, 3].map(() => call('DELETE', `/tenants/ours/tokens/${body.id}`, { as: chief })),
      direct.revoke({ tokenId: body.id, expiresAt: Date.now() / 1000 + 60 }),
    ]);
    t.match(done.slice(0, 3), [{ code: 204 }, { code: 204 }, { code: 204 }]);
    const rows = await admin`select 1 from token_revocations where token_id = ${body.id}`;
    t.equal(rows.length, 1);
  }
  t.ok((await audited('token.revoked')).length <= before + 5);
});

t.test('nobody mints more than they may do, nor a token that outlives their own', async (t) => {
  const mint = (as: object, body: object) => call('POST', '/tenants/ours/tokens', { as: as as never, body });
  t.match(await mint(viewer, { name: 'x', kind: 'ingest' }), { code: 'forbidden' });
  t.match(await mint(chief, { name: 'x', kind: 'platform', scopes: [...PLATFORM_SCOPES] }), { code: 201 });
  const minter = { token: await token(ours, ['platform:tokens', 'platform:read'], 'platform', 2 * 86_400) };
  t.match(await mint(minter, { name: 'x', kind: 'platform', scopes: ['platform:read'], days: 1 }), { code: 201 });
  t.match(await mint(minter, { name: 'x', kind: 'platform', scopes: ['platform:members'], days: 1 }), {
    code: 'forbidden',
    detail: /platform:members/,
  });
  t.match(await mint(minter, { name: 'x', kind: 'ingest', days: 3 }), { code: 'forbidden', detail: /outlives/ });
  const wrong: [object, RegExp][] = [
    [{ kind: 'ingest' }, /name/],
    [{ name: 'x', kind: 'other' }, /\/kind/],
    [{ name: 'x', kind: 'platform' }, /\/scopes/],
    [{ name: 'x', kind: 'ingest', scopes: ['platform:read'] }, /\/scopes/],
    [{ name: 'x', kind: 'platform', scopes: ['events:write'] }, /\/scopes/],
    [{ name: 'x', kind: 'platform', scopes: ['platform:owners'] }, /\/scopes/],
    [{ name: 'x', kind: 'ingest', days: 0 }, /\/days/],
    [{ name: 'x', kind: 'ingest', days: 1e9 }, /\/days/],
    [{ name: 'a\nb', kind: 'ingest' }, /\/name/],
    [{ name: 'x', kind: 'ingest', tenant: 'theirs' }, /propert/],
  ];
  for (const [body, detail] of wrong)
    t.match(await mint(chief, body), { code: 'invalid-request', detail }, String(detail));
  t.match(await mint(chief, 'not JSON' as never), { code: 'invalid-request', detail: /JSON/ });
  const asForm = { as: chief, body: '{}', headers: { 'content-type': 'text/plain' } };
  t.match(await call('POST', '/tenants/ours/tokens', asForm), { code: 'invalid-request', detail: /Content-Type/ });
});

t.test('agents are listed in pages that newer agents do not shift, by name and by activity', async (t) => {
  const tenant = await newTenant('fleet');
  const as = { person: await newPerson('fleet-viewer', [tenant, ['viewer']]) };
  for (let index = 0; index < 25; index++) await newAgent(tenant, `agent-${index}`, { secondsAgo: 1000 + (index % 5) });
  await newAgent(tenant, 'percent', { name: '100% "Zoë"_\\', secondsAgo: 10 });
  const seen: string[] = [];
  let after = '';
  for (let page = 0; ; page++) {
    const { body } = await call('GET', `/agents?first=7${after}`, { as });
    seen.push(...body.items.map((agent) => agent.agentId));
    if (!body.pageInfo.hasNextPage) break;
    after = `&after=${body.pageInfo.endCursor}`;
    await newAgent(tenant, `later-${page}`);
  }
  t.equal(seen.length, 26);
  t.equal(new Set(seen).size, 26, 'none twice');
  const found = async (query: string) =>
    (await call('GET', `/agents?${query}`, { as })).body.items.map((agent) => agent.agentId);
  t.same(await found('name=100%25'), ['percent']);
  t.same(await found('name=%25'), ['percent'], 'a per cent sign is no wild card');
  t.same(await found('name=_%5C'), ['percent'], 'nor an underscore, and a backslash escapes nothing');
  t.same(await found('name=AGENT-24'), ['agent-24']);
  t.same(await found('name=ZO%C3%8B'), ['percent'], 'in upper or lower case, of any letters');
  t.same(await found('name=nothing'), []);
  const since = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());
  t.ok((await found(`active_since=${since}`)).includes('percent'));
  t.notOk((await found(`active_since=${since}`)).includes('agent-1'));
  const [first] = (await call('GET', '/agents?name=percent', { as })).body.items;
  t.equal(first, undefined);
  const [agent] = (await call('GET', '/agents?name=100', { as })).body.items;
  t.match(agent, {
    agentId: 'percent',
    permission: 'owner',
    owner: { tenantId: tenant.id, name: 'fleet' },
    eventsCount: 1,
  });
  const wrong: [string, RegExp][] = [
    ['first=0', /"first"/],
    ['first=201', /"first"/],
    ['first=x', /"first"/],
    ['after=x', /"after"/],
    ['after=WzFd', /"after"/],
    [`after=${Buffer.from('[1e99,"a","b"]').toString('base64url')}`, /"after"/],
    ['name=', /"name"/],
    [`name=${'x'.repeat(257)}`, /"name"/],
    ['active_since=yesterday', /"active_since"/],
  ];
  for (const [query, detail] of wrong)
    t.match(await call('GET', `/agents?${query}`, { as }), { code: 'invalid-request', detail }, query);
  for (const extreme of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00%2B12:00', '9999-12-31T23:59:59-12:00'])
    t.match(await call('GET', `/agents?active_since=${extreme}`, { as }), { code: 200 }, extreme);
  for (const at of [-8.64e15, 8.64e15]) {
    const cursor = Buffer.from(JSON.stringify([at, tenant.id, tenant.id])).toString('base64url');
    t.match(await call('GET', `/agents?after=${cursor}`, { as }), { code: 200 }, `a cursor of ${at}`);
  }
  t.match(await call('GET', '/agents?name=%00', { as }), { code: 200 });
  t.match(await call('GET', '/agents', { as: both }), { code: 'invalid-request', detail: /tenant/ });
  t.match(await call('GET', '/agents?tenant=theirs', { as: both }), { code: 200 });
  t.match(await call('GET', '/agents', { as: nobody }), { code: 'forbidden' });
});

t.test('a shared agent is seen by the guest as what it is; only the owner shares', async (t) => {
  const key = await newAgent(ours, 'shared');
  const path = `/tenants/ours/agents/${key}/shares`;
  t.match(await call('PUT', `${path}/theirs`, { as: owner, body: { permission: 'view' } }), { code: 200 });
  const seen = async () => (await call('GET', '/agents?tenant=theirs', { as: both })).body.items;
  t.match(await seen(), [{ id: key, permission: 'view', owner: { tenantId: ours.id, name: null } }]);
  t.match(await call('PUT', `${path}/${theirs.id}`, { as: owner, body: { permission: 'manage' } }), { code: 200 });
  t.match(await seen(), [{ permission: 'manage' }]);
  t.match((await call('GET', path, { as: owner })).body.items, [{ slug: 'theirs', permission: 'manage' }]);
  const asGuest = `/tenants/theirs/agents/${key}/shares`;
  t.match(await call('GET', asGuest, { as: both }), { code: 'not-found' }, 'the guest does not see with whom else');
  t.match(await call('PUT', `${asGuest}/ours`, { as: both, body: { permission: 'manage' } }), { code: 'not-found' });
  t.match(await call('PUT', `${path}/ours`, { as: owner, body: { permission: 'view' } }), { code: 'invalid-request' });
  t.match(await call('PUT', `${path}/gone`, { as: owner, body: { permission: 'view' } }), { code: 'not-found' });
  t.match(await call('PUT', `${path}/theirs`, { as: owner, body: { permission: 'own' } }), { code: 'invalid-request' });
  t.match(await call('PUT', `${path}/theirs`, { as: viewer, body: { permission: 'view' } }), { code: 'forbidden' });
  t.match(await call('DELETE', `${path}/theirs`, { as: owner }), { code: 204 });
  t.match(await call('DELETE', `${path}/theirs`, { as: owner }), { code: 'not-found' });
  t.same(await seen(), []);
  t.match(await call('PUT', `${path}/theirs`, { as: owner, body: { permission: 'view' } }), { code: 200 });
  t.match(await call('DELETE', `${asGuest}/theirs`, { as: { token: await token(theirs, ['platform:read']) } }), {
    code: 'forbidden',
  });
  t.match(await call('DELETE', `${asGuest}/theirs`, { as: both }), { code: 204 }, 'the guest gives it back');
  t.same(await seen(), []);
  t.match(await call('DELETE', `${asGuest}/theirs`, { as: both }), { code: 'not-found' });
  t.same((await call('GET', path, { as: owner })).body.items, []);
  t.match((await audited('agent.left'))[0], { actor: `tenant:${theirs.id}`, detail: { guest: theirs.id } });
  t.equal((await audited('agent.shared')).length, 3);
  const guests = await admin`select actor, action, detail from audit_log where tenant_id = ${theirs.id} order by seq`;
  t.match(guests, [
    { actor: `tenant:${ours.id}`, action: 'agent.shared' },
    { action: 'agent.shared' },
    { action: 'agent.unshared' },
    { action: 'agent.shared' },
    { action: 'agent.left', detail: JSON.stringify({ ownerId: ours.id, agentId: 'shared' }) },
  ]);
  t.notOk(JSON.stringify(guests).includes(owner.person), "the guest's log names nobody of the owner's");
});

t.test('whoever shares again and again has to wait, so that no audit log of another tenant is flooded', async (t) => {
  const path = `/tenants/ours/agents/${await newAgent(ours, 'flood')}/shares/theirs`;
  let shared = 0;
  for (;;) {
    const permission = shared % 2 === 0 ? 'view' : 'manage';
    const answer = await call('PUT', path, { as: owner, body: { permission } });
    if (answer.code === 'too-many-requests') break;
    t.equal(answer.code, 200);
    if (++shared > 200) return void t.fail('there is no end');
  }
  t.match(await call('DELETE', path, { as: owner }), { code: 204 }, 'it can be taken back all the same');
});

t.test('members are invited, changed and removed, the answer alike whether the address was known', async (t) => {
  const invite = (body: object, as: object = chief) => call('POST', '/tenants/ours/members', { as: as as never, body });
  const fresh = await invite({ email: 'New@Example.com', name: 'Ann', roles: ['viewer'] });
  await newPerson('known');
  const known = await invite({ email: 'known@example.com', name: 'Ann', roles: ['viewer'] });
  t.match(fresh, { code: 201, body: { email: 'new@example.com' } });
  t.match(platform.invitations, [
    { email: 'new@example.com', userId: fresh.body.userId, tenantName: 'ours', invitedBy: 'chief' },
    { email: 'known@example.com', userId: known.body.userId },
  ]);
  const shape = ({ code, body }: typeof fresh) => [code, { ...body, userId: '', email: '' }];
  t.same(shape(fresh), shape(known));
  t.match(await invite({ email: 'new@example.com', name: 'Ann', roles: ['viewer'] }), { code: 201 }, 'sent again');
  t.match(await invite({ email: 'chief@example.com', name: 'x', roles: ['viewer'] }), { code: 'conflict' }, 'a member');
  const wrong: [object, RegExp][] = [
    [{ email: 'nobody', name: 'x', roles: ['viewer'] }, /\/email/],
    [{ email: 'a@b', name: 'a\nb', roles: ['viewer'] }, /\/name/],
    [{ email: 'a@b', name: 'x', roles: [] }, /\/roles/],
    [{ email: 'a@b', name: 'x', roles: ['root'] }, /\/roles/],
    [{ email: 'a@b', name: 'x', roles: ['viewer', 'viewer'] }, /\/roles/],
  ];
  for (const [body, detail] of wrong) t.match(await invite(body), { code: 'invalid-request', detail }, String(detail));
  const path = `/tenants/ours/members/${fresh.body.userId}`;
  t.match(await call('PATCH', path, { as: chief, body: { roles: ['analyst', 'admin'] } }), { code: 200 });
  const listed = (await call('GET', '/tenants/ours/members', { as: chief })).body.items;
  t.match(listed[1], { email: 'new@example.com', name: '', accepted: false, roles: ['analyst', 'admin'] });
  t.match(await call('DELETE', path, { as: chief }), { code: 204 });
  t.match(await call('DELETE', path, { as: chief }), { code: 'not-found' });
  t.match(await call('PATCH', '/tenants/ours/members/x', { as: chief, body: { roles: ['viewer'] } }), {
    code: 'not-found',
  });
  t.equal((await audited('member.invited')).length, 3, 'each');
  t.match(await audited('member.changed'), [{ detail: { before: ['viewer'], roles: ['analyst', 'admin'] } }]);
  t.equal((await audited('member.removed')).length, 1);
});

t.test('an invitation that cannot be sent is told without what belongs to people', async (t) => {
  const { send } = platform.mail;
  t.teardown(() => {
    platform.mail.send = send;
  });
  platform.mail.send = async () => {
    throw new DrizzleQueryError('insert into magic_links values ($1)', ['someone-secret'], new Error('no connection'));
  };
  const body = { email: 'unreached@example.com', name: 'Ann', roles: ['viewer'] };
  t.match(await call('POST', '/tenants/ours/members', { as: chief, body }), {
    code: 201,
    body: { invitationSent: false },
  });
  t.match(platform.problems.at(-1), /could not be sent: .*insert into magic_links[\s\S]*no connection/);
  t.notMatch(platform.problems.at(-1), /someone-secret/);
});

t.test('inviting again gives the roles that it says, to those who may give both', async (t) => {
  const invite = (roles: string[], as: As) =>
    call('POST', '/tenants/ours/members', { as, body: { email: 'mistake@example.com', name: 'M', roles } });
  const { body } = await invite(['owner'], owner);
  t.match(await invite(['viewer'], chief), { code: 'forbidden' }, 'an admin takes no owner back');
  const roles = async () => (await admin`select roles from memberships where user_id = ${body.userId}`)[0]?.['roles'];
  t.same(await roles(), ['owner']);
  t.match(await invite(['viewer'], owner), { code: 201, body: { roles: ['viewer'] } });
  t.same(await roles(), ['viewer']);
  t.match((await audited('member.invited')).at(-1), { detail: { before: ['owner'], roles: ['viewer'] } });
});

t.test('only owners make and unmake owners, and nobody gives what they may not do', async (t) => {
  const member = (id: string) => `/tenants/ours/members/${id}`;
  t.match(await call('PATCH', member(owner.person), { as: chief, body: { roles: ['viewer'] } }), { code: 'forbidden' });
  t.match(await call('DELETE', member(owner.person), { as: chief }), { code: 'forbidden' });
  t.match(await call('PATCH', member(chief.person), { as: chief, body: { roles: ['owner'] } }), { code: 'forbidden' });
  const invitation = { email: 'o@example.com', name: 'O', roles: ['owner'] };
  t.match(await call('POST', '/tenants/ours/members', { as: chief, body: invitation }), { code: 'forbidden' });
  const clerk = { token: await token(ours, ['platform:members', 'platform:read']) };
  t.match(await call('PATCH', member(viewer.person), { as: clerk, body: { roles: ['admin'] } }), { code: 'forbidden' });
  t.match(await call('DELETE', member(chief.person), { as: clerk }), { code: 'forbidden' });
  const all = { token: await token(ours, [...PLATFORM_SCOPES]) };
  t.match(
    await call('POST', '/tenants/ours/members', { as: all, body: invitation }),
    { code: 'forbidden' },
    'no token makes owners',
  );
  t.match(await call('PATCH', member(owner.person), { as: owner, body: { roles: ['admin'] } }), {
    code: 'conflict',
    detail: /last owner/,
  });
  t.match(await call('DELETE', member(owner.person), { as: owner }), { code: 'conflict', detail: /last owner/ });
});

t.test('the last-owner race: owners who unmake one another at the same time leave one', async (t) => {
  for (let round = 0; round < 5; round++) {
    const tenant = await newTenant(`race-${round}`);
    const owners = await Promise.all([0, 1, 2].map((n) => newPerson(`racer-${round}-${n}`, [tenant, ['owner']])));
    const outcomes = await Promise.all(
      owners.flatMap((person, index) => [
        call('DELETE', `/tenants/${tenant.id}/members/${person}`, { as: { person } }),
        call('PATCH', `/tenants/${tenant.id}/members/${owners[(index + 1) % 3]}`, {
          as: { person },
          body: { roles: ['viewer'] },
        }),
      ]),
    );
    const [left] = await admin`
      select count(*)::int as n from memberships where tenant_id = ${tenant.id} and 'owner' = any(roles)`;
    t.equal(left?.['n'], 1, outcomes.map(({ code }) => code).join(' '));
  }
});

t.test('the last-owner race: owners who disable one another at the same time leave one', async (t) => {
  for (let round = 0; round < 5; round++) {
    const tenant = await newTenant(`duel-${round}`);
    const [one, two] = await Promise.all([1, 2].map((n) => newPerson(`dueller-${round}-${n}`, [tenant, ['owner']])));
    const disable = (whom: string | undefined, person: string | undefined) =>
      call('POST', `/tenants/${tenant.id}/members/${whom}/disable`, { as: { person: person as string } });
    const outcomes = await Promise.all([disable(two, one), disable(one, two)]);
    t.same(new Set(outcomes.map(({ code }) => code)), new Set([200, 'unauthorized']));
  }
});

t.test('an owner who cannot sign in does not count as the one that a tenant needs', async (t) => {
  const tenant = await newTenant('stranded');
  const real = await newPerson('real', [tenant, ['owner']]);
  const brought = await newPerson('brought', [tenant, ['owner']]);
  await admin`update users set signs_in_by_email = false where id = ${brought}`;
  const leave = () => call('DELETE', `/tenants/stranded/members/${real}`, { as: { person: real } });
  t.match(await leave(), { code: 'conflict', detail: /can sign in/ }, 'no connection knows them');
  const [connection] = await admin`
    insert into sso_connections (tenant_id, kind, name, state, settings)
    values (${tenant.id}, 'oidc', 'Corp', 'disabled', '{}') returning id`;
  const id = connection?.['id'] as string;
  await admin`
    insert into user_identities (tenant_id, connection_id, subject, user_id) values (${tenant.id}, ${id}, 's', ${brought})`;
  t.match(await leave(), { code: 'conflict' }, 'one that signs nobody in');
  const disabling = await call('POST', `/tenants/stranded/members/${real}/disable`, { as: { person: brought } });
  t.match(disabling, { code: 'conflict', detail: /can sign in/ });
  await admin`update sso_connections set state = 'enabled' where id = ${id}`;
  t.match(await leave(), { code: 204 });
});

t.test('what a member minted for the platform ends with their roles; sensors go on', async (t) => {
  const leaving = { person: await newPerson('leaving', [ours, ['admin']]) };
  const mint = (body: object) => call('POST', '/tenants/ours/tokens', { as: leaving, body });
  const program = (await mint({ name: 'program', kind: 'platform', scopes: ['platform:members'], days: 9 })).body;
  const sensor = (await mint({ name: 'sensor', kind: 'ingest', days: 9 })).body;
  t.match(await call('GET', '/tenants/ours/members', { as: { token: program.token } }), { code: 200 });
  t.match(await call('DELETE', `/tenants/ours/members/${leaving.person}`, { as: chief }), { code: 204 });
  const [minted] = await admin`select revoked_at from access_tokens where token_id = ${program.id}`;
  t.not(minted?.['revoked_at'], null);
  t.equal(
    (await admin`select 1 from token_revocations where token_id = ${program.id}`).length,
    1,
    'refused everywhere',
  );
  t.equal((await admin`select 1 from token_revocations where token_id = ${sensor.id}`).length, 0);
});

/** A platform token that a person or a token mints, good for `days`. */
async function mintPlatform(as: As, days: number) {
  const scopes = ['platform:members', 'platform:tokens'];
  const minted = await call('POST', '/tenants/ours/tokens', {
    as,
    body: { name: 'p', kind: 'platform', scopes, days },
  });
  return { code: minted.code, body: minted.body, as: { token: minted.body?.token ?? '' } };
}

/** Which of the tokens are refused everywhere. */
const refused = async (...minted: { body: { id: string } }[]) => {
  const ids = minted.map(({ body }) => body.id);
  const rows = await admin`select token_id from token_revocations where token_id = any(${ids})`;
  return ids.map((id) => rows.some((row) => row['token_id'] === id));
};

t.test('a token that a token minted has the same person behind it, and ends with them', async (t) => {
  for (const end of ['leave', 'disable'] as const) {
    const person = await newPerson(`minter-${end}`, [ours, ['admin']]);
    const first = await mintPlatform({ person }, 9);
    const second = await mintPlatform(first.as, 8);
    const third = await mintPlatform(second.as, 7);
    t.match([second, third], [{ body: { createdBy: person } }, { body: { createdBy: person } }]);
    const member = `/tenants/ours/members/${person}`;
    if (end === 'leave') t.match(await call('DELETE', member, { as: chief }), { code: 204 });
    else t.match(await call('POST', `${member}/disable`, { as: owner }), { code: 200 });
    t.same(await refused(first, second, third), [true, true, true], end);
    t.match(await mintPlatform(third.as, 6), { code: 'unauthorized' }, 'nor does it mint, from that moment on');
  }
});

t.test('whoever revokes a token revokes what was minted by way of it, and nothing else', async (t) => {
  const [first, other] = [await mintPlatform(chief, 9), await mintPlatform(chief, 9)];
  const second = await mintPlatform(first.as, 8);
  const third = await mintPlatform(second.as, 7);
  const sensor = await call('POST', '/tenants/ours/tokens', {
    as: second.as,
    body: { name: 's', kind: 'ingest', days: 6 },
  });
  t.match(await call('DELETE', `/tenants/ours/tokens/${second.body.id}`, { as: chief }), { code: 204 });
  t.same(await refused(first, second, third, sensor, other), [false, true, true, false, false]);
  t.match((await audited('token.revoked')).at(-1), { target: second.body.id, detail: { ended: 1 } });
});

t.test('the operator revokes a token of theirs with what it minted, whether it is in the books or not', async (t) => {
  const { TokenRevocations } = await import('../../src/store/token-revocations.ts');
  const unrecorded = await token(ours, ['platform:tokens', 'platform:members'], 'platform', 20 * 86_400);
  const [, claims = ''] = unrecorded.split('.');
  const { jti, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const first = await mintPlatform({ token: unrecorded }, 9);
  const second = await mintPlatform(first.as, 8);
  t.match([first, second], [{ body: { createdBy: null } }, { body: { createdBy: null } }]);
  await new TokenRevocations(platform.database).revoke({ tokenId: jti, expiresAt: exp });
  t.same(await refused({ body: { id: jti } }, first, second), [true, true, true]);
});

t.test('of tokens from before it was kept who minted them, the audit log tells', async (t) => {
  const first = await mintPlatform(chief, 9);
  const second = await mintPlatform(first.as, 8);
  const third = await mintPlatform(second.as, 7);
  const other = await mintPlatform(chief, 9);
  const ids = [first, second, third, other].map(({ body }) => body.id);
  const books = async () => [
    ...(await admin`
      select parent_id, created_by from access_tokens where token_id = any(${ids}) order by array_position(${ids}, token_id)`),
  ];
  const kept = await books();
  t.match(kept, [{ parent_id: null }, { parent_id: first.body.id, created_by: chief.person }]);
  // As they were stored before.
  await admin`
    update access_tokens set parent_id = null, created_by = null where token_id in (${second.body.id}, ${third.body.id})`;
  await admin`update access_tokens set revoked_at = now() where token_id = ${first.body.id}`;
  await admin.unsafe(readFileSync('migrations/0021_parents_of_old_tokens.sql', 'utf8'));
  t.same(await books(), kept);
  const revoke = () => call('DELETE', `/tenants/ours/tokens/${first.body.id}`, { as: chief });
  t.same(await refused(first, second, third, other), [true, false, false, false], 'a migration ends nothing');
  const before = (await audited('token.revoked')).length;
  t.match(await revoke(), { code: 204 });
  t.same(await refused(first, second, third, other), [true, true, true, false]);
  t.match((await audited('token.revoked')).slice(before), [{ target: first.body.id, detail: { ended: 2 } }]);
  t.match(await revoke(), { code: 204 });
  t.equal((await audited('token.revoked')).length, before + 1);
});

t.test('of tokens that mint while they end, none leaves one behind', async (t) => {
  for (let round = 0; round < 5; round++) {
    const first = await mintPlatform(chief, 9);
    const second = await mintPlatform(first.as, 8);
    const [, , ...minted] = await Promise.all([
      call('DELETE', `/tenants/ours/tokens/${first.body.id}`, { as: chief }),
      call('DELETE', `/tenants/ours/tokens/${second.body.id}`, { as: chief }),
      ...[1, 2, 3].map(() => mintPlatform(second.as, 7)),
    ]);
    const made = minted.filter(({ code }) => code === 201);
    t.same(
      await refused(...made),
      made.map(() => true),
    );
  }
});

t.test('of people who mint while their rights are taken, none is left with a token', async (t) => {
  const waiting = async (count: number) => {
    for (const untilMs = Date.now() + 20_000; Date.now() < untilMs; await sleep(10)) {
      const [row] = await admin`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`;
      if (row?.['n'] === count) return;
    }
    t.fail(`there are not ${count} that wait`);
  };
  for (const end of ['leave', 'change', 'disable'] as const)
    for (const isFirst of [true, false]) {
      const person = await newPerson(`hasty-${end}-${isFirst}`, [ours, ['admin']]);
      const member = `/tenants/ours/members/${person}`;
      const take = () => {
        if (end === 'leave') return call('DELETE', member, { as: chief });
        if (end === 'disable') return call('POST', `${member}/disable`, { as: owner });
        return call('PATCH', member, { as: chief, body: { roles: ['viewer'] } });
      };
      let taking: ReturnType<typeof take> | undefined;
      let minting: ReturnType<typeof mintPlatform> | undefined;
      const begin = [() => (minting = mintPlatform({ person }, 9)), () => (taking = take())];
      // Both write to the audit log last: so they come that far, or wait for one another, and then go on in this order.
      await admin.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.auditLog}, hashtext(${ours.id}))`;
        for (const [at, start] of (isFirst ? begin : begin.toReversed()).entries()) {
          void start();
          await waiting(at + 1);
        }
      });
      t.equal((await taking)?.status, 'answer');
      const minted = await minting;
      t.match(minted, isFirst ? { code: 201 } : { code: 'forbidden' }, `${end}: ${minted?.code}`);
      const left = await admin`select 1 from access_tokens where created_by = ${person} and revoked_at is null`;
      t.equal(left.length, 0, end);
    }
});

t.test('a token trusts no issuer with the platform: what it lets in would outlive it', async (t) => {
  const issuer = (scopes: string[]) => ({
    issuer: `https://login.example/${scopes.length}`,
    jwksUrl: 'https://login.example/keys',
    audience: 'gatehouse',
    scopes,
  });
  const as = { token: await token(ours, ['platform:tokens', 'platform:read']) };
  t.match(await call('POST', '/tenants/ours/issuers', { as, body: issuer(['platform:read']) }), {
    code: 'forbidden',
    detail: /only a person/,
  });
  t.match(await call('POST', '/tenants/ours/issuers', { as: chief, body: issuer(['platform:read']) }), { code: 201 });
});

t.test('settings of a tenant are read and changed, and the log says what they were', async (t) => {
  t.match(await call('GET', '/tenants/ours', { as: viewer }), {
    code: 200,
    body: { id: ours.id, slug: 'ours', onFailure: 'allow' },
  });
  const change = (body: object, as: object = chief) => call('PATCH', '/tenants/ours', { as: as as never, body });
  t.match(await change({ onFailure: 'block' }, viewer), { code: 'forbidden' });
  t.match(await change({ name: 'Ours Ltd', onFailure: 'block' }), {
    code: 200,
    body: { name: 'Ours Ltd', onFailure: 'block' },
  });
  t.match(await change({ name: 'Ours Ltd' }), { code: 200 });
  t.match(await audited('tenant.changed'), [{ detail: { name: ['ours', 'Ours Ltd'], onFailure: ['allow', 'block'] } }]);
  for (const body of [{}, { slug: 'x' }, { onFailure: 'maybe' }, { name: '' }, { name: ' x' }])
    t.match(await change(body), { code: 'invalid-request' }, JSON.stringify(body));
});

t.test('the audit log is read in pages, newest first, by those who may', async (t) => {
  t.match(await call('GET', '/tenants/ours/audit', { as: viewer }), { code: 'forbidden' });
  const first = (await call('GET', '/tenants/ours/audit?first=3', { as: chief })).body;
  const next = (await call('GET', `/tenants/ours/audit?first=3&after=${first.pageInfo.endCursor}`, { as: chief })).body;
  const seqs = [...first.items, ...next.items].map(({ seq }) => seq);
  t.same(
    seqs,
    Array.from({ length: 6 }, (_, index) => (seqs[0] ?? 0) - index),
  );
  t.match(first.items[0], { action: 'tenant.changed', address: '192.0.2.7', hash: /^[\da-f]{64}$/ });
  t.match(await call('GET', '/tenants/ours/audit?after=0', { as: chief }), { code: 'invalid-request' });
});

t.test("what the operator changes is in the tenant's log", async (t) => {
  t.equal(await updateTenant(platform.database, ours.slug, { onFailure: 'degrade' }), 'changed');
  t.match((await audited('tenant.changed')).at(-1), { actor: 'operator', detail: { onFailure: 'degrade' } });
  t.equal(await updateTenant(platform.database, ours.slug, { onFailure: 'allow' }), 'changed');
});

t.test('tokens of a retired key say so', async (t) => {
  const as = chief;
  const signedBefore = platform.keys.signing.kid;
  const older = await call('POST', '/tenants/ours/tokens', { as, body: { name: 'older', kind: 'ingest' } });
  t.match(older.body, { keyRetired: false });
  await rotateSigningKey(platform.dataDir);
  await platform.keys.refresh();
  const newer = await call('POST', '/tenants/ours/tokens', { as, body: { name: 'newer', kind: 'ingest' } });
  t.equal(await retireSigningKey(platform.dataDir, signedBefore), 'retired');
  await platform.keys.refresh();
  const { items } = (await call('GET', '/tenants/ours/tokens', { as })).body;
  t.match(items.slice(0, 2), [
    { id: newer.body.id, keyRetired: false },
    { id: older.body.id, keyRetired: true, revokedAt: null },
  ]);
  t.match(
    await call('DELETE', `/tenants/ours/tokens/${older.body.id}`, { as }),
    { code: 204 },
    'the key may come back',
  );
});
