import t, { type Test } from 'tap';
import type { Role } from '../../src/domain/roles.ts';
import { randomToken } from '../../src/identity/secrets.ts';
import { SmtpMailer } from '../../src/identity/smtp-mailer.ts';
import { admitAsOperator, type OperatorAdmission } from '../../src/store/people.ts';
import { type Answer, type Browser, send } from '../support/browser.ts';
import { linkIn } from '../support/mailbox.ts';
import { startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';

/** Signing in by a link, over HTTP, with a real PostgreSQL and a real mail server. */

const postgres = await startTestPostgres(t);
const bearerSubjects: string[] = [];
const here = await startTestPlatform(t, postgres, {
  ssoFor: async (email) => (email.endsWith('@sso.example') ? 'c0ffee00-0000-4000-8000-000000000000' : undefined),
  providerLogout: async ({ connectionId, providerSession }) => {
    if (connectionId === undefined) return undefined;
    if (providerSession === 'broken') throw new Error('the provider is down');
    return `https://idp.example/logout?hint=${providerSession}`;
  },
  bearer: async ({ headers }) => {
    bearerSubjects.push(headers.get('authorization') ?? '');
    return { kind: 'token', tokenId: 't', subject: 's', tenantId: 'x', permissions: [], expiresAt: 0 };
  },
});
const { platform, clock, mailbox, sql, browser } = here;

const LOGIN = '/api/v1/auth/login';
const LINK = '/api/v1/auth/magic-link';
const SESSION = '/api/v1/auth/session';
const LOGOUT = '/api/v1/auth/logout';
const REVOKE = '/api/v1/auth/sessions/revoke-all';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const acme = await here.addTenant('acme');
const beta = await here.addTenant('beta');
const annId = await here.addPerson('ann@example.com', { [acme]: ['owner'], [beta]: ['viewer', 'analyst'] });
await here.addPerson('bob@example.com', { [acme]: ['viewer'] });

const problemOf = ({ body }: Answer) => JSON.parse(body) as { status: number; type: string; detail: string };

/** Asks for a link in `own`, and takes it from the mail. */
async function ask(own: Browser, email: string): Promise<{ link: URL; token: string }> {
  const answer = await own.postForm(LOGIN, { email });
  t.equal(answer.status, 200);
  const link = linkIn(await mailbox.take(email));
  return { link, token: link.searchParams.get('token') as string };
}

/** Somebody whom no other test asks for, so that no limit meets another. */
let people = 0;
async function somebody(
  roles: Record<string, string[]> = { [acme]: ['viewer'] },
): Promise<{ email: string; id: string }> {
  const email = `person-${++people}@example.com`;
  return { email, id: await here.addPerson(email, roles) };
}

async function auditOf(userId: string) {
  const rows = await sql`
    select action, actor, detail, address, tenant_id as tenant from audit_log where target = ${`user:${userId}`} order by at, seq`;
  return rows.map(({ action, actor, detail, address, tenant }) => ({
    action: String(action),
    actor: String(actor),
    detail: JSON.parse(String(detail)) as unknown,
    address: String(address),
    tenant: String(tenant),
  }));
}

function assertProblem(t: Test, answer: Answer, status: number): void {
  t.equal(answer.status, status);
  t.equal(answer.headers['content-type'], 'application/problem+json');
  t.equal(problemOf(answer).status, status);
}

t.test('a person signs in by a mailed link, is known, and signs out', async (t) => {
  const own = browser();
  const form = await own.get(`${LOGIN}?return_to=/sessions`);
  t.equal(form.status, 200);
  t.match(form.body, 'name="return_to" value="/sessions"');
  t.equal((await own.get(SESSION)).status, 401);

  const asked = await own.postForm(LOGIN, { email: ' Ann@Example.com', return_to: '/sessions?x=1' });
  t.equal(asked.status, 200);
  t.match(asked.body, 'Check your mail');
  const received = await mailbox.take('ann@example.com');
  const link = linkIn(received);
  t.equal(link.origin, here.site.baseUrl);
  t.equal(link.searchParams.get('return_to'), '/sessions?x=1');

  const landing = await own.get(link.pathname + link.search, { 'sec-fetch-site': 'cross-site' });
  t.equal(landing.status, 200);
  t.match(landing.body, 'ann@example.com');
  const token = link.searchParams.get('token') as string;
  const signedIn = await own.postForm(LINK, { token, return_to: '/sessions?x=1' });
  t.equal(signedIn.status, 303);
  t.equal(signedIn.headers.location, '/sessions?x=1');
  t.match(signedIn.setCookies.get('session'), /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);

  const session = await own.get(SESSION);
  t.equal(session.status, 200);
  t.same(JSON.parse(session.body), {
    userId: annId,
    email: 'ann@example.com',
    name: 'Somebody',
    tenants: { [acme]: { roles: ['owner'] }, [beta]: { roles: ['viewer', 'analyst'] } },
    tenantIds: JSON.parse(session.body).tenantIds,
    organization: { id: '00000000-0000-7000-8000-000000000000', name: 'Home' },
  });
  t.same(new Set(JSON.parse(session.body).tenantIds), new Set([acme, beta]));
  t.match(session.headers['x-csrf-token'], /^[\w-]{43}$/);
  t.equal(session.headers['cache-control'], 'no-store');

  const out = await own.get(LOGOUT, { 'sec-fetch-site': 'same-origin' });
  t.equal(out.status, 303);
  t.equal(out.headers.location, LOGIN);
  t.match(out.setCookies.get('session'), /^session=; .*Max-Age=0/);
  assertProblem(t, await own.get(SESSION), 401);

  const actions = (await auditOf(annId)).filter(({ tenant }) => tenant === acme);
  t.match(actions, [
    { action: 'sign_in.asked', actor: 'nobody', address: own.address },
    { action: 'sign_in.succeeded', actor: `user:${annId}`, detail: { method: 'magic_link', purpose: 'sign_in' } },
    { action: 'sign_out', actor: `user:${annId}` },
  ]);
  t.equal((await auditOf(annId)).length, 6, 'each of the tenants was told');
});

t.test('the mail has one recipient, and says what to do in both of its forms', async (t) => {
  const { email } = await somebody();
  await browser().postForm(LOGIN, { email });
  const { mail, raw, recipients } = await mailbox.take(email);
  t.same(recipients, [email]);
  t.equal(mail.from?.address, 'gatehouse@example.org');
  t.equal(mail.subject, 'Your sign-in link for Gatehouse');
  t.match(raw, /^auto-submitted: auto-generated/im);
  t.match(mail.text, '15 minutes');
  t.match(mail.html, `href="${linkIn({ mail, raw, recipients }).href}"`);
});

t.test('pages run no script, load nothing, are framed nowhere and kept nowhere', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const { link } = await ask(own, email);
  for (const path of [LOGIN, link.pathname + link.search]) {
    const { headers, body } = await own.get(path);
    const policy = headers['content-security-policy'] as string;
    t.match(policy, "default-src 'none'");
    t.match(policy, "frame-ancestors 'none'");
    t.notMatch(policy, /unsafe|script-src/);
    t.notMatch(body, /<script|style="|\son\w+=/);
    t.match(headers, {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
  }
});

t.test('only hashes of secrets are stored, and nothing of them is logged', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const { token } = await ask(own, email);
  const browserToken = own.cookies.get('sign_in') as string;
  await own.postForm(LINK, { token });
  const session = own.cookies.get('session') as string;
  await own.postForm(LINK, { token });
  const stored = JSON.stringify([
    await sql`select *, encode(token_hash, 'escape') as plain from magic_links`,
    await sql`select *, encode(token_hash, 'escape') as plain from login_sessions`,
    await sql`select * from audit_log`,
  ]);
  for (const secret of [token, browserToken, session]) {
    t.notOk(stored.includes(secret));
    t.notOk(here.log.join('\n').includes(secret));
  }
  t.notMatch(here.log.join('\n'), /@/, 'no address either');
});

t.test('attack: a session cookie that was planted is not taken over', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const planted = randomToken();
  own.cookies.set('session', planted);
  const { token } = await ask(own, email);
  await own.postForm(LINK, { token });
  t.not(own.cookies.get('session'), planted);
  t.equal((await own.get(SESSION, { cookie: `session=${planted}` })).status, 401);
  t.equal((await own.get(SESSION)).status, 200);
});

t.test('attack: two session cookies, of which one was planted beside the real one, are none', async (t) => {
  const own = await here.signIn('bob@example.com');
  const cookie = `session=${randomToken()}; session=${own.cookies.get('session')}`;
  assertProblem(t, await own.get(SESSION, { cookie }), 401);
});

t.test('a new sign-in in the same browser ends the session before it', async (t) => {
  const { email } = await somebody();
  const own = await here.signIn(email);
  const before = own.cookies.get('session') as string;
  const { token } = await ask(own, email);
  await own.postForm(LINK, { token });
  t.not(own.cookies.get('session'), before);
  t.equal((await browser().get(SESSION, { cookie: `session=${before}` })).status, 401);
});

t.test('attack: CSRF with the cookie', async (t) => {
  const { email } = await somebody();
  const own = await here.signIn(email);
  const other = await here.signIn((await somebody()).email);
  const csrf = (await own.get(SESSION)).headers['x-csrf-token'] as string;
  const foreign = (await other.get(SESSION)).headers['x-csrf-token'] as string;
  const cases: [string, Record<string, string>][] = [
    ['without a token', {}],
    ['with a wrong token', { 'x-csrf-token': randomToken() }],
    ['with the token of another session', { 'x-csrf-token': foreign }],
    ['with the session itself as the token', { 'x-csrf-token': own.cookies.get('session') as string }],
    ['from another site', { 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' }],
    ['from a sibling site', { 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' }],
    ['as a form', { 'x-csrf-token': csrf, 'content-type': 'text/plain' }],
  ];
  for (const [name, headers] of cases) {
    await t.test(name, async (t) => assertProblem(t, await own.postJson(REVOKE, {}, headers), 403));
  }
  const raw = (headers: Record<string, string>) =>
    send(`${here.url}${REVOKE}`, {
      method: 'POST',
      headers: { cookie: `session=${own.cookies.get('session')}`, 'x-csrf-token': csrf, ...headers },
    });
  assertProblem(t, await raw({}), 403);
  assertProblem(t, await raw({ origin: 'https://evil.example' }), 403);
  assertProblem(t, await raw({ origin: 'null' }), 403);
  t.equal((await own.get(SESSION)).status, 200, 'none of them did anything');
  t.equal((await raw({ origin: here.site.baseUrl })).status, 204, 'a browser without fetch metadata has its Origin');
});

t.test('attack: a form of another site asks for no link, and signs nobody in as somebody else', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const { token } = await ask(own, email);
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
    assertProblem(t, await own.postForm(LOGIN, { email }, headers), 403);
    assertProblem(t, await own.postForm(LINK, { token }, headers), 403);
  }
  t.equal((await own.postForm(LINK, { token })).status, 303, 'nor did they use the link up');
  assertProblem(t, await own.postJson(LOGIN, { email }), 400);
});

t.test('attack: a link is opened by mail scanners, and still works', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const { link, token } = await ask(own, email);
  for (let i = 0; i < 5; i++) t.equal((await browser().get(link.pathname + link.search)).status, 200);
  t.equal((await send(`${here.url}${link.pathname}${link.search}`, { method: 'HEAD' })).status, 405);
  t.equal((await own.get(SESSION)).status, 401, 'opening it signs nobody in');
  t.equal((await own.postForm(LINK, { token })).status, 303);
});

t.test('attack: a link is replayed', async (t) => {
  const { email, id } = await somebody();
  const own = browser();
  const { link, token } = await ask(own, email);
  const bound = own.cookies.get('sign_in') as string;
  t.equal((await own.postForm(LINK, { token })).status, 303);
  const again = browser();
  for (const each of [own, again]) {
    each.cookies.set('sign_in', bound);
    assertProblem(t, await each.postForm(LINK, { token }), 401);
    t.notOk(each === again && each.cookies.has('session'));
  }
  t.equal((await own.get(link.pathname + link.search)).status, 401);
  t.match((await auditOf(id)).at(-1), { action: 'sign_in.failed', actor: 'nobody', detail: { cause: 'used' } });
});

t.test('attack: many use one link at once, and one of them is signed in', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const { token } = await ask(own, email);
  const answers = await Promise.all(Array.from({ length: 8 }, () => own.postForm(LINK, { token })));
  t.same(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [303, 401, 401, 401, 401, 401, 401, 401],
  );
});

t.test('attack: a link is opened in another browser', async (t) => {
  const { email, id } = await somebody();
  const own = browser();
  const { token } = await ask(own, email);
  const thief = browser();
  assertProblem(t, await thief.postForm(LINK, { token }), 403);
  thief.cookies.set('sign_in', randomToken());
  assertProblem(t, await thief.postForm(LINK, { token }), 403);
  t.match((await auditOf(id)).at(-1), {
    action: 'sign_in.failed',
    detail: { cause: 'other_browser' },
    address: thief.address,
  });
  t.equal((await own.postForm(LINK, { token })).status, 303, 'where it was asked for it works on');
});

t.test('a link works for 15 minutes', async (t) => {
  const { email } = await somebody();
  const own = browser();
  const first = await ask(own, email);
  clock.advance(15 * MINUTE_MS - 1);
  const second = await ask(own, email);
  const bound = own.cookies.get('sign_in') as string;
  t.equal((await own.postForm(LINK, { token: first.token })).status, 303);
  clock.advance(15 * MINUTE_MS);
  const again = browser();
  again.cookies.set('sign_in', bound);
  assertProblem(t, await again.postForm(LINK, { token: second.token }), 401);
});

t.test('attack: no link is guessed', async (t) => {
  const own = browser();
  for (const token of ['', 'x', randomToken(), 'a'.repeat(44), "' or 1=1 --", '\0'])
    assertProblem(t, await own.postForm(LINK, { token }), 401);
  assertProblem(t, await own.postForm(LINK, {}), 401);
  assertProblem(t, await own.get(LINK), 401);
});

t.test('attack: whether an address is known shows neither in the answer', async (t) => {
  const { email } = await somebody();
  const answers = [
    await browser().postForm(LOGIN, { email }),
    await browser().postForm(LOGIN, { email: 'no@example.com' }),
  ];
  const shown = answers.map(({ status, body, headers }) => {
    const names = Object.keys(headers).filter((name) => name !== 'date');
    const cookie = String(headers['set-cookie']).replace(/=[\w-]{43}/, '=…');
    return { status, body, names, cookie, length: headers['content-length'] };
  });
  t.same(shown[0], shown[1]);
  await mailbox.take(email);
});

t.test('attack: nor in its time', async (t) => {
  mailbox.delay(400);
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  const measure = async (kind: 'known' | 'unknown', email: string) => {
    const own = browser();
    const startedAt = performance.now();
    await own.postForm(LOGIN, { email });
    times[kind].push(performance.now() - startedAt);
  };
  for (let i = 0; i < 15; i++) {
    const { email } = await somebody();
    await measure('unknown', `nobody-${i}@example.com`);
    await measure('known', email);
    await mailbox.take(email);
  }
  mailbox.delay(0);
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  const [known, unknown] = [median(times.known), median(times.unknown)];
  t.comment(`median of a known address ${known.toFixed(2)} ms, of an unknown one ${unknown.toFixed(2)} ms`);
  t.ok(Math.abs(known - unknown) < 100, 'the lookup, the log entries and the mail (400 ms here) come after the answer');
});

t.test('attack: an address to return to elsewhere', async (t) => {
  const { email } = await somebody();
  for (const evil of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'https:evil.example',
    '/..//evil.example',
    'javascript:x',
  ]) {
    const own = browser();
    t.match((await own.get(`${LOGIN}?return_to=${encodeURIComponent(evil)}`)).body, 'name="return_to" value="/"');
    clock.advance(5 * MINUTE_MS);
    await own.postForm(LOGIN, { email, return_to: evil });
    const link = linkIn(await mailbox.take(email));
    t.equal(link.searchParams.get('return_to'), null, 'it does not get into the mail');
    const token = link.searchParams.get('token') as string;
    const { status, headers } = await own.postForm(LINK, { token, return_to: evil });
    t.same([status, headers.location], [303, '/'], evil);
  }
});

t.test('attack: what the person typed is no HTML', async (t) => {
  const own = browser();
  const html = await own.get(`${LOGIN}?return_to=${encodeURIComponent('/"><script>alert(1)</script>')}`);
  t.notMatch(html.body, '<script');
  const page = await own.postForm(LOGIN, { email: '"><script>alert(1)</script>' }, { accept: 'text/html' });
  t.equal(page.status, 400);
  t.notMatch(page.body, '<script');
});

t.test('attack: a forged Host gets into no address', async (t) => {
  const { email } = await somebody();
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-for': '198.19.0.1',
  };
  const answer = await send(`${here.url}${LOGIN}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ email }).toString(),
  });
  t.equal(answer.status, 200);
  t.notMatch(answer.body, 'evil');
  t.equal(linkIn(await mailbox.take(email)).origin, here.site.baseUrl);
  const out = await send(`${here.url}${LOGOUT}`, { headers: { ...headers, cookie: `session=${randomToken()}` } });
  t.equal(out.headers.location, LOGIN);
});

t.test('a refusal is a page for people and a Problem for programs', async (t) => {
  const own = browser();
  const page = await own.postForm(LINK, { token: randomToken() }, { accept: 'text/html,*/*' });
  t.equal(page.status, 401);
  t.match(page.headers['content-type'], 'text/html');
  t.match(page.body, 'This link was used already, is too old, or was never valid');
  const problem = await own.postForm(LINK, { token: randomToken() });
  t.match(problemOf(problem).type, /\/problems\/unauthorized$/);
});

t.test('naughty addresses get a clear refusal, and no mail', async (t) => {
  const before = mailbox.received.length;
  const naughty = [
    '',
    'no address',
    'ann@example.com\r\nBcc: all@example.com',
    'ann@example.com%0d%0aBcc: all@example.com',
    'ann@example.com,bob@example.com',
    '"ann@example.com" <bob@example.com>',
    'ann@example.com\0',
    `${'a'.repeat(10_000)}@example.com`,
    '😀'.repeat(100),
  ];
  for (const email of naughty) {
    const answer = await browser().postForm(LOGIN, { email });
    assertProblem(t, answer, 400);
    t.notMatch(answer.body, 'Bcc');
  }
  for (const email of ['ünï@exämple.com', 'ann+tag@example.com', 'ＡＮＮ@example.com', 'aNn@exampLe.com.'])
    t.ok([200, 400].includes((await browser().postForm(LOGIN, { email })).status), email);
  t.equal((await browser().postForm(LOGIN, { email: 'x'.repeat(20_000) })).status, 400, 'larger than a form may be');
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(mailbox.received.length, before);
});

t.test('a session lasts 24 hours after its last use, and is written at most once a minute', async (t) => {
  const { email, id } = await somebody();
  const own = await here.signIn(email);
  const lastUsed = async () => {
    const [row] = await sql`select last_used_at as at from login_sessions where user_id = ${id}`;
    return Number(row?.['at']);
  };
  const begun = await lastUsed();
  clock.advance(59_000);
  t.equal((await own.get(SESSION)).status, 200);
  t.equal(await lastUsed(), begun, 'not written yet');
  clock.advance(1000);
  await own.get(SESSION);
  t.equal(await lastUsed(), begun + 60_000);
  for (let day = 0; day < 3; day++) {
    clock.advance(24 * HOUR_MS - 1);
    t.equal((await own.get(SESSION)).status, 200, 'each use extends it');
  }
  clock.advance(24 * HOUR_MS);
  assertProblem(t, await own.get(SESSION), 401);
  t.ok((await platform.sessions.sweep()) > 0);
  const left = await sql`select 1 from login_sessions where user_id = ${id}`;
  t.equal(left.length, 0, 'what is over is removed');
});

t.test('whoever is disabled is out at once, and gets no link', async (t) => {
  const { email, id } = await somebody();
  const own = await here.signIn(email);
  const { token } = await ask(own, email);
  await sql`update users set disabled_at = now() where id = ${id}`;
  assertProblem(t, await own.get(SESSION), 401);
  assertProblem(t, await own.postForm(LINK, { token }), 401);
  const before = mailbox.received.length;
  t.equal((await browser().postForm(LOGIN, { email })).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(mailbox.received.length, before);
});

t.test('attack: another site signs nobody out', async (t) => {
  const own = await here.signIn((await somebody()).email);
  const led: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch' },
  ];
  for (const headers of led) {
    const page = await own.get(LOGOUT, headers);
    t.equal(page.status, 200, 'it is asked first');
    t.match(page.body, 'Do you want to sign out');
    t.notOk(page.setCookies.has('session'));
  }
  const cookie = `session=${own.cookies.get('session')}`;
  t.equal((await send(`${here.url}${LOGOUT}`, { headers: { cookie } })).status, 200, 'nor a request that says nothing');
  t.equal((await send(`${here.url}${LOGOUT}`, { headers: { cookie, referer: 'https://evil.example/' } })).status, 200);
  assertProblem(t, await own.postForm(LOGOUT, {}), 403);
  assertProblem(t, await own.postForm(LOGOUT, { csrf: randomToken() }), 403);
  const page = await own.get(LOGOUT, { 'sec-fetch-site': 'cross-site' });
  const csrf = /name="csrf" value="([\w-]+)"/.exec(page.body)?.[1] as string;
  assertProblem(t, await own.postForm(LOGOUT, { csrf }, { 'sec-fetch-site': 'cross-site' }), 403);
  t.equal((await own.get(SESSION)).status, 200, 'all of that left the session alone');
  const out = await own.postForm(LOGOUT, { csrf });
  t.same([out.status, out.headers.location], [303, LOGIN]);
  t.equal((await own.get(SESSION)).status, 401);
});

t.test("signing out follows to the identity provider's own session, and does not depend on it", async (t) => {
  const { id } = await somebody();
  const begin = async (providerSession: string) => {
    const own = browser();
    const connectionId = 'c0ffee00-0000-4000-8000-000000000000';
    const { setCookie } = await platform.sessions.begin({
      address: '192.0.2.1',
      browser: 'x',
      userId: id,
      method: 'oidc',
      connectionId,
      providerSession,
    });
    own.cookies.set('session', /=([^;]+)/.exec(setCookie)?.[1] as string);
    return own;
  };
  const own = await begin('sealed');
  const ended: string[] = [];
  const stop = platform.sessions.onEnded((sessionId) => ended.push(sessionId));
  const csrf = (await own.get(SESSION)).headers['x-csrf-token'] as string;
  const out = await own.postJson(LOGOUT, undefined, { 'x-csrf-token': csrf });
  t.same([out.status, out.headers.location], [303, 'https://idp.example/logout?hint=sealed']);
  t.equal(ended.length, 1, 'whoever holds its live sockets is told');
  stop();
  const broken = await begin('broken');
  t.equal((await broken.get(LOGOUT)).headers.location, LOGIN);
  t.equal((await broken.get(SESSION)).status, 401);
});

t.test('a person ends all of their sessions, in every browser', async (t) => {
  const { email, id } = await somebody();
  const [one, two] = [await here.signIn(email), await here.signIn(email)];
  const other = await here.signIn((await somebody()).email);
  const csrf = (await one.get(SESSION)).headers['x-csrf-token'] as string;
  t.equal((await one.postJson(REVOKE, undefined, { 'x-csrf-token': csrf })).status, 204);
  for (const each of [one, two]) t.equal((await each.get(SESSION)).status, 401);
  t.equal((await other.get(SESSION)).status, 200);
  t.match((await auditOf(id)).at(-1), { action: 'login_sessions.revoked', actor: `user:${id}`, detail: { count: 2 } });
});

t.test('a person whose domain has a connection is sent to it', async (t) => {
  const { status, headers } = await browser().postForm(LOGIN, { email: 'eve@sso.example', return_to: '/x?y=1' });
  t.same(
    [status, headers.location],
    [303, '/api/v1/auth/sso/c0ffee00-0000-4000-8000-000000000000/start?return_to=%2Fx%3Fy%3D1'],
  );
});

t.test('a request with an Authorization header is judged by it, and never by the cookie', async (t) => {
  const own = await here.signIn((await somebody()).email);
  const answer = await own.get(SESSION, { authorization: 'Bearer abc' });
  assertProblem(t, answer, 401);
  t.same(bearerSubjects, ['Bearer abc']);
});

t.test('P9 asking too often is refused by account, with the seconds to wait', async (t) => {
  const { email } = await somebody();
  for (let i = 0; i < 5; i++) t.equal((await browser().postForm(LOGIN, { email })).status, 200);
  const refused = await browser().postForm(LOGIN, { email: email.toUpperCase() });
  assertProblem(t, refused, 429);
  t.equal(refused.headers['retry-after'], '180');
  const unknown = await Promise.all(
    Array.from({ length: 6 }, () => browser().postForm(LOGIN, { email: 'who@example.com' })),
  );
  t.equal(unknown.filter(({ status }) => status === 429).length, 1, 'the same for an address that nobody has');
  clock.advance(3 * MINUTE_MS);
  t.equal((await browser().postForm(LOGIN, { email })).status, 200);
});

t.test('P9 and by network, whatever the sender writes into X-Forwarded-For', async (t) => {
  const headers = (i: number) => ({ 'x-forwarded-for': `6.6.6.${i}, 2001:db8:77::${i}` });
  const statuses: number[] = [];
  for (let i = 0; i < 32; i++)
    statuses.push((await browser().postForm(LOGIN, { email: `n${i}@example.net` }, headers(i))).status);
  t.same(statuses, [...Array<number>(30).fill(200), 429, 429]);
  const tries: number[] = [];
  for (let i = 0; i < 32; i++)
    tries.push((await browser().postForm(LINK, { token: randomToken() }, headers(i))).status);
  t.same(tries, [...Array<number>(30).fill(401), 429, 429]);
});

t.test('a mail that cannot be sent is told to the operator and the tenant, not to the one who asked', async (t) => {
  const { email, id } = await somebody();
  mailbox.refuse(true);
  t.equal((await browser().postForm(LOGIN, { email })).status, 200);
  for (let i = 0; i < 100 && (await auditOf(id)).length < 2; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  mailbox.refuse(false);
  t.match((await auditOf(id)).at(-1), { action: 'sign_in.failed', detail: { cause: 'mail_not_sent' } });
  t.match(here.log.join('\n'), 'a sign-in link could not be sent');
  t.notMatch(here.log.join('\n'), email);
});

t.test('a database that fails is in the log without the addresses it was asked for', async (t) => {
  const { email } = await somebody();
  const before = here.log.length;
  await sql`alter table users rename to users_gone`;
  t.equal((await browser().postForm(LOGIN, { email })).status, 200, 'nor does the answer tell');
  for (let i = 0; i < 100 && here.log.length === before; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  await sql`alter table users_gone rename to users`;
  const lines = here.log.slice(before).join('\n');
  t.match(lines, 'failed query: select');
  t.match(lines, 'does not exist');
  t.notMatch(lines, '@example');
});

t.test(
  'attack: a link does not leave in plain text because a server, or somebody before it, offers no TLS',
  async (t) => {
    // This machine by a name that does not say so.
    const url = mailbox.url.replace('127.0.0.1', '127.1');
    const from = 'gatehouse@example.org';
    const message = { to: 'tls@example.com', subject: 'x', text: 'x', html: 'x', link: 'x' };
    await t.rejects(new SmtpMailer({ url, from }).send(message), { name: 'MailNotSent' });
    await new SmtpMailer({ url: `${url}?requireTLS=false`, from }).send(message);
    t.same((await mailbox.take('tls@example.com')).recipients, ['tls@example.com']);
    await t.rejects(
      new SmtpMailer({ url, from }).send({ ...message, subject: 'x\r\nBcc: all@example.com' }),
      /one line/,
    );
  },
);

t.test('an invitation signs in whoever opens it, once, within seven days', async (t) => {
  const { email, id } = await somebody();
  const tenantId = await here.addTenant('inviting');
  await sql`insert into memberships (tenant_id, user_id, roles, accepted_at) values (${tenantId}, ${id}, array['viewer'], null)`;
  const tenantName = 'Acme\r\nBcc: all@example.com';
  const invite = () => platform.invite({ userId: id, tenantId, email, name: 'N', tenantName, invitedBy: 'Ann <b>' });
  const before = await here.signIn(email);
  t.notOk(JSON.parse((await before.get(SESSION)).body).tenantIds.includes(tenantId), 'not a member before they accept');
  const [told] = await sql`select count(*)::int as n from audit_log where tenant_id = ${tenantId}`;
  t.equal(told?.['n'], 0, 'and the tenant is not told of their sign-ins');
  await invite();
  const received = await mailbox.take(email);
  t.same(received.recipients, [email], 'a line end in a name makes no header');
  t.equal(received.mail.bcc, undefined);
  t.match(received.mail.subject, 'Acme Bcc: all@example. com', 'nor an address to click');
  const token = linkIn(received).searchParams.get('token') as string;
  clock.advance(7 * 24 * HOUR_MS - 1);
  const own = browser();
  t.equal((await own.postForm(LINK, { token })).status, 303);
  const session = await own.get(SESSION);
  t.equal(session.status, 200);
  t.ok(JSON.parse(session.body).tenantIds.includes(tenantId), 'opening it accepts');
  assertProblem(t, await browser().postForm(LINK, { token }), 401);
  await invite();
  const late = linkIn(await mailbox.take(email)).searchParams.get('token') as string;
  clock.advance(7 * 24 * HOUR_MS);
  assertProblem(t, await browser().postForm(LINK, { token: late }), 401);
});

t.test('an invitation is over once another one was sent, or it was taken back', async (t) => {
  const { email, id } = await somebody();
  const tenantId = await here.addTenant('changing');
  await sql`insert into memberships (tenant_id, user_id, roles, accepted_at) values (${tenantId}, ${id}, array['viewer'], null)`;
  const invite = async () => {
    await platform.invite({ userId: id, tenantId, email, name: 'N', tenantName: 'Changing', invitedBy: 'Ann' });
    return linkIn(await mailbox.take(email)).searchParams.get('token') as string;
  };
  const [first, second] = [await invite(), await invite()];
  assertProblem(t, await browser().postForm(LINK, { token: first }), 401);
  await sql`delete from memberships where tenant_id = ${tenantId} and user_id = ${id}`;
  t.notMatch((await browser().get(`${LINK}?token=${second}`)).body, /about to sign in/);
  const own = browser();
  assertProblem(t, await own.postForm(LINK, { token: second }), 401);
  assertProblem(t, await own.get(SESSION), 401);
});

t.test(
  'the organization of a person is that of the tenant that they join first, not that invites them first',
  async (t) => {
    const [elsewhere] = await sql`insert into organizations (name) values ('Elsewhere') returning id`;
    const { email, id } = await somebody({});
    await sql`update users set organization_id = ${elsewhere?.['id']} where id = ${id}`;
    const organization = async () =>
      (await sql`select organization_id from users where id = ${id}`)[0]?.['organization_id'];
    const join = async (slug: string) => {
      const tenantId = await here.addTenant(slug);
      await sql`insert into memberships (tenant_id, user_id, roles, accepted_at) values (${tenantId}, ${id}, array['viewer'], null)`;
      await platform.invite({ userId: id, tenantId, email, name: 'N', tenantName: slug, invitedBy: 'Ann' });
      const token = linkIn(await mailbox.take(email)).searchParams.get('token') as string;
      return { tenantId, open: async () => t.equal((await browser().postForm(LINK, { token })).status, 303) };
    };
    const [first, second] = [await join('corp'), await join('other')];
    await sql`update tenants set organization_id = ${elsewhere?.['id']} where id = ${second.tenantId}`;
    await first.open();
    const [corp] = await sql`select organization_id from tenants where id = ${first.tenantId}`;
    t.equal(await organization(), corp?.['organization_id']);
    await second.open();
    t.equal(await organization(), corp?.['organization_id'], 'and stays');
  },
);

t.test('somebody who is disabled accepts no invitation, and their tenants are told that they tried', async (t) => {
  const { email, id } = await somebody();
  const tenantId = await here.addTenant('hopeful');
  await sql`insert into memberships (tenant_id, user_id, roles, accepted_at) values (${tenantId}, ${id}, array['viewer'], null)`;
  await platform.invite({ userId: id, tenantId, email, name: 'N', tenantName: 'Hopeful', invitedBy: 'Ann' });
  const token = linkIn(await mailbox.take(email)).searchParams.get('token') as string;
  await sql`update users set disabled_at = now() where id = ${id}`;
  assertProblem(t, await browser().postForm(LINK, { token }), 401);
  const accepted = async () =>
    (await sql`select 1 from memberships where tenant_id = ${tenantId} and accepted_at is not null`).length;
  t.equal(await accepted(), 0);
  t.match(
    await auditOf(id),
    [{ action: 'sign_in.failed', actor: 'nobody', detail: { cause: 'disabled' }, tenant: acme }],
    'the one that they belong to, not the one that waits for them',
  );
  await sql`update users set disabled_at = null where id = ${id}`;
  t.equal((await browser().postForm(LINK, { token })).status, 303, 'the link was not used up');
  t.equal(await accepted(), 1);
});

t.test('the operator admits somebody, in the log of each of their tenants', async (t) => {
  const { database } = here;
  const admit = (email: string, given?: OperatorAdmission) => admitAsOperator(database, email, given);
  const member = (role: Role) => ({ membership: { tenantId: acme, role } });
  t.equal(await admit('new@example.com'), 'unknown', 'nobody becomes somebody by chance');
  const admitted = await admit('new@example.com', member('admin'));
  const { userId: id } = admitted as { userId: string };
  t.same(await admit('new@example.com', member('owner')), admitted);
  const roles = async () => (await sql`select roles from memberships where user_id = ${id}`)[0]?.['roles'];
  t.same(new Set(await roles()), new Set(['admin', 'owner']), 'roles are added, not replaced');
  const told = async () => (await auditOf(id)).map(({ action, actor }) => `${action} ${actor}`);
  const both = ['member.changed operator', 'sign_in.asked operator'];
  t.same(await told(), [...both, ...both]);
  await sql`update users set disabled_at = now() where id = ${id}`;
  t.equal(await admit('new@example.com', member('analyst')), 'disabled');
  t.equal((await roles()).length, 2, 'and nothing is given to them');
  t.same(await admit('new@example.com', { enable: true }), admitted);
  t.same((await told()).slice(4), ['member.enabled operator', 'sign_in.asked operator']);
  t.equal(await admit('other@example.com', { enable: true }), 'unknown');
});

t.test('over https, cookies travel over TLS alone', async (t) => {
  const { baseUrl } = here.site;
  t.teardown(() => {
    here.site.baseUrl = baseUrl;
  });
  here.site.baseUrl = 'https://gate.example';
  const { email } = await somebody();
  const own = browser();
  const { link, token } = await ask(own, email);
  t.equal(`${link.origin}${link.pathname}`, `https://gate.example${LINK}`);
  const answer = await own.postForm(LINK, { token, return_to: '/x' });
  t.equal(answer.headers.location, '/x');
  t.match(answer.setCookies.get('session'), /; Secure/);
  t.match((await own.postForm(LOGIN, { email })).setCookies.get('sign_in'), /; Secure/);
  t.match(answer.headers, { 'strict-transport-security': /max-age/ });
});

t.test('the first owner', async (t) => {
  const fresh = await startTestPlatform(t, postgres);
  const [one, two] = [await fresh.addTenant('one'), await fresh.addTenant('two')];
  const tokenOf = (link: string | undefined) => new URL(link as string).searchParams.get('token') as string;
  const older = tokenOf(await fresh.platform.firstOwnerLink());
  const token = tokenOf(await fresh.platform.firstOwnerLink());
  const who = { name: 'Olive Owner', email: 'Olive@Example.com' };

  assertProblem(t, await fresh.browser().postForm(LINK, { ...who, token: older }), 401);
  const own = fresh.browser();
  t.match((await own.get(`${LINK}?token=${token}`)).body, 'You become the owner');
  const unsaid = [
    {},
    { name: 'x' },
    { email: 'x@y.z' },
    { ...who, name: ' ' },
    { ...who, name: 'a\r\nb' },
    { ...who, email: 'x' },
  ];
  for (const fields of unsaid) {
    assertProblem(t, await own.postForm(LINK, { ...(fields as object), token }), 400);
  }
  const answers = await Promise.all(
    ['a@x.y', 'b@x.y', 'Olive@Example.com'].map((email) => fresh.browser().postForm(LINK, { ...who, email, token })),
  );
  t.same(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [303, 401, 401],
    'of several at once there is one',
  );
  const winner = answers.find(({ status }) => status === 303) as Answer;
  own.cookies.set('session', /=([^;]+)/.exec(winner.setCookies.get('session') as string)?.[1] as string);
  const session = JSON.parse((await own.get(SESSION)).body);
  t.equal(session.name, 'Olive Owner');
  t.same(session.tenants, { [one]: { roles: ['owner'] }, [two]: { roles: ['owner'] } }, 'owns every tenant');
  const entries = await fresh.sql`select action, actor from audit_log where tenant_id = ${one} order by seq`;
  t.same(
    entries.map(({ action, actor }) => `${action} ${actor}`),
    ['member.changed operator', `sign_in.succeeded user:${session.userId}`],
  );
  t.equal(await fresh.platform.firstOwnerLink(), undefined, 'there is no link any more');
});

t.test('a link for the first owner dies with the first user, however they came', async (t) => {
  const fresh = await startTestPlatform(t, postgres);
  const link = new URL((await fresh.platform.firstOwnerLink()) as string);
  await fresh.addPerson('early@example.com');
  const fields = { token: link.searchParams.get('token') as string, name: 'X', email: 'x@example.com' };
  assertProblem(t, await fresh.browser().postForm(LINK, fields), 401);
  t.equal((await fresh.sql`select 1 from users`).length, 1);
});
