import { X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { Browser, Visit } from '../support/route-browser.ts';
import { type LogoutSaid, logoutForm, logoutOf, logoutQuery, logoutSaid, nameIdOf } from '../support/saml-logout.ts';
import {
  assertionOf,
  base64,
  ENTITY,
  encrypted,
  idpMetadata,
  makeIdpKeys,
  readRequest,
  responseOf,
  right,
  type Said,
  SLO_URL,
  SSO_URL,
  sign,
} from '../support/saml-provider.ts';
import { openSsoSetting } from '../support/sso.ts';

/** Logout that begins at a SAML provider, and the attacks on it. */

const setting = await openSsoSetting(t);
const { audited, browser, connect, sessions, tenant } = setting;
const keys = makeIdpKeys();
const strangerKeys = makeIdpKeys();
const settings = {
  metadata: idpMetadata([keys.certificate]),
  passwordBased: false,
  mapping: { defaultRole: 'viewer' },
};
const saml = await connect('saml', settings);

t.afterEach(() => {
  setting.clock.aheadMs = 0;
});

/** Somebody who signed in, in a session of this name. */
async function signIn({ own = saml.own, index = '_session1', ...said }: SignedIn = {}): Promise<Browser> {
  const person = browser();
  const asked = readRequest((await person.visit(`${own}/start`)).location ?? '');
  const assertion = assertionOf(right(asked, said)).replace('"_session1"', `"${index}"`);
  const xml = responseOf(right(asked), sign(assertion, 'Assertion', keys));
  const form = { SAMLResponse: base64(xml), RelayState: asked.relayState };
  const visit = await person.visit(asked.acsUrl, { form });
  if (visit.status !== 303) throw new Error(visit.body);
  return person;
}

type SignedIn = Partial<Said> & { own?: string; index?: string };

const isSignedIn = async (person: Browser) => (await sessions.look(person.cookie('session'))) !== undefined;

/** The provider's request comes through whatever browser, without a cookie of ours. */
const BINDINGS = {
  redirect: (own: string, xml: string, by: typeof keys | null = keys) =>
    browser().visit(`${own}/slo?${logoutQuery(xml, by)}`),
  post: (own: string, xml: string, by: typeof keys | null = keys) =>
    browser().visit(`${own}/slo`, { form: logoutForm(xml, by) }),
};
const bindings = Object.entries(BINDINGS);

const send = (more: Partial<LogoutSaid> = {}) => BINDINGS.redirect(saml.own, logoutOf(logoutSaid(saml.own, more)));

function assertDone(t: Test, { location, body }: Visit, id: string): void {
  const url = new URL(location ?? `about:${body}`);
  t.equal(`${url.origin}${url.pathname}`, SLO_URL);
  t.equal(url.searchParams.get('RelayState'), 'to and fro');
  t.ok(url.searchParams.get('Signature'), 'the answer is signed');
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLResponse') ?? '', 'base64')).toString();
  t.match(xml, new RegExp(`<samlp:LogoutResponse.*InResponseTo="${id}"`));
  t.match(xml, /status:Success/);
  t.match(xml, `<saml:Issuer>${saml.own}/metadata</saml:Issuer>`);
}

for (const [binding, bring] of bindings) {
  t.test(`HTTP-${binding}: the session that the provider names ends at once, and no other`, async (t) => {
    const [one, two] = [await signIn({ index: '_one' }), await signIn({ index: '_two' })];
    const somebodyElse = await signIn({ nameId: 'ben-0002', index: '_one' });
    const said = logoutSaid(saml.own, { sessions: ['_one'] });
    const session = await sessions.look(one.cookie('session'));
    const told: string[] = [];
    const stop = sessions.onEnded((id) => told.push(id));
    assertDone(t, await bring(saml.own, logoutOf(said)), said.id);
    stop();
    t.notOk(await isSignedIn(one));
    t.ok(await isSignedIn(two));
    t.ok(await isSignedIn(somebodyElse), 'who has a session of the same name');
    t.same(told, [session?.id], 'whoever holds its live sockets is told');
    t.match((await audited('login_sessions.revoked')).at(-1), {
      actor: `connection:${saml.id}`,
      target: `user:${session?.userId}`,
      detail: { count: 1, method: 'saml' },
    });
    const rest = logoutSaid(saml.own);
    assertDone(t, await bring(saml.own, logoutOf(rest)), rest.id);
    t.notOk(await isSignedIn(two), 'without a SessionIndex all of the person end');
    t.ok(await isSignedIn(somebodyElse));
    const again = logoutSaid(saml.own);
    const entries = (await audited('login_sessions.revoked')).length;
    assertDone(t, await bring(saml.own, logoutOf(again)), again.id);
    t.equal((await audited('login_sessions.revoked')).length, entries, 'what is over already is no event');
  });
}

t.test('a session that the provider gave no name ends with any of its person', async (t) => {
  const person = await signIn({ index: '' });
  t.match(await send({ sessions: ['_whatever'] }), { status: 303 });
  t.notOk(await isSignedIn(person));
});

t.test('an encrypted NameID is read', async (t) => {
  const person = await signIn();
  const { body } = await browser().visit(`${saml.own}/metadata`);
  const bare = /<ds:X509Certificate>([^<]+)</.exec(body)?.[1] ?? '';
  const pem = new X509Certificate(Buffer.from(bare, 'base64')).toString();
  const hidden = async (name: string) =>
    (await encrypted(name, pem)).replaceAll('saml:EncryptedAssertion', 'saml:EncryptedID');
  const other = await send({ subject: await hidden(`<!DOCTYPE x>${nameIdOf('ann-0001')}`) });
  t.match(other, { slug: 'unauthorized', body: /document type/ });
  t.ok(await isSignedIn(person));
  t.match(await send({ subject: await hidden(nameIdOf('ann-0001')) }), { status: 303 });
  t.notOk(await isSignedIn(person));
});

t.test('what is stored to find a session again says nobody’s name', async (t) => {
  await signIn({ nameId: 'very-personal', index: '_very-personal' });
  const rows = await setting.sql`select l::text as text, subject_mark, session_mark from login_sessions l`;
  t.ok(rows.length > 0);
  for (const row of rows) {
    t.notMatch(row['text'], /very-personal/);
    t.equal((row['subject_mark'] as Uint8Array).length, 32);
  }
});

t.test('a provider that names no place to answer at is sent home', async (t) => {
  const { own } = await connect('saml', {
    entityId: ENTITY,
    ssoUrl: SSO_URL,
    certificates: [keys.certificate],
    passwordBased: false,
    mapping: { defaultRole: 'viewer' },
  });
  const person = await signIn({ own });
  const visit = await BINDINGS.redirect(own, logoutOf(logoutSaid(own)));
  t.match(visit, { status: 303, location: '/' });
  t.notOk(await isSignedIn(person));
  t.match(await browser().visit(`${own}/slo`), { status: 303, location: '/' }, 'as after a logout of ours');
  t.match(await browser().visit(`${own}/slo`, { form: { SAMLResponse: 'x' } }), { status: 303, location: '/' });
});

const victim = await signIn({ nameId: 'victim', index: '_victim' });
const mine = (more: Partial<LogoutSaid> = {}) => logoutSaid(saml.own, { nameId: 'victim', ...more });

async function refused(t: Test, visit: Visit, why: RegExp, slug = 'unauthorized') {
  t.match(visit, { slug, body: why, location: null });
  t.ok(await isSignedIn(victim), 'nothing ended');
}

const SAID: Record<string, [Partial<LogoutSaid>, RegExp]> = {
  'wrong issuer': [{ issuer: 'https://other.example' }, /issuer/],
  'wrong destination': [{ destination: 'https://other.example/slo' }, /Destination/],
  'no destination': [{ destination: '' }, /Destination/],
  expired: [{ notOnOrAfter: -61 }, /expired/],
  'issued long ago': [{ issued: -361, notOnOrAfter: undefined }, /expired/],
  'issued in the future': [{ issued: 120 }, /not valid yet/],
  'no NameID': [{ subject: '' }, /signature|NameID/],
  'two NameIDs': [{ subject: nameIdOf('victim') + nameIdOf('ann-0001') }, /signature|NameID/],
  'an empty SessionIndex': [{ sessions: [''] }, /SessionIndex/],
  'more sessions than are believed': [{ sessions: Array.from({ length: 101 }, (_, at) => `_${at}`) }, /at most 100/],
  'no id': [{ id: '' }, /ID|signature/],
};
for (const [binding, bring] of bindings) {
  for (const [name, [more, why]] of Object.entries(SAID))
    t.test(`${binding}, ${name}: refused`, async (t) => refused(t, await bring(saml.own, logoutOf(mine(more))), why));
  t.test(`${binding}, unsigned: refused`, async (t) => {
    await refused(t, await bring(saml.own, logoutOf(mine()), null), /not signed/);
  });
  t.test(`${binding}, signed by a stranger: refused`, async (t) => {
    await refused(t, await bring(saml.own, logoutOf(mine()), strangerKeys), /signature/);
  });
  t.test(`${binding}, replayed: refused`, async (t) => {
    const xml = logoutOf(mine({ nameId: 'ann-0001' }));
    t.match(await bring(saml.own, xml), { status: 303 });
    const since = await signIn();
    t.match(await bring(saml.own, xml), { slug: 'unauthorized', body: /used before/ });
    t.ok(await isSignedIn(since), 'whoever signed in since stays');
    setting.clock.aheadMs = 6.5 * 60_000;
    t.match(await bring(saml.own, xml), { slug: 'unauthorized', body: /expired/ }, 'also when it is forgotten');
  });
  t.test(`${binding}, with a long ID of its own choice: done, and counts once`, async (t) => {
    const letters = Array.from({ length: 1000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000)));
    const xml = logoutOf(mine({ nameId: 'ann-0001', id: `_${binding}${letters.join('')}` }));
    t.match(await bring(saml.own, xml), { status: 303 });
    t.match(await bring(saml.own, xml), { slug: 'unauthorized', body: /used before/ });
  });
  t.test(`${binding}, DOCTYPE, entity, comment, CDATA: refused before anything is parsed`, async (t) => {
    const xml = logoutOf(mine());
    const forms = [
      `<!DOCTYPE x [<!ENTITY a "victim">]>${xml}`,
      `<!DOCTYPE x SYSTEM "file:///etc/passwd">${xml}`,
      xml.replace('victim', 'victim<!---->.example'),
      xml.replace('victim', '<![CDATA[victim]]>'),
    ];
    for (const form of forms) {
      const by = binding === 'post' ? null : keys;
      await refused(t, await bring(saml.own, form, by), /document type/);
    }
  });
  t.test(`${binding}, of another connection: refused`, async (t) => {
    const other = await connect('saml', { ...settings, metadata: idpMetadata([strangerKeys.certificate]) });
    const elsewhere = logoutOf(mine({ destination: `${other.own}/slo` }));
    t.match(await bring(other.own, elsewhere, strangerKeys), { status: 303 }, 'good there, and ends nobody here');
    await refused(t, await bring(saml.own, elsewhere, strangerKeys), /Destination/);
    await refused(t, await bring(other.own, logoutOf(mine()), keys), /Destination/);
  });
  t.test(`${binding}, no XML, another message, too many elements: refused`, async (t) => {
    const by = binding === 'post' ? null : keys;
    await refused(t, await bring(saml.own, 'hello', by), /no XML/);
    await refused(t, await bring(saml.own, '<a', by), /well-formed/);
    await refused(t, await bring(saml.own, '<a/>', by), /no SAML logout request/);
    await refused(t, await bring(saml.own, `<a>${'<a/>'.repeat(2_001)}</a>`, by), /2000 elements/);
    await refused(t, await bring(saml.own, `<a>${'<a x="1">'.repeat(100_000)}</a>`, by), /too large/);
  });
}

t.test('what is almost base64: refused at once, though anybody may send it', async (t) => {
  const started = performance.now();
  const visit = await browser().visit(`${saml.own}/slo`, { form: { SAMLRequest: `${' '.repeat(65_000)}!` } });
  t.match(visit, { slug: 'unauthorized', body: /not encoded/ });
  t.ok(performance.now() - started < 1000);
});

t.test('SHA-1: refused', async (t) => {
  const sha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
  const xml = logoutOf(mine());
  await refused(t, await browser().visit(`${saml.own}/slo?${logoutQuery(xml, keys, sha1)}`), /SigAlg/);
  const form = logoutForm(xml, keys, 'sha1');
  await refused(t, await browser().visit(`${saml.own}/slo`, { form }), /SignatureMethod/);
});

t.test('changed after signing: refused', async (t) => {
  const query = (xml: string) => logoutQuery(xml, keys);
  const [good, evil] = [query(logoutOf(mine({ nameId: 'nobody' }))), query(logoutOf(mine()))];
  const part = (text: string, name: string) => new RegExp(`${name}=[^&]*`).exec(text)?.[0] ?? '';
  const swapped = good.replace(part(good, 'SAMLRequest'), () => part(evil, 'SAMLRequest'));
  const visit = (text: string) => browser().visit(`${saml.own}/slo?${text}`);
  await refused(t, await visit(swapped), /signature/);
  await refused(t, await visit(evil.replace('to%20and', 'from%20and')), /signature/);
  await refused(t, await visit(evil.replace(/&Signature=.*/, '')), /not signed/);
  await refused(t, await visit(evil.replace(/&SigAlg=[^&]*/, '')), /SigAlg/);
  // Two readers of one query must not read two messages.
  await refused(t, await visit(`${good}&${part(evil, 'SAMLRequest')}`), /must be one/, 'invalid-request');
  await refused(t, await visit(`${part(evil, 'SAMLRequest')}&${good}`), /must be one/, 'invalid-request');
  const hidden = part(evil, 'SAMLRequest').replace('SAMLRequest', 'SAML%52equest');
  t.match(await visit(`${hidden}&${good}`), { status: 303 }, 'the signed one counts, which ends nobody');
  await refused(t, await visit(hidden), /must be one/, 'invalid-request');
  await refused(
    t,
    await visit(`x${part(good, 'SAMLRequest')}&${evil.replace(/Signature=.*/, part(good, 'Signature'))}`),
    /signature/,
  );
  const signed = sign(logoutOf(mine({ nameId: 'nobody' })), 'LogoutRequest', keys).replace('nobody', 'victim');
  const form = { SAMLRequest: base64(signed) };
  await refused(t, await browser().visit(`${saml.own}/slo`, { form }), /signature/);
});

t.test('signature wrapping: refused in every form', async (t) => {
  const said = mine({ nameId: 'nobody' });
  const signed = sign(logoutOf(said), 'LogoutRequest', keys);
  const signature = /<(?:ds:)?Signature[\s\S]*<\/(?:ds:)?Signature>/.exec(signed)?.[0] ?? '';
  const bare = signed.replace(signature, '');
  const end = signature.slice(signature.lastIndexOf('</'));
  const evil = (id: string, inside: string) =>
    logoutOf(mine({ id })).replace('<saml:NameID', () => `${inside}<saml:NameID`);
  const forms: Record<string, string> = {
    'the signed request inside the evil one': evil('_evil', `<samlp:Extensions>${signed}</samlp:Extensions>`),
    'its signature on the evil one': evil('_evil', `${signature}<samlp:Extensions>${bare}</samlp:Extensions>`),
    'the signed request inside the signature': evil(
      '_evil',
      `${signature.slice(0, -end.length)}<ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${bare}</ds:Object>${end}`,
    ),
    'the same id twice': evil(said.id, `<samlp:Extensions>${signed}</samlp:Extensions>`),
    'the signature of another request': evil(said.id, signature),
    'two signatures': evil(said.id, signature + signature),
    'below another element': `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${signed}</samlp:Response>`,
  };
  for (const [name, xml] of Object.entries(forms))
    await t.test(name, async (t) => {
      const visit = await browser().visit(`${saml.own}/slo`, { form: { SAMLRequest: base64(xml) } });
      await refused(t, visit, /signature|more than one|no SAML logout/);
    });
});

t.test('a form with two requests, a long RelayState, an unknown connection: refused', async (t) => {
  const { SAMLRequest } = logoutForm(logoutOf(mine()), keys);
  const long = await browser().visit(`${saml.own}/slo`, { form: { SAMLRequest, RelayState: 'x'.repeat(2049) } });
  await refused(t, long, /RelayState/, 'invalid-request');
  const nowhere = saml.own.replace(saml.id, tenant.id);
  await refused(t, await browser().visit(`${nowhere}/slo`, { form: { SAMLRequest } }), /no connection/, 'not-found');
});
