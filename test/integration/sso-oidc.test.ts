import t, { type Test } from 'tap';
import { type Permission, permissionsOf } from '../../src/domain/roles.ts';
import { guardedFetch, isPrivateAddress } from '../../src/identity/guarded-fetch.ts';
import { OidcProviders } from '../../src/identity/oidc.ts';
import { SigningKeys } from '../../src/identity/signing-keys.ts';
import { admissionOf } from '../../src/platform/admission.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { ssoAdminRoutes } from '../../src/platform/sso-admin-routes.ts';
import { providerLogoutUrl, ssoFor } from '../../src/platform/sso-routes.ts';
import { mintToken } from '../../src/platform/token-routes.ts';
import { SECRET, signInAtProvider, startLiar, startOidcProvider } from '../support/oidc-providers.ts';
import { ask } from '../support/route-browser.ts';
import { BASE_URL, openSsoSetting } from '../support/sso.ts';

/** Sign-in with OpenID Connect, against a real provider and against one that lies. */

const setting = await openSsoSetting(t);
const { administer, audited, begun, browser, connect, sql, tenant } = setting;
const liar = await startLiar(t);

const roles = {
  claim: 'groups',
  table: [
    { value: 'security', role: 'analyst' },
    { value: 'admins', role: 'admin' },
  ],
};
const MAPPING = { roles, defaultRole: 'viewer' };
const CLIENT = 'gatehouse';

/** A connection and the real provider behind it. */
async function connectReal(settings: object = {}) {
  // The provider must know the address that a connection gets when it is made, and the connection its provider.
  const placeholder = { issuer: liar.issuer, clientId: CLIENT, clientSecret: SECRET, passwordBased: false };
  const { id, own } = await connect('oidc', placeholder, 'Real provider');
  const issuer = await startOidcProvider(t, CLIENT, [`${own}/callback`]);
  const whole = { issuer, clientId: CLIENT, clientSecret: SECRET, passwordBased: false, mapping: MAPPING, ...settings };
  const { answer } = await administer('PATCH', `/sso-connections/${id}`, { settings: whole });
  if (answer.kind === 'refusal') throw new Error(answer.detail);
  return { id, own, issuer };
}

const real = await connectReal();
const lying = await connect('oidc', {
  issuer: liar.issuer,
  clientId: CLIENT,
  clientSecret: SECRET,
  passwordBased: false,
  mapping: { defaultRole: 'viewer' },
});

/** A sign-in at the liar, up to the address it sends the browser back to. */
async function throughLiar(own = lying.own, query = '') {
  const person = browser();
  const back = await person.follow(`${own}/start${query}`, (url) => url.href.startsWith(`${own}/callback`));
  return { person, back: back.location ?? '' };
}

t.afterEach(() => {
  liar.lie.current = {};
  setting.clock.aheadMs = 0;
});

t.test('a whole sign-in: redirected, provisioned, a member with mapped roles, audited', async (t) => {
  const person = browser();
  const back = await signInAtProvider(person, `${real.own}/start?return_to=/agents%3Fq=1`, 'ann', real.own);
  const visit = await person.visit(back);
  t.equal(visit.status, 303);
  t.equal(visit.location, '/agents?q=1');
  t.ok(await setting.sessions.look(person.cookie('session')));
  t.same(
    person.cookieNames.filter((name) => name.startsWith('sso_')),
    [],
    'the cookie of the sign-in is gone',
  );
  const [start] = begun.slice(-1);
  t.match(start, { method: 'oidc', connectionId: real.id });
  const [user] =
    await sql`select email, name, signs_in_by_email as by_email from users where id = ${start?.userId ?? ''}`;
  t.same({ ...user }, { email: 'ann@acme.example', name: 'ann of Acme', by_email: false });
  const members = await sql`select tenant_id, roles from memberships where user_id = ${start?.userId ?? ''}`;
  t.same(
    members.map((row) => ({ ...row })),
    [{ tenant_id: tenant.id, roles: ['analyst'] }],
    'of this tenant alone',
  );
  const [entry] = (await audited('sign_in.succeeded')).slice(-1);
  t.match(entry, { actor: `user:${start?.userId}`, target: real.id, detail: { method: 'oidc' } });
});

t.test('the same subject is the same user, and roles follow the claims at each sign-in', async (t) => {
  const before = begun.length;
  const settings = (table: object[]) => ({
    settings: {
      issuer: real.issuer,
      clientId: CLIENT,
      passwordBased: false,
      mapping: { roles: { claim: 'groups', table }, defaultRole: 'viewer' },
    },
  });
  await administer('PATCH', `/sso-connections/${real.id}`, settings([{ value: 'staff', role: 'admin' }]));
  const person = browser();
  await person.visit(await signInAtProvider(person, `${real.own}/start`, 'ann', real.own));
  t.equal(begun.length, before + 1, 'the client secret was kept');
  t.equal(begun.at(-1)?.userId, begun.at(-2)?.userId);
  const [member] = await sql`select roles from memberships where user_id = ${begun.at(-1)?.userId ?? ''}`;
  t.same(member?.['roles'], ['admin']);
  t.match((await audited('member.changed')).at(-1)?.detail, { from: ['analyst'], to: ['admin'] });
  await administer('PATCH', `/sso-connections/${real.id}`, settings(roles.table));
});

t.test('an e-mail address never joins two people: the administrator of that address is not signed in', async (t) => {
  const person = browser();
  await person.visit(await signInAtProvider(person, `${real.own}/start`, 'admin', real.own));
  const users = await sql`select id, signs_in_by_email as by_email from users where email = 'admin@acme.example'`;
  t.equal(users.length, 2);
  const own = users.find((row) => row['by_email'] === true);
  t.not(begun.at(-1)?.userId, own?.['id']);
});

t.test('PKCE and a nonce are asked for, and the provider ends its own session', async (t) => {
  const person = browser();
  const sent = new URL((await person.visit(`${real.own}/start`)).location ?? '');
  t.equal(sent.searchParams.get('code_challenge_method'), 'S256');
  t.match(sent.searchParams.get('code_challenge'), /^[\w-]{43}$/);
  t.match(sent.searchParams.get('nonce'), /^[\w-]{43}$/);
  t.match(sent.searchParams.get('state'), /^[\w-]{43}$/);
  const url = await providerLogoutUrl(setting.options, {
    connectionId: real.id,
    providerSession: begun.at(-1)?.providerSession ?? '',
  });
  t.match(url, /\/session\/end\?.*id_token_hint=/);
  t.notMatch(begun.at(-1)?.providerSession, /eyJ/, 'what the session keeps is sealed');
});

t.test('missing state: refused', async (t) => {
  const { person, back } = await throughLiar();
  const url = new URL(back);
  url.searchParams.delete('state');
  t.match(await person.visit(url.href), { slug: 'unauthorized', body: /not under way/ });
});

t.test('wrong state: refused', async (t) => {
  const { person, back } = await throughLiar();
  const url = new URL(back);
  url.searchParams.set('state', 'a'.repeat(43));
  t.match(await person.visit(url.href), { slug: 'unauthorized', body: /not under way/ });
});

t.test('state from another browser: refused, and still good in its own', async (t) => {
  const { person, back } = await throughLiar();
  t.match(await browser().visit(back), { slug: 'unauthorized', body: /not under way/ });
  const { person: attacker } = await throughLiar();
  t.match(await attacker.visit(back), { slug: 'unauthorized' }, 'with a sign-in of its own under way, too');
  t.equal((await person.visit(back)).status, 303);
});

t.test('state replayed: a sign-in comes back once', async (t) => {
  const { person, back } = await throughLiar();
  t.equal((await person.visit(back)).status, 303);
  t.match(await person.visit(back), { slug: 'unauthorized', body: /not under way/ });
});

t.test('pending expired: refused after ten minutes', async (t) => {
  const { person, back } = await throughLiar();
  setting.clock.aheadMs = 10 * 60_000 + 1;
  t.match(await person.visit(back), { slug: 'unauthorized', body: /not under way/ });
});

t.test('who is refused is shown a page with a way back to the sign-in page; a program is told a Problem', async (t) => {
  const { back } = await throughLiar();
  const asked = (accept: string) => ask(setting.routes, { method: 'GET', url: back, headers: { accept } });
  const page = await asked('text/html,*/*');
  t.match(page, {
    kind: 'refusal',
    slug: 'unauthorized',
    page: /This sign-in is not under way.*href="\/api\/v1\/auth\/login"/s,
  });
  t.notOk('page' in (await asked('application/json')));
});

t.test('state of another connection: refused', async (t) => {
  const { person, back } = await throughLiar();
  t.match(await person.visit(back.replace(lying.id, real.id)), { slug: 'unauthorized' });
});

t.test('code replay: a code in a second sign-in is refused by the provider', async (t) => {
  const first = browser();
  const back = new URL(await signInAtProvider(first, `${real.own}/start`, 'ann', real.own));
  await first.visit(back.href);
  const second = browser();
  const again = new URL(await signInAtProvider(second, `${real.own}/start`, 'ann', real.own));
  again.searchParams.set('code', back.searchParams.get('code') ?? '');
  const before = begun.length;
  t.match(await second.visit(again.href), { slug: 'unauthorized', body: /invalid_grant/ });
  t.equal(begun.length, before);
  t.match((await audited('sign_in.failed')).at(-1), { actor: 'nobody', target: real.id });
});

t.test('PKCE missing: a code that was asked for without our challenge is refused', async (t) => {
  const victim = browser();
  const sent = new URL((await victim.visit(`${real.own}/start`)).location ?? '');
  // The code of another authorization request, which had another challenge.
  sent.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
  const back = await signInAtProvider(victim, sent.href, 'ann', real.own);
  t.match(await victim.visit(back), { slug: 'unauthorized', body: /invalid_grant/ });
});

/** Signs in at the liar, and expects to be refused. */
async function refused(t: Test, body: RegExp) {
  const before = begun.length;
  const { person, back } = await throughLiar();
  t.match(await person.visit(back), { slug: 'unauthorized', body });
  t.equal(begun.length, before, 'nobody was signed in');
  t.equal(person.cookie('session'), undefined);
}

const INVENTED = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

t.test('nonce mismatch: refused', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, nonce: 'another' }) };
  await refused(t, /nonce/);
});

t.test('nonce missing: refused', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, nonce: undefined }) };
  await refused(t, /nonce/);
});

t.test('alg:none: refused', async (t) => {
  liar.lie.current = { token: (right) => INVENTED({ alg: 'none' }, right) };
  await refused(t, /refused/);
});

t.test('a signature by a stranger: refused', async (t) => {
  liar.lie.current = { keyless: true };
  await refused(t, /signature/i);
});

t.test('wrong iss: refused', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, iss: 'https://other.example' }) };
  await refused(t, /iss/);
});

t.test('wrong aud: refused', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, aud: 'another-client' }) };
  await refused(t, /aud/);
});

t.test('wrong azp: refused, with one audience and with two', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, azp: 'another-client' }) };
  await refused(t, /azp/);
  liar.lie.current = { claims: (right) => ({ ...right, aud: [CLIENT, 'another-client'], azp: 'another-client' }) };
  await refused(t, /azp/);
  liar.lie.current = { claims: (right) => ({ ...right, aud: [CLIENT, 'another-client'] }) };
  await refused(t, /aud/);
});

t.test('an expired ID token: refused', async (t) => {
  liar.lie.current = { claims: (right) => ({ ...right, exp: 1_000_000_000 }) };
  await refused(t, /refused/);
});

t.test('mix-up: an answer of another issuer is refused, and so is one without issuer', async (t) => {
  liar.lie.current = { back: (query) => query.set('iss', real.issuer) };
  const before = liar.tokens.count;
  await refused(t, /iss/);
  liar.lie.current = { back: (query) => query.delete('iss') };
  await refused(t, /iss/);
  t.equal(liar.tokens.count, before, 'no code was given away');
});

t.test("mix-up: a code of one provider at the other one's address does not count", async (t) => {
  const { person, back } = await throughLiar();
  const honest = browser();
  const good = new URL(await signInAtProvider(honest, `${real.own}/start`, 'ann', real.own));
  const mixed = new URL(back);
  mixed.searchParams.set('code', good.searchParams.get('code') ?? '');
  mixed.searchParams.set('iss', real.issuer);
  t.match(await person.visit(mixed.href), { slug: 'unauthorized' });
});

t.test('open redirect in return_to: refused, whatever its form', async (t) => {
  const bad = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/%09//x\u0000',
    `/${'a'.repeat(2000)}`,
    '/.//evil.example',
    '/a/..//evil.example',
  ];
  for (const path of bad)
    t.match(
      await browser().visit(`${lying.own}/start?return_to=${encodeURIComponent(path)}`),
      { slug: 'invalid-request' },
      JSON.stringify(path),
    );
});

t.test('an error of the provider is told by its code alone', async (t) => {
  liar.lie.current = {
    back: (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
      query.set('error_description', '<script>');
    },
  };
  await refused(t, /access_denied$/);
});

t.test('a provider in a private network is not asked, unless the operator allows it', async (t) => {
  const guarded = guardedFetch({ privateNetworks: 'refuse' });
  await t.rejects(guarded(`${liar.issuer}/jwks`), /private network/);
  await t.rejects(guarded('https://localhost/x'), /private network/);
  await t.rejects(guarded('http://example.com/x'), /https only/);
  await t.rejects(guarded('https://[::ffff:169.254.169.254]/'), /private network/);
  for (const address of [
    '10.1.2.3',
    '169.254.169.254',
    '192.168.1.1',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:8.8.8.8',
    '100.64.0.1',
    '64:ff9b::a00:1',
  ])
    t.ok(isPrivateAddress(address), address);
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111']) t.notOk(isPrivateAddress(address), address);
  const small = guardedFetch({ privateNetworks: 'allow', answerBytesMax: 10 });
  await t.rejects(small(`${liar.issuer}/jwks`), /more than 10 bytes/);
});

t.test('addresses of other domains may not come in where domains are named', async (t) => {
  const own = { issuer: liar.issuer, clientId: CLIENT, passwordBased: false, mapping: { defaultRole: 'viewer' } };
  const { own: address } = await connect('oidc', { ...own, emailDomains: ['acme.example'] });
  liar.lie.current = { claims: (right) => ({ ...right, email: 'x@evil.example' }) };
  const one = await throughLiar(address);
  t.match(await one.person.visit(one.back), { slug: 'unauthorized', body: /domain/ });
  for (const email_verified of [false, 'false', 'False', 'FALSE', 0, '0', 'no', [true, false]]) {
    liar.lie.current = { claims: (right) => ({ ...right, email_verified }) };
    const two = await throughLiar(address);
    t.match(await two.person.visit(two.back), { slug: 'unauthorized', body: /domain/ }, String(email_verified));
  }
  for (const email_verified of [true, 'true', 'True', 1, undefined]) {
    liar.lie.current = { claims: (right) => ({ ...right, email_verified }) };
    const three = await throughLiar(address);
    t.match(await three.person.visit(three.back), { status: 303 }, String(email_verified));
  }
});

t.test('an issuer that stands for every directory, or is the address of metadata: not used', async (t) => {
  const authorize = (issuer: string, told: string) => {
    const metadata = {
      issuer: told,
      authorization_endpoint: `${told}/authorize`,
      token_endpoint: `${told}/token`,
      jwks_uri: `${told}/keys`,
    };
    const oidc = new OidcProviders(async () => Response.json(metadata));
    const settings = { issuer, clientId: CLIENT, passwordBased: false };
    return oidc.authorizeUrl({ id: '1', version: '1', settings }, `${BASE_URL}/callback`, oidc.checks());
  };
  const entra = 'https://login.microsoftonline.com';
  await t.rejects(authorize(`${entra}/common/v2.0`, `${entra}/{tenantid}/v2.0`), /names no directory/);
  await t.rejects(authorize(`${entra}/organizations/v2.0`, `${entra}/{tenantid}/v2.0`), /names no directory/);
  await t.resolves(authorize(`${entra}/0000-1/v2.0`, `${entra}/0000-1/v2.0`));
  const address = 'https://idp.example/.well-known/openid-configuration';
  await t.rejects(authorize(address, 'https://another.example'), /the issuer itself/);
});

t.test('whoever has no role by the mapping stays out, and loses what they had', async (t) => {
  const mapping = { roles: { claim: 'groups', table: [{ value: 'in', role: 'viewer' }] } };
  const { own } = await connect('oidc', { issuer: liar.issuer, clientId: CLIENT, passwordBased: false, mapping });
  liar.lie.current = { claims: (right) => ({ ...right, groups: ['owner', 'admin'] }) };
  const one = await throughLiar(own);
  t.match(await one.person.visit(one.back), { slug: 'forbidden', body: /no role/ });
  liar.lie.current = { claims: (right) => ({ ...right, groups: 'in' }) };
  const two = await throughLiar(own);
  t.equal((await two.person.visit(two.back)).status, 303);
  liar.lie.current = { claims: (right) => ({ ...right, groups: [] }) };
  const three = await throughLiar(own);
  const changed: string[] = [];
  t.teardown(setting.sessions.onRightsChanged((userId) => changed.push(userId)));
  t.match(await three.person.visit(three.back), { slug: 'forbidden', body: /no role/ });
  t.same(changed, [begun.at(-1)?.userId], 'what they hold open is looked at again');
  t.same([...(await sql`select 1 from memberships where user_id = ${begun.at(-1)?.userId ?? ''}`)], []);
  t.equal((await audited('member.removed')).at(-1)?.target, begun.at(-1)?.userId);
});

/** What somebody minted: a platform token and a sensor's; which of them are good. */
async function mintedBy(userId: string) {
  const ids = { platform: `platform ${userId} ${Math.random()}`, sensor: `sensor ${userId} ${Math.random()}` };
  await sql`
    insert into access_tokens (token_id, tenant_id, subject, audience, scopes, created_by, expires_at)
    values (${ids.platform}, ${tenant.id}, 's', 'gatehouse-platform', array['platform:read'], ${userId}, now() + interval '1 day'),
      (${ids.sensor}, ${tenant.id}, 's', 'gatehouse-events', array['events:write'], ${userId}, now() + interval '1 day')`;
  return async () => {
    const good = await sql`
      select split_part(token_id, ' ', 1) as kind from access_tokens
      where token_id in (${ids.platform}, ${ids.sensor}) and revoked_at is null order by 1`;
    return good.map((row) => row['kind'] as string);
  };
}

t.test(
  'what somebody minted for the platform ends where their provider, or its removal, takes their roles',
  async (t) => {
    const table = [
      { value: 'staff', role: 'analyst' },
      { value: 'guest', role: 'viewer' },
    ];
    const mapping = { roles: { claim: 'groups', table } };
    const settings = { issuer: liar.issuer, clientId: CLIENT, passwordBased: false, mapping };
    const { id, own } = await connect('oidc', settings);
    const signIn = async (...groups: string[]) => {
      liar.lie.current = { claims: (right) => ({ ...right, groups }) };
      const { person, back } = await throughLiar(own);
      await person.visit(back);
      return begun.at(-1)?.userId ?? '';
    };
    const userId = await signIn('staff');
    let good = await mintedBy(userId);
    t.equal(await signIn('staff'), userId);
    t.same(await good(), ['platform', 'sensor'], 'the same roles as before');
    await signIn('guest');
    t.same(await good(), ['sensor'], 'other roles');
    good = await mintedBy(userId);
    await signIn();
    t.same(await good(), ['sensor'], 'none');
    await signIn('guest');
    good = await mintedBy(userId);
    const others = await mintedBy(setting.adminId);
    t.equal((await administer('POST', `/sso-connections/${id}/disable`)).answer.kind, 'answer');
    t.same(await good(), ['sensor'], 'no way to sign in');
    t.same(await others(), ['platform', 'sensor'], 'nobody else is concerned');
    await administer('POST', `/sso-connections/${id}/enable`);
    t.same(await good(), ['sensor'], 'what ended does not come back');
    good = await mintedBy(userId);
    t.equal((await administer('DELETE', `/sso-connections/${id}`)).answer.kind, 'answer');
    t.same(await good(), ['sensor'], 'none ever again');
  },
);

t.test('whoever mints with what a connection gave them is asked whether it is enabled still', async (t) => {
  const settings = { issuer: liar.issuer, clientId: CLIENT, passwordBased: false, mapping: { defaultRole: 'admin' } };
  const { id, own } = await connect('oidc', settings);
  const { person, back } = await throughLiar(own);
  await person.visit(back);
  const keys = await SigningKeys.open(setting.dataDir);
  const userId = begun.at(-1)?.userId ?? '';
  // As they were when they were asked who they are.
  const caller: Caller = {
    kind: 'person',
    userId,
    email: 'e',
    name: 'n',
    organization: { id: '', name: '' },
    loginSessionId: '',
    tenants: new Map([[tenant.id, ['admin'] as const]]),
  };
  const admission = admissionOf(setting.options.tenantDatabase, { caller, tenantId: tenant.id, address: '192.0.2.1' });
  const mint = () => mintToken({ ...setting.options, keys }, admission, { name: 'n', kind: 'ingest' });
  t.match(await mint(), { token: String });
  await administer('POST', `/sso-connections/${id}/disable`);
  t.match(await mint(), { slug: 'forbidden' });
  await administer('POST', `/sso-connections/${id}/enable`);
  t.match(await mint(), { token: String });
  await administer('DELETE', `/sso-connections/${id}`);
  t.match(await mint(), { slug: 'forbidden' });
});

t.test('whoever was removed stays out where roles do not come from claims', async (t) => {
  const one = await throughLiar();
  await one.person.visit(one.back);
  const userId = begun.at(-1)?.userId ?? '';
  await sql`delete from memberships where user_id = ${userId}`;
  const two = await throughLiar();
  t.match(await two.person.visit(two.back), { slug: 'forbidden', body: /removed/ });
  await sql`insert into memberships (tenant_id, user_id, roles) values (${tenant.id}, ${userId}, array['owner'])`;
  const three = await throughLiar();
  t.equal((await three.person.visit(three.back)).status, 303);
  await sql`update users set disabled_at = now() where id = ${userId}`;
  const four = await throughLiar();
  t.match(await four.person.visit(four.back), { slug: 'forbidden', body: /disabled/ });
  await sql`update users set disabled_at = null where id = ${userId}`;
});

t.test('a test run shows what came and what it maps to, and signs nobody in', async (t) => {
  const settings = { issuer: liar.issuer, clientId: CLIENT, passwordBased: true };
  const { value } = await administer('POST', '/sso-connections', { kind: 'oidc', name: '<b>Draft</b>', settings });
  const id = String(value['id']);
  const own = `${BASE_URL}/api/v1/auth/sso/${id}`;
  t.match(await browser().visit(`${own}/start`), { slug: 'forbidden', body: /not enabled/ });
  t.match(await browser().visit(`${own}/start?test=forged`), { slug: 'forbidden' });
  const begins = begun.length;
  const { value: run } = await administer('POST', `/sso-connections/${id}/test`);
  liar.lie.current = { claims: (right) => ({ ...right, name: '<script>alert(1)</script>' }) };
  const person = browser();
  const back = await person.follow(String(run['startUrl']), (url) => url.href.startsWith(`${own}/callback`));
  const page = await person.visit(back.location ?? '');
  t.equal(page.status, 200);
  t.match(page.body, /Nobody was signed in/);
  t.match(page.body, /liar@acme\.example/);
  t.match(page.body, /&lt;script&gt;/);
  t.notMatch(page.body, /<script>|<b>Draft/);
  t.equal(begun.length, begins);
  const users = await sql`select 1 from user_identities where connection_id = ${id}`;
  t.equal(users.length, 0);
  setting.clock.aheadMs = 11 * 60_000;
  t.match(await browser().visit(String(run['startUrl'])), { slug: 'forbidden' }, 'the link does not last');
});

t.test('a password-based connection is enabled only with a password policy that is enough (SPEC 5.2.6)', async (t) => {
  const settings = { issuer: liar.issuer, clientId: CLIENT, passwordBased: true };
  const { value } = await administer('POST', '/sso-connections', { kind: 'oidc', name: 'Passwords', settings });
  const path = `/sso-connections/${String(value['id'])}`;
  const enable = async () => (await administer('POST', `${path}/enable`)).answer;
  t.match(await enable(), { slug: 'conflict', detail: /passwordPolicy must be stated/ });
  const weak = { minLength: 11, upperCase: true, lowerCase: true, digits: true, symbols: false, rotationDays: 0 };
  await administer('PATCH', path, { settings: { ...settings, passwordPolicy: weak } });
  t.match(await enable(), { slug: 'conflict', detail: /at least 12.*symbols.*rotationDays/ });
  const strong = { ...weak, minLength: 12, symbols: true, rotationDays: 90 };
  await administer('PATCH', path, { settings: { ...settings, passwordPolicy: strong } });
  t.equal((await enable()).kind, 'answer');
  const back = await administer('PATCH', path, { settings: { ...settings, passwordPolicy: weak } });
  t.match(back.answer, { slug: 'conflict' }, 'nor is an enabled one weakened');
});

t.test('secrets are never shown, and are sealed in the database', async (t) => {
  const { answer, value } = await administer('GET', `/sso-connections/${real.id}`);
  t.match(value, { settings: { clientSecretSet: true }, redirectUri: `${real.own}/callback` });
  t.notMatch(answer.kind === 'answer' ? answer.body : '', /a-client-secret/);
  const [row] = await sql`select settings::text as settings from sso_connections where id = ${real.id}`;
  t.notMatch(row?.['settings'], /a-client-secret/);
  const moved = { settings: { issuer: 'https://evil.example', clientId: CLIENT, passwordBased: false } };
  const { value: after } = await administer('PATCH', `/sso-connections/${real.id}`, moved);
  t.match(after, { settings: { clientSecretSet: false } }, 'a secret does not go along to another issuer');
});

t.test('only those who may set up single sign-on do, and only in their own tenant', async (t) => {
  setting.roles.current = ['analyst'];
  t.match((await administer('GET', '/sso-connections')).answer, { slug: 'forbidden' });
  setting.roles.current = ['admin'];
  const settings = { issuer: 'https://a.example', clientId: 'c', passwordBased: false };
  const bad = [
    { kind: 'oidc', name: 'x', settings: { ...settings, issuer: 'http://a.example' } },
    { kind: 'oidc', name: 'x', settings: { ...settings, more: 1 } },
    { kind: 'oidc', name: 'x', settings: { ...settings, mapping: { defaultRole: 'owner' } } },
    { kind: 'oidc', name: 'x', settings: { ...settings, clientId: 'a\u0000' } },
    { kind: 'ldap', name: 'x', settings },
    { kind: 'oidc', name: '', settings },
  ];
  for (const body of bad)
    t.match(
      (await administer('POST', '/sso-connections', body)).answer,
      { slug: 'invalid-request' },
      JSON.stringify(body),
    );
});

t.test(
  'P6 connections of another tenant are not there: not to be seen, changed, tested, removed, or led to',
  async (t) => {
    const [foreign] = await sql`
    insert into sso_connections (tenant_id, kind, name, settings) values (${setting.other.id}, 'oidc', 'Theirs', '{}') returning id`;
    const path = `/sso-connections/${foreign?.['id']}`;
    t.match((await administer('GET', path)).answer, { slug: 'not-found' });
    t.match((await administer('PATCH', path, { name: 'Ours' })).answer, { slug: 'not-found' });
    t.match((await administer('DELETE', path)).answer, { slug: 'not-found' });
    for (const end of ['enable', 'disable', 'test'])
      t.match((await administer('POST', `${path}/${end}`)).answer, { slug: 'not-found' }, end);
    const led = { domain: 'led.example', connection: foreign?.['id'] as string };
    t.match((await administer('POST', '/domains', led)).answer, { slug: 'invalid-request' });
    const { value } = await administer('GET', '/sso-connections');
    t.notMatch(JSON.stringify(value), /Theirs/);
    const elsewhere = await ask(setting.routes, {
      method: 'GET',
      url: `${BASE_URL}/api/v1/tenants/${setting.other.id}/sso-connections`,
      headers: { 'x-admin': '1' },
    });
    t.match(elsewhere, { slug: 'not-found' });
    const [row] = await sql`select name, state from sso_connections where id = ${foreign?.['id']}`;
    t.same({ ...row }, { name: 'Theirs', state: 'draft' });
  },
);

t.test('a verified domain leads to its connection, and belongs to one tenant', async (t) => {
  const { value } = await administer('POST', '/domains', { domain: 'acme.example', connection: lying.id });
  const record = value['record'] as { name: string; value: string };
  t.equal(record.name, '_gatehouse-challenge.acme.example');
  t.match((await administer('POST', '/domains/acme.example/verify')).answer, { slug: 'conflict' });
  t.equal(await ssoFor(setting.options, 'x@acme.example'), undefined);
  setting.txt.set(record.name, [['other'], [record.value.slice(0, 10), record.value.slice(10)]]);
  t.equal((await administer('POST', '/domains/acme.example/verify')).answer.kind, 'answer');
  t.equal(await ssoFor(setting.options, 'x@ACME.example'), lying.id);
  t.equal(await ssoFor(setting.options, 'x@sub.acme.example'), undefined);
  await sql`
    insert into verified_domains (tenant_id, domain, challenge, verified_at)
    values (${setting.other.id}, 'taken.example', 'c', now())`;
  const { value: taken } = await administer('POST', '/domains', { domain: 'taken.example' });
  const other = taken['record'] as { name: string; value: string };
  setting.txt.set(other.name, [[other.value]]);
  t.match((await administer('POST', '/domains/taken.example/verify')).answer, { slug: 'conflict', detail: /another/ });
  t.match((await administer('POST', '/domains', { domain: 'Acme.example' })).answer, { slug: 'invalid-request' });
  t.equal((await administer('DELETE', '/domains/acme.example')).answer.kind, 'answer');
  t.equal(await ssoFor(setting.options, 'x@acme.example'), undefined);
});

t.test('a connection that is disabled or removed signs nobody in, and ends the sessions it began', async (t) => {
  const session = (connection: string, token: string) => sql`
    insert into login_sessions (token_hash, user_id, method, connection_id, expires_at)
    values (${Buffer.from(token)}, ${begun.at(-1)?.userId ?? ''}, 'oidc', ${connection}, now() + interval '1 day')`;
  await session(lying.id, 'one');
  const { person, back } = await throughLiar();
  const { tenant } = setting;
  await sql`
    update memberships set roles = array['owner'] where tenant_id = ${tenant.id} and user_id = ${begun.at(-1)?.userId ?? ''}`;
  for (const [method, path, body] of [
    ['POST', '/disable', undefined],
    ['PATCH', '', { settings: {} }],
    ['DELETE', '', undefined],
  ] as const) {
    const { answer } = await administer(method, `/sso-connections/${lying.id}${path}`, body);
    t.match(
      answer,
      { slug: 'forbidden', detail: /what you may not do/ },
      'an admin cannot become an owner by way of the connection',
    );
  }
  setting.roles.current = ['owner'];
  for (const [method, path] of [
    ['POST', '/disable'],
    ['DELETE', ''],
  ] as const) {
    const { answer } = await administer(method, `/sso-connections/${lying.id}${path}`);
    t.match(answer, { slug: 'conflict', detail: /no owner/ }, 'nor is a tenant left without an owner who can sign in');
  }
  await sql`
    with another as (insert into users (email, name, signs_in_by_email) values ('o@acme.example', 'O', true) returning id)
    insert into memberships (tenant_id, user_id, roles) select ${tenant.id}, id, array['owner'] from another`;
  await administer('POST', `/sso-connections/${lying.id}/disable`);
  t.match(await person.visit(back), { slug: 'forbidden', body: /not enabled/ }, 'not even one under way');
  t.match(await browser().visit(`${lying.own}/start`), { slug: 'forbidden' });
  const [ended] = await sql`select ended_at from login_sessions where connection_id = ${lying.id}`;
  t.not(ended?.['ended_at'], null);
  t.equal((await administer('DELETE', `/sso-connections/${lying.id}`)).answer.kind, 'answer');
  t.match(await browser().visit(`${lying.own}/start`), { slug: 'not-found' });
  t.match((await administer('DELETE', `/sso-connections/${lying.id}`)).answer, { slug: 'not-found' });
  setting.roles.current = ['admin'];
});

t.test('settings that change during a sign-in give nobody what the ones of before said', async (t) => {
  const generous = { roles, defaultRole: 'admin' };
  const own = { issuer: liar.issuer, clientId: CLIENT, clientSecret: SECRET, passwordBased: false };
  const connection = await connect('oidc', { ...own, mapping: generous });
  const { oidc } = setting.options;
  const finish = oidc.finish.bind(oidc);
  const people = async () => (await sql`select 1 from user_identities where connection_id = ${connection.id}`).length;
  for (const known of [0, 1]) {
    liar.lie.current = { claims: (right) => ({ ...right, sub: 'mia' }) };
    const { person, back } = await throughLiar(connection.own);
    // Once the provider has vouched for them, and before that is stored.
    oidc.finish = async (...given) => {
      const outcome = await finish(...given);
      const settings = { ...own, mapping: { roles, defaultRole: 'viewer' } };
      t.equal((await administer('PATCH', `/sso-connections/${connection.id}`, { settings })).answer.kind, 'answer');
      return outcome;
    };
    const visit = await person.visit(back);
    oidc.finish = finish;
    t.match(visit, { slug: 'forbidden', body: /changed meanwhile/ });
    t.equal(await people(), known);
    t.match((await audited('sign_in.failed')).at(-1), {
      target: connection.id,
      detail: { cause: 'connection_changed' },
    });
    const again = await throughLiar(connection.own);
    t.equal((await again.person.visit(again.back)).status, 303);
    const rows = await sql`
      select roles from memberships where user_id in (select user_id from user_identities where connection_id = ${connection.id})`;
    t.same(
      rows.map((row) => row['roles']),
      [['viewer']],
    );
    await administer('PATCH', `/sso-connections/${connection.id}`, { settings: { ...own, mapping: generous } });
  }
});

t.test('nobody maps roles that allow more than they may do themselves', async (t) => {
  const token = { kind: 'token', tokenId: 't', subject: 's', tenantId: tenant.id, expiresAt: 9e9 } as const;
  const routes = ssoAdminRoutes({
    ...setting.options,
    authenticate: async () => ({ ...token, permissions: ['sso', 'read'] }),
  });
  const create = (mapping: object) =>
    ask(routes, {
      method: 'POST',
      // By its short name, as everywhere.
      url: `${BASE_URL}/api/v1/tenants/acme/sso-connections`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        kind: 'oidc',
        name: 'x',
        settings: { issuer: 'https://idp.example', clientId: 'c', passwordBased: false, mapping },
      }),
    });
  t.match(await create({ defaultRole: 'admin' }), { slug: 'forbidden', detail: /what you may not do/ });
  const table = [{ value: 'x', role: 'analyst' }];
  t.match(await create({ roles: { claim: 'groups', table } }), { slug: 'forbidden' });
  t.match(await create({ defaultRole: 'viewer' }), { kind: 'answer', status: 201 });
  setting.roles.current = ['viewer'];
  t.match((await administer('GET', '/sso-connections')).answer, { slug: 'forbidden' });
  setting.roles.current = ['admin'];
});

t.test('nobody says whom a connection trusts that knows people who may do more than they', async (t) => {
  const mapping = { roles, defaultRole: 'viewer' };
  const own = { issuer: liar.issuer, clientId: CLIENT, clientSecret: SECRET, passwordBased: false };
  const connection = await connect('oidc', { ...own, mapping });
  liar.lie.current = { claims: (right) => ({ ...right, sub: 'sam', groups: ['admins'] }) };
  const sam = await throughLiar(connection.own);
  t.equal((await sam.person.visit(sam.back)).status, 303);
  const token = { kind: 'token', tokenId: 't', subject: 's', tenantId: tenant.id, expiresAt: 9e9 } as const;
  const permissions = { current: ['sso', 'read'] as Permission[] };
  const routes = ssoAdminRoutes({
    ...setting.options,
    authenticate: async () => ({ ...token, permissions: permissions.current }),
  });
  const change = (method: 'PATCH' | 'POST' | 'DELETE', end = '', body?: object) =>
    ask(routes, {
      method,
      url: `${BASE_URL}/api/v1/tenants/acme/sso-connections/${connection.id}${end}`,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? '' : JSON.stringify(body),
    });
  const attackers = { settings: { ...own, issuer: 'https://evil.example' } };
  const refused = { slug: 'forbidden', detail: /what you may not do/ };
  t.match(await change('PATCH', '', attackers), refused, 'its provider would be believed to bring the admin');
  t.match(await change('PATCH', '', { name: 'Mine' }), refused);
  t.match(await change('POST', '/disable'), refused);
  t.match(await change('DELETE'), refused);
  await administer('POST', `/sso-connections/${connection.id}/disable`);
  t.match(await change('POST', '/enable'), refused);
  permissions.current = permissionsOf(['admin']);
  t.match(await change('PATCH', '', attackers), { kind: 'answer' }, 'whoever may do as much already wins nothing');
});

t.test('a subject that cannot be stored is refused, and a name that cannot be stored is mended', async (t) => {
  const { own } = await connect('oidc', {
    issuer: liar.issuer,
    clientId: CLIENT,
    passwordBased: false,
    mapping: { defaultRole: 'viewer' },
  });
  liar.lie.current = { claims: (right) => ({ ...right, sub: 'a\0b' }) };
  const one = await throughLiar(own);
  t.match(await one.person.visit(one.back), { slug: 'unauthorized', body: /one value of/ });
  liar.lie.current = { claims: (right) => ({ ...right, name: 'A\0nn' }) };
  const two = await throughLiar(own);
  t.equal((await two.person.visit(two.back)).status, 303);
});

t.test('a body that looks like an answer of ours is none', async (t) => {
  for (const path of ['/sso-connections', '/domains'])
    t.match((await administer('POST', path, { kind: 'refusal', slug: 'forbidden', detail: 'x', headers: [] })).answer, {
      slug: 'invalid-request',
    });
});

t.test('login CSRF: a page of another site signs nobody in without a question', async (t) => {
  const { id } = await connect(
    'oidc',
    { issuer: 'https://idp.example', clientId: 'c', passwordBased: false },
    'Other <b>',
  );
  const answer = await ask(setting.routes, {
    method: 'GET',
    url: `http://127.0.0.1:9/api/v1/auth/sso/${id}/start?return_to=/x`,
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  t.match(answer, { kind: 'answer', status: 200, body: /Another site brought you here/ });
  t.notMatch((answer as { body: string }).body, '<b>');
});
