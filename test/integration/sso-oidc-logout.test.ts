import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import { type LogoutLie, SECRET, signInAtProvider, startLiar, startOidcProvider } from '../support/oidc-providers.ts';
import type { Browser, Visit } from '../support/route-browser.ts';
import { ask } from '../support/route-browser.ts';
import { openSsoSetting } from '../support/sso.ts';

/** Logout that begins at an OpenID Connect provider (Back-Channel Logout 1.0), and the attacks on it. */

const setting = await openSsoSetting(t);
const { administer, audited, browser, connect, sessions } = setting;
const liar = await startLiar(t);
const CLIENT = 'gatehouse';
const settings = {
  issuer: liar.issuer,
  clientId: CLIENT,
  clientSecret: SECRET,
  passwordBased: false,
  mapping: { defaultRole: 'viewer' },
};
const lying = await connect('oidc', settings);

t.afterEach(() => {
  liar.lie.current = {};
  setting.clock.aheadMs = 0;
});

const isSignedIn = async (person: Browser) => (await sessions.look(person.cookie('session'))) !== undefined;

/** Somebody who signed in at the liar, in a session of this name. */
async function signIn(sub: string, sid?: string, own = lying.own): Promise<Browser> {
  liar.lie.current = { claims: (right) => ({ ...right, sub, ...(sid === undefined ? {} : { sid }) }) };
  const person = browser();
  const visit = await person.follow(`${own}/start`, (url) => url.pathname === '/');
  if (visit.location === null) throw new Error(visit.body);
  return person;
}

/** As the provider's server sends it. */
function post(form: Record<string, string>, own = lying.own): Promise<Visit> {
  return browser().visit(`${own}/backchannel-logout`, { form });
}

const send = async (lie?: LogoutLie, own?: string) => post({ logout_token: await liar.logoutToken(lie) }, own);
/** The claims but for those. */
const without = (claims: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
const named = (names: object): LogoutLie => ({
  claims: (right) => ({ ...without(right, 'sub'), ...names }),
});

t.test('a real provider: whoever signs out there is signed out here, in that session alone', async (t) => {
  const { id, own } = await connect('oidc', settings, 'Real provider');
  const statuses: number[] = [];
  const issuer = await startOidcProvider(t, CLIENT, [`${own}/callback`], {
    uri: `${own}/backchannel-logout`,
    fetch: async (request) => {
      const { url, method, headers } = request;
      t.match(headers.get('content-type'), /^application\/x-www-form-urlencoded/);
      const answer = await ask(setting.routes, { method: method as 'POST', url, body: await request.text() });
      const status = answer.kind === 'answer' ? answer.status : 400;
      statuses.push(status);
      return new Response(null, { status });
    },
  });
  const shown = await administer('PATCH', `/sso-connections/${id}`, { settings: { ...settings, issuer } });
  t.equal(shown.value['backchannelLogoutUri'], `${own}/backchannel-logout`);
  const [one, two, other] = [browser(), browser(), browser()];
  for (const [person, login] of [
    [one, 'ann'],
    [two, 'ann'],
    [other, 'ben'],
  ] as const)
    await person.visit(await signInAtProvider(person, `${own}/start`, login, own));
  const session = await sessions.look(one.cookie('session'));
  const told: string[] = [];
  const stop = sessions.onEnded((ended) => told.push(ended));
  const { body } = await one.visit(`${issuer}/session/end`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
  await one.visit(`${issuer}/session/end/confirm`, { form: { xsrf, logout: 'yes' } });
  stop();
  t.same(statuses, [200]);
  t.notOk(await isSignedIn(one));
  t.ok(await isSignedIn(two), 'the same person in another browser');
  t.ok(await isSignedIn(other));
  t.same(told, [session?.id], 'whoever holds its live sockets is told');
  t.match((await audited('login_sessions.revoked')).at(-1), {
    actor: `connection:${id}`,
    target: `user:${session?.userId}`,
    detail: { count: 1, method: 'oidc' },
  });
});

t.test('"sub" ends all of the person, "sid" one session, both what is both', async (t) => {
  const [one, two, nameless] = [await signIn('a', 's1'), await signIn('a', 's2'), await signIn('a')];
  const other = await signIn('b', 's3');
  t.match(await send(named({ sub: 'b', sid: 's1' })), { status: 200, body: '' });
  t.ok(await isSignedIn(one), 'somebody else’s session of that name is not there');
  t.ok(await isSignedIn(other));
  t.match(await send(named({ sid: 's1' })), { status: 200 });
  t.notOk(await isSignedIn(one));
  t.ok(await isSignedIn(two));
  t.ok(await isSignedIn(nameless));
  t.match(await send(named({ sub: 'a', sid: 's2' })), { status: 200 });
  t.notOk(await isSignedIn(two));
  t.notOk(await isSignedIn(nameless), 'a session without a name ends with any of its person');
  const again = await signIn('a', 's4');
  t.match(await send({ ...named({ sub: 'a' }), header: { typ: undefined } }), { status: 200 }, 'older providers');
  t.notOk(await isSignedIn(again));
  t.ok(await isSignedIn(other));
});

const victim = await signIn('liar-1', 'victim');

async function refused(t: Test, visit: Visit, why: RegExp, slug = 'invalid-request') {
  t.match(visit, { slug, body: why });
  t.ok(await isSignedIn(victim), 'nothing ended');
}

const seconds = () => Math.floor(Date.now() / 1000);
const LIES: Record<string, [LogoutLie, RegExp]> = {
  'signed by a stranger': [{ keyless: true }, /no key of the provider/],
  'a key that is not the provider’s': [{ header: { kid: 'k2' }, keyless: true }, /no key of the provider/],
  'another issuer': [{ claims: (right) => ({ ...right, iss: 'https://other.example' }) }, /"iss"/],
  'another audience': [{ claims: (right) => ({ ...right, aud: 'other' }) }, /"aud"/],
  'no audience': [{ claims: (right) => without(right, 'aud') }, /"aud"/],
  expired: [{ claims: (right) => ({ ...right, exp: seconds() - 120 }) }, /expired/],
  'too old': [{ claims: (right) => ({ ...without(right, 'exp'), iat: seconds() - 400 }) }, /too old/],
  'issued in the future': [{ claims: (right) => ({ ...right, iat: seconds() + 120 }) }, /"iat"/],
  'no iat': [{ claims: (right) => without(right, 'iat') }, /"iat"/],
  'no jti': [{ claims: (right) => without(right, 'jti') }, /"jti"/],
  'no events': [{ claims: (right) => without(right, 'events') }, /"events"/],
  'another event': [{ claims: (right) => ({ ...right, events: { 'urn:other': {} } }) }, /"events"/],
  'events as text': [{ claims: (right) => ({ ...right, events: 'backchannel-logout' }) }, /"events"/],
  'a nonce': [{ claims: (right) => ({ ...right, nonce: 'x' }) }, /"nonce"/],
  'neither sub nor sid': [named({}), /neither/],
  'a sub that is no text': [named({ sub: 7 }), /"sub"/],
  'a sid that is no text': [{ claims: (right) => ({ ...right, sid: ['victim'] }) }, /"sid"/],
  'an access token': [{ header: { typ: 'at+jwt' } }, /"typ"/],
};
for (const [name, [lie, why]] of Object.entries(LIES))
  t.test(`${name}: refused`, async (t) => refused(t, await send(lie), why));

t.test('alg none, HMAC with the public key, no token: refused', async (t) => {
  const [, payload = ''] = (await liar.logoutToken()).split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  await refused(t, await post({ logout_token: `${part({ alg: 'none' })}.${payload}.` }), /no token|cannot be used/);
  const { keys } = (await (await fetch(`${liar.issuer}/jwks`)).json()) as { keys: object[] };
  const input = `${part({ alg: 'HS256', kid: 'k1' })}.${payload}`;
  const mac = createHmac('sha256', JSON.stringify(keys[0])).update(input).digest('base64url');
  await refused(t, await post({ logout_token: `${input}.${mac}` }), /no token|cannot be used/);
  await refused(t, await post({ logout_token: 'hello' }), /no token/);
  await refused(t, await post({}), /one logout_token/);
  await refused(t, await post({ logout_token: 'x'.repeat(16_385) }), /one logout_token/);
});

t.test('an ID token: refused', async (t) => {
  const claims: LogoutLie['claims'] = (right) => ({ ...without(right, 'events', 'jti'), nonce: 'n' });
  await refused(t, await send({ claims, header: { typ: 'JWT' } }), /"jti"|"events"/);
});

t.test('replayed: refused', async (t) => {
  const token = await liar.logoutToken(named({ sub: 'a' }));
  t.match(await post({ logout_token: token }), { status: 200 });
  const since = await signIn('a', 's5');
  await refused(t, await post({ logout_token: token }), /used before/);
  t.ok(await isSignedIn(since), 'whoever signed in since stays');
});

t.test('whatever text the provider chose as "jti", the message counts, and counts once', async (t) => {
  const long = Array.from({ length: 1000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join('');
  for (const jti of ['a\0b', long, '\ud800']) {
    const person = await signIn('a', 's6');
    const token = await liar.logoutToken({ claims: (right) => ({ ...right, sub: 'a', jti }) });
    t.match(await post({ logout_token: token }), { status: 200 });
    t.notOk(await isSignedIn(person));
    await refused(t, await post({ logout_token: token }), /used before/);
  }
});

t.test('a logout that failed is not used up: sent again, it ends the session', async (t) => {
  const person = await signIn('a', 's7');
  const token = await liar.logoutToken(named({ sub: 'a' }));
  await setting.sql`alter table audit_log rename to audit_log_away`;
  await t.rejects(post({ logout_token: token }));
  await setting.sql`alter table audit_log_away rename to audit_log`;
  t.ok(await isSignedIn(person), 'nothing ends without its entry');
  t.match(await post({ logout_token: token }), { status: 200 });
  t.notOk(await isSignedIn(person));
});

t.test('a connection that is disabled or changed during a sign-in begins no session', async (t) => {
  const { loginSessions } = setting.options;
  const { begin } = loginSessions;
  const own = await connect('oidc', settings);
  for (const meanwhile of [
    () => administer('POST', `/sso-connections/${own.id}/disable`),
    () => administer('PATCH', `/sso-connections/${own.id}`, { settings: { ...settings, mapping: {} } }),
  ]) {
    loginSessions.begin = async (start) => {
      t.equal((await meanwhile()).answer.kind, 'answer');
      return begin(start);
    };
    await t.rejects(signIn('ben', 's8', own.own), /changed or disabled meanwhile/);
    loginSessions.begin = begin;
    const open = await setting.sql`
      select 1 from login_sessions where connection_id = ${own.id} and ended_at is null`;
    t.equal(open.length, 0);
    await administer('POST', `/sso-connections/${own.id}/enable`);
  }
});

t.test('a new name ends no session, new settings end all, and the audit log tells of it', async (t) => {
  const own = await connect('oidc', settings);
  const path = `/sso-connections/${own.id}`;
  const revoked = async () =>
    (await audited('login_sessions.revoked')).filter(({ target }) => target === `connection:${own.id}`);
  const person = await signIn('una', 's9', own.own);
  t.equal((await administer('PATCH', path, { name: 'New name' })).answer.kind, 'answer');
  t.equal((await administer('PATCH', path, { name: 'Newer name', settings })).answer.kind, 'answer');
  t.ok(await isSignedIn(person), 'nor do the same settings');
  t.same(await revoked(), []);
  await administer('PATCH', path, { settings: { ...settings, scopes: ['openid', 'email'] } });
  t.notOk(await isSignedIn(person));
  t.match(await revoked(), [{ actor: /^user:/, detail: { count: 1 } }]);
  for (const [method, end] of [
    ['POST', '/disable'],
    ['DELETE', ''],
  ] as const) {
    await administer('POST', `${path}/enable`);
    const another = await signIn('una', 's9', own.own);
    const before = (await revoked()).length;
    t.equal((await administer(method, `${path}${end}`)).answer.kind, 'answer');
    t.notOk(await isSignedIn(another));
    t.equal((await revoked()).length, before + 1, method);
  }
});

t.test(
  'a connection is changed, disabled or removed together with the sessions that it began, or not at all',
  async (t) => {
    const own = await connect('oidc', settings);
    const path = `/sso-connections/${own.id}`;
    const told: string[] = [];
    t.teardown(setting.sessions.onEnded((id) => told.push(id)));
    const changes = [
      () => administer('PATCH', path, { settings: { ...settings, scopes: ['openid', 'email'] } }),
      () => administer('POST', `${path}/disable`),
      () => administer('DELETE', path),
    ];
    const stored = async () => (await setting.sql`select * from sso_connections where id = ${own.id}`)[0];
    for (const change of changes) {
      await administer('POST', `${path}/enable`);
      const person = await signIn('eva', 's10', own.own);
      const before = await stored();
      await setting.sql`alter table login_sessions rename to login_sessions_away`;
      await t.rejects(change());
      await setting.sql`alter table login_sessions_away rename to login_sessions`;
      t.same(await stored(), before);
      t.ok(await isSignedIn(person));
      t.same(told.splice(0), [], 'nobody is told of what was not stored');
      const [session] = await setting.sql`
      select id from login_sessions where connection_id = ${own.id} and ended_at is null`;
      t.equal((await change()).answer.kind, 'answer');
      t.notOk(await isSignedIn(person));
      t.same(told.splice(0), [session?.['id']], 'its live sockets are told');
    }
  },
);

t.test('of another connection, of a SAML connection, of none: ends nobody here', async (t) => {
  const other = await connect('oidc', { ...settings, clientId: 'another-client' });
  await refused(t, await send({}, other.own), /"aud"/);
  const token = await liar.logoutToken({ claims: (right) => ({ ...right, aud: 'another-client' }) });
  t.match(await post({ logout_token: token }, other.own), { status: 200 });
  t.ok(await isSignedIn(victim), 'the same subject of another connection is somebody else');
  const nowhere = lying.own.replace(lying.id, setting.tenant.id);
  await refused(t, await send({}, nowhere), /no connection/, 'not-found');
});
