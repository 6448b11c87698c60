import t from 'tap';
import { eventIdFloor } from '../../src/domain/ids.ts';
import { findAgentSession, listDecisions, listSessionEvents } from '../../src/store/activity.ts';
import { openDatabase } from '../../src/store/database.ts';
import { listEvents } from '../../src/store/events.ts';
import { openTenantDatabase, type TenantTransaction } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { type GraphAnswer, signedIn, startTestGraph } from '../support/graph.ts';
import { explain, project, Story } from '../support/insight-story.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';
import { slug } from '../support/tenant-policies.ts';

/** A tenant's events as people look through them: what is found, and how much is read for it. */

const postgres = await startTestPostgres(t);
const databaseUrl = await postgres.createDatabase();
const service = openDatabase(databaseUrl);
const people = openTenantDatabase(databaseUrl);
t.teardown(() => Promise.all([service.close(), people.close()]));
const admin = openClient(t, databaseUrl);
const newTenant = (name: string) => ensureTenant(service, { slug: slug(name), name, onFailure: 'allow' });
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');
const CALLERS = { owner: signedIn({ [ours.id]: 'viewer' }), stranger: signedIn({ [theirs.id]: 'owner' }) };
const graph = await startTestGraph(t, databaseUrl, CALLERS);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
const first = new Story({ tenant: slug('ours'), session: 'one' });
const second = new Story({ tenant: slug('ours'), session: 'two', agent: 'writer' });
const other = new Story({ tenant: slug('theirs'), session: 'one' });
const FOUND = explain({ findings: [['secret.key', 'high']] });
first.observed(noon - 2 * DAY_MS, 'session_start');
first.call(noon, {}, 'Bash');
first.observed(noon + 1, 'tool_result', FOUND);
first.blocked(noon + 2, explain({ policies: ['no-net'] }), 'Fetch \0 "it"');
second.observed(noon + MINUTE_MS, 'session_start');
second.call(noon + MINUTE_MS + 1, {}, 'Bash');
other.call(noon + 5, {}, 'Bash');
await project(databaseUrl, [...first.records, ...second.records, ...other.records]);

interface Listed {
  edges: { cursor: string; node: { id: string; eventType: string; toolName: string | null; sessionKey: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}

const WANTED = `edges { cursor node { id eventType toolName sessionKey agentKey body decision { action } explanation { findings { kind } } } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const ask = (args: object, { as = 'owner', tenantId = ours.id } = {}): Promise<GraphAnswer> => {
  const written = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const given = written.length === 0 ? '' : `(${written.join(', ')})`;
  return graph.ask(`query ($id: ID!) { tenant(id: $id) { events${given} { ${WANTED} } } }`, as, { id: tenantId });
};
const events = async (args: object, who = {}): Promise<Listed> => {
  const { data, errors } = await ask(args, who);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data.tenant.events;
};
const ids = ({ edges }: Listed) => edges.map(({ node }) => node.id);
const stored = async () =>
  (await admin`select id from events where tenant_id = ${ours.id} order by id desc`).map(({ id }) => id as string);

t.test('events come newest first, in pages both ways, with what became of them', async (t) => {
  const all = await events({});
  t.same(ids(all), await stored());
  t.equal(all.edges.length, 6);
  t.match(all.edges[2]?.node, {
    toolName: 'Fetch \0 "it"',
    sessionKey: first.sessionKey,
    decision: { action: 'BLOCK' },
  });
  t.match(all.edges[3]?.node, {
    agentKey: first.agentKey,
    decision: null,
    explanation: { findings: [{ kind: 'secret.key' }] },
  });
  const page = await events({ first: 2 });
  t.same([ids(page), page.pageInfo.hasNextPage], [ids(all).slice(0, 2), true]);
  const next = await events({ first: 9, after: page.pageInfo.endCursor });
  t.same([ids(next), next.pageInfo.hasNextPage], [ids(all).slice(2), false]);
  const end = await events({ last: 2 });
  t.same([ids(end), end.pageInfo.hasPreviousPage], [ids(all).slice(4), true]);
  t.same(ids(await events({ last: 9, before: end.pageInfo.startCursor })), ids(all).slice(0, 4));
});

t.test('events are found by type, tool, session and time', async (t) => {
  const all = (await events({})).edges.map(({ node }) => node);
  const like = (is: (node: (typeof all)[number]) => boolean) => all.filter(is).map(({ id }) => id);
  const calls = like(({ eventType }) => eventType === 'tool_invocation');
  t.same([ids(await events({ eventType: 'tool_invocation' })), calls.length], [calls, 3]);
  const fetches = like(({ toolName }) => toolName?.startsWith('Fetch') === true);
  t.same([ids(await events({ toolName: 'Fetch \0 "it"' })), fetches.length], [fetches, 1]);
  t.same(ids(await events({ toolName: 'Fetch' })), [], 'the whole name');
  const ofSecond = like(({ sessionKey }) => sessionKey === second.sessionKey);
  t.same([ids(await events({ sessionKey: second.sessionKey })), ofSecond.length], [ofSecond, 2]);
  t.same(ids(await events({ sessionKey: second.sessionKey, toolName: 'Bash' })), ofSecond.slice(0, 1));
  t.same(ids(await events({ eventType: 'session_start', toolName: 'Bash' })), []);
  const since = new Date(noon).toISOString();
  const until = new Date(noon + MINUTE_MS).toISOString();
  t.same(ids(await events({ since, until })), ids(await events({})).slice(2, 5), 'from since on, up to until');
  t.same(ids(await events({ until: since })), ids(await events({})).slice(5));
});

t.test('what cannot be asked for is told', async (t) => {
  const bad = [
    { eventType: 'TOOL_INVOCATION' },
    { first: 201 },
    { after: 'x' },
    { sessionKey: 'x' },
    { since: 'yesterday' },
  ];
  for (const args of bad) t.equal((await ask(args)).errors?.[0]?.extensions?.code, 'BAD_INPUT', JSON.stringify(args));
  t.match((await ask({ eventType: 'x' })).errors?.[0]?.message, /tool_invocation, user_message/);
  const field = 'events(eventType: "session_end") { edges { cursor } }';
  const times = (count: number) =>
    graph.ask(
      `{ tenant(id: "${ours.id}") { ${Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ')} } }`,
      'owner',
    );
  t.notOk((await times(9)).errors);
  t.match((await times(10)).errors?.[0]?.message, /complexity/, 'a walk counts as much as a sum');
});

t.test('P6 another tenant finds none of them, and of a shared agent those of a session that it names', async (t) => {
  t.equal((await ask({}, { as: 'stranger' })).data.tenant, null);
  const who = { as: 'stranger', tenantId: theirs.id };
  const own = ids(await events({}, who));
  t.equal(own.length, 1);
  t.same(ids(await events({ sessionKey: first.sessionKey }, who)), []);
  await admin`
    insert into agent_shares (tenant_id, agent_key, shared_with, permission)
    values (${ours.id}, ${first.agentKey}, ${theirs.id}, 'view')`;
  const shared = ids(await events({ sessionKey: first.sessionKey }));
  t.same([ids(await events({ sessionKey: first.sessionKey }, who)), shared.length], [shared, 4]);
  t.same(ids(await events({ sessionKey: second.sessionKey }, who)), [], 'no other agent of its owner');
  t.same(ids(await events({}, who)), own);
  await admin`delete from agent_shares`;
});

/** Many more events, all later: of one's own, or of another tenant. */
async function traffic(tenantId: string, count: number, fromMs: number): Promise<void> {
  const prefix = eventIdFloor(fromMs).slice(0, 24);
  await admin`
    insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email, tool_name,
      correlation_id, subject, dedupe, body)
    select (${prefix} || lpad(to_hex(n), 12, '0'))::uuid, ${tenantId}, ${second.sessionKey}, ${second.agentKey}, 'tool_result',
      now(), now(), 'a@b', 'Bash', 'c', 's', 'd', '{}' from generate_series(1, ${count}::int) n`;
}

/** What `work` read of the events and decisions, in rows. */
async function readBy(tenantId: string, work: (tx: TenantTransaction) => Promise<unknown>): Promise<number> {
  return people.inTenant({ tenantId }, async (tx) => {
    // What the connection counted, and has not handed in yet: of earlier transactions too.
    const counted = async () => {
      const [row] = await tx.execute<{ rows: number }>(
        `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
         from pg_stat_xact_user_tables where relname like 'events%' or relname like 'decisions%'`,
      );
      return row?.rows ?? Number.NaN;
    };
    const before = await counted();
    await work(tx);
    return (await counted()) - before;
  });
}

t.test('a page that ends before it is full says where to go on, and nothing is left out or told twice', async (t) => {
  await traffic(ours.id, 40, noon + 2 * MINUTE_MS);
  for (const inverted of [false, true])
    for (const eventType of ['tool_invocation', undefined] as const) {
      const matching = (
        await admin`
        select id from events where tenant_id = ${ours.id} and tool_name = 'Bash'
          and event_type = coalesce(${eventType ?? null}, event_type) order by id desc`
      ).map(({ id }) => id as string);
      const found: string[] = [];
      let place: string | undefined;
      for (let pages = 0; pages < 30; pages++) {
        const page = { limit: 3, inverted, [inverted ? 'before' : 'after']: place };
        const { rows, lookedTo } = await people.inTenant({ tenantId: ours.id }, (tx) =>
          listEvents(tx, ours.id, { toolName: 'Bash', eventType }, page, 7),
        );
        found.push(...rows.map(({ id }) => id));
        place = lookedTo ?? (rows.length === 3 ? rows.at(-1)?.id : undefined);
        if (place === undefined) break;
      }
      t.same(inverted ? found.toReversed() : found, matching, `${inverted ? 'backwards' : 'forwards'}, ${eventType}`);
    }
});

t.test('through the graph, a page without an event leads on to those that are found', async (t) => {
  await traffic(ours.id, 20_000, noon + 3 * MINUTE_MS);
  const before = await events({ eventType: 'session_start', first: 5 });
  t.same([ids(before), before.pageInfo.hasNextPage], [[], true]);
  const { edges, pageInfo } = await events({ eventType: 'session_start', first: 5, after: before.pageInfo.endCursor });
  t.same(
    [edges.map(({ node }) => node.sessionKey), pageInfo.hasNextPage],
    [[second.sessionKey, first.sessionKey], false],
  );
  const oldest = await events({ toolName: 'Fetch \0 "it"', last: 5 });
  t.equal(oldest.edges.length, 1);
  t.ok(oldest.pageInfo.hasPreviousPage, 'the newest were not looked at');
  const rest = await events({ toolName: 'Fetch \0 "it"', last: 5, before: oldest.pageInfo.startCursor });
  t.same([ids(rest), rest.pageInfo.hasPreviousPage], [[], false]);
});

t.test('a page brings along so many bytes of events, and each event is had alone', async (t) => {
  const mine = await newTenant('large');
  const large = await startTestGraph(t, databaseUrl, { owner: signedIn({ [mine.id]: 'viewer' }) });
  const chars = 1_500_000;
  await admin`
    insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email,
      correlation_id, subject, dedupe, body)
    select (${eventIdFloor(noon).slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${mine.id}, ${second.sessionKey}, ${second.agentKey},
      'tool_result', now(), now(), 'a@b', 'c', 's', 'd', repeat('x', ${chars}::int) from generate_series(1, 6) n`;
  const page = `query ($id: ID!) { tenant(id: $id) { events(first: 6) { edges { node { nodeId body } } } } }`;
  const { data } = await large.ask(page, 'owner', { id: mine.id });
  const nodes = data.tenant.events.edges.map(({ node }: { node: { nodeId: string; body: string } }) => node);
  t.same(
    nodes.map(({ body }: { body: string }) => body.length),
    [chars, chars, chars, chars, chars, 0],
  );
  const alone = await large.ask(`query ($id: ID!) { node(nodeId: $id) { ... on TimelineEntry { body } } }`, 'owner', {
    id: nodes.at(-1).nodeId,
  });
  t.equal(alone.data.node.body.length, chars);
  const twice = `query ($id: ID!) { tenant(id: $id) { a: events(first: 6) { edges { node { body } } } b: events(first: 6) { edges { node { body } } } } }`;
  const { a, b } = (await large.ask(twice, 'owner', { id: mine.id })).data.tenant;
  const read = [...a.edges, ...b.edges].filter(({ node }: { node: { body: string } }) => node.body !== '');
  t.equal(read.length, 5, 'and so has a whole operation');
});

t.test('however much is stored, a page reads a bounded part of it', async (t) => {
  await traffic(theirs.id, 30_000, noon + 4 * MINUTE_MS);
  await admin`analyze events`;
  const page = { limit: 51, inverted: false };
  const since = new Date(noon - DAY_MS);
  const FILTERS: Record<string, { filter: Parameters<typeof listEvents>[2]; rows: number }> = {
    all: { filter: {}, rows: 200 },
    time: { filter: { since, until: new Date(noon + MINUTE_MS) }, rows: 200 },
    session: { filter: { sessionKey: first.sessionKey }, rows: 200 },
    type: { filter: { eventType: 'session_end' }, rows: 2 * 500 + 200 },
    tool: { filter: { toolName: 'Rare' }, rows: 2 * 500 + 200 },
    'type in a session': { filter: { sessionKey: second.sessionKey, eventType: 'session_end' }, rows: 2 * 500 + 200 },
    'tool since': { filter: { toolName: 'Rare', since }, rows: 2 * 500 + 200 },
  };
  for (const [name, { filter, rows }] of Object.entries(FILTERS))
    for (const inverted of [false, true]) {
      const read = await readBy(ours.id, (tx) => listEvents(tx, ours.id, filter, { ...page, inverted }, 500));
      t.ok(read > 0 && read <= rows, `${name}${inverted ? ', from the oldest' : ''}: ${read} rows`);
    }
  const control = await readBy(ours.id, (tx) => tx.execute(`select count(*) from events where tool_name = 'Rare'`));
  t.ok(control > 50_000, `control: ${control} rows are there to be read`);
});

t.test('however much was decided, the few that were blocked or not decided are found by reading those', async (t) => {
  for (const tenantId of [ours.id, theirs.id])
    await admin`
      insert into decisions (id, tenant_id, session_key, kind, action, on_failure, effects, took_us, decided_at)
      select id, tenant_id, session_key, 'decided', 'allow', 'allow', '[]', 1, now() from events
      where tenant_id = ${tenantId} and event_type = 'tool_result' limit 15000`;
  await admin`analyze decisions`;
  const page = { limit: 51, inverted: false };
  const owners = [ours.id];
  const found = await people.inTenant({ tenantId: ours.id }, (tx) =>
    listDecisions(tx, { owners, action: 'block' }, page),
  );
  t.equal(found.length, 1);
  for (const filter of [{}, { action: 'block' }, { kind: 'undecided' }, { sessionKey: first.sessionKey }] as const) {
    const read = await readBy(ours.id, (tx) => listDecisions(tx, { owners, ...filter }, page));
    t.ok(read <= 200, `${JSON.stringify(filter)}: ${read} rows`);
  }
  const read = await readBy(ours.id, async (tx) => {
    const session = await findAgentSession(tx, first.sessionKey);
    t.equal(session === undefined ? 0 : (await listSessionEvents(tx, session, page)).length, 4);
  });
  t.ok(read > 0 && read <= 200, `a timeline: ${read} rows`);
  const control = await readBy(ours.id, (tx) => tx.execute("select count(*) from decisions where reason = ''"));
  t.ok(control > 20_000, `control: ${control} rows are there to be read`);
});
