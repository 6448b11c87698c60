import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { loadConfig } from '../../src/config.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Scope } from '../../src/domain/scopes.ts';
import type { TrustedIssuer } from '../../src/domain/trusted-issuer.ts';
import { AccessTokenVerifier } from '../../src/identity/access-token-verifier.ts';
import { guardedText, isKeySetUrl } from '../../src/identity/remote-keys.ts';
import { SigningKeys } from '../../src/identity/signing-keys.ts';
import { TrustedIssuers } from '../../src/identity/trusted-issuers.ts';
import { ISSUERS_MAX } from '../../src/store/trusted-issuers.ts';
import { openTestPlatform } from '../support/administration.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Tokens of other issuers: whose are taken, for which tenant, and for what. */

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const jwk = (key: KeyObject, kid: string, more = {}) => ({
  ...createPublicKey(key).export({ format: 'jwk' }),
  kid,
  ...more,
});

/** What the issuer's server answers; tests change it. */
let answer: (res: ServerResponse) => void;
let asked = 0;
const keySet = (keys: object[]) => (res: ServerResponse) => res.end(JSON.stringify({ keys }));
const BOTH = [jwk(rsa, 'rsa'), jwk(ec, 'ec')];
const server = createServer((_, res) => {
  asked++;
  answer(res);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => {
  server.closeAllConnections();
  server.close();
});
const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
t.beforeEach(() => {
  answer = keySet(BOTH);
  asked = 0;
});

const ISSUER = 'https://issuer.example';
const base: TrustedIssuer = {
  id: '11111111-1111-4111-8111-111111111111',
  tenant: 'acme' as TenantSlug,
  issuer: ISSUER,
  jwksUrl,
  audience: 'gatehouse',
  tenantClaim: null,
  tenantClaimValue: null,
  scopes: ['events:write'],
};

type Json = Record<string, unknown>;
const b64 = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
const rs256 = (key: KeyObject) => (input: Buffer) => sign('sha256', input, key);
const es256 = (key: KeyObject) => (input: Buffer) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' });
function jwt(header: Json, claims: Json, signer: (input: Buffer) => Buffer): string {
  const input = `${b64(header)}.${b64(claims)}`;
  return `Bearer ${input}.${signer(Buffer.from(input)).toString('base64url')}`;
}

async function setUp(t: Test, rows: TrustedIssuer[], privateNetworks: 'allow' | 'refuse' = 'allow') {
  const clock = new ManualClock(Date.now());
  const keys = await SigningKeys.open(t.testdir());
  const listed = { rows };
  const issuers = new TrustedIssuers({
    source: { listIssuers: async () => listed.rows },
    file: `${t.testdirName}/trusted-issuers.json`,
    clock,
    fetchText: guardedText({ privateNetworks }),
  });
  await issuers.refresh();
  const verifier = new AccessTokenVerifier({ keys, clock, revocations: new Set(), external: issuers });
  const now = Math.floor(clock.now() / 1000);
  const claims = (more: Json = {}) => ({
    iss: ISSUER,
    aud: 'gatehouse',
    sub: 'ci',
    iat: now,
    exp: now + 3600,
    ...more,
  });
  const good = (more: Json = {}, header: Json = {}) =>
    jwt({ alg: 'RS256', kid: 'rsa', ...header }, claims(more), rs256(rsa));
  return { clock, issuers, verifier, listed, claims, good, now };
}

t.test('unless the operator allows it, keys are fetched from public addresses alone', async (t) => {
  const { ssoPrivateNetworks } = loadConfig({});
  t.equal(ssoPrivateNetworks, 'refuse', 'that is what an installation begins with');
  const { port } = server.address() as AddressInfo;
  const inside = ['127.0.0.1', 'localhost', '[::1]', '127.1.2.3'].map((host) => `http://${host}:${port}/keys`);
  const metadata = ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00::1]', '0.0.0.0', '[::ffff:127.0.0.1]'];
  for (const url of [...inside, ...metadata.map((host) => `https://${host}/keys`)]) {
    const { verifier, good } = await setUp(t, [{ ...base, jwksUrl: url }], ssoPrivateNetworks);
    t.match(await verifier.verify(good()), { ok: false, cause: 'busy' }, url);
  }
  t.equal(asked, 0, 'nobody was asked');
});

t.test('a token of a trusted issuer is taken, remembered, and as fast as one of ours then', async (t) => {
  const { verifier, claims, good, now } = await setUp(t, [base]);
  t.match(await verifier.verify(good()), {
    ok: true,
    principal: { tenant: 'acme', subject: 'ci', scopes: ['events:write'], expiresAt: now + 3600 },
  });
  t.notOk(verifier.verify(good()) instanceof Promise, 'at once, the second time');
  t.equal(asked, 1);
  t.match(await verifier.verify(jwt({ alg: 'ES256', kid: 'ec', typ: 'at+jwt' }, claims(), es256(ec))), { ok: true });
  t.match(await verifier.verify(good({ aud: ['other', 'gatehouse'] })), { ok: true }, 'one of several audiences');
  t.match(await verifier.verify(good({}, { x5t: 'abc', typ: 'JWT' })), { ok: true }, 'as ADFS and Entra write them');
  t.equal(asked, 1, 'the keys were fetched once');
});

t.test('what its tokens may do is capped by what was granted, and by the token itself', async (t) => {
  const scopes: Scope[] = ['events:write', 'platform:read'];
  const { verifier, good } = await setUp(t, [{ ...base, scopes }]);
  const scopesOf = async (claims: Json) => {
    const verified = await verifier.verify(good(claims));
    return verified.ok ? verified.principal.scopes : verified.detail;
  };
  t.same(await scopesOf({}), scopes);
  t.same(await scopesOf({ scope: 'openid profile' }), scopes, 'names that mean nothing here narrow nothing');
  t.same(await scopesOf({ scope: 'openid events:write' }), ['events:write']);
  t.same(await scopesOf({ scp: ['platform:read'] }), ['platform:read']);
  t.same(await scopesOf({ scope: 'platform:members' }), [], 'never more than was granted');
});

t.test('attacks with tokens of other issuers are refused', async (t) => {
  const { verifier, claims, good, now } = await setUp(t, [base]);
  const pem = createPublicKey(rsa).export({ type: 'spki', format: 'pem' });
  const hmac = (secret: string | Buffer) => (input: Buffer) => createHmac('sha256', secret).update(input).digest();
  const forged = (header: Json, signer = rs256(rsa), changed: Json = {}) =>
    jwt({ alg: 'RS256', kid: 'rsa', ...header }, claims(changed), signer);
  const cases: Record<string, string> = {
    'HMAC with the public key': forged({ alg: 'HS256' }, hmac(pem.toString())),
    'HMAC with the public key as JWK': forged({ alg: 'HS256' }, hmac(JSON.stringify(BOTH[0]))),
    'alg none': forged({ alg: 'none' }, () => Buffer.from('x')),
    'alg none in another spelling': forged({ alg: 'nOnE' }, () => Buffer.from('x')),
    'a key of the attacker': forged({}, rs256(stranger)),
    'the key of another algorithm': forged({ alg: 'ES256', kid: 'rsa' }, es256(ec)),
    'embedded jwk': forged({ jwk: jwk(stranger, 'x') }, rs256(stranger)),
    jku: forged({ jku: 'https://attacker.example/keys' }, rs256(stranger)),
    x5u: forged({ x5u: 'https://attacker.example/cert' }, rs256(stranger)),
    x5c: forged({ x5c: ['MIIB'] }, rs256(stranger)),
    crit: forged({ crit: ['exp'] }),
    'b64 false': forged({ b64: false, crit: ['b64'] }),
    'kid as a path': forged({ kid: '../../dev/null' }),
    'kid as a list': forged({ kid: ['rsa'] }),
    'an ID token type of our own making': forged({ typ: 'logout+jwt' }),
    'wrong audience': good({ aud: 'other' }),
    'no audience': good({ aud: undefined }),
    'no subject': good({ sub: undefined }),
    'no expiry': good({ exp: undefined }),
    expired: good({ exp: now - 60 }),
    'not yet valid': good({ nbf: now + 60 }),
    'a fractional expiry': good({ exp: now + 60.5 }),
    'a subject with control characters': good({ sub: 'a\nb' }),
    'another issuer': good({ iss: 'https://attacker.example' }),
    'the issuer with a slash': good({ iss: `${ISSUER}/` }),
    'the issuer as a list': good({ iss: [ISSUER] }),
    'changed after signing': good().replace(/\.[^.]+\./, `.${b64(claims({ sub: 'root' }))}.`),
  };
  t.match(await verifier.verify(good()), { ok: true }, 'control');
  for (const [name, attack] of Object.entries(cases)) {
    const refused = await verifier.verify(attack);
    t.match(refused, { ok: false, cause: 'invalid' }, name);
    t.strictSame(await verifier.verify(attack), refused, `${name}, again`);
  }
});

t.test('one of our own keys under the name of another issuer, and the reverse, open nothing', async (t) => {
  const { verifier, claims } = await setUp(t, [base]);
  const asOurs = jwt({ alg: 'EdDSA', kid: 'rsa', typ: 'at+jwt' }, claims({ iss: 'urn:uuid:ours' }), () =>
    Buffer.alloc(64),
  );
  t.match(await verifier.verify(asOurs), { ok: false });
});

t.test(
  'two tenants with one issuer are told apart by a claim; what could mean both is for the one that was there first',
  async (t) => {
    const acme = { ...base, tenantClaim: 'org', tenantClaimValue: 'acme' };
    const other = {
      ...acme,
      id: '22222222-2222-4222-8222-222222222222',
      tenant: 'other' as TenantSlug,
      tenantClaimValue: 'other',
    };
    const { verifier, good, listed, issuers } = await setUp(t, [acme, other]);
    t.match(await verifier.verify(good({ org: 'acme' })), { ok: true, principal: { tenant: 'acme' } });
    t.match(await verifier.verify(good({ org: 'other' })), { ok: true, principal: { tenant: 'other' } });
    for (const org of [undefined, 'third', '', ['acme'], ['acme', 'other'], { acme: 1 }, true, null])
      t.match(await verifier.verify(good({ org })), { ok: false, detail: /no tenant/ }, JSON.stringify(org));
    const more = { id: '33333333-3333-4333-8333-333333333333' };
    listed.rows = [acme, { ...other, ...more, tenantClaim: 'sub', tenantClaimValue: 'ci' }];
    await issuers.refresh();
    const both = good({ org: 'acme', jti: 'new' });
    t.match(await verifier.verify(both), { ok: true, principal: { tenant: 'acme' } });
  },
);

t.test('an issuer that is no longer trusted is refused at once, also with tokens that were verified', async (t) => {
  const { verifier, good, listed, issuers } = await setUp(t, [base]);
  t.match(await verifier.verify(good()), { ok: true });
  listed.rows = [];
  await issuers.refresh();
  t.match(verifier.verify(good()), { ok: false, detail: /not trusted/ });
  t.match(await verifier.verify(good()), { ok: false });
});

t.test('the copy of the last start serves while the database is down', async (t) => {
  const { verifier, good } = await setUp(t, [base]);
  t.match(await verifier.verify(good()), { ok: true });
  const again = new TrustedIssuers({
    source: { listIssuers: () => Promise.reject(new Error('down')) },
    file: `${t.testdirName}/trusted-issuers.json`,
    clock: new ManualClock(Date.now()),
    fetchText: guardedText({ privateNetworks: 'allow' }),
  });
  await t.rejects(again.refresh(), /down/);
  t.ok(again.read(good().slice('Bearer '.length)));
});

t.test(
  'P9 a key set that fails, hangs, redirects or is too large refuses nobody else and is not asked again at once',
  async (t) => {
    const failures: Record<string, (res: ServerResponse) => void> = {
      'status 500': (res) => res.writeHead(500).end(),
      'a redirect': (res) => res.writeHead(302, { location: jwksUrl }).end(),
      'no JSON': (res) => res.end('<html>'),
      'no key set': (res) => res.end('{"keys":{}}'),
      '300 KB': (res) => res.end(JSON.stringify({ keys: [], pad: 'x'.repeat(300_000) })),
      '101 keys': keySet(Array.from({ length: 101 }, (_, index) => jwk(rsa, `k${index}`))),
      'an endless answer': (res) => {
        const timer = setInterval(() => res.write('x'.repeat(65_536)), 1);
        res.on('close', () => clearInterval(timer));
      },
    };
    for (const [name, failure] of Object.entries(failures)) {
      answer = failure;
      asked = 0;
      const { verifier, good, clock } = await setUp(t, [base]);
      t.match(await verifier.verify(good()), { ok: false, cause: 'busy' }, name);
      t.match(await verifier.verify(good({ jti: 'another' })), { ok: false, cause: 'busy' });
      t.equal(asked, 1, 'left alone for a while');
      answer = keySet(BOTH);
      clock.advance(5000);
      t.match(await verifier.verify(good()), { ok: true }, 'and good again when it is back');
    }
    answer = keySet([{ kty: 'RSA', kid: 'rsa', n: 'AQ', e: 'AQAB', alg: 'RS256' }]);
    const { verifier, good } = await setUp(t, [base]);
    t.match(
      await verifier.verify(good()),
      { ok: false, cause: 'invalid', detail: /keys|signature|malformed/ },
      'a useless key',
    );
  },
);

t.test('P9 a key set that hangs keeps nobody else waiting', async (t) => {
  answer = () => {};
  const { verifier, good, clock } = await setUp(t, [base]);
  const { mintAccessToken } = await import('../../src/identity/access-tokens.ts');
  const hanging = Array.from({ length: 300 }, (_, index) => verifier.verify(good({ jti: `h${index}` })));
  const ownKeys = await SigningKeys.open(t.testdirName);
  const { token } = await mintAccessToken(ownKeys, clock, {
    tenant: base.tenant,
    subject: 's',
    scopes: ['events:write'],
    lifetimeSeconds: 60,
  });
  const startedAt = performance.now();
  t.match(await verifier.verify(`Bearer ${token}`), { ok: true });
  t.ok(performance.now() - startedAt < 1000, 'a token of ours is verified meanwhile');
  const outcomes = await Promise.all(hanging.map(async (verified) => verified));
  t.ok(
    outcomes.every((verified) => !verified.ok && verified.cause === 'busy'),
    'the others are told to come back',
  );
  t.equal(asked, 1);
});

t.test('keys that are rotated: an unknown one is looked for again, but not at every try', async (t) => {
  answer = keySet([BOTH[1] as object]);
  const { verifier, good, clock } = await setUp(t, [base]);
  t.match(await verifier.verify(good()), { ok: false, detail: /published keys/ });
  for (let index = 0; index < 20; index++) await verifier.verify(good({ jti: `n${index}` }));
  t.equal(asked, 1, 'tokens with unknown keys make no traffic');
  clock.advance(30_000);
  t.match(await verifier.verify(good()), { ok: false }, 'looked at again after the cooldown');
});

t.test('a remembered token is checked again every ten minutes, without keeping an event waiting', async (t) => {
  const { verifier, good, clock } = await setUp(t, [base]);
  const token = good();
  await verifier.verify(token);
  clock.advance(600_000);
  t.notOk(verifier.verify(token) instanceof Promise, 'taken once more at once');
  await sleep(50);
  t.match(verifier.verify(token), { ok: true });
});

t.test('where keys may be fetched from', async (t) => {
  for (const url of ['https://a.example/keys', 'http://localhost:1/', 'http://127.0.0.2/k', 'http://[::1]:8/k'])
    t.ok(isKeySetUrl(url), url);
  const wrong = [
    '',
    'keys',
    'http://a.example/',
    'file:///etc/passwd',
    'data:,x',
    'https://u:p@a.example/',
    'http://127.0.0.1.a.example/',
    'http://localhost.a.example/',
    `https://a.example/${'x'.repeat(1024)}`,
  ];
  for (const url of wrong) t.notOk(isKeySetUrl(url), url.slice(0, 40));
});

const VECTORS = new URL('../../../shared/vectors/wycheproof/json_web_signature_test.json', import.meta.url);
const skip = existsSync(VECTORS) ? false : 'no Wycheproof vectors';

t.test('Wycheproof: no vector passes for a token of a trusted issuer whose keys these are', { skip }, async (t) => {
  interface Group {
    public?: Json;
    private?: Json;
    tests: { tcId: number; jws: unknown }[];
  }
  const { testGroups } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { testGroups: Group[] };
  let count = 0;
  for (const group of testGroups) {
    answer = keySet([group.public ?? group.private ?? {}]);
    const { verifier } = await setUp(t, [base]);
    for (const { tcId, jws } of group.tests) {
      const text = typeof jws === 'string' ? jws : JSON.stringify(jws);
      if ((await verifier.verify(`Bearer ${text}`)).ok) t.fail(`vector ${tcId}`);
      // The same header and signature over claims of the issuer: what is wrong with the vector's header must not help.
      const [header = ''] = text.split('.');
      const withClaims = `${header}.${b64({ iss: ISSUER, aud: 'gatehouse', sub: 'x', exp: 4e9 })}.${text.split('.')[2] ?? ''}`;
      if ((await verifier.verify(`Bearer ${withClaims}`)).ok) t.fail(`vector ${tcId} with claims`);
      count += 2;
    }
  }
  t.ok(count > 200, `${count} tokens`);
});

t.test('over REST: trusted by an admin, in effect within a second, told apart by the database', async (t) => {
  const platform = await openTestPlatform(t);
  const acme = await platform.newTenant('acme');
  const other = await platform.newTenant('other');
  const chief = { person: await platform.newPerson('chief', [acme, ['admin']]) };
  const rival = { person: await platform.newPerson('rival', [other, ['admin']]) };
  const body = { issuer: ISSUER, jwksUrl, audience: 'gatehouse', scopes: ['events:write', 'platform:read'] };
  const trust = (as: { person: string } | { token: string }, tenant: string, more: Json = {}) =>
    platform.call('POST', `/tenants/${tenant}/issuers`, { as, body: { ...body, ...more } });
  const claim = { tenantClaim: 'org', tenantClaimValue: 'acme' };
  const made = await trust(chief, 'acme', claim);
  t.match(made, { code: 201, body: { issuer: ISSUER, tenantClaim: 'org' } });
  for (const [name, more] of Object.entries<Json>({
    'without a claim': {},
    'the same claim and value': claim,
    'another claim': { tenantClaim: 'sub', tenantClaimValue: 'ci' },
  }))
    t.match(await trust(rival, 'other', more), { code: 'conflict' }, `${name}: nobody takes or stops another's tokens`);
  const another = { audience: 'account' };
  for (const [name, more] of Object.entries<Json>({
    'without a claim': another,
    'the same claim': { ...claim, ...another },
  }))
    t.match(await trust(rival, 'other', more), { code: 'conflict' }, `${name}: tokens may have both audiences`);
  t.match(await trust(rival, 'other', { ...claim, tenantClaimValue: 'other' }), { code: 201 });
  t.match(await trust(chief, 'acme', { ...claim, ...another }), { code: 201 }, 'a tenant has one for each audience');
  t.match(await trust(chief, 'acme', claim), { code: 'conflict' }, 'nor twice');
  const races = await Promise.all(
    [chief, rival].map((as, at) =>
      trust(as, at ? 'other' : 'acme', { issuer: 'https://race.example', audience: `race${at}` }),
    ),
  );
  t.same(new Set(races.map(({ code }) => code)), new Set([201, 'conflict']), 'of two at the same time one');

  await platform.issuers.refresh();
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, aud: ['account', 'gatehouse'], sub: 'ci', exp: now + 600, org: 'acme' };
  const token = jwt({ alg: 'RS256', kid: 'rsa' }, claims, rs256(rsa)).slice('Bearer '.length);
  t.match(await platform.events.verify(`Bearer ${token}`), { ok: true, principal: { tenant: 'acme' } });
  t.match(await platform.call('GET', '/agents', { as: { token } }), { code: 200 });
  t.match(await platform.call('GET', '/tenants/acme/tokens', { as: { token } }), { code: 'forbidden' });
  t.match(await platform.call('GET', '/tenants/other', { as: { token } }), { code: 'not-found' });

  const wrong: [Json, RegExp][] = [
    [{ jwksUrl: 'http://a.example/keys' }, /\/jwksUrl/],
    [{ issuer: 'a\nb' }, /\/issuer/],
    [{ issuer: platform.keys.issuer }, /\/issuer/],
    [{ tenantClaim: 'org' }, /go together/],
    [{ scopes: ['root'] }, /\/scopes/],
    [{ scopes: [] }, /\/scopes/],
  ];
  for (const [more, detail] of wrong)
    t.match(await trust(chief, 'acme', { audience: 'x', ...more }), { code: 'invalid-request', detail });
  const minter = { token: await platform.token(acme, ['platform:tokens']) };
  t.match(await trust(minter, 'acme', { audience: 'x' }), { code: 'forbidden' }, 'nobody grants more than they may');
  t.match(await platform.call('DELETE', `/tenants/other/issuers/${made.body.id}`, { as: rival }), {
    code: 'not-found',
  });
  t.match(await platform.call('DELETE', `/tenants/acme/issuers/${made.body.id}`, { as: chief }), { code: 204 });
  await platform.issuers.refresh();
  t.match(await platform.events.verify(`Bearer ${token}`), { ok: false, detail: /not trusted/ });
  const log =
    await platform.admin`select action from audit_log where tenant_id = ${acme.id} and target = ${made.body.id} order by seq`;
  t.same(
    log.map((row) => row['action']),
    ['issuer.trusted', 'issuer.removed'],
  );
});

t.test(
  'P9: a tenant trusts so many issuers, also where several are added at once; other tenants have their own',
  async (t) => {
    const platform = await openTestPlatform(t);
    const acme = await platform.newTenant('acme');
    const other = await platform.newTenant('other');
    const chief = { person: await platform.newPerson('chief', [acme, ['admin']], [other, ['admin']]) };
    const trust = (tenant: string, n: number) => {
      const body = { issuer: `https://${n}.example`, jwksUrl, audience: tenant, scopes: ['events:write'] };
      return platform.call('POST', `/tenants/${tenant}/issuers`, { as: chief, body });
    };
    const answers = await Promise.all(Array.from({ length: ISSUERS_MAX + 4 }, (_, n) => trust('acme', n)));
    const made = answers.filter(({ code }) => code === 201);
    t.equal(made.length, ISSUERS_MAX);
    for (const answer of answers.filter(({ code }) => code !== 201))
      t.match(answer, { code: 'conflict', detail: /at most 32 issuers/ });
    t.match(await trust('other', 100), { code: 201 });
    await platform.call('DELETE', `/tenants/acme/issuers/${made[0]?.body.id}`, { as: chief });
    t.match(await trust('acme', 99), { code: 201 });
  },
);
