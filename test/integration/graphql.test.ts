import { serverAudits } from 'graphql-http';
import t from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Caller, PersonCaller } from '../../src/platform/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { type GraphAnswer, signedIn, startTestGraph } from '../support/graph.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/** The graph, over real sockets and a real database. Callers are told by a header, in place of their credentials. */

const postgres = await startTestPostgres(t);
const databaseUrl = await postgres.createDatabase();
const service = openDatabase(databaseUrl);
const admin = openClient(t, databaseUrl);
const newTenant = (slug: string) => ensureTenant(service, { slug: slug as TenantSlug, name: slug, onFailure: 'allow' });
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');

const CALLERS: Record<string, Caller> = {
  owner: signedIn({ [ours.id]: 'owner' }),
  viewer: signedIn({ [ours.id]: 'viewer' }),
  stranger: signedIn({ [theirs.id]: 'owner' }),
};

const graph = await startTestGraph(t, databaseUrl, CALLERS);
const { origin, failures } = graph;
const url = `${origin}/api/v1/graphql`;
t.teardown(() => service.close());

const ask = (query: string, caller = 'owner', variables: object = {}): Promise<GraphAnswer> =>
  graph.ask(query, caller, variables);

const KEY = '11111111-1111-4111-8111-111111111111';
const eventId = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const EVENTS = 7;
const EXPLANATION = {
  policies: [{ id: 'shell.destructive', severity: 'high', effect: 'block', reason: 'Deletes', tags: ['a'] }],
  findings: [
    { kind: 'destructive.delete', severity: 'high', confidence: 0.9, span: { pointer: '/tool', start: 0, end: 3 } },
  ],
  cuts: [],
  policySet: 'abc',
  engine: 'def',
  tookUs: 40,
};

t.before(async () => {
  await admin`
    insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
    values (${ours.id}, ${KEY}, 'coder', 'Coder', now(), now(), 1)`;
  await admin`
    insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, state,
      reopened_count, events_count, blocked_count, undecided_count)
    values (${ours.id}, ${KEY}, 's-1', ${KEY}, 'a@b', now(), now(), 'open', 0, ${EVENTS}, 1, 0)`;
  for (let n = 1; n <= EVENTS; n++) {
    await admin`
      insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email,
        tool_name, correlation_id, subject, dedupe, body)
      values (${eventId(n)}, ${ours.id}, ${KEY}, ${KEY}, 'tool_invocation', now(),
          to_timestamp(${0x019000000000 / 1000}), 'a@b', 'Bash', 'c', 's', 'd', '{"n":1}')`;
    await admin`
      insert into decisions (id, tenant_id, session_key, kind, action, reason, on_failure, effects, explanation, took_us, decided_at)
      values (${eventId(n)}, ${ours.id}, ${KEY}, 'decided', ${n === 3 ? 'block' : 'allow'}, ${n === 3 ? 'Deletes' : null},
        'allow', '[]', ${JSON.stringify(EXPLANATION)}, ${n * 100}, to_timestamp(${0x019000000000 / 1000}))`;
  }
  await admin`select rebuild_rollups()`;
});

t.test('GraphQL over HTTP: every audit of graphql-http is passed', async (t) => {
  const audits = serverAudits({
    url,
    fetchFn: (input: string, init: RequestInit = {}) =>
      fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), authorization: 'owner' } }),
  });
  t.equal(audits.length, 61);
  for (const audit of audits) {
    const { status, ...rest } = await audit.fn();
    t.equal(status, 'ok', `${audit.id} ${audit.name}: ${'reason' in rest ? rest.reason : ''}`);
  }
});

t.test('who does not sign in is refused with a Problem, introspection too', async (t) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __schema { types { name } } }' }),
  });
  t.equal(answer.status, 401);
  t.equal(answer.headers.get('content-type'), 'application/problem+json');
});

t.test('decisions come newest first, in pages both ways, with their explanation', async (t) => {
  const page = (args: string) => `query ($tenant: ID!) { tenant(id: $tenant) { decisions(${args}) {
    edges { cursor node { id action reason toolName explanation { policies { id } findings { kind span { pointer } } } } }
    pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } } }`;
  const variables = { tenant: ours.id };
  const first = await ask(page('first: 3'), 'owner', variables);
  const ids = (answer: GraphAnswer) =>
    answer.data.tenant.decisions.edges.map((edge: { node: { id: string } }) => edge.node.id);
  t.same(ids(first), [7, 6, 5].map(eventId));
  t.ok(first.data.tenant.decisions.pageInfo.hasNextPage);
  const { endCursor } = first.data.tenant.decisions.pageInfo;
  t.same(ids(await ask(page(`first: 3, after: "${endCursor}"`), 'owner', variables)), [4, 3, 2].map(eventId));
  t.same(ids(await ask(page('last: 2'), 'owner', variables)), [2, 1].map(eventId));
  const blocked = await ask(page('action: BLOCK'), 'owner', variables);
  t.same(ids(blocked), [eventId(3)]);
  t.match(blocked.data.tenant.decisions.edges[0].node, {
    action: 'BLOCK',
    reason: 'Deletes',
    toolName: 'Bash',
    explanation: {
      policies: [{ id: 'shell.destructive' }],
      findings: [{ kind: 'destructive.delete', span: { pointer: '/tool' } }],
    },
  });
});

t.test('a session tells its story', async (t) => {
  const { data } = await ask(
    `query ($tenant: ID!) { tenant(id: $tenant) { agentSessions(first: 5) { edges { node {
      sessionId agentName state eventsCount timeline(first: 100) { edges { node { eventType body decision { action } } } } } } } } }`,
    'viewer',
    { tenant: ours.id },
  );
  const [session] = data.tenant.agentSessions.edges;
  t.match(session.node, { sessionId: 's-1', agentName: 'Coder', state: 'OPEN', eventsCount: EVENTS });
  t.equal(session.node.timeline.edges.length, EVENTS);
  t.match(session.node.timeline.edges[4].node, {
    eventType: 'tool_invocation',
    body: '{"n":1}',
    decision: { action: 'BLOCK' },
  });
});

t.test('decisions are counted over time, empty stretches too', async (t) => {
  const at = new Date(0x019000000000);
  const since = new Date(at.getTime() - 120_000).toISOString();
  const until = new Date(at.getTime() + 60_000).toISOString();
  const { data, errors } = await ask(
    `query ($tenant: ID!) { tenant(id: $tenant) { statistics(since: "${since}", until: "${until}", bucketSeconds: 60) {
      from decisions blocked failedOpen p50Us p99Us } } }`,
    'owner',
    { tenant: ours.id },
  );
  t.equal(errors, undefined);
  const buckets = data.tenant.statistics as { decisions: number; blocked: number; p99Us: number | null }[];
  t.ok(buckets.length >= 3);
  t.equal(
    buckets.reduce((sum, { decisions }) => sum + decisions, 0),
    EVENTS,
  );
  t.equal(
    buckets.reduce((sum, { blocked }) => sum + blocked, 0),
    1,
  );
  const slowest = buckets.find(({ decisions }) => decisions > 0)?.p99Us ?? 0;
  t.ok(Math.abs(slowest / (EVENTS * 100) - 1) < 0.1, 'a percentile is at most a tenth off');
  const silly = await ask(
    `query ($tenant: ID!) { tenant(id: $tenant) { statistics(since: "${since}", until: "${until}", bucketSeconds: 0) { from } } }`,
    'owner',
    { tenant: ours.id },
  );
  t.equal(silly.errors?.[0]?.extensions?.code, 'BAD_INPUT');
});

t.test('P6 another tenant is null, and no id of it leads anywhere', async (t) => {
  t.same((await ask(`{ tenant(id: "${ours.id}") { name } }`, 'stranger')).data, { tenant: null });
  const { data } = await ask(
    `{ tenant(id: "${theirs.id}") { decisions { edges { node { id } } } decision(id: "${eventId(3)}") { id }
      agentSessions { edges { node { key } } } agentSession(key: "${KEY}") { key } } }`,
    'stranger',
  );
  t.same(data.tenant, {
    decisions: { edges: [] },
    decision: null,
    agentSessions: { edges: [] },
    agentSession: null,
  });
});

t.test('a role that does not allow a field is told so', async (t) => {
  const answer = await ask(`{ tenant(id: "${ours.id}") { auditLog { seq } } }`, 'viewer');
  t.equal(answer.errors?.[0]?.extensions?.code, 'FORBIDDEN');
  t.same((await ask(`{ tenant(id: "${ours.id}") { auditLog { seq } } }`)).data.tenant.auditLog, []);
});

t.test('statistics count events of an hour at most, and reach no further than counts do', async (t) => {
  const statistics = (bucketSeconds: number, hours: number) => {
    const until = Date.UTC(2026, 0, 2);
    const [from, to] = [until - hours * 3_600_000, until].map((ms) => new Date(ms).toISOString());
    return ask(`{ tenant(id: "${ours.id}") {
      statistics(since: "${from}", until: "${to}", bucketSeconds: ${bucketSeconds}) { events } } }`);
  };
  t.notOk((await statistics(7, 1)).errors);
  t.notOk((await statistics(86_400, 24 * 400)).errors);
  for (const answer of [await statistics(86_399, 24), await statistics(86_400, 24 * 401)])
    t.equal(answer.errors?.[0]?.extensions?.code, 'BAD_INPUT');
});

t.test('a handful of fields that add up fits into an operation', async (t) => {
  const span = 'since: "2026-01-01T00:00:00Z", until: "2026-01-01T01:00:00Z"';
  const SUMS = [
    `statistics(${span}, bucketSeconds: 60) { events }`,
    `activity(${span}) { events }`,
    `policyHits(${span}) { policyId }`,
    `topFindings(${span}) { kind }`,
    `topAgents(${span}) { events }`,
    `findingCounts(${span}) { open }`,
    `agent(key: "${KEY}") { activity(${span}, bucketHours: 1) { events } }`,
    `agent(key: "${KEY}") { uses(${span}) { events } }`,
    `agent(key: "${KEY}") { coverage(${span}) { calls } }`,
    `agent(key: "${KEY}") { policyHits(${span}) { policyId } }`,
    'shadowCounts { decisions }',
    'policies { policy { id } }',
  ];
  for (const sum of SUMS) {
    const times = (count: number) =>
      ask(`{ tenant(id: "${ours.id}") { ${Array.from({ length: count }, (_, n) => `a${n}: ${sum}`).join(' ')} } }`);
    t.notOk((await times(5)).errors, sum);
    t.match((await times(10)).errors?.[0], { message: /complexity/, extensions: { code: 'BAD_INPUT' } }, sum);
  }
});

t.test('an operation that takes too long is ended, and what is left of it refused', async (t) => {
  const hurried = await startTestGraph(t, databaseUrl, CALLERS, { readMsMax: 300 });
  const counts = Array.from(
    { length: 9 },
    (_, n) => `a${n}: activity(since: "2026-01-01T00:00:00Z",
    until: "2026-01-01T01:00:00Z") { events }`,
  );
  const query = `{ tenant(id: "${ours.id}") { ${counts.join(' ')} } }`;
  await admin.begin(async (sql) => {
    await sql`lock table activity_minutes in access exclusive mode`;
    const { errors } = await hurried.ask(query, 'owner');
    t.same(new Set(errors?.map(({ extensions }) => extensions?.code)), new Set(['TIMEOUT']));
    const running = () => sql`select 1 from pg_locks where relation = 'activity_minutes'::regclass and not granted`;
    while ((await running()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    t.pass('nothing goes on in the database');
  });
  t.notOk((await hurried.ask(query, 'owner')).errors, 'and the next one is served');
  t.same(hurried.failures, []);
});

t.test('a change that was begun goes on, and none begins once the time of the operation is over', async (t) => {
  const hurried = await startTestGraph(t, databaseUrl, CALLERS, { readMsMax: 300 });
  const { userId } = CALLERS['owner'] as PersonCaller;
  await admin`insert into users (id, email, name, signs_in_by_email) values (${userId}, 'ann@example.com', 'Ann', true)`;
  await admin`insert into memberships (tenant_id, user_id, roles) values (${ours.id}, ${userId}, '{owner}')`;
  const save = (name: string) =>
    `${name}: saveFilter(input: { tenantId: "${ours.id}", name: "${name}", query: "?" }) { userErrors { code } }`;
  const asked = await admin.begin(async (sql) => {
    await sql`lock table saved_filters in access exclusive mode`;
    const answer = hurried.ask(`mutation { ${save('first')} ${save('second')} }`, 'owner');
    await new Promise((resolve) => setTimeout(resolve, 400));
    return { answer };
  });
  const { errors } = await asked.answer;
  t.match(errors, [{ path: ['second'], extensions: { code: 'TIMEOUT' } }]);
  t.same(
    (await admin`select name from saved_filters`).map(({ name }) => name),
    ['first'],
  );
  t.same(hurried.failures, []);
});

t.test('one tenant that asks for what is slow holds up no other', async (t) => {
  const slow = `{ tenant(id: "${ours.id}") { activity(since: "2026-01-01T00:00:00Z", until: "2026-01-01T01:00:00Z") { events } } }`;
  const held: Promise<GraphAnswer>[] = [];
  await admin.begin(async (sql) => {
    await sql`lock table activity_minutes in access exclusive mode`;
    held.push(...Array.from({ length: 12 }, () => ask(slow)));
    const waiting = async () =>
      (await sql`select 1 from pg_locks where relation = 'activity_minutes'::regclass and not granted`).length;
    while ((await waiting()) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const { data } = await ask(`{ tenant(id: "${theirs.id}") { name } }`, 'stranger');
    t.equal(data?.tenant?.name, 'theirs');
    t.equal(await waiting(), 2, 'it has half of the connections');
  });
  for (const answer of await Promise.all(held)) t.notOk(answer.errors, 'and is served when it can be');
});

t.test('a page is refused that is too large', async (t) => {
  for (const page of ['decisions(first: 201)', 'decisions(last: 100000)', 'accessTokens(first: 201)']) {
    const { errors } = await ask(`{ tenant(id: "${ours.id}") { ${page} { edges { node { id } } } } }`);
    t.equal(errors?.[0]?.extensions?.code, 'BAD_INPUT', page);
  }
});

t.test('an operation asks for no more than it may', async (t) => {
  const tooMany = await ask(`{ ${Array.from({ length: 3_000 }, (_, n) => `a${n}: viewer { name }`).join(' ')} }`);
  t.match(tooMany.errors?.[0], { message: /token/i, extensions: { code: 'BAD_INPUT' } }, 'tokens');
  const broad = await ask(`{ ${Array.from({ length: 280 }, (_, n) => `a${n}: viewer { name }`).join(' ')} }`);
  t.match(broad.errors?.[0], { message: /breadth/i, extensions: { code: 'BAD_INPUT' } }, 'breadth and aliases');
  const nested =
    'memberships { tenant { decisions(first: 200) { edges { node { explanation { policies { id } findings { kind } } } } } } }';
  const costly = await ask(`{ viewer { a: ${nested} b: ${nested} c: ${nested} } }`);
  t.match(costly.errors?.[0], { message: /complex/i, extensions: { code: 'BAD_INPUT' } }, 'cost');
  const unknown = await ask('{ viewer { nothing } }');
  t.equal(unknown.errors?.[0]?.extensions?.code, 'BAD_INPUT', 'what the schema does not have');
  const large = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'owner' },
    body: JSON.stringify({ query: '{ __typename }', variables: { pad: 'x'.repeat(3_000_000) } }),
  }).catch(() => undefined);
  t.ok(large === undefined || large.status === 400, 'bytes');
  const long = await ask(`{ viewer { name } # ${'x'.repeat(200_000)}\n}`);
  t.match(long.errors?.[0]?.message, /characters/, 'a document');
});

t.test('bad arguments are told, and nothing inside shows', async (t) => {
  for (const args of ['after: "x"', 'sessionKey: "x"', 'since: "yesterday"', 'after: "\\u0000"']) {
    const answer = await ask(`{ tenant(id: "${ours.id}") { decisions(${args}) { edges { cursor } } } }`);
    t.ok(answer.errors, args);
    t.notMatch(JSON.stringify(answer), /select|Failed query|postgres/i, args);
  }
  t.same(failures, []);
  await admin`alter table decisions rename to decisions_away`;
  const broken = await ask(`{ tenant(id: "${ours.id}") { decisions { edges { cursor } } } }`);
  await admin`alter table decisions_away rename to decisions`;
  t.equal(broken.errors?.[0]?.extensions?.code, 'INTERNAL');
  t.notMatch(JSON.stringify(broken), /decisions_away|does not exist|select/i);
  t.equal(failures.length, 1, 'it is logged');
});
