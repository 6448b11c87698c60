import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import t, { type Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { AccessTokenVerifier } from '../../src/identity/access-token-verifier.ts';
import { mintAccessToken } from '../../src/identity/access-tokens.ts';
import {
  type RevocationOptions,
  type RevocationSource,
  Revocations,
  type RevokedToken,
} from '../../src/identity/revocations.ts';
import { SigningKeys } from '../../src/identity/signing-keys.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { PollLoop } from '../../src/lib/poll-loop.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startService } from '../support/service.ts';

const DEMO = { tenant: 'demo' as TenantSlug, subject: 'ci', scopes: ['events:write'], lifetimeSeconds: 3600 } as const;
const FILE = 'revoked-tokens.json';

/** A source in memory that can be out of reach. */
class MemorySource implements RevocationSource {
  rows: RevokedToken[] = [];
  failure: string | undefined;
  silent = false;
  calls = 0;

  revoke(tokenId: string, expiresAtSeconds: number): void {
    this.rows.push({ seq: (this.rows.at(-1)?.seq ?? 0) + 1, tokenId, expiresAtSeconds });
  }

  async listAfter(seq: number, limit: number): Promise<RevokedToken[]> {
    this.calls += 1;
    if (this.silent) return new Promise(() => {});
    if (this.failure !== undefined) throw new Error(this.failure);
    return this.rows.filter((row) => row.seq > seq).slice(0, limit);
  }
}

/** A fresh data directory. The first teardown decides the order: what the test starts is stopped before this is removed. */
function freshDataDir(t: Test): string {
  t.teardown(() => {});
  return t.testdir();
}

interface Followed {
  revocations: Revocations;
  problems: string[];
}

async function follow(
  t: Test,
  options: Partial<RevocationOptions> & { dataDir: string; source: RevocationSource },
): Promise<Followed> {
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const revocations = await Revocations.open({ clock: systemClock, pollMs: 5, report, ...options });
  await revocations.start();
  t.teardown(() => revocations.stop());
  return { revocations, problems };
}

async function until(condition: () => Promise<boolean> | boolean): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > 60_000) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - start;
}

/** A whole look at the source that began after this call. */
async function anotherLook(source: MemorySource): Promise<void> {
  const { calls } = source;
  await until(() => source.calls >= calls + 2);
}

const seconds = (clock: Clock) => Math.floor(clock.now() / 1000);
const inAnHour = (clock: Clock = systemClock) => seconds(clock) + 3600;

t.test('a token in use is refused within a second of its revocation, at the pace of the real poll', async (t) => {
  const dataDir = freshDataDir(t);
  const source = new MemorySource();
  const revocations = await Revocations.open({
    dataDir,
    source,
    clock: systemClock,
    report: (problem) => t.fail(problem),
  });
  await revocations.start();
  t.teardown(() => revocations.stop());
  const keys = await SigningKeys.open(dataDir);
  const verifier = new AccessTokenVerifier({ keys, clock: systemClock, revocations });
  const [revoked, other] = await Promise.all([
    mintAccessToken(keys, systemClock, DEMO),
    mintAccessToken(keys, systemClock, DEMO),
  ]);
  for (const { token } of [revoked, other]) t.ok((await verifier.verify(`Bearer ${token}`)).ok);
  source.revoke(revoked.tokenId, revoked.expiresAt);
  const took = await until(async () => !(await verifier.verify(`Bearer ${revoked.token}`)).ok);
  t.ok(took < 1000, `${Math.round(took)} ms`);
  t.match(await verifier.verify(`Bearer ${revoked.token}`), { ok: false, detail: /revoked/ });
  t.match(verifier.verify(`Bearer ${other.token}`), { ok: true });
});

t.test('what was revoked before the start is known when the start is done, page by page', async (t) => {
  const source = new MemorySource();
  for (let index = 0; index < 2500; index++) source.revoke(`id${index}`, inAnHour());
  const { revocations } = await follow(t, { dataDir: freshDataDir(t), source });
  t.equal(revocations.size, 2500);
  t.ok(revocations.has('id0') && revocations.has('id2499'));
  t.notOk(revocations.has('id2500'));
});

t.test('P8 a restart while the source is down still refuses, and so does a failing source', async (t) => {
  const dataDir = freshDataDir(t);
  const source = new MemorySource();
  source.revoke('before', inAnHour());
  const first = await follow(t, { dataDir, source });
  source.failure = 'connection refused';
  await until(() => first.problems.length > 0);
  await anotherLook(source);
  t.strictSame(first.problems, ['revocations are not up to date: connection refused'], 'told once, not at every look');
  t.ok(first.revocations.has('before'));
  await first.revocations.stop();
  t.equal((await stat(join(dataDir, FILE))).mode & 0o777, 0o600);

  const second = await follow(t, { dataDir, source });
  t.ok(second.revocations.has('before'), 'from the file');
  source.revoke('meanwhile', inAnHour());
  source.failure = undefined;
  await until(() => second.revocations.has('meanwhile'));
  source.failure = 'gone again';
  await until(() => second.problems.length === 2);
  t.match(second.problems, [/connection refused/, /gone again/], 'told again after it had worked');
});

t.test('a source that does not answer is a failure, not a wait without end', { timeout: 120_000 }, async (t) => {
  const source = new MemorySource();
  source.silent = true;
  const started = performance.now();
  const { revocations, problems } = await follow(t, { dataDir: freshDataDir(t), source });
  t.ok(performance.now() - started < 15_000, 'the start does not hang on it');
  t.match(problems, [/did not answer/]);
  source.silent = false;
  source.revoke('later', inAnHour());
  await until(() => revocations.has('later'));
  t.pass('and it is asked again');
});

t.test('a source that comes back behind, with numbers used before, is read from its beginning', async (t) => {
  const source = new MemorySource();
  for (let index = 0; index < 10; index++) source.revoke(`lost${index}`, inAnHour());
  const { revocations } = await follow(t, { dataDir: freshDataDir(t), source });
  source.failure = 'the primary is gone';
  await anotherLook(source);
  source.rows = [];
  source.revoke('after the failover', inAnHour());
  source.failure = undefined;
  await until(() => revocations.has('after the failover'));
  t.ok(revocations.has('lost9'), 'what was known stays');
});

t.test('P9 a revocation is kept as long as its token could be used, and no longer', async (t) => {
  const clock = new ManualClock();
  const dataDir = freshDataDir(t);
  const source = new MemorySource();
  source.revoke('short', seconds(clock) + 100);
  source.revoke('long', seconds(clock) + 10_000);
  source.revoke('over', seconds(clock) - 1000);
  const { revocations } = await follow(t, { dataDir, source, clock });
  t.strictSame([revocations.has('short'), revocations.has('long'), revocations.has('over')], [true, true, false]);
  clock.advance(105_000);
  await anotherLook(source);
  t.ok(revocations.has('short'), 'until the leeway is over too');
  clock.advance(120_000);
  await until(() => !revocations.has('short'));
  t.ok(revocations.has('long'));
  await until(async () => !(await readFile(join(dataDir, FILE), 'utf8')).includes('short'));
  t.match(await readFile(join(dataDir, FILE), 'utf8'), /"long"/);
});

t.test('P9 at the bound further revocations wait, loudly, until others have expired', async (t) => {
  const clock = new ManualClock();
  const source = new MemorySource();
  for (let index = 0; index < 5; index++) source.revoke(`id${index}`, seconds(clock) + 100 + index * 10_000);
  const dataDir = freshDataDir(t);
  const { revocations, problems } = await follow(t, { dataDir, source, clock, revokedMax: 3 });
  t.equal(revocations.size, 3);
  t.notOk(revocations.has('id3'));
  t.match(await readFile(join(dataDir, FILE), 'utf8'), /"id2"/, 'what was taken is kept for a restart');
  t.match(problems, [/more than 3 tokens are revoked.*rotate and retire/]);
  t.equal(problems.length, 1);
  clock.advance(400_000);
  await until(() => revocations.has('id3'));
  t.strictSame([revocations.size, revocations.has('id0'), revocations.has('id4')], [3, false, false]);
});

t.test('a file that cannot be written is told and tried again; the revocation holds meanwhile', async (t) => {
  const dataDir = freshDataDir(t);
  const source = new MemorySource();
  source.revoke('kept', inAnHour());
  const away = join(dataDir, 'not there');
  const { revocations, problems } = await follow(t, { dataDir: away, source });
  t.ok(revocations.has('kept'));
  t.match(problems, [/ENOENT/]);
  await mkdir(away);
  await until(async () => (await stat(join(away, FILE)).catch(() => undefined)) !== undefined);
  t.match(await readFile(join(away, FILE), 'utf8'), /"kept"/);
});

t.test('of two failures the one is told that lets revoked tokens in', async (t) => {
  const source = new MemorySource();
  for (const tokenId of ['one', 'two']) source.revoke(tokenId, inAnHour());
  const dataDir = join(freshDataDir(t), 'not there');
  const { problems } = await follow(t, { dataDir, source, revokedMax: 1 });
  t.match(problems, [/more than 1 tokens are revoked/]);
});

t.test('a damaged file stops the start, since without it revoked tokens might pass', async (t) => {
  const damaged = [
    '',
    '{',
    '[]',
    '{"version":2,"revoked":[]}',
    '{"version":1,"revoked":[["a"]]}',
    '{"version":1,"revoked":[["a","b"]]}',
  ];
  for (const text of damaged) {
    const dataDir = t.testdir({ [FILE]: text });
    const opened = Revocations.open({ dataDir, source: new MemorySource(), clock: systemClock, report: () => {} });
    await t.rejects(
      opened,
      { name: 'PrivateFileError', message: /revoked-tokens\.json is damaged; delete it/ },
      JSON.stringify(text),
    );
  }
  const dataDir = t.testdir({ [FILE]: `{"version":1,"revoked":[["a",${inAnHour()}]]}` });
  const opened = await Revocations.open({ dataDir, source: new MemorySource(), clock: systemClock, report: () => {} });
  t.ok(opened.has('a'));
});

t.test('a poll loop ends when it is told to, after what is under way', async (t) => {
  let running = 0;
  let turns = 0;
  const loop = new PollLoop(1, async () => {
    running += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    turns += 1;
    running -= 1;
  });
  await loop.start();
  t.equal(turns, 1, 'a start is one turn');
  await until(() => turns >= 3 && running === 1);
  await loop.stop();
  t.equal(running, 0);
  const { length } = Array.from({ length: turns });
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(turns, length, 'and none follows');
});

t.test(
  'gatehouse token revoke: a running server refuses the token within a second, another one keeps working',
  async (t) => {
    const service = await startService();
    t.teardown(() => service.dispose());
    const [byToken, byId, other] = await Promise.all([service.token(), service.token(), service.token()]);
    const send = async (token: string) => {
      const body = JSON.stringify({
        event_type: 'session_start',
        session_id: 's',
        timestamp: '2025-06-15T15:06:40Z',
        agent: { id: 'a', name: 'a' },
        user: { email: 'a@example.com' },
      });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${service.url}/v1/generic-webhook/hooks/events`, { method: 'POST', headers, body });
      return { status: answer.status, text: await answer.text() };
    };
    for (const token of [byToken, byId, other]) t.equal((await send(token)).status, 202);
    for (const [token, word] of [
      [byToken, byToken],
      [byId, decodeJwt(byId).jti as string],
    ] as const) {
      t.equal(await service.gatehouse('token', 'revoke', word), `revoked ${decodeJwt(token).jti}\n`);
      const took = await until(async () => (await send(token)).status === 401);
      t.ok(took < 1000, `${Math.round(took)} ms after the command`);
      t.match((await send(token)).text, /revoked/);
    }
    t.equal((await send(other)).status, 202);
    await t.rejects(service.gatehouse('token', 'revoke', 'a.b.c'), { code: 1, stderr: /nothing to revoke/ });
    await t.rejects(service.gatehouse('token', 'revoke', 'of-nobody'), { code: 1, stderr: /is it mistyped/ });
    const jwks = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as { keys: unknown[] };
    t.match(jwks.keys, [{ kty: 'OKP', kid: /-1$/ }]);

    await service.stop();
    await service.start();
    t.equal((await send(byToken)).status, 401, 'after a restart too');
    t.equal((await send(other)).status, 202);
  },
);
