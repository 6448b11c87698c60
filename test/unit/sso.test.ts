import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { claimsOfJson, isAllowedEmail, mapClaims } from '../../src/domain/claim-mapping.ts';
import { isEmailDomain } from '../../src/domain/formats.ts';
import { localPath, readLocalPath } from '../../src/domain/local-path.ts';
import {
  isProviderUrl,
  mappingOf,
  passwordPolicyFaults,
  readOidcSettings,
  type SsoSettings,
} from '../../src/domain/sso.ts';
import { openSamlKeys } from '../../src/identity/saml-keys.ts';
import { screenXml } from '../../src/identity/saml-screen.ts';
import { openSeal, Seal } from '../../src/identity/sealed.ts';
import { selfSignedCertificate } from '../../src/identity/self-signed-certificate.ts';
import { TokenBuckets } from '../../src/lib/token-buckets.ts';
import { temporaryDirectory } from '../support/postgres.ts';

const MAPPING = {
  subject: 'sub',
  email: ['mail', 'email'],
  name: 'name',
  roles: {
    claim: 'realm_access.roles',
    table: [
      { value: 'boss', role: 'admin' as const },
      { value: 'staff', role: 'viewer' as const },
      { value: 'people', role: 'viewer' as const },
    ],
  },
};
const CLAIMS = { sub: 'S1', email: 'Ann@Acme.example', name: 'Ann', realm_access: { roles: ['staff', 'people', 'x'] } };

t.test('claims become a person by the mapping alone', async (t) => {
  t.same(mapClaims(claimsOfJson(CLAIMS), MAPPING), {
    ok: true,
    person: { subject: 'S1', email: 'ann@acme.example', name: 'Ann', roles: ['viewer'], rolesFromClaims: true },
  });
  const one = mapClaims(claimsOfJson({ ...CLAIMS, realm_access: { roles: 'boss' } }), MAPPING);
  t.match(one, { person: { roles: ['admin'] } }, 'a single value as a string');
  const grasping = { ...CLAIMS, roles: ['admin'], role: 'owner', groups: ['boss'], realm_access: {} };
  t.match(mapClaims(claimsOfJson(grasping), MAPPING), { person: { roles: [] } }, 'no other claim gives a role');
  const { roles: _, ...without } = MAPPING;
  t.match(mapClaims(claimsOfJson(CLAIMS), { ...without, defaultRole: 'analyst' }), {
    person: { roles: ['analyst'], rolesFromClaims: false },
  });
});

t.test('claims that name nobody, or several, are refused', async (t) => {
  for (const sub of [undefined, '', ['a', 'b'], { a: 1 }, 'x'.repeat(600), null, 'a\0b', '\ud800'])
    t.match(
      mapClaims(claimsOfJson({ ...CLAIMS, sub }), MAPPING),
      { ok: false },
      JSON.stringify(sub)?.slice(0, 20) ?? '',
    );
  for (const email of [undefined, 'nobody', 'a@', `${'a'.repeat(260)}@b.example`])
    t.match(mapClaims(claimsOfJson({ ...CLAIMS, email }), MAPPING), { ok: false, fault: /"mail" or "email"/ });
  t.match(mapClaims(claimsOfJson({ ...CLAIMS, name: undefined }), MAPPING), { person: { name: 'ann@acme.example' } });
});

t.test('whatever an identity provider sends, no role comes that is not in the table', async () => {
  const known = new Set(['admin', 'viewer']);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (claims, value) => {
      const mapped = mapClaims(claimsOfJson({ ...claims, ...CLAIMS, realm_access: { roles: value } }), MAPPING);
      return mapped.ok && mapped.person.roles.every((role) => known.has(role));
    }),
  );
});

t.test('settings: what a preset brings, and what is refused', async (t) => {
  const base = { issuer: 'https://a.example', clientId: 'c', passwordBased: false };
  const adfs: SsoSettings = { kind: 'oidc', ...base, preset: 'adfs', mapping: { name: 'n' } };
  t.match(mappingOf(adfs), { subject: 'sub', email: ['email', 'upn'], name: 'n' });
  t.equal(mappingOf(adfs).roles, undefined);
  t.match(readOidcSettings({ ...base, emailDomains: ['Acme.example'] }), { ok: false, fault: /domain/ });
  t.match(readOidcSettings({ issuer: base.issuer, clientId: 'c' }), { ok: false }, 'passwordBased must be stated');
  t.match(readOidcSettings({ ...base, clientId: '\ud800' }), { ok: false, fault: /well-formed/ });
  t.match(readOidcSettings({ ...base, clientId: '\\u0000' }), { ok: true }, 'a backslash is no NUL');
  for (const url of ['http://a.example', 'https://u:p@a.example', 'https://a.example/#x', 'javascript:1', 'x'])
    t.notOk(isProviderUrl(url), url);
  for (const url of ['https://a.example/x?y', 'http://localhost:8080', 'http://127.0.0.2/', 'http://[::1]:1/'])
    t.ok(isProviderUrl(url), url);
});

t.test('a password policy has twelve characters, four classes and rotation (SPEC 5.2.6)', async (t) => {
  const good = { minLength: 12, upperCase: true, lowerCase: true, digits: true, symbols: true, rotationDays: 90 };
  const faults = (policy: Partial<typeof good>) =>
    passwordPolicyFaults({ passwordBased: true, passwordPolicy: { ...good, ...policy } }).length;
  t.equal(faults({}), 0);
  t.equal(faults({ minLength: 11 }), 1);
  for (const name of ['upperCase', 'lowerCase', 'digits', 'symbols']) t.equal(faults({ [name]: false }), 1, name);
  t.equal(faults({ rotationDays: 0 }), 1);
  t.equal(faults({ rotationDays: 366 }), 1);
  t.equal(passwordPolicyFaults({ passwordBased: true }).length, 1);
  t.equal(passwordPolicyFaults({ passwordBased: false }).length, 0);
});

t.test('domains: of addresses, and which may come in', async (t) => {
  for (const domain of ['acme.example', 'a.b.c.example', 'xn--bcher-kva.example']) t.ok(isEmailDomain(domain), domain);
  for (const domain of ['Acme.example', 'acme', '.example', 'a..b', '-a.example', '10.0.0.1', 'a b.example', ''])
    t.notOk(isEmailDomain(domain), domain);
  t.ok(isAllowedEmail('a@x.example', []));
  t.ok(isAllowedEmail('a@x.example', ['x.example']));
  t.notOk(isAllowedEmail('a@sub.x.example', ['x.example']));
  t.notOk(isAllowedEmail('x.example@y.example', ['x.example']));
});

t.test('open redirect: only a path of this site is gone to', async (t) => {
  for (const path of ['/', '/agents', '/agents?a=//b#c', '/a%2F%2Fb']) t.equal(readLocalPath(path), path, path);
  t.equal(localPath(null), '/');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('/', '//', '/\\', '', '/\t/', '/./', 'https:'), (text, start) => {
      const path = readLocalPath(start + text);
      return path === undefined || new URL(path, 'https://own.example').origin === 'https://own.example';
    }),
  );
});

t.test('login CSRF: what is gone to is a page, never what signs somebody in or out', async (t) => {
  const bad = [
    '/api',
    '/api/',
    '/api/v1/auth/logout',
    '/api/v1/auth/sso/x/start?test=y',
    '/api?x#y',
    '/API/v1/auth/logout',
    '/a/../api/v1',
    '/./api/v1',
    '/%61pi/v1/auth/logout',
    '/%2e%2E/%41%70%49/v1',
    '/%2561pi/v1',
    '/%25252561pi/v1',
    '/a%2f..%2fapi/v1',
    '/a%5c..%5capi/v1',
    '/%2fapi/v1',
    '/ü/../%61pi/v1',
    '/%ff/..%2fapi',
    '/\tapi/v1',
    `/%${'25'.repeat(9)}61pi/v1`,
  ];
  for (const path of bad) t.equal(readLocalPath(path), undefined, path);
  for (const path of ['/apis', '/agents/api', '/api-docs', '/agents?next=/api/v1', '/a#/api', '/a%2525', '/%', '/%ff'])
    t.equal(readLocalPath(path), path, path);
});

t.test('a seal opens for its purpose and installation alone', async (t) => {
  const dataDir = temporaryDirectory(t, 'seal');
  const seal = await openSeal(dataDir);
  const sealed = seal.seal('a', 'a secret: ä');
  t.equal((await openSeal(dataDir)).open('a', sealed), 'a secret: ä', 'after a restart, too');
  t.not(seal.seal('a', 'a secret: ä'), sealed);
  t.equal(seal.open('b', sealed), undefined);
  t.equal(new Seal(Buffer.alloc(32)).open('a', sealed), undefined);
  for (const bad of ['', 'v1.', 'v2.x', `${sealed.slice(0, -4)}AAAA`, sealed.slice(0, 30)])
    t.equal(seal.open('a', bad), undefined);
  chmodSync(join(dataDir, 'keys', 'sealing'), 0o644);
  await t.rejects(openSeal(dataDir), /chmod 600/);
});

t.test('the SAML key is made once, with a certificate that is its own', async (t) => {
  const dataDir = temporaryDirectory(t, 'saml-keys');
  const [one, two] = await Promise.all([openSamlKeys(dataDir), openSamlKeys(dataDir)]);
  t.same(one, two, 'two at once agree');
  const certificate = new X509Certificate(one.certificate);
  t.ok(certificate.checkPrivateKey(createPrivateKey(one.privateKey)));
  t.ok(certificate.verify(createPublicKey(one.privateKey)));
  t.equal(certificate.subject, 'CN=Gatehouse SAML');
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const from = new Date('2030-01-02T03:04:05Z');
  const made = new X509Certificate(selfSignedCertificate(pair, { name: 'n'.repeat(60), from, years: 20 }));
  t.equal(new Date(made.validFrom).getTime(), from.getTime());
  t.equal(new Date(made.validTo).toISOString(), '2050-01-02T03:04:05.000Z');
});

t.test('XML is screened before it is parsed', async (t) => {
  const message = { comments: 'refuse' } as const;
  t.equal(screenXml('<?xml version="1.0"?><a><b/></a>', message), undefined);
  for (const xml of ['', 'x', '<!DOCTYPE a><a/>', '<a><!-- --></a>', '<a><![CDATA[x]]></a>', '<a><?x?></a>'])
    t.type(screenXml(xml, message), 'string', xml);
  t.match(screenXml(`<a>${'<b/>'.repeat(2_000)}</a>`, message), /2000 elements/);
  t.match(screenXml(`<a>${'x'.repeat(131_072)}</a>`, message), /128 KiB/);
  for (const xml of [
    `<a ${'b '.repeat(60_000)}>`,
    `<a>${'</'.repeat(60_000)}`,
    '<a></b>',
    '<a>',
    '<a></a></a>',
    '<a b="1"c="2"/>',
    '<a b=1/>',
    '<a b="<"/>',
    '<a b="1/>',
    '<a>&x;</a>',
    '<a>&</a>',
    '< a/>',
  ])
    t.match(screenXml(xml, message), /well-formed/, xml.slice(0, 40));
  const attributes = (count: number) => Array.from({ length: count }, (_, n) => ` b${n}='>'`).join('');
  t.equal(screenXml(`<s:a${attributes(50)}\n>&amp;&#xe9;<b c = "d"/></s:a >`, message), undefined);
  t.match(screenXml(`<a${attributes(51)}/>`, message), /attributes/);
  t.match(screenXml(`<a>${`<a${attributes(41)}/>`.repeat(100)}</a>`, message), /attributes/);
  t.match(screenXml(`${'<a>'.repeat(101)}${'</a>'.repeat(101)}`, message), /100 levels/);
  t.equal(screenXml('<?xml version="1.0"?>\n<!-- <a> -->\n<a><!-- < --></a>', { comments: 'allow' }), undefined);
  t.equal(screenXml('<a><!-- x --></a>', { comments: 'allow' }), undefined);
  t.type(screenXml('<!DOCTYPE a><a/>', { comments: 'allow' }), 'string');
});

t.test('token buckets: a burst, then so many a minute, each key for itself', async (t) => {
  const buckets = new TokenBuckets({ burst: 2, everyMs: 1000 });
  t.same([buckets.take('a', 0), buckets.take('a', 0), buckets.take('a', 0), buckets.take('b', 0)], [0, 0, 1, 0]);
  t.equal(buckets.take('a', 1000), 0);
  t.equal(buckets.take('a', 1000), 1);
});
