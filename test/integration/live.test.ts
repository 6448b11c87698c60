import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Decision, Finding, Severity } from '../../src/domain/decision.ts';
import { agentSessionKey, type EventId, type TenantSlug } from '../../src/domain/ids.ts';
import type { JournalRecord } from '../../src/domain/record.ts';
import { writeGlobalId } from '../../src/graphql/global-ids.ts';
import { mintAccessToken } from '../../src/identity/access-tokens.ts';
import type { StoredRecord } from '../../src/journal/journal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Authenticate } from '../../src/platform/caller.ts';
import { refuse } from '../../src/platform/http.ts';
import { agentKey } from '../../src/store/agent-key.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProjectionStore, prepareBatch } from '../../src/store/projection.ts';
import { newEventId } from '../support/event-ids.ts';
import { connect, isRefused, type Payload } from '../support/live.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { openWebSocket } from '../support/web-socket.ts';

/** Subscriptions, over real sockets and a real database, by people who really signed in. */

const postgres = await startTestPostgres(t);
const OURS = 'ours' as TenantSlug;
const THEIRS = 'theirs' as TenantSlug;
const ALLOW: Decision = { kind: 'decided', action: 'allow' };
const BLOCK: Decision = { kind: 'decided', action: 'block', reason: 'no' };

/** Tokens that the bearer takes, until they are removed. */
const tokens = new Map<string, string>();
const bearer: Authenticate = async ({ headers }) => {
  const tenantId = tokens.get(headers.get('authorization') ?? '');
  if (tenantId === undefined) return refuse('unauthorized', 'the token is not good');
  return { kind: 'token', tokenId: 'token-1', subject: 'program', tenantId, permissions: ['read'], expiresAt: 4e9 };
};

interface Site extends TestPlatform {
  ours: string;
  theirs: string;
  /** Headers of somebody who is signed in, from a page of ours. */
  headers: (email: string) => Promise<Record<string, string>>;
  writer: (journalId?: string) => Writer;
}

async function open(t: Test, limits: object = {}, needs: object = { bearer }): Promise<Site> {
  const platform = await startTestPlatform(t, postgres, {
    ...needs,
    liveLimits: { recheckMs: 50, ...limits },
  });
  const [ours, theirs] = [await platform.addTenant(OURS), await platform.addTenant(THEIRS)];
  await platform.addPerson('ann@example.com', { [ours]: ['analyst'] });
  await platform.addPerson('bob@example.com', { [theirs]: ['owner'] });
  return {
    ...platform,
    ours,
    theirs,
    headers: async (email) => {
      const browser = await platform.signIn(email);
      return { cookie: `session=${browser.cookies.get('session')}`, origin: platform.url };
    },
    writer: (journalId = 'journal') => new Writer(t, platform, journalId),
  };
}

/** Writes decisions as the projector does. */
class Writer {
  readonly #store: ProjectionStore;
  #seq = 0;
  #opened = false;

  constructor(t: Test, { databaseUrl, platform }: TestPlatform, journalId: string) {
    const database = openDatabase(databaseUrl, 1);
    t.teardown(() => database.close());
    this.#store = new ProjectionStore(database, journalId, (tenantIds) => platform.feeds.note(tenantIds));
  }

  async write(...records: JournalRecord[]): Promise<void> {
    if (!this.#opened) await this.#store.position();
    this.#opened = true;
    const from = this.#seq;
    const positioned = records.map((record) => ({ seq: ++this.#seq, record }));
    await this.#store.write(prepareBatch(positioned, from, positioned.at(-1) as StoredRecord));
  }
}

interface RecordOptions {
  tenant?: TenantSlug;
  session?: string;
  decision?: Decision;
  atMs?: number;
  padding?: number;
  shadow?: 'allow' | 'block';
  findings?: Finding[];
}

function decisionOf({
  tenant = OURS,
  session = 's-1',
  decision = ALLOW,
  atMs = Date.now(),
  padding = 0,
  shadow,
  findings = [],
}: RecordOptions = {}) {
  const event = {
    event_type: 'tool_invocation',
    session_id: session,
    timestamp: '2026-01-01T00:00:00Z',
    agent: { id: 'coder', name: 'Coder' },
    user: { email: 'a@example.com' },
    tool: { name: 'Bash', input: { command: 'ls', padding: 'x'.repeat(padding) } },
  };
  return {
    kind: 'decision' as const,
    tenant,
    session: agentSessionKey(tenant, session),
    event: newEventId(atMs),
    atMs,
    eventType: 'tool_invocation' as const,
    dedupe: 'd',
    correlationId: 'c',
    subject: 's',
    body: Buffer.from(JSON.stringify(event)),
    decision,
    onFailure: 'allow' as const,
    effects: [],
    explanation: explain(findings, shadow),
    tookUs: 10,
  };
}

function explain(findings: Finding[], shadow?: 'allow' | 'block'): string {
  return JSON.stringify({
    policies: [],
    findings,
    cuts: [],
    policySet: 'p',
    engine: 'e',
    tookUs: 1,
    ...(shadow === undefined ? {} : { shadow: { policySet: 'q', action: shadow } }),
  });
}

const found = (kind: string, severity: Severity = 'high'): Finding => ({ kind, severity, confidence: 1 });

const DECISIONS = `subscription ($tenant: ID!, $filter: DecisionsFilter, $after: String) {
  decisions(tenantId: $tenant, filter: $filter, after: $after) {
    items { id nodeId action lateAction toolName explanation { policySet } } cursor missed hasGap } }`;
const idsIn = (payload: Payload): EventId[] => payload.data.decisions.items.map(({ id }: { id: EventId }) => id);

t.test('P6 who watches a tenant sees its decisions, and nobody else does', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const own = ann.watch(DECISIONS, { tenant: site.ours });
  t.match(await own.next(), { data: { decisions: { items: [], cursor: '1.0', missed: 0, hasGap: false } } });
  t.match((await ann.watch(DECISIONS, { tenant: site.theirs }).next()).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  const theirs = decisionOf({ tenant: THEIRS });
  await writer.write(theirs);
  const [allowed, blocked] = [decisionOf(), decisionOf({ decision: BLOCK })];
  await writer.write(decisionOf({ tenant: THEIRS }), allowed, blocked);
  const told = await own.next();
  t.same(new Set(idsIn(told)), new Set([allowed.event, blocked.event]));
  t.match(told.data.decisions.items[0], { toolName: 'Bash', explanation: { policySet: 'p' } });
  for (const { id, nodeId } of told.data.decisions.items)
    t.equal(nodeId, writeGlobalId({ type: 'Decision', tenantId: site.ours, key: id }), 'with its global id');
  const onlyBlocked = ann.watch(DECISIONS, { tenant: site.ours, filter: { action: 'BLOCK' }, after: '1.0' });
  await onlyBlocked.next();
  t.same(idsIn(await onlyBlocked.next()), [blocked.event]);
});

t.test('what becomes known later is told again; sessions and events are told, too', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const decisions = ann.watch(DECISIONS, { tenant: site.ours });
  const events = ann.watch(
    'subscription ($t: ID!) { events(tenantId: $t) { items { id body decision { id } } missed } }',
    {
      t: site.ours,
    },
  );
  const sessions = ann.watch(
    'subscription ($t: ID!, $k: ID!) { sessionUpdates(tenantId: $t, sessionKey: $k) { items { sessionId eventsCount } missed } }',
    { t: site.ours, k: agentSessionKey(OURS, 's-1') },
  );
  const statistics = ann.watch(
    'subscription ($t: ID!) { statistics(tenantId: $t, window: MINUTE) { items { decisions } missed } }',
    {
      t: site.ours,
    },
  );
  for (const watched of [decisions, events, sessions]) await watched.next();
  t.equal((await statistics.next()).data.statistics.items.length >= 60, true);
  const undecided = decisionOf({ decision: { kind: 'undecided', cause: 'deadline', answered: 'fail_open' } });
  await writer.write(undecided, decisionOf({ session: 's-2' }));
  t.ok(idsIn(await decisions.next()).includes(undecided.event));
  t.match((await sessions.next()).data.sessionUpdates, { items: [{ sessionId: 's-1', eventsCount: 1 }], missed: 0 });
  t.equal((await events.next()).data.events.items.length, 2);
  const { kind: _, decision: __, ...about } = undecided;
  await writer.write({
    kind: 'late_decision',
    tenant: about.tenant,
    session: about.session,
    event: about.event,
    atMs: Date.now(),
    action: 'block',
    effects: [],
  });
  t.match((await decisions.next()).data.decisions.items, [{ id: undecided.event, lateAction: 'BLOCK' }]);
  t.match((await events.next()).data.events.items, [{ id: undecided.event }]);
  await statistics.until(() => statistics.payloads.some(({ data }) => sum(data.statistics.items) === 2));
});

const sum = (items: { decisions: number }[]) => items.reduce((total, { decisions }) => total + decisions, 0);

t.test('P6 an agent that is shared is watched by its guests, and no other of its owner', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  await writer.write(decisionOf({ tenant: THEIRS, session: 'shared' }));
  await site.sql`
    insert into agent_shares (tenant_id, agent_key, shared_with, permission)
    values (${site.theirs}, ${agentKey(THEIRS, 'coder')}, ${site.ours}, 'view')`;
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const watched = ann.watch(DECISIONS, { tenant: site.ours });
  await watched.next();
  const shared = decisionOf({ tenant: THEIRS, session: 'shared' });
  const other = decisionOf({ tenant: THEIRS, session: 'other' });
  other.body = Buffer.from(other.body.toString().replace('"id":"coder"', '"id":"secret"'));
  await writer.write(shared, other);
  t.same(idsIn(await watched.next()), [shared.event]);
  await site.sql`delete from agent_shares`;
  await writer.write(decisionOf({ tenant: THEIRS, session: 'shared' }));
  const own = decisionOf();
  await writer.write(own);
  t.same(idsIn(await watched.next()), [own.event], 'what is not shared any more is not told');
});

const FINDINGS = `subscription ($tenant: ID!, $filter: FindingsFilter, $after: String) {
  findings(tenantId: $tenant, filter: $filter, after: $after) {
    items { id kind severity toolName isOwn triage { status } } cursor missed hasGap } }`;
const kindsIn = (payload: Payload): string[] => payload.data.findings.items.map(({ kind }: { kind: string }) => kind);

t.test('P6 every finding is told once, wherever it comes from, to who may see it', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const watched = ann.watch(FINDINGS, { tenant: site.ours });
  t.match(await watched.next(), { data: { findings: { items: [], cursor: '1.0', missed: 0, hasGap: false } } });
  t.match((await ann.watch(FINDINGS, { tenant: site.theirs }).next()).errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  const many = Array.from({ length: 12 }, (_, n) => found(`of a decision, ${n}`));
  const decision = decisionOf({ findings: many });
  await writer.write(decision, decisionOf({ tenant: THEIRS, findings: [found('of others')] }));
  const first = await watched.next();
  t.same(
    kindsIn(first),
    many.map(({ kind }) => kind),
    'in the order of the explanation',
  );
  t.match(first.data.findings.items[2], { id: `${decision.event}.2`, toolName: 'Bash', isOwn: true, triage: null });

  const { kind: _, ...event } = decisionOf();
  const about = { tenant: OURS, session: event.session, event: event.event, atMs: event.atMs, effects: [] };
  const inspection = {
    kind: 'inspection' as const,
    ...about,
    explanation: explain([found('of an inspection', 'low')]),
  };
  await writer.write({ ...event, kind: 'event', eventType: 'tool_result' }, decisionOf());
  await writer.write(inspection);
  t.same(kindsIn(await watched.next()), ['of an inspection']);
  const undecided = decisionOf({ decision: { kind: 'undecided', cause: 'deadline', answered: 'fail_open' } });
  const late = {
    kind: 'late_decision' as const,
    ...about,
    session: undecided.session,
    event: undecided.event,
    action: 'block' as const,
    explanation: explain([found('of a late decision', 'critical')]),
  };
  await writer.write(undecided, late);
  t.same(kindsIn(await watched.next()), ['of a late decision']);
  await writer.write(inspection, late);
  await writer.write(decisionOf({ findings: [found('last')] }));
  t.same(kindsIn(await watched.next()), ['last'], 'what is brought again is not told again');

  const again = ann.watch(FINDINGS, { tenant: site.ours, after: first.data.findings.cursor });
  const since: string[] = [];
  while (since.length < 3) since.push(...kindsIn(await again.next()));
  t.same(since, ['of an inspection', 'of a late decision', 'last'], 'who was away gets what they missed');
  for (const [filter, kinds] of [
    [{ severities: ['CRITICAL', 'LOW'] }, ['of an inspection', 'of a late decision']],
    [{ kind: 'last' }, ['last']],
    [{ sessionKey: agentSessionKey(OURS, 's-1'), agentKey: agentKey(OURS, 'coder'), kind: 'last' }, ['last']],
  ] as const) {
    const filtered = ann.watch(FINDINGS, { tenant: site.ours, filter, after: '1.0' });
    const told: string[] = [];
    while (told.length < kinds.length) told.push(...kindsIn(await filtered.next()));
    t.same(told, kinds);
  }
});

t.test(
  'P6 findings of an agent that is shared are told to its guests, and those of no other of its owner',
  async (t) => {
    const site = await open(t);
    const writer = site.writer();
    await writer.write(decisionOf({ tenant: THEIRS }));
    await site.sql`
    insert into agent_shares (tenant_id, agent_key, shared_with, permission)
    values (${site.theirs}, ${agentKey(THEIRS, 'coder')}, ${site.ours}, 'view')`;
    const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
    const watched = ann.watch(FINDINGS, { tenant: site.ours });
    await watched.next();
    const other = decisionOf({ tenant: THEIRS, session: 'other', findings: [found('secret')] });
    other.body = Buffer.from(other.body.toString().replace('"id":"coder"', '"id":"secret"'));
    await writer.write(other, decisionOf({ tenant: THEIRS, findings: [found('shared')] }));
    t.match((await watched.next()).data.findings.items, [{ kind: 'shared', isOwn: false, triage: null }]);
    await site.sql`delete from agent_shares`;
    await writer.write(decisionOf({ tenant: THEIRS, findings: [found('no longer')] }));
    await writer.write(decisionOf({ findings: [found('own')] }));
    t.same(kindsIn(await watched.next()), ['own']);
  },
);

t.test('decisions that the policies which are tried would make otherwise are told, and no others', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const query = `subscription ($tenant: ID!, $after: String) {
    shadowDifferences(tenantId: $tenant, after: $after) { items { id action } cursor } }`;
  const watched = ann.watch(query, { tenant: site.ours });
  const begin = (await watched.next()).data.shadowDifferences.cursor;
  const differs = decisionOf({ shadow: 'block' });
  await writer.write(
    decisionOf(),
    decisionOf({ shadow: 'allow' }),
    decisionOf({ decision: BLOCK, shadow: 'block' }),
    decisionOf({ tenant: THEIRS, shadow: 'block' }),
    differs,
  );
  t.match((await watched.next()).data.shadowDifferences.items, [{ id: differs.event, action: 'ALLOW' }]);
  const again = ann.watch(query, { tenant: site.ours, after: begin });
  await again.next();
  t.same(
    (await again.next()).data.shadowDifferences.items.map(({ id }: { id: string }) => id),
    [differs.event],
    'to who was away, too',
  );
});

t.test('P6 a backtest is told until it ends, and to its tenant alone', async (t) => {
  const site = await open(t);
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const query = 'subscription ($t: ID!, $id: ID!) { backtest(tenantId: $t, id: $id) { nodeId state sessionsDone } }';
  const add = async (tenantId: string, state: string) => {
    const [row] = await site.sql<{ id: string }[]>`
      insert into policy_backtests (tenant_id, hash, since, until, started_by, state, sessions_count)
      values (${tenantId}, 'h', now(), now(), 'operator', ${state}, 3) returning id`;
    return row?.id ?? '';
  };
  const watch = (id: string, tenant = site.ours) => ann.watch(query, { t: tenant, id });
  const id = await add(site.ours, 'done');
  const done = watch(id);
  const nodeId = writeGlobalId({ type: 'Backtest', tenantId: site.ours, key: id });
  t.match(await done.next(), { data: { backtest: { nodeId, state: 'DONE' } } });
  await done.until(() => done.isOver);
  const foreign = watch(await add(site.theirs, 'done'));
  t.match(await foreign.next(), { data: { backtest: null } });
  await foreign.until(() => foreign.isOver);
  t.match((await watch('x').next()).errors, [{ extensions: { code: 'BAD_INPUT' } }]);
  t.match((await watch(await add(site.theirs, 'done'), site.theirs).next()).errors, [
    { extensions: { code: 'FORBIDDEN' } },
  ]);
});

t.test('a socket is opened by a page of ours or by a program, and by nobody else', async (t) => {
  const site = await open(t, { initMsMax: 2_000 });
  const address = `${site.url}/api/v1/graphql`;
  const own = await site.headers('ann@example.com');
  const refused = async (headers: Record<string, string>, protocol?: string) => {
    const opened = await openWebSocket(address, headers, protocol);
    if (isRefused(opened)) return opened.status;
    opened.destroy();
    return 101;
  };
  t.equal(await refused({ ...own, origin: 'https://elsewhere.example' }), 403, 'a page of another site');
  t.equal(await refused({ cookie: own['cookie'] ?? '' }), 403, 'a cookie without an Origin');
  t.equal(await refused({ ...own, 'sec-fetch-site': 'cross-site' }), 403);
  t.equal(await refused({ cookie: `session=${'A'.repeat(43)}`, origin: site.url }), 401, 'no such login session');
  t.equal(await refused({ authorization: 'Bearer nonsense' }), 401);
  t.equal(await refused(own, 'graphql-ws'), 400, 'another subprotocol');
  t.equal(await refused({ ...own, 'content-length': '5' }), 400, 'a body');
  t.equal(await refused(own), 101);
  tokens.set('Bearer good', site.ours);
  const byHeader = await (await connect(site.url, { authorization: 'Bearer good' })).init();
  t.match(await byHeader.watch(DECISIONS, { tenant: site.ours }).next(), { data: { decisions: { items: [] } } });
  const byMessage = await (await connect(site.url, {})).init({ authorization: 'Bearer good' });
  t.match(await byMessage.watch(DECISIONS, { tenant: site.ours }).next(), { data: { decisions: { items: [] } } });
  for (const payload of [undefined, { authorization: 'Bearer bad' }, { authorization: 1 }]) {
    const stranger = await connect(site.url, {});
    await t.rejects(stranger.init(payload), /closed with 4401/);
  }
  t.equal((await (await connect(site.url, {})).closed).code, 4408, 'who says nothing is not waited for');
});

t.test('a socket ends with the right to it', async (t) => {
  const site = await open(t);
  const own = await site.headers('ann@example.com');
  const signedIn = await (await connect(site.url, own)).init();
  signedIn.watch(DECISIONS, { tenant: site.ours });
  const bob = await (await connect(site.url, await site.headers('bob@example.com'))).init();
  const browser = await site.signIn('ann@example.com');
  const second = await (
    await connect(site.url, { cookie: `session=${browser.cookies.get('session')}`, origin: site.url })
  ).init();
  await browser.get('/api/v1/auth/logout');
  t.equal((await second.closed).code, 4401, 'signed out');
  await site.sql`update memberships set roles = array['viewer'] where tenant_id = ${site.ours}`;
  t.equal((await signedIn.closed).code, 4403, 'the roles changed');
  tokens.set('Bearer soon', site.ours);
  const program = await (await connect(site.url, {})).init({ authorization: 'Bearer soon' });
  tokens.delete('Bearer soon');
  t.equal((await program.closed).code, 4401, 'the token was revoked');
  const idle = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  site.clock.advance(25 * 3_600_000);
  t.equal((await idle.closed).code, 4401, 'an open socket is no use of a login session');
  t.equal((await bob.closed).code, 4401);
});

t.test(
  'who is removed, or gets other roles, watches no longer: at once, not when they are asked about again',
  async (t) => {
    const site = await open(t, { recheckMs: 3_600_000 });
    await site.addPerson('chief@example.com', { [site.ours]: ['owner'] });
    const chief = await site.signIn('chief@example.com');
    const headers = await site.headers('ann@example.com');
    const other = await (await connect(site.url, await site.headers('bob@example.com'))).init();
    const [row] = await site.sql`select id from users where email = 'ann@example.com'`;
    const who = `tenantId: "${site.ours}", userId: "${row?.['id']}"`;
    for (const change of [`changeMember(input: { ${who}, roles: ["viewer"] })`, `removeMember(input: { ${who} })`]) {
      const watcher = await (await connect(site.url, headers)).init();
      watcher.watch(DECISIONS, { tenant: site.ours });
      t.match(await site.ask(chief, `mutation { ${change} { userErrors { code } } }`), { errors: undefined });
      t.equal((await watcher.closed).code, 4403, change);
    }
    t.equal(other.watch(DECISIONS, { tenant: site.theirs }).isOver, false, 'nobody else is bothered');
  },
);

t.test(
  'who watches with a token does so until it is revoked, or what it was minted with: not ten seconds longer',
  async (t) => {
    const site = await open(t, { recheckMs: 3_600_000 }, {});
    await site.addPerson('chief@example.com', { [site.ours]: ['owner'] });
    const chief = await site.signIn('chief@example.com');
    const grant = {
      tenant: OURS,
      subject: 'p',
      kind: 'platform',
      scopes: ['platform:read'],
      lifetimeSeconds: 3600,
    } as const;
    const program = async (parentId: string | null) => {
      const { token, tokenId } = await mintAccessToken(site.keys, systemClock, grant);
      await site.sql`
      insert into access_tokens (token_id, tenant_id, subject, audience, scopes, parent_id, expires_at)
      values (${tokenId}, ${site.ours}, 'p', 'gatehouse-platform', array['platform:read'], ${parentId}, now() + interval '1 hour')`;
      const watcher = await (await connect(site.url, {})).init({ authorization: `Bearer ${token}` });
      return { tokenId, watcher, watched: watcher.watch(DECISIONS, { tenant: site.ours }) };
    };
    const first = await program(null);
    const child = await program(first.tokenId);
    const other = await program(null);
    const revoke = `mutation { revokeAccessToken(input: { tenantId: "${site.ours}", id: "${first.tokenId}" }) { userErrors { code } } }`;
    t.match(await site.ask(chief, revoke), { data: { revokeAccessToken: { userErrors: [] } } });
    const closed = Promise.all([first.watcher.closed, child.watcher.closed]);
    t.match(await Promise.race([closed, sleep(5000, 'not closed')]), [{ code: 4401 }, { code: 4401 }]);
    t.equal(other.watched.isOver, false, 'nobody else is bothered');
  },
);

t.test('what is asked for is bounded', async (t) => {
  const site = await open(t, { operationsMax: 3, socketsOfOneMax: 2, messagesBurst: 30 });
  const own = await site.headers('ann@example.com');
  const ann = await (await connect(site.url, own)).init();
  const refused = async (query: string) => (await ann.watch(query).next()).errors[0].message as string;
  const items = `{ items { id } }`;
  t.match(await refused('{ viewer { name } }'), /sent by POST/);
  t.match(
    await refused(`mutation { changeTenantSettings(input: { tenantId: "x" }) { userErrors { code } } }`),
    /sent by POST/,
  );
  t.match(await refused('subscription { decisions(tenantId: "x") { nothing } }'), /Cannot query field/);
  t.match(await refused('subscription {'), /Syntax Error/);
  t.match(
    await refused(`subscription { ${'#\n'.repeat(9)} decisions(tenantId: "x") { ${'missed '.repeat(2_100)} } }`),
    /token/,
  );
  t.match(
    await refused(
      `subscription { sessionUpdates(tenantId: "${site.ours}") { items { timeline { edges { cursor } } } } }`,
    ),
    /cannot be asked for in a subscription/,
  );
  const wide = Array.from(
    { length: 60 },
    (_, n) => `a${n}: explanation { policies { id reason tags } findings { kind } }`,
  );
  t.match(await refused(`subscription { decisions(tenantId: "x") { items { ${wide.join(' ')} } } }`), /exceeds/);
  t.match(
    await refused(`subscription { decisions(tenantId: "${site.ours}", after: "zz") ${items} }`),
    /a cursor is what/,
  );
  const watched = [1, 2, 3].map(() => ann.watch(DECISIONS, { tenant: site.ours }));
  for (const each of watched) await each.next();
  t.match(await refused(DECISIONS.replaceAll('$tenant', '$tenant')), /no more than 3 subscriptions/);
  watched[0]?.stop();
  const second = await (await connect(site.url, own)).init();
  const third = await openWebSocket(`${site.url}/api/v1/graphql`, own);
  t.match(third, { status: 429 });
  second.socket.send('x'.repeat(129 * 1024));
  t.equal((await second.closed).code, 1006, 'a message that is too large');
  const flood = await (await connect(site.url, own)).init();
  for (let n = 0; n < 100; n++) flood.socket.send('{"type":"ping"}');
  t.equal((await flood.closed).code, 1008);
  const garbled = await connect(site.url, own);
  garbled.socket.send('{"type":"no such"}');
  t.equal((await garbled.closed).code, 4400);
});

t.test('of who does not say who they are, a network has its share of sockets, however many addresses', async (t) => {
  const site = await open(t, { socketsOfOneMax: 2, initMsMax: 30_000 });
  const openFrom = async (address: string) => {
    const opened = await openWebSocket(`${site.url}/api/v1/graphql`, { 'x-forwarded-for': address });
    if (isRefused(opened)) return opened.status;
    t.teardown(() => opened.destroy());
    return 101;
  };
  t.equal(await openFrom('2001:db8::1'), 101);
  t.equal(await openFrom('2001:db8::2'), 101);
  t.equal(await openFrom('2001:db8::3'), 429);
  t.equal(await openFrom('2001:db8:0:1::1'), 101);
});

t.test(
  'whoever goes on at a cursor gets every decision once, however batches and disconnections interleave',
  async (t) => {
    const site = await open(t, { messagesBurst: 1_000, socketsOfOneMax: 100 });
    const own = await site.headers('ann@example.com');
    const seed = Number(process.env['LIVE_SEED'] ?? Date.now() % 1_000_000);
    t.comment(`LIVE_SEED=${seed}`);
    const random = mulberry(seed);
    const writers = ['one', 'two', 'three'].map((id) => site.writer(id));
    const written: EventId[] = [];
    // Times of receipt go back and forth between the writers, as between services that share a database.
    const writeAll = async (writer: Writer) => {
      for (let batch = 0; batch < 25; batch++) {
        const records = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
          decisionOf({ atMs: Date.now() - Math.floor(random() * 60_000), session: `s-${Math.floor(random() * 5)}` }),
        );
        await writer.write(...records);
        written.push(...records.map(({ event }) => event));
        if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 30));
      }
    };
    const seen: EventId[] = [];
    const progress = { isWritten: false };
    const follow = async () => {
      let after: string | undefined = '1.0';
      while (!progress.isWritten || new Set(seen).size < written.length) {
        const socket = await (await connect(site.url, own)).init();
        const watched = socket.watch(DECISIONS, { tenant: site.ours, after });
        const payloads = 1 + Math.floor(random() * 4);
        for (let n = 0; n < payloads && (!progress.isWritten || seen.length < written.length); n++) {
          const payload = await watched.next();
          t.notOk(payload.data.decisions.hasGap);
          seen.push(...idsIn(payload));
          after = payload.data.decisions.cursor;
        }
        socket.socket.destroy();
      }
    };
    const following = follow();
    await Promise.all(writers.map(writeAll));
    // Whoever saw all of it before this line waits for one more, which therefore must come.
    const last = decisionOf({});
    written.push(last.event);
    progress.isWritten = true;
    await writers[0]?.write(last);
    await following;
    t.equal(seen.length, written.length, 'each one once');
    t.same(new Set(seen), new Set(written));
  },
);

/** A small random generator, so that a run can be repeated. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

t.test('who reads slowly costs no memory, loses no decision, and is told how many events they missed', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  const own = await site.headers('ann@example.com');
  const slow = await (await connect(site.url, own)).init();
  const decisions = slow.watch(DECISIONS.replace('toolName', 'toolName body'), { tenant: site.ours });
  const events = slow.watch('subscription ($t: ID!) { events(tenantId: $t) { items { id body } missed } }', {
    t: site.ours,
  });
  await Promise.all([decisions.next(), events.next()]);
  slow.socket.pause();
  const written: EventId[] = [];
  let memoryMax = 0;
  for (let batch = 0; batch < 24; batch++) {
    const records = Array.from({ length: 20 }, () => decisionOf({ padding: 60_000 }));
    await writer.write(...records);
    written.push(...records.map(({ event }) => event));
    memoryMax = Math.max(memoryMax, site.platform.feeds.memoryChars);
    await new Promise((resolve) => setTimeout(resolve, 110));
  }
  t.ok(memoryMax <= 8.5 * 1024 * 1024, `${memoryMax} characters are kept at most, of ${written.length * 60_000 * 2}`);
  t.ok(decisions.payloads.length + events.payloads.length < 100);
  slow.socket.resume();
  const seen = () => decisions.payloads.flatMap(idsIn);
  await decisions.until(() => seen().length >= written.length);
  t.same(seen(), written.toSorted(), 'every decision, in order');
  const told = () =>
    events.payloads.reduce((total, { data }) => total + data.events.items.length + data.events.missed, 0);
  await events.until(() => told() >= written.length);
  t.equal(told(), written.length);
  t.ok(events.payloads.some(({ data }) => data.events.missed > 0));
});

t.test('who does not read at all is cut off, and is told why', async (t) => {
  const site = await open(t, { stalledMsMax: 300 });
  const writer = site.writer();
  const stuck = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const watched = stuck.watch(DECISIONS.replace('toolName', 'toolName body'), { tenant: site.ours });
  await watched.next();
  stuck.socket.pause();
  for (let n = 0; n < 12; n++) await writer.write(...Array.from({ length: 12 }, () => decisionOf({ padding: 60_000 })));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  stuck.socket.resume();
  t.match(await stuck.closed, { code: 1013, reason: /not read/ });
});

t.test('what is not remembered any more is told as a gap', async (t) => {
  const site = await open(t);
  const writer = site.writer();
  for (let n = 0; n < 3; n++) await writer.write(decisionOf());
  await site.sql`delete from feed_batches where seq <= 2`;
  const ann = await (await connect(site.url, await site.headers('ann@example.com'))).init();
  const watched = ann.watch(DECISIONS, { tenant: site.ours, after: '1.0' });
  t.match(await watched.next(), { data: { decisions: { items: [], cursor: '1.0' } } });
  t.match(await watched.next(), { data: { decisions: { items: [{}], cursor: '4.0', hasGap: true } } });
  t.match(await ann.watch(DECISIONS, { tenant: site.ours, after: '99.0' }).next(), {
    data: { decisions: { items: [], cursor: '4.0', hasGap: true } },
  });
});

t.test('when the service stops, sockets are closed with a word, and nothing hangs', async (t) => {
  const site = await open(t);
  const own = await site.headers('ann@example.com');
  const watchers = await Promise.all([1, 2, 3].map(async () => (await connect(site.url, own)).init()));
  for (const watcher of watchers) await watcher.watch(DECISIONS, { tenant: site.ours }).next();
  await connect(site.url, {});
  await site.stop();
  for (const watcher of watchers) t.equal((await watcher.closed).code, 1001);
});
