import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import { mapClaims } from '../../src/domain/claim-mapping.ts';
import { CLAIMS_URI } from '../../src/domain/claim-uris.ts';
import { SamlProviders } from '../../src/identity/saml.ts';
import { openSamlKeys } from '../../src/identity/saml-keys.ts';
import { SamlPool } from '../../src/identity/saml-pool.ts';
import { runSamlTask } from '../../src/identity/saml-task.ts';
import { providerLogoutUrl } from '../../src/platform/sso-routes.ts';
import type { Browser } from '../support/route-browser.ts';
import {
  type Asked,
  assertionOf,
  attribute,
  bareBase64,
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
import { BASE_URL, openSsoSetting, SAML_FILE } from '../support/sso.ts';

/** Sign-in with SAML 2.0, and the attacks on it. */

const setting = await openSsoSetting(t);
const { administer, audited, begun, browser, connect, sql, tenant } = setting;
const keys = makeIdpKeys();
const nextKeys = makeIdpKeys();
const strangerKeys = makeIdpKeys();

const MAPPING = { roles: { claim: 'groups', table: [{ value: 'security', role: 'analyst' }] }, defaultRole: 'viewer' };
const saml = await connect('saml', {
  metadata: idpMetadata([keys.certificate, nextKeys.certificate]),
  passwordBased: false,
  mapping: MAPPING,
});

t.afterEach(() => {
  setting.clock.aheadMs = 0;
});

/** A sign-in that was sent to the provider. */
async function begin(own = saml.own, query = ''): Promise<{ person: Browser; asked: Asked }> {
  const person = browser();
  const sent = await person.visit(`${own}/start${query}`);
  return { person, asked: readRequest(sent.location ?? '') };
}

function post(person: Browser, asked: Asked, xml: string, relayState = asked.relayState) {
  return person.visit(asked.acsUrl, { form: { SAMLResponse: base64(xml), RelayState: relayState } });
}

/** A good answer with the assertion signed, but for what `more` says. */
function signedAssertion(asked: Asked, more: Partial<Said> = {}, by = keys): string {
  const said = right(asked, more);
  return responseOf(said, sign(assertionOf(said), 'Assertion', by));
}

/** Posts what `make` makes to a fresh sign-in, and expects it to be refused. */
async function refused(t: Test, make: (asked: Asked) => string | Promise<string>, why: RegExp, own = saml.own) {
  const before = begun.length;
  const { person, asked } = await begin(own);
  const visit = await post(person, asked, await make(asked));
  t.match(visit, { slug: 'unauthorized', body: why });
  t.equal(begun.length, before, 'nobody was signed in');
  t.equal(person.cookie('session'), undefined);
}

const certificateOfOurs = async () =>
  /<ds:X509Certificate>([^<]+)</.exec((await browser().visit(`${saml.own}/metadata`)).body)?.[1] ?? '';
const pemOf = (bare: string) => new X509Certificate(Buffer.from(bare, 'base64')).toString();

t.test('a whole sign-in: signed assertion, provisioned, audited, and the provider ends its session', async (t) => {
  const { person, asked } = await begin(saml.own, '?return_to=/agents');
  t.equal(`${asked.url.origin}${asked.url.pathname}`, SSO_URL);
  t.equal(asked.acsUrl, `${saml.own}/acs`);
  t.notMatch(asked.xml, /RequestedAuthnContext/, 'which ADFS refuses');
  t.equal(asked.url.searchParams.get('Signature'), null);
  const visit = await post(person, asked, signedAssertion(asked));
  t.match(visit, { status: 303, location: '/agents' });
  t.ok(await setting.sessions.look(person.cookie('session')));
  const start = begun.at(-1);
  t.match(start, { method: 'saml', connectionId: saml.id });
  const members = await sql`
    select tenant_id, roles, email from memberships join users on id = user_id where user_id = ${start?.userId ?? ''}`;
  t.same(
    members.map((row) => ({ ...row })),
    [{ tenant_id: tenant.id, roles: ['analyst'], email: 'ann@acme.example' }],
  );
  t.match((await audited('sign_in.succeeded')).at(-1), { actor: `user:${start?.userId}`, detail: { method: 'saml' } });
  const url = await providerLogoutUrl(setting.options, {
    connectionId: saml.id,
    providerSession: start?.providerSession ?? '',
  });
  const logout = readRequest(url ?? '');
  t.equal(`${logout.url.origin}${logout.url.pathname}`, SLO_URL);
  t.match(logout.xml, /<samlp:LogoutRequest.*ann-0001.*_session1/);
  t.ok(logout.url.searchParams.get('Signature'), 'a logout request is signed');
  t.match(await browser().visit(`${saml.own}/slo?SAMLResponse=x`), { status: 303, location: '/' });
});

t.test('a sign-in ends the session that the browser had, though the answer comes from another site', async (t) => {
  const { person, asked } = await begin();
  await post(person, asked, signedAssertion(asked));
  const before = person.cookie('session');
  t.ok(await setting.sessions.look(before));
  const again = readRequest((await person.visit(`${saml.own}/start`)).location ?? '');
  t.ok(await setting.sessions.look(before), 'to begin one ends nothing');
  await post(person, again, signedAssertion(again));
  t.not(person.cookie('session'), before);
  t.ok(await setting.sessions.look(person.cookie('session')));
  t.equal(await setting.sessions.look(before), undefined);
});

t.test('signed response, encrypted assertion, both signed: accepted', async (t) => {
  const pem = pemOf(await certificateOfOurs());
  const forms: Record<string, (said: Said) => string | Promise<string>> = {
    'response signed': (said) => sign(responseOf(said, assertionOf(said)), 'Response', keys),
    'assertion signed and encrypted': async (said) =>
      responseOf(said, await encrypted(sign(assertionOf(said), 'Assertion', keys), pem)),
    'assertion encrypted, response signed': async (said) =>
      sign(responseOf(said, await encrypted(assertionOf(said), pem)), 'Response', keys),
  };
  for (const [name, make] of Object.entries(forms)) {
    const { person, asked } = await begin();
    t.match(await post(person, asked, await make(right(asked))), { status: 303 }, name);
  }
  const userIds = new Set(begun.map(({ userId }) => userId));
  t.equal(userIds.size, 1, 'all the same person');
});

t.test('certificate roll-over: the next key of the metadata counts as well', async (t) => {
  const { person, asked } = await begin();
  t.match(await post(person, asked, signedAssertion(asked, {}, nextKeys)), { status: 303 });
  const { value } = await administer('GET', `/sso-connections/${saml.id}`);
  t.match(value, { settings: { entityId: ENTITY, ssoUrl: SSO_URL, sloUrl: SLO_URL }, acsUrl: `${saml.own}/acs` });
  t.equal((value['settings'] as { certificates: string[] }).certificates.length, 2);
});

t.test('metadata is read from its address, and again when the provider changes its key', async (t) => {
  const old = makeIdpKeys();
  const fresh = makeIdpKeys();
  const served = { xml: idpMetadata([old.certificate]), status: 200 };
  const server = createServer((_, res) => res.writeHead(served.status).end(served.xml));
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`;
  const { id, own } = await connect('saml', { metadataUrl, passwordBased: false, mapping: MAPPING });
  const signIn = async (by: typeof keys) => {
    const { person, asked } = await begin(own);
    return (await post(person, asked, signedAssertion(asked, {}, by))).status;
  };
  t.equal(await signIn(old), 303);
  served.xml = idpMetadata([fresh.certificate]);
  t.not(await signIn(fresh), 303, 'not before it is read again');
  const refresh = () => administer('POST', `/sso-connections/${id}/refresh`);
  const again = await refresh();
  t.match(again.value, { state: 'enabled', settings: { metadataUrl } });
  t.equal(await signIn(fresh), 303);
  t.not(await signIn(old), 303, 'what is not there any more does not count');
  t.match((await audited('sso.changed')).at(-1), { target: id, detail: { metadata: 'read again' } });
  served.xml = idpMetadata([fresh.certificate]).replace(ENTITY, 'https://other.example');
  t.match((await refresh()).answer, { slug: 'conflict', detail: /another provider/ });
  served.xml = idpMetadata([fresh.certificate]);
  const settings = { metadataUrl, passwordBased: false, mapping: MAPPING };
  t.match((await administer('PATCH', `/sso-connections/${id}`, { settings })).value, { settings: { metadataUrl } });
  served.status = 500;
  t.match((await administer('PATCH', `/sso-connections/${id}`, { settings })).answer, { slug: 'invalid-request' });
  t.match((await refresh()).answer, { slug: 'conflict', detail: /status 500/ });
  t.equal(await signIn(fresh), 303, 'a failure changes nothing');
  t.match((await administer('POST', `/sso-connections/${saml.id}/refresh`)).answer, { slug: 'conflict' });
  const bad = { metadataUrl: 'http://idp.example/metadata', passwordBased: false };
  const refused = await administer('POST', '/sso-connections', { kind: 'saml', name: 'x', settings: bad });
  t.match(refused.answer, { slug: 'invalid-request', detail: /https/ });
});

t.test('our metadata names the addresses and the key, and requests are signed when asked for', async (t) => {
  const { body } = await browser().visit(`${saml.own}/metadata`);
  t.match(body, `entityID="${saml.own}/metadata"`);
  t.match(body, `Location="${saml.own}/acs"`);
  t.match(body, /use="encryption"/);
  const settings = {
    entityId: ENTITY,
    ssoUrl: SSO_URL,
    certificates: [bareBase64(keys.certificate)],
    passwordBased: false,
  };
  const { own } = await connect('saml', { ...settings, signRequests: true, nameIdFormat: 'urn:x' });
  const { asked } = await begin(own);
  t.match(asked.url.searchParams.get('SigAlg'), /rsa-sha256$/);
  t.match(asked.xml, /NameIDPolicy[^>]+Format="urn:x"/);
  t.match((await browser().visit(`${own}/metadata`)).body, /AuthnRequestsSigned="true"/);
});

t.test(
  'an ADFS-shaped assertion is read: claims as URIs, one value or several, the assertion alone signed',
  async (t) => {
    const role = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role';
    const { own } = await connect('saml', {
      metadata: idpMetadata([keys.certificate]),
      preset: 'adfs',
      passwordBased: false,
      mapping: {
        roles: {
          claim: role,
          table: [
            { value: 'Gatehouse Admins', role: 'admin' },
            { value: 'Users', role: 'viewer' },
          ],
        },
      },
    });
    const upn = attribute(CLAIMS_URI.upn, 'ben@acme.example') + attribute(CLAIMS_URI.givenName, 'Ben');
    for (const [values, expected] of [
      [['Gatehouse Admins'], ['admin']],
      [
        ['Users', 'Gatehouse Admins'],
        ['admin', 'viewer'],
      ],
    ] as const) {
      const { person, asked } = await begin(own);
      const said = {
        nameId: 'ACME\\ben',
        format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
        attributes: upn + attribute(role, ...values),
      };
      t.match(await post(person, asked, signedAssertion(asked, said)), { status: 303 });
      const [row] = await sql`
      select roles, name, email from memberships join users on id = user_id where user_id = ${begun.at(-1)?.userId ?? ''}`;
      t.match({ ...row }, { name: 'Ben', email: 'ben@acme.example' });
      t.same((row?.['roles'] as string[] | undefined)?.toSorted(), expected);
    }
    await refused(
      t,
      (asked) => sign(responseOf(right(asked), assertionOf(right(asked))), 'Response', keys),
      /signature/,
      own,
    );
  },
);

t.test('a try-out shows what came and signs nobody in', async (t) => {
  const before = begun.length;
  const { value } = await administer('POST', `/sso-connections/${saml.id}/test`);
  const person = browser();
  const asked = readRequest((await person.visit(String(value['startUrl']))).location ?? '');
  const page = await post(person, asked, signedAssertion(asked));
  t.match(page.body, /Nobody was signed in.*ann-0001.*analyst/s);
  const again = readRequest((await person.visit(String(value['startUrl']))).location ?? '');
  const bad = await post(person, again, signedAssertion(again, { audience: 'x' }));
  t.match(bad.body, /would be refused.*audience/s);
  t.equal(begun.length, before);
});

// Somainen, Mayer et al., "On Breaking SAML": the signed element is moved, the evil one takes its place.
t.test('XSW1–XSW8 signature wrapping: refused in all eight classic forms', async (t) => {
  const evil = (asked: Asked, id: string) => assertionOf(right(asked, { nameId: 'admin', assertionId: id }));
  const parts = (asked: Asked) => {
    const said = right(asked);
    const assertion = sign(assertionOf(said), 'Assertion', keys);
    const response = sign(responseOf(said, assertionOf(said)), 'Response', keys);
    const signature = /<(?:ds:)?Signature[\s\S]*<\/(?:ds:)?Signature>/.exec(assertion)?.[0] ?? '';
    const responseSignature = /<(?:ds:)?Signature[\s\S]*?<\/(?:ds:)?Signature>/.exec(response)?.[0] ?? '';
    return { said, assertion, response, signature, responseSignature };
  };
  const into = (xml: string, before: string, piece: string) => xml.replace(before, () => piece + before);
  const forms: Record<string, (asked: Asked) => string> = {
    // The signed response inside the signature of an evil response.
    XSW1: (asked) => {
      const { said, response, responseSignature } = parts(asked);
      const original = response.replace(responseSignature, '');
      const end = responseSignature.slice(responseSignature.lastIndexOf('</'));
      const wrapped = `${responseSignature.slice(0, -end.length)}<Object>${original}</Object>${end}`;
      return responseOf(said, wrapped + evil(asked, '_evil'));
    },
    // The signed response beside its detached signature.
    XSW2: (asked) => {
      const { said, response, responseSignature } = parts(asked);
      return responseOf(said, response.replace(responseSignature, '') + responseSignature + evil(asked, '_evil'));
    },
    // The evil assertion before the signed one.
    XSW3: (asked) => {
      const { said, assertion } = parts(asked);
      return responseOf(said, evil(asked, '_evil') + assertion);
    },
    // The signed assertion inside the evil one.
    XSW4: (asked) => {
      const { said, assertion } = parts(asked);
      return responseOf(said, into(evil(asked, '_evil'), '</saml:Assertion>', assertion));
    },
    // The evil assertion with the signature; the signed one behind it.
    XSW5: (asked) => {
      const { said, assertion, signature } = parts(asked);
      const changed = into(evil(asked, '_evil'), '<saml:Subject>', signature);
      return responseOf(said, changed + assertion.replace(signature, ''));
    },
    // The same, the signed one inside the signature.
    XSW6: (asked) => {
      const { said, assertion, signature } = parts(asked);
      const end = signature.slice(signature.lastIndexOf('</'));
      const wrapped = signature.slice(0, -end.length) + assertion.replace(signature, '') + end;
      return responseOf(said, into(evil(asked, '_evil'), '<saml:Subject>', wrapped));
    },
    // The evil assertion inside Extensions, where a schema allows anything.
    XSW7: (asked) => {
      const { said, assertion } = parts(asked);
      return responseOf(said, `<samlp:Extensions>${evil(asked, said.assertionId)}</samlp:Extensions>${assertion}`);
    },
    // The signed one inside an Object of the evil one's signature.
    XSW8: (asked) => {
      const { said, assertion, signature } = parts(asked);
      const end = signature.slice(signature.lastIndexOf('</'));
      const wrapped = `${signature.slice(0, -end.length)}<Object>${assertion.replace(signature, '')}</Object>${end}`;
      return responseOf(said, into(evil(asked, said.assertionId), '<saml:Subject>', wrapped));
    },
  };
  for (const [name, make] of Object.entries(forms))
    await t.test(`${name}: refused`, (t) => refused(t, make, /more than one|one assertion|signature/));
  // One assertion only, so that the count of ours does not help: the library must find the signature to be about something else.
  await t.test('a signature over another element: refused', (t) =>
    refused(
      t,
      (asked) => {
        const { said, signature } = parts(asked);
        return responseOf(said, into(evil(asked, said.assertionId), '<saml:Subject>', signature));
      },
      /signature/,
    ),
  );
});

t.test('comment in NameID: refused before it is parsed, and never cut short', async (t) => {
  const commented = (asked: Asked) =>
    signedAssertion(asked, { nameId: 'admin@acme.example.evil.example' }).replace(
      'admin@acme.example.evil',
      'admin@acme.example<!---->.evil',
    );
  await refused(t, commented, /comment/);
  const cdata = (asked: Asked) => signedAssertion(asked, { nameId: '<![CDATA[admin]]>' });
  await refused(t, cdata, /CDATA/);
});

t.test('unsigned: refused', (t) =>
  refused(t, (asked) => responseOf(right(asked), assertionOf(right(asked))), /signature/),
);
t.test('wrong certificate: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked, {}, strangerKeys), /signature/),
);
t.test('changed after signing: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked).replace('ann-0001', 'admin'), /signature/),
);
t.test('SHA-1 signature: refused', (t) =>
  refused(
    t,
    (asked) => responseOf(right(asked), sign(assertionOf(right(asked)), 'Assertion', keys, 'sha1')),
    /SignatureMethod/,
  ),
);
t.test('expired: refused', async (t) => {
  await refused(t, (asked) => signedAssertion(asked, { notBefore: -900, notOnOrAfter: -300 }), /expired/);
  await refused(t, (asked) => signedAssertion(asked, { confirmedUntil: -300 }), /confirmation has expired/);
});
t.test('not yet valid: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked, { notBefore: 300, notOnOrAfter: 900 }), /not valid yet/),
);
t.test('wrong audience: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked, { audience: 'https://x' }), /audience/),
);
t.test('wrong issuer: refused, of the assertion and of the response', async (t) => {
  await refused(t, (asked) => signedAssertion(asked, { issuer: 'https://x' }), /issuer/);
  await refused(t, (asked) => signedAssertion(asked, { responseIssuer: 'https://x' }), /issuer/);
});
t.test('wrong destination: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked, { destination: `${BASE_URL}/elsewhere` }), /Destination/),
);
t.test('wrong recipient: refused', (t) =>
  refused(t, (asked) => signedAssertion(asked, { recipient: 'https://x/acs' }), /Recipient/),
);
t.test('wrong InResponseTo: refused, of the assertion and of the response', async (t) => {
  await refused(t, (asked) => signedAssertion(asked, { inResponseTo: '_other' }), /InResponseTo/);
  await refused(t, (asked) => signedAssertion(asked, { responseInResponseTo: '_other' }), /InResponseTo/);
});
t.test('an error status is told by its code alone', (t) =>
  refused(t, (asked) => responseOf(right(asked, { status: 'Responder' }), ''), /answered Responder/),
);
t.test('a transient NameID names nobody: refused', (t) =>
  refused(
    t,
    (asked) => signedAssertion(asked, { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    /NameID/,
  ),
);

t.test('a NameID of another format than was asked for names nobody: refused', async (t) => {
  const format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
  const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
  const settings = { metadata: idpMetadata([keys.certificate]), passwordBased: false, mapping: MAPPING };
  const { own } = await connect('saml', { ...settings, nameIdFormat: format });
  const { person, asked } = await begin(own);
  t.match(await post(person, asked, signedAssertion(asked, { format })), { status: 303 });
  await refused(t, (again) => signedAssertion(again, { format: email }), /NameID/, own);
  await refused(t, (again) => signedAssertion(again).replace(/ Format="[^"]*"/, ''), /signature/, own);
  const any = { ...settings, nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' };
  const { own: open } = await connect('saml', any);
  const { person: other, asked: opened } = await begin(open);
  t.match(await post(other, opened, signedAssertion(opened, { format: email })), { status: 303 }, 'any may come');
});
t.test('a session that is over at the provider: refused', async (t) => {
  const until = (said: Said, seconds: number) =>
    assertionOf(said).replace(
      'SessionIndex=',
      `SessionNotOnOrAfter="${new Date(Date.now() + seconds * 1000).toISOString()}" SessionIndex=`,
    );
  const make = (asked: Asked, seconds: number) =>
    responseOf(right(asked), sign(until(right(asked), seconds), 'Assertion', keys));
  await refused(t, (asked) => make(asked, -300), /session at the provider is over/);
  const { person, asked } = await begin();
  t.match(await post(person, asked, make(asked, 300)), { status: 303 });
  const token = person.cookie('session');
  setting.clock.aheadMs = 4 * 60_000;
  t.ok(await setting.sessions.use(token), 'used, which extends others');
  setting.clock.aheadMs = 6 * 60_000 + 1_000;
  t.notOk(await setting.sessions.use(token), 'ours is over with it, but for the leeway');
});

t.test('a provider that sets no end writes the end of time: accepted', async (t) => {
  const end = '9999-12-31T23:59:59Z';
  const { person, asked } = await begin();
  const assertion = assertionOf(right(asked))
    .replace(/NotOnOrAfter="[^"]*"/g, `NotOnOrAfter="${end}"`)
    .replace('SessionIndex=', `SessionNotOnOrAfter="${end}" SessionIndex=`);
  const visit = await post(person, asked, responseOf(right(asked), sign(assertion, 'Assertion', keys)));
  t.match(visit, { status: 303 });
  t.ok(await setting.sessions.use(person.cookie('session')));
});

t.test('replayed: an assertion counts once, a response once', async (t) => {
  const { person, asked } = await begin();
  const xml = signedAssertion(asked, { assertionId: '_used' });
  t.match(await post(person, asked, xml), { status: 303 });
  t.match(await post(person, asked, xml), { slug: 'unauthorized', body: /not under way/ });
  // Even where the provider answers a fresh request with an assertion of the same id.
  await refused(t, (again) => signedAssertion(again, { assertionId: '_used' }), /used before/);
});

t.test('no pending sign-in: not even parsed', async (t) => {
  const { asked } = await begin();
  const started = performance.now();
  const garbage = `<a>${'<b/>'.repeat(30_000)}</a>`;
  t.match(await post(browser(), asked, garbage), { slug: 'unauthorized', body: /not under way/ }, 'another browser');
  t.match(await post(browser(), asked, signedAssertion(asked), 'x'), { slug: 'unauthorized' }, 'invented RelayState');
  t.ok(performance.now() - started < 1000);
  const { person, asked: late } = await begin();
  setting.clock.aheadMs = 11 * 60_000;
  t.match(await post(person, late, signedAssertion(late)), { slug: 'unauthorized', body: /not under way/ }, 'expired');
});

t.test('DOCTYPE and entities: refused, also where they are encrypted', async (t) => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>';
  await refused(t, (asked) => bomb + signedAssertion(asked).replace('ann-0001', '&b;'), /document type/);
  await refused(t, (asked) => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${signedAssertion(asked)}`, /document type/);
  const pem = pemOf(await certificateOfOurs());
  await refused(
    t,
    async (asked) => {
      const said = right(asked);
      return responseOf(said, await encrypted(`${bomb}${sign(assertionOf(said), 'Assertion', keys)}`, pem));
    },
    /cannot be decrypted/,
  );
});

t.test(
  'what is wrong inside of an encrypted assertion is not told: with CBC that would read it to whoever caught one',
  async (t) => {
    const pem = pemOf(await certificateOfOurs());
    const insides: Record<string, (said: Said) => string> = {
      'no XML': () => 'hello',
      'no well-formed XML': () => '<',
      'another element': () => '<a/>',
      'two assertions': (said) => assertionOf(said).replace('<saml:Subject>', `${assertionOf(said)}<saml:Subject>`),
      'a comment': (said) => sign(assertionOf(said), 'Assertion', keys).replace('ann', '<!-- -->ann'),
      'SHA-1': (said) => sign(assertionOf(said), 'Assertion', keys, 'sha1'),
      'a stranger': (said) => sign(assertionOf(said), 'Assertion', strangerKeys),
      'no signature': assertionOf,
    };
    for (const inside of Object.values(insides)) {
      const { person, asked } = await begin();
      const said = right(asked);
      const visit = await post(person, asked, responseOf(said, await encrypted(inside(said), pem)));
      t.match(visit, { slug: 'unauthorized', body: /accepted: no good signature by .* or it cannot be decrypted$/ });
    }
    await refused(
      t,
      async (asked) => {
        const whole = responseOf(
          right(asked),
          await encrypted(sign(assertionOf(right(asked)), 'Assertion', keys), pem),
        );
        // The last block is what the padding is read from.
        const end = whole.lastIndexOf('<', whole.lastIndexOf('CipherValue>'));
        return `${whole.slice(0, end - 24)}${'A'.repeat(24)}${whole.slice(end)}`;
      },
      /accepted: no good signature by .* or it cannot be decrypted$/,
    );
    const elsewhere = (asked: Asked) => right(asked, { audience: 'https://another.example' });
    await refused(
      t,
      async (asked) => {
        const caught = await encrypted(sign(assertionOf(elsewhere(asked)), 'Assertion', strangerKeys), pem);
        return sign(responseOf(right(asked), caught), 'Response', keys);
      },
      /accepted: no good signature by .* or it cannot be decrypted$/,
    );
    await refused(
      t,
      async (asked) =>
        responseOf(right(asked), await encrypted(sign(assertionOf(elsewhere(asked)), 'Assertion', keys), pem)),
      /audience/,
    );
  },
);

t.test('1 MB of elements: answered quickly, the event loop goes on', async (t) => {
  const { person, asked } = await begin();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const started = performance.now();
  const visit = await post(person, asked, `<samlp:Response>${'<a/>'.repeat(250_000)}</samlp:Response>`);
  const tookMs = performance.now() - started;
  delay.disable();
  t.match(visit, { slug: 'unauthorized' });
  t.ok(tookMs < 1000, `answered after ${tookMs.toFixed(0)} ms`);
  t.ok(delay.max / 1e6 < 250, `the event loop stood for ${(delay.max / 1e6).toFixed(0)} ms`);
  await refused(t, () => `<a>${'<a/>'.repeat(2_100)}</a>`, /2000 elements/);
});

t.test('200,000 characters that are almost base64: answered at once, the event loop goes on', async (t) => {
  for (const filler of [' ', '\n', 'YQ ', '= ']) {
    const { person, asked } = await begin();
    const form = { SAMLResponse: `${filler.repeat(199_990 / filler.length)}!`, RelayState: asked.relayState };
    const started = performance.now();
    t.match(await person.visit(asked.acsUrl, { form }), { slug: 'unauthorized', body: /no base64/ });
    const tookMs = performance.now() - started;
    t.ok(tookMs < 1000, `${JSON.stringify(filler)}: answered after ${tookMs.toFixed(0)} ms`);
  }
});

t.test(
  'nesting and attributes within the limits: the thread is ended when it takes too long, and the next one works',
  async (t) => {
    const pool = new SamlPool({ file: SAML_FILE, timeoutMs: 1 });
    t.teardown(() => pool.stop());
    const slow = await pool.readMetadata(`<a>${'<a x="1"/>'.repeat(1_900)}</a>`);
    t.match(slow, { ok: false, fault: /within 1 ms/ });
    const { person, asked } = await begin();
    t.match(await post(person, asked, signedAssertion(asked)), { status: 303 });
  },
);

t.test('what there was no room or time to read leaves its sign-in under way, and the next try is good', async (t) => {
  const pool = new SamlPool({ file: SAML_FILE, timeoutMs: 1 });
  t.teardown(() => pool.stop());
  const { options } = setting;
  const { saml: usual } = options;
  const { clock, dataDir } = setting;
  const { person, asked } = await begin();
  const failures = (await audited('sign_in.failed')).length;
  options.saml = new SamlProviders({
    pool,
    logoutPool: pool,
    keys: () => openSamlKeys(dataDir),
    now: () => clock.now(),
  });
  t.match(await post(person, asked, signedAssertion(asked)), { slug: 'too-many-requests' });
  options.saml = usual;
  t.equal((await audited('sign_in.failed')).length, failures, 'it was not refused');
  t.match(await post(person, asked, signedAssertion(asked)), { status: 303 });
  t.match(await post(person, asked, signedAssertion(asked)), { slug: 'unauthorized' }, 'once');
});

t.test('P9 each connection has a share of the thread', async (t) => {
  const pool = new SamlPool({ file: SAML_FILE });
  t.teardown(() => pool.stop());
  const check = (audience: string) =>
    pool.checkResponse({
      xml: '<a/>',
      entityId: ENTITY,
      certificates: [],
      signed: 'either',
      wantEncrypted: false,
      audience,
      acsUrl: '',
      requestId: '',
      keys: { privateKey: '', certificate: '' },
      nowMs: 0,
    });
  const flood = Array.from({ length: 30 }, () => check('one'));
  t.match(await check('another'), { ok: false, fault: /no SAML response/ });
  const outcomes = await Promise.all(flood);
  t.equal(outcomes.filter((each) => !each.ok && each.isUnread).length, 14);
});

t.test('however many sign-ins strangers began, somebody else can begin one and come back', async (t) => {
  const { id, own } = await connect('saml', {
    metadata: idpMetadata([keys.certificate]),
    passwordBased: false,
    mapping: MAPPING,
  });
  await sql`
    insert into pending_sign_ins (state_hash, tenant_id, connection_id, browser_hash, secrets, return_to, purpose, expires_at)
    select sha256(n::text::bytea), ${tenant.id}, ${id}, sha256('x'), '', '/', 'sign_in', now() + interval '5 minutes'
    from generate_series(1, 10000) as n`;
  const { person, asked } = await begin(own);
  t.match(await post(person, asked, signedAssertion(asked)), { status: 303 });
  const [left] = await sql`select count(*)::int as left from pending_sign_ins where connection_id = ${id}`;
  t.equal(left?.['left'], 9_999, 'no more than the bound are kept');
  await sql`delete from pending_sign_ins where connection_id = ${id}`;
});

t.test('RelayState redirect: what comes back in it is never gone to', async (t) => {
  const { person, asked } = await begin();
  const visit = await post(person, asked, signedAssertion(asked), 'https://evil.example/');
  t.match(visit, { slug: 'unauthorized', location: null });
  t.match(await browser().visit(`${saml.own}/start?return_to=//evil.example`), { slug: 'invalid-request' });
  const { person: other, asked: own } = await begin();
  const form = { SAMLResponse: base64(signedAssertion(own)) };
  t.match(await other.visit(own.acsUrl, { form }), { slug: 'invalid-request', body: /begin here/ }, 'unsolicited');
});

t.test('a response for one connection at the address of another: refused', async (t) => {
  const { own } = await connect('saml', { metadata: idpMetadata([keys.certificate]), passwordBased: false });
  const { person, asked } = await begin();
  const { asked: elsewhere } = await begin(own);
  const visit = await person.visit(elsewhere.acsUrl, {
    form: { SAMLResponse: base64(signedAssertion(asked)), RelayState: asked.relayState },
  });
  t.match(visit, { slug: 'unauthorized' });
});

t.test('an assertion that is not encrypted is refused where that is demanded', async (t) => {
  const { own } = await connect('saml', {
    metadata: idpMetadata([keys.certificate]),
    passwordBased: false,
    wantEncrypted: true,
  });
  await refused(t, (asked) => signedAssertion(asked), /not encrypted/, own);
});

t.test('metadata and certificates that cannot be used are refused when they are entered', async (t) => {
  const settings = { passwordBased: false };
  const weak = makeIdpKeys(1024);
  const bad: Record<string, object> = {
    'no XML': { metadata: 'hello' },
    DOCTYPE: { metadata: `<!DOCTYPE x>${idpMetadata([keys.certificate])}` },
    'no certificate': { metadata: idpMetadata([]) },
    'weak key': { metadata: idpMetadata([weak.certificate]) },
    'plain http': { metadata: idpMetadata([keys.certificate]).replaceAll('https://idp', 'http://idp') },
    'no certificate in PEM': { entityId: 'x', ssoUrl: SSO_URL, certificates: ['x'] },
  };
  for (const [name, one] of Object.entries(bad)) {
    const { answer } = await administer('POST', '/sso-connections', {
      kind: 'saml',
      name,
      settings: { ...settings, ...one },
    });
    t.match(answer, { slug: 'invalid-request' }, name);
  }
});

t.test('what the thread does is the same without a thread', async (t) => {
  t.match(await runSamlTask({ kind: 'metadata', xml: idpMetadata([keys.certificate]) }), {
    ok: true,
    metadata: { entityId: ENTITY, ssoUrl: SSO_URL, sloUrl: SLO_URL },
  });
  t.match(mapClaims(new Map([['NameID', ['a', 'b']]]), { subject: 'NameID' }), { ok: false });
});
