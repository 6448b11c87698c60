import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { AccessTokenVerifier } from '../../src/identity/access-token-verifier.ts';
import { mintAccessToken } from '../../src/identity/access-tokens.ts';
import { installationSecret } from '../../src/identity/installation-secret.ts';
import { retireSigningKey, rotateSigningKey, SigningKeys } from '../../src/identity/signing-keys.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { gatehouse as run } from '../support/command-line.ts';

const DEMO = { tenant: 'demo' as TenantSlug, subject: 'ci', scopes: ['events:write'], lifetimeSeconds: 3600 } as const;

const gatehouse = (dataDir: string, ...words: string[]) => run({ GATEHOUSE_DATA_DIR: dataDir }, words);

function newVerifier(keys: SigningKeys): AccessTokenVerifier {
  return new AccessTokenVerifier({ keys, clock: systemClock, revocations: new Set() });
}

/** Waits until `condition` holds; fails after a second, the promise for changes made by another process. */
async function withinASecond(t: Test, what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > 1000) return void t.fail(`${what}: not within a second`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.pass(`${what}: after ${Math.round(performance.now() - start)} ms`);
}

const permissions = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const pemNames = async (path: string) => (await readdir(path)).filter((name) => name.endsWith('.pem'));

t.test('the first use makes directory, issuer and one key, closed to others; later uses find the same', async (t) => {
  const dataDir = join(t.testdir(), 'not', 'there', 'yet');
  const keys = await SigningKeys.open(dataDir);
  const directory = join(dataDir, 'keys');
  const names = await readdir(directory);
  t.strictSame(names.toSorted(), [`${keys.signing.kid}.pem`, 'issuer'].toSorted(), 'and nothing is left over');
  t.match(keys.issuer, /^urn:uuid:/);
  t.equal(await permissions(directory), '700');
  t.equal(await permissions(dataDir), '711', 'others may pass through to what is theirs, and list nothing');
  for (const name of names) t.equal(await permissions(join(directory, name)), '600', name);
  const pem = await readFile(join(directory, `${keys.signing.kid}.pem`), 'utf8');
  t.match(pem, /^-----BEGIN PRIVATE KEY-----\n/);
  t.equal(createPrivateKey(pem).asymmetricKeyType, 'ed25519');
  const again = await SigningKeys.open(dataDir);
  t.strictSame([again.issuer, again.signing.kid, again.jwks()], [keys.issuer, keys.signing.kid, keys.jwks()]);
});

t.test('a umask that takes all rights neither opens nor breaks the files', async (t) => {
  for (const mask of [0o000, 0o077, 0o277]) {
    const dataDir = t.testdir({});
    const before = process.umask(mask);
    const keys = await SigningKeys.open(join(dataDir, `mask${mask}`)).finally(() => process.umask(before));
    const directory = join(dataDir, `mask${mask}`, 'keys');
    t.equal(await permissions(join(directory, `${keys.signing.kid}.pem`)), '600', mask.toString(8));
  }
});

t.test('processes that start at once on a fresh directory agree on one issuer and one key', async (t) => {
  const dataDir = join(t.testdir(), 'data');
  const here = Array.from({ length: 8 }, async () => {
    const keys = await SigningKeys.open(dataDir);
    return (await mintAccessToken(keys, systemClock, DEMO)).token;
  });
  const processes = Array.from({ length: 4 }, async () => {
    const { code, stdout } = await gatehouse(dataDir, 'token');
    t.equal(code, 0);
    return stdout.trim();
  });
  const tokens = await Promise.all([...here, ...processes]);
  t.equal((await pemNames(join(dataDir, 'keys'))).length, 1);
  t.strictSame(
    (await readdir(join(dataDir, 'keys'))).filter((name) => name.startsWith('.')),
    [],
    'nothing left over',
  );
  t.equal(new Set(tokens.map((token) => decodeJwt(token).iss)).size, 1);
  const verifier = newVerifier(await SigningKeys.open(dataDir));
  for (const token of tokens) t.ok((await verifier.verify(`Bearer ${token}`)).ok);
});

t.test('rotations at once make one key each; the newest signs, all verify, whatever the clock says', async (t) => {
  const dataDir = t.testdir();
  const old = await SigningKeys.open(dataDir);
  const first = await mintAccessToken(old, systemClock, DEMO);
  const kids = await Promise.all(Array.from({ length: 10 }, () => rotateSigningKey(dataDir)));
  t.equal(new Set(kids).size, 10);
  const numbers = kids.map((kid) => Number(kid.split('-')[1])).toSorted((a, b) => a - b);
  t.strictSame(numbers, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const keys = await SigningKeys.open(dataDir);
  t.match(keys.signing.kid, /-11$/, 'not the one that sorts last as text');
  const verifier = newVerifier(keys);
  const second = await mintAccessToken(keys, systemClock, DEMO);
  t.equal(decodeProtectedHeader(second.token).kid, keys.signing.kid);
  for (const { token } of [first, second]) t.ok((await verifier.verify(`Bearer ${token}`)).ok);
});

t.test('the key set is what another party needs to verify our tokens, and holds nothing private', async (t) => {
  const dataDir = t.testdir();
  await SigningKeys.open(dataDir);
  await rotateSigningKey(dataDir);
  const keys = await SigningKeys.open(dataDir);
  const jwks = keys.jwks();
  t.equal(jwks.keys.length, 2);
  for (const jwk of jwks.keys) {
    t.strictSame(Object.keys(jwk).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    t.match(jwk, { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
  }
  const { token, tokenId, expiresAt } = await mintAccessToken(keys, systemClock, DEMO);
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks), {
    issuer: keys.issuer,
    typ: 'at+jwt',
  });
  t.strictSame(protectedHeader, { alg: 'EdDSA', kid: keys.signing.kid, typ: 'at+jwt' });
  t.strictSame(Object.keys(payload).toSorted(), ['aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'scope', 'sub', 'tenant']);
  t.match(payload, {
    jti: tokenId,
    exp: expiresAt,
    tenant: 'demo',
    sub: 'ci',
    scope: 'events:write',
    aud: 'gatehouse-events',
  });
});

t.test('a running service follows keys made and retired by the command line, within a second', async (t) => {
  const dataDir = t.testdir();
  const problems: string[] = [];
  const keys = await SigningKeys.open(dataDir, (problem) => problems.push(problem));
  await keys.watch();
  t.teardown(() => keys.stop());
  const verifier = newVerifier(keys);
  const old = await mintAccessToken(keys, systemClock, DEMO);
  t.ok((await verifier.verify(`Bearer ${old.token}`)).ok);

  const rotated = await gatehouse(dataDir, 'keys', 'rotate');
  t.equal(rotated.code, 0);
  const kid = rotated.stdout.split(' ')[0] as string;
  const { stdout: token } = await gatehouse(dataDir, 'token', '--days', '1');
  t.equal(decodeProtectedHeader(token.trim()).kid, kid);
  await withinASecond(t, 'a token of the new key', async () => (await verifier.verify(`Bearer ${token.trim()}`)).ok);
  t.equal(keys.signing.kid, kid, 'which signs here too');
  t.match(verifier.verify(`Bearer ${old.token}`), { ok: true }, 'the older token still passes, from memory');

  const oldKid = decodeProtectedHeader(old.token).kid as string;
  t.equal((await gatehouse(dataDir, 'keys', 'retire', oldKid)).code, 0);
  await withinASecond(t, 'the retired key', async () => !(await verifier.verify(`Bearer ${old.token}`)).ok);
  t.match(verifier.verify(`bearer ${old.token}`), { ok: false, detail: /retired/ });
  t.match(verifier.verify(`Bearer ${token.trim()}`), { ok: true });
  t.strictSame(
    keys.jwks().keys.map((jwk) => jwk.kid),
    [kid],
  );

  await rename(join(dataDir, 'keys', 'retired', `${oldKid}.pem`), join(dataDir, 'keys', `${oldKid}.pem`));
  await withinASecond(t, 'a key put back', async () => (await verifier.verify(`Bearer ${old.token}`)).ok);
  t.strictSame(problems, []);
});

t.test('another key under the same name is another key', async (t) => {
  const dataDir = t.testdir();
  const keys = await SigningKeys.open(dataDir);
  const verifier = newVerifier(keys);
  const { token } = await mintAccessToken(keys, systemClock, DEMO);
  t.ok((await verifier.verify(`Bearer ${token}`)).ok);
  const path = join(dataDir, 'keys', `${keys.signing.kid}.pem`);
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(`${path}.new`, pem, { mode: 0o600 });
  await rename(`${path}.new`, path);
  await keys.refresh();
  t.match(
    verifier.verify(`Bearer ${token}`),
    { ok: false, detail: /retired/ },
    'the one it was remembered with is gone',
  );
  t.match(
    await verifier.verify(`Bearer ${token}`),
    { ok: false, detail: /signature/ },
    'and the new one did not sign it',
  );
  const other = await mintAccessToken(keys, systemClock, DEMO);
  t.ok((await verifier.verify(`Bearer ${other.token}`)).ok);
});

t.test('a refusal does not outlive a change of keys', async (t) => {
  const dataDir = t.testdir();
  const keys = await SigningKeys.open(dataDir);
  const path = join(dataDir, 'keys', `${keys.signing.kid}.pem`);
  const before = await mintAccessToken(keys, systemClock, DEMO);
  const pem = await readFile(path, 'utf8');
  await rm(path);
  await writeFile(path, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  });
  await keys.refresh();
  const verifier = newVerifier(keys);
  t.notOk((await verifier.verify(`Bearer ${before.token}`)).ok);
  await rm(path);
  await writeFile(path, pem, { mode: 0o600 });
  await keys.refresh();
  t.ok((await verifier.verify(`Bearer ${before.token}`)).ok);
});

t.test('files that others could have touched are refused, and the error says what to run', async (t) => {
  const dataDir = t.testdir();
  const { kid } = (await SigningKeys.open(dataDir)).signing;
  const directory = join(dataDir, 'keys');
  const path = join(directory, `${kid}.pem`);
  for (const mode of [0o640, 0o604, 0o660, 0o644, 0o666, 0o610]) {
    await chmod(path, mode);
    await t.rejects(SigningKeys.open(dataDir), {
      message: `${path} is open to other users (mode ${mode.toString(8)}); run: chmod 600 ${path}`,
    });
  }
  const { code, stdout, stderr } = await gatehouse(dataDir, 'token');
  t.strictSame([code, stdout, stderr.includes('chmod 600')], [2, '', true], 'the command line says so in one line');
  t.equal(stderr.trim().split('\n').length, 1);
  await chmod(path, 0o600);
  await chmod(directory, 0o755);
  await t.rejects(SigningKeys.open(dataDir), { message: /chmod 700 / });
  await chmod(directory, 0o700);
  await chmod(join(directory, 'issuer'), 0o644);
  await t.rejects(SigningKeys.open(dataDir), { message: /issuer is open .* chmod 600 / });
  await chmod(join(directory, 'issuer'), 0o600);
  t.ok(await SigningKeys.open(dataDir));
});

t.test('a bad file stops a start with one line that names it', async (t) => {
  const pem = (type: 'rsa' | 'ed448' | 'x25519') =>
    (type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync(type as 'ed448')
    ).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
  const bad: [name: string, file: string, content: string | Buffer, message: RegExp][] = [
    ['empty', '0a1b2c3d-9.pem', '', /not an Ed25519 key/],
    ['garbage', '0a1b2c3d-9.pem', 'hello', /not an Ed25519 key/],
    ['RSA', '0a1b2c3d-9.pem', pem('rsa'), /not an Ed25519 key/],
    ['Ed448', '0a1b2c3d-9.pem', pem('ed448'), /not an Ed25519 key/],
    ['X25519', '0a1b2c3d-9.pem', pem('x25519'), /not an Ed25519 key/],
    ['huge', '0a1b2c3d-9.pem', 'x'.repeat(5000), /larger than 4096 bytes/],
    ['misnamed', 'backup.pem', '', /not named like a key/],
    ['misnumbered', '0a1b2c3d-0.pem', '', /not named like a key/],
  ];
  for (const [name, file, content, message] of bad) {
    const dataDir = t.testdir({});
    await SigningKeys.open(dataDir);
    await writeFile(join(dataDir, 'keys', file), content, { mode: 0o600 });
    await t.rejects(SigningKeys.open(dataDir), { name: 'PrivateFileError', message }, name);
    await t.rejects(SigningKeys.open(dataDir), { message: new RegExp(file) }, name);
  }
  const dataDir = t.testdir({});
  await SigningKeys.open(dataDir);
  await mkdir(join(dataDir, 'keys', '0a1b2c3d-1.pem'), { recursive: true, mode: 0o700 });
  await chmod(join(dataDir, 'keys'), 0o700);
  await t.rejects(SigningKeys.open(dataDir), { message: /not a plain file/ });
  await writeFile(join(dataDir, 'keys', 'issuer'), 'http://127.0.0.1:8080', { mode: 0o600 });
  await t.rejects(SigningKeys.open(dataDir), { message: /issuer must hold one urn:uuid/ });
});

t.test('keys without the name of their issuer are refused: under a new name no token would count', async (t) => {
  const dataDir = t.testdir();
  const { issuer } = await SigningKeys.open(dataDir);
  const path = join(dataDir, 'keys', 'issuer');
  await rm(path);
  await t.rejects(SigningKeys.open(dataDir), {
    name: 'PrivateFileError',
    message: /issuer is missing beside its keys/,
  });
  t.match(await gatehouse(dataDir, 'token'), { code: 2, stdout: '', stderr: /restore it from a backup/ });
  await writeFile(path, `${issuer}\n`, { mode: 0o600 });
  t.equal((await SigningKeys.open(dataDir)).issuer, issuer);
});

t.test('the key of fingerprints is made once: under another one no session knows what it has seen', async (t) => {
  const dataDir = t.testdir();
  const secret = await installationSecret(dataDir, true);
  t.same(await installationSecret(dataDir, true), secret);
  t.same(await installationSecret(dataDir, false), secret);
  const path = join(dataDir, 'keys', 'fingerprints');
  await rm(path);
  await t.rejects(installationSecret(dataDir, false), {
    name: 'PrivateFileError',
    message: /fingerprints is missing, .* restore it from a backup/,
  });
  await t.rejects(stat(path), { code: 'ENOENT' });
});

t.test('under a running service a bad file is told once and passed over, and the good keys stay', async (t) => {
  const dataDir = t.testdir();
  const problems: string[] = [];
  const keys = await SigningKeys.open(dataDir, (problem) => problems.push(problem));
  const verifier = newVerifier(keys);
  const { token } = await mintAccessToken(keys, systemClock, DEMO);
  const directory = join(dataDir, 'keys');
  const [good] = await pemNames(directory);
  const kid = await rotateSigningKey(dataDir);
  await chmod(join(directory, `${kid}.pem`), 0o644);
  await keys.refresh();
  await keys.refresh();
  t.match(problems, [/chmod 600/]);
  t.equal(problems.length, 1);
  t.equal(keys.find(kid), undefined, 'the exposed key is not used');
  t.ok((await verifier.verify(`Bearer ${token}`)).ok);
  await chmod(join(directory, `${kid}.pem`), 0o600);
  await keys.refresh();
  t.ok(keys.find(kid), 'once mended it is');

  await rename(directory, `${directory}.away`);
  await keys.refresh();
  t.match(problems, [/./, /ENOENT/], 'a directory out of reach is told');
  t.match(verifier.verify(`Bearer ${token}`), { ok: true }, 'and ends nothing');
  await rename(`${directory}.away`, directory);

  await Promise.all([good, `${kid}.pem`].map((name) => rm(join(directory, name as string))));
  await keys.refresh();
  t.match(problems.at(-1), /no active signing key/);
  t.match(verifier.verify(`Bearer ${token}`), { ok: false }, 'but keys that were taken away are');
  await t.rejects(mintAccessToken(keys, systemClock, DEMO), { message: /keys rotate/ });
});

t.test('the last key is not retired, unknown ones are not found, numbers are not used twice', async (t) => {
  const dataDir = t.testdir();
  const { kid } = (await SigningKeys.open(dataDir)).signing;
  t.equal(await retireSigningKey(dataDir, kid), 'last');
  for (const unknown of ['', '../issuer', `${kid}/../issuer`, '0a1b2c3d-7', '__proto__']) {
    t.equal(await retireSigningKey(dataDir, unknown), 'unknown', unknown);
  }
  const second = await rotateSigningKey(dataDir);
  t.equal(await retireSigningKey(dataDir, second), 'retired');
  t.equal(await retireSigningKey(dataDir, second), 'unknown');
  t.equal(await permissions(join(dataDir, 'keys', 'retired', `${second}.pem`)), '600');
  t.match(await rotateSigningKey(dataDir), /-3$/);
});

t.test('P9 there is a bound on active keys', async (t) => {
  const dataDir = t.testdir();
  await SigningKeys.open(dataDir);
  for (let index = 1; index < 64; index++) await rotateSigningKey(dataDir);
  await t.rejects(rotateSigningKey(dataDir), { message: /64 active keys; retire/ });
  t.ok(await SigningKeys.open(dataDir));
});

t.test('gatehouse token: one token and nothing else, or one line that says what to mend', async (t) => {
  const dataDir = join(t.testdir(), 'data');
  const { code, stdout, stderr } = await gatehouse(
    dataDir,
    'token',
    '--tenant',
    'demo',
    '--subject',
    'ci',
    '--days',
    '30',
  );
  t.strictSame([code, stderr], [0, '']);
  t.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const verified = await newVerifier(await SigningKeys.open(dataDir)).verify(`Bearer ${stdout.trim()}`);
  t.match(verified, { ok: true, principal: { tenant: 'demo', subject: 'ci', scopes: ['events:write'] } });
  const { exp, iat } = decodeJwt(stdout);
  t.equal((exp as number) - (iat as number), 30 * 86_400);
  t.match(
    decodeJwt((await gatehouse(dataDir, 'token')).stdout),
    { tenant: 'demo', sub: 'cli', scope: 'events:write' },
    'the defaults',
  );

  await writeFile(join(dataDir, 'tenants.json'), JSON.stringify([{ slug: 'demo' }, { slug: 'acme' }]));
  t.equal((await gatehouse(dataDir, 'token', '--tenant', 'acme')).code, 0);
  const refused: [words: string[], code: number, message: RegExp][] = [
    [['--tenant', 'nobody'], 1, /no tenant "nobody"; use one of: demo, acme/],
    [['--tenant', 'No Body'], 2, /--tenant must be/],
    [['--subject', ''], 2, /--subject must be/],
    [['--subject', 'a\nb'], 2, /--subject must be/],
    [['--days', '0'], 2, /from 1 to 3650/],
    [['--days', '3651'], 2, /from 1 to 3650/],
    [['--days', '1e2'], 2, /from 1 to 3650/],
    [['--days', '-1'], 2, /--days/],
    [['--scope', 'admin'], 2, /--scope must be some of events:write/],
    [['--scope', 'events:write admin'], 2, /--scope must be some of/],
    [['--tennant', 'demo'], 2, /--tennant/],
    [['demo'], 2, /demo/],
    [['revoke'], 2, /one token or token id/],
    [['revoke', 'a b'], 2, /its id/],
    [['revoke', 'a.b.c'], 2, /GATEHOUSE_DATA_DIR/],
  ];
  await Promise.all(
    refused.map(async ([words, expected, message]) => {
      const run = await gatehouse(dataDir, 'token', ...words);
      t.strictSame([run.code, run.stdout], [expected, ''], words.join(' '));
      t.match(run.stderr, message, words.join(' '));
    }),
  );
  await writeFile(join(dataDir, 'tenants.json'), '{');
  t.match(await gatehouse(dataDir, 'token'), { code: 2, stdout: '', stderr: /tenants\.json is damaged/ });
});

t.test('gatehouse keys: list, rotate, retire', async (t) => {
  const dataDir = t.testdir();
  t.match(await gatehouse(dataDir, 'keys', 'list'), { code: 0, stdout: /no key yet/ });
  await gatehouse(dataDir, 'token');
  const first = (await gatehouse(dataDir, 'keys', 'list')).stdout.split(' ')[0] as string;
  t.match(await gatehouse(dataDir, 'keys', 'retire', first), { code: 1, stderr: /only active key/ });
  await gatehouse(dataDir, 'keys', 'rotate');
  t.equal((await gatehouse(dataDir, 'keys', 'retire', first)).code, 0);
  const { stdout } = await gatehouse(dataDir, 'keys', 'list');
  t.match(stdout.split('\n'), [/-2 +signs +made 20/, /-1 +retired +made 20/, '']);
  for (const words of [[], ['lost'], ['retire'], ['list', 'x']]) {
    t.match(await gatehouse(dataDir, 'keys', ...words), { code: 2, stderr: /list, rotate, retire/ }, words.join(' '));
  }
  t.match(await gatehouse(dataDir, 'keys', 'retire', 'x'), { code: 1, stderr: /keys list/ });
});
