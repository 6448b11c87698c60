import type postgres from 'postgres';
import t, { type Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { JournalRecord } from '../../src/domain/record.ts';
import type { Role } from '../../src/domain/roles.ts';
import { bucketOf } from '../../src/lib/log-histogram.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { startTestGraph } from '../support/graph.ts';
import { explain, HOSTILE_TEXT, project, Story } from '../support/insight-story.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/** Findings and counts, from the journal's records to what people see of them. */

const cluster = await startTestPostgres(t);
const OURS = 'ours' as TenantSlug;
const THEIRS = 'theirs' as TenantSlug;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The beginning of an hour of yesterday. */
const T0 = Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR;

const TABLES = ['findings', 'activity_minutes', 'agent_hours', 'policy_hits', 'finding_hours'] as const;

/** Everything that is derived, in an order of its own. */
async function derived(sql: postgres.Sql): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const rows = await sql`select * from ${sql(table)}`;
    all[table] = rows.map((row) => JSON.stringify({ ...row, latency: trimmed(row['latency']) })).sort();
  }
  return all;
}

function trimmed(latency: number[] | undefined): number[] | undefined {
  return latency?.slice(0, latency.findLastIndex((count) => count > 0) + 1);
}

function everything(tenant: TenantSlug): JournalRecord[] {
  const story = new Story({ tenant });
  const other = new Story({ tenant, agent: 'other', session: 's2', email: 'Zoë.Ångström@example.com' });
  story.observed(T0, 'session_start');
  for (let n = 0; n < 40; n++) story.call(T0 + n * 20_000, { tookUs: 2 ** (n / 2) * 10 });
  story.blocked(T0 + MINUTE, explain({ policies: ['shell.destructive'], findings: [['destructive.delete', 'high']] }));
  story.blocked(
    T0 + HOUR,
    explain({
      policies: ['a', 'b'],
      simulated: ['shadow.one'],
      findings: [
        ['secrets.token', 'critical', HOSTILE_TEXT],
        ['secrets.token', 'critical'],
      ],
      reason: HOSTILE_TEXT,
    }),
  );
  const late = story.failedOpen(T0 + 2 * MINUTE);
  const { session, event } = late;
  const about = { tenant, session, event, atMs: late.atMs + 900 };
  const explanation = JSON.stringify(explain({ policies: ['late.policy'], findings: [['late.kind', 'medium']] }));
  story.records.push({ kind: 'late_decision', ...about, action: 'block', reason: 'late', explanation, effects: [] });
  const unanswered = story.call(T0 + 3 * MINUTE);
  const unansweredAbout = { tenant, session: unanswered.session, event: unanswered.event, atMs: unanswered.atMs };
  story.records.push({ kind: 'unanswered', ...unansweredAbout, cause: 'deadline', answered: 'fail_open' });
  const stopped = story.call(T0 + 4 * MINUTE);
  const stoppedAbout = { tenant, session: stopped.session, event: stopped.event, atMs: stopped.atMs };
  story.records.push({ kind: 'unanswered', ...stoppedAbout, cause: 'journal_error', answered: 'block' });
  story.observed(T0 + HOUR + 1, 'tool_result', explain({ findings: [['coverage.unannounced_result', 'low']] }));
  other.call(T0 + 5, {}, 'WebFetch');
  other.call(T0 + 6, { explanation: 'no JSON' });
  other.call(T0 + 7, { explanation: '{"policies":[{"id":7}],"findings":[{}]}' });
  other.observed(T0 + 8, 'agent_message');
  return [...story.records, ...other.records];
}

t.test('findings and counts are what the stored events say, whatever the batches', async (t) => {
  for (const batch of [1, 3, 1_000]) {
    const url = await cluster.createDatabase();
    const sql = openClient(t, url);
    await project(url, [...everything(OURS), ...everything(THEIRS)], batch);
    t.same(await sql`select * from quarantine`, [], 'nothing is refused');
    const projected = await derived(sql);
    t.equal(projected['findings']?.length, 2 * 5);
    await sql`select rebuild_rollups()`;
    t.same(await derived(sql), projected, `counted one by one in batches of ${batch}, and all at once`);
  }
});

t.test('what is brought again is not found or counted again', async (t) => {
  const url = await cluster.createDatabase();
  const sql = openClient(t, url);
  const records = everything(OURS);
  await project(url, records);
  const once = await derived(sql);
  await project(url, records);
  await project(url, records, 7);
  const { activity_minutes, ...others } = await derived(sql);
  const { activity_minutes: minutes, ...before } = once;
  t.same(others, before);
  t.same(activity_minutes, minutes);
});

t.test('P6 what a search finds by itself, beside row-level security, is the tenant’s own', async (t) => {
  const { sql, ours, theirs } = await open(t);
  const found = (tenantId: string) =>
    sql.begin(async (sql) => {
      await sql`set local role gatehouse_app`;
      await sql`select set_config('app.tenant_id', ${tenantId}, true)`;
      return sql`select event_id from search_findings('destructive', 100)`;
    });
  const [one] = await found(ours);
  const [other] = await found(theirs);
  t.ok(one && other);
  t.not(one?.['event_id'], other?.['event_id']);
  t.equal((await found(ours)).length, 1);
  t.equal((await found('')).length, 0, 'of no tenant there is nothing');
  await sql`update findings set search = search_words('common') where tenant_id = ${ours}`;
  const most = await sql.begin(async (sql) => {
    await sql`set local role gatehouse_app`;
    await sql`select set_config('app.tenant_id', ${ours}, true)`;
    return sql`select event_id from search_findings('common', 2)`;
  });
  t.equal(most.length, 2, 'no more than asked for');
});

t.test('a duration is in the same bucket here and in the database', async (t) => {
  const sql = openClient(t, await cluster.createDatabase());
  const values = [0, 1, 31, 33, 63, 65, 100, 999, 12_345, 800_000, 2_000_000, 60_000_000];
  const rows = await sql`select latency_bucket(us) as bucket from unnest(${values}::bigint[]) us`;
  t.same(
    rows.map((row) => row['bucket']),
    values.map(bucketOf),
  );
});

/** Two tenants with the same story, and people in them. */
async function open(t: Test) {
  const url = await cluster.createDatabase();
  const service = openDatabase(url);
  t.teardown(() => service.close());
  const sql = openClient(t, url);
  const tenant = (slug: TenantSlug) => ensureTenant(service, { slug, name: slug, onFailure: 'allow' });
  const ours = (await tenant(OURS)).id;
  const theirs = (await tenant(THEIRS)).id;
  await project(url, [...everything(OURS), ...everything(THEIRS)]);
  const member = async (email: string, tenantId: string, role: Role): Promise<Caller> => {
    const [user] = await sql<{ id: string }[]>`
      insert into users (email, name, signs_in_by_email) values (${email}, ${email.split('@')[0] ?? ''}, true) returning id`;
    const userId = user?.id ?? '';
    await sql`insert into memberships (tenant_id, user_id, roles) values (${tenantId}, ${userId}, ${[role]})`;
    return {
      kind: 'person',
      userId,
      email,
      name: email,
      organization: { id: userId, name: 'Home' },
      loginSessionId: userId,
      tenants: new Map([[tenantId, [role]]]),
    };
  };
  const callers = {
    owner: await member('olga@example.com', ours, 'owner'),
    analyst: await member('ann@example.com', ours, 'analyst'),
    viewer: await member('vic@example.com', ours, 'viewer'),
    stranger: await member('sam@example.com', theirs, 'owner'),
  };
  return { ...(await startTestGraph(t, url, callers)), sql, ours, theirs, callers, url };
}

const FINDINGS = (args: string) => `query ($tenant: ID!) { tenant(id: $tenant) { findings(${args}) {
  edges { cursor node { id kind severity agentName toolName userEmail pointer policies isOwn isManaged
    triage { status verdict note assignee: assigneeName changedBy } } } pageInfo { hasNextPage endCursor } } } }`;

const nodes = (connection: { edges: { node: Record<string, unknown> }[] }) => connection.edges.map(({ node }) => node);

t.test('findings are filtered, searched and paged', async (t) => {
  const { ask, ours, failures } = await open(t);
  const list = async (args: string, caller = 'viewer') => {
    const { data, errors } = await ask(FINDINGS(args), caller, { tenant: ours });
    t.equal(errors, undefined, JSON.stringify(errors));
    return nodes(data.tenant.findings);
  };
  const kinds = async (args: string) => (await list(args)).map(({ kind }) => kind);
  t.same(await kinds('first: 50'), [
    'coverage.unannounced_result',
    'secrets.token',
    'secrets.token',
    'late.kind',
    'destructive.delete',
  ]);
  t.same(await kinds('severities: [CRITICAL, MEDIUM]'), ['secrets.token', 'secrets.token', 'late.kind']);
  t.same(await kinds('kind: "destructive.delete"'), ['destructive.delete']);
  t.same(await kinds('policy: "shadow.one"'), ['secrets.token', 'secrets.token']);
  t.same(await kinds(`until: "${new Date(T0 + 90_000).toISOString()}"`), ['destructive.delete']);
  t.same((await kinds('status: OPEN')).length, 5);
  t.same(await kinds('status: CLOSED'), []);
  for (const [search, count] of [
    ['destructive', 1],
    ['shell.destructive delete', 1],
    ['DESTRUCT Bash', 1],
    ['coder', 5],
    ['session-1', 5],
    ['dev@example.com', 5],
    ['nothing', 0],
    ["'; drop table findings; -- \\\\ & | ! :*", 0],
    ...['...', '&&', "'", '\\', '%_'].map((wordless) => [wordless, 0] as const),
    [' ', 5],
  ] as const)
    t.equal((await kinds(`search: ${JSON.stringify(search)}`)).length, count, search);
  const hostile = (await list('severities: [CRITICAL]')).map(({ pointer }) => pointer);
  t.ok(hostile.includes(HOSTILE_TEXT), 'a pointer comes back as it was');

  const walked: unknown[] = [];
  for (let after = ''; ; ) {
    const { data } = await ask(FINDINGS(`first: 2${after}`), 'viewer', { tenant: ours });
    const { edges, pageInfo } = data.tenant.findings;
    walked.push(...edges.map(({ node }: { node: { id: string } }) => node.id));
    if (!pageInfo.hasNextPage) break;
    after = `, after: "${pageInfo.endCursor}"`;
  }
  t.same(
    walked,
    (await list('first: 50')).map(({ id }) => id),
  );
  t.same(
    (await list('last: 2')).map(({ id }) => id),
    walked.slice(-2),
    'backwards too',
  );
  const refused = await ask(FINDINGS('after: "x"'), 'viewer', { tenant: ours });
  t.equal(refused.errors?.[0]?.extensions?.code, 'BAD_INPUT');
  t.same(failures, []);
});

const TRIAGE = `mutation ($input: TriageFindingsInput!) { triageFindings(input: $input) {
  findings { id triage { status verdict note assigneeName changedBy } } userErrors { code message } } }`;

t.test('findings are judged: all of them or none, by who may, and the audit log tells', async (t) => {
  const { ask, sql, ours, callers, theirs, failures } = await open(t);
  const all = nodes((await ask(FINDINGS('first: 50'), 'viewer', { tenant: ours })).data.tenant.findings);
  const ids = all.filter(({ kind }) => kind === 'secrets.token').map(({ id }) => id);
  const judge = (caller: string, input: object) => ask(TRIAGE, caller, { input: { tenantId: ours, ids, ...input } });
  const analyst = callers.analyst.kind === 'person' ? callers.analyst.userId : '';

  const given = await judge('analyst', {
    verdict: 'FALSE_POSITIVE',
    status: 'CLOSED',
    note: HOSTILE_TEXT,
    assigneeId: analyst,
  });
  t.match(given.data.triageFindings, { userErrors: [], findings: { length: 2 } });
  for (const { triage } of given.data.triageFindings.findings)
    t.same(triage, {
      status: 'CLOSED',
      verdict: 'FALSE_POSITIVE',
      note: HOSTILE_TEXT,
      assigneeName: 'ann',
      changedBy: `user:${analyst}`,
    });
  await judge('owner', { note: null, assigneeId: null, ids: [ids[0]] });
  const [first] = nodes(
    (await ask(FINDINGS('status: CLOSED, first: 1'), 'viewer', { tenant: ours })).data.tenant.findings,
  );
  t.match(
    first,
    { triage: { status: 'CLOSED', verdict: 'FALSE_POSITIVE', note: null, assignee: null } },
    'the rest stays',
  );
  const filtered = async (args: string) =>
    nodes((await ask(FINDINGS(args), 'viewer', { tenant: ours })).data.tenant.findings).length;
  t.equal(await filtered('status: OPEN'), 3);
  t.equal(await filtered('verdict: FALSE_POSITIVE'), 2);
  t.equal(await filtered(`assignee: "${analyst}"`), 1);

  const entries = await sql`select actor, action, detail from audit_log where tenant_id = ${ours} order by seq`;
  t.same(
    entries.map(({ actor, action }) => [actor, action]),
    [
      [`user:${analyst}`, 'findings.triaged'],
      [`user:${callers.owner.kind === 'person' ? callers.owner.userId : ''}`, 'findings.triaged'],
    ],
  );
  t.notMatch(entries[0]?.['detail'], /onerror/, 'a note is not told');

  const since = new Date(T0).toISOString();
  const until = new Date(T0 + 24 * HOUR).toISOString();
  const { data } = await ask(
    `query ($tenant: ID!) { tenant(id: $tenant) {
      findingCounts(since: "${since}", until: "${until}") { severity open closed }
      policyHits(since: "${since}", until: "${until}") { policyId enforced simulated judged falsePositives falsePositiveRate } } }`,
    'viewer',
    { tenant: ours },
  );
  const counts = Object.fromEntries(
    data.tenant.findingCounts.map(({ severity, open, closed }: Record<string, unknown>) => [severity, [open, closed]]),
  );
  t.same(counts, { CRITICAL: [0, 2], HIGH: [1, 0], MEDIUM: [1, 0], LOW: [1, 0] });
  const hits = data.tenant.policyHits.find(({ policyId }: { policyId: string }) => policyId === 'shadow.one');
  t.same(hits, {
    policyId: 'shadow.one',
    enforced: 0,
    simulated: 1,
    judged: 2,
    falsePositives: 2,
    falsePositiveRate: 1,
  });

  const refused = async (caller: string, input: object) => {
    const { data, errors } = await judge(caller, { status: 'OPEN', ...input });
    return errors?.[0]?.extensions?.code ?? data.triageFindings.userErrors[0]?.code;
  };
  t.equal(await refused('viewer', {}), 'FORBIDDEN');
  t.equal(await refused('stranger', {}), 'FORBIDDEN');
  t.equal(await refused('stranger', { tenantId: theirs }), 'not-found', 'the findings of another tenant');
  t.equal(await refused('owner', { ids: [...ids, `${String(ids[0]).slice(0, 36)}.999`] }), 'not-found');
  t.equal(await refused('owner', { ids: [] }), 'invalid-request');
  t.equal(await refused('owner', { ids: ['x'] }), 'invalid-request');
  t.equal(await refused('owner', { ids: Array.from({ length: 201 }, (_, n) => `${KEY}.${n}`) }), 'invalid-request');
  t.equal(await refused('owner', { note: 'x'.repeat(2_001) }), 'invalid-request');
  t.equal(await refused('owner', { assigneeId: KEY }), 'invalid-request');
  const viewer = callers.viewer.kind === 'person' ? callers.viewer.userId : '';
  t.equal(await refused('owner', { assigneeId: viewer }), 'invalid-request', 'who may not triage gets none');
  t.equal(await filtered('status: OPEN'), 3, 'nothing changed');
  t.same(
    (await ask('query ($tenant: ID!) { tenant(id: $tenant) { assignees { name } } }', 'viewer', { tenant: ours })).data
      .tenant.assignees,
    [{ name: 'ann' }, { name: 'olga' }],
  );
  t.same(failures, []);
});

const KEY = '01900000-0000-7000-8000-000000000001';
const SPAN = `since: "${new Date(T0).toISOString()}", until: "${new Date(T0 + 24 * HOUR).toISOString()}"`;

t.test('an overview adds up, from minutes and from events alike', async (t) => {
  const { ask, ours, failures } = await open(t);
  const { data, errors } = await ask(
    `query ($tenant: ID!) { tenant(id: $tenant) {
      activity(${SPAN}) { events decisions blocked undecided failedOpen timeouts p50Us p99Us blockedShare failedOpenShare failOpenBudget }
      before: activity(since: "${new Date(T0 - 24 * HOUR).toISOString()}", until: "${new Date(T0).toISOString()}") { decisions p50Us blockedShare }
      topAgents(${SPAN}) { agentName events blocked undecided }
      topFindings(${SPAN}) { kind severity count }
      minutes: statistics(since: "${new Date(T0).toISOString()}", until: "${new Date(T0 + 15 * MINUTE).toISOString()}", bucketSeconds: 60)
        { events decisions blocked undecided failedOpen timeouts }
      seconds: statistics(since: "${new Date(T0).toISOString()}", until: "${new Date(T0 + 15 * MINUTE).toISOString()}", bucketSeconds: 15)
        { events decisions blocked undecided failedOpen timeouts } } }`,
    'viewer',
    { tenant: ours },
  );
  t.equal(errors, undefined);
  const { activity, before, topAgents, topFindings, minutes, seconds } = data.tenant;
  t.match(activity, {
    events: 51,
    decisions: 47 + 1,
    blocked: 2,
    undecided: 3,
    failedOpen: 2,
    timeouts: 2,
    failOpenBudget: 0.001,
  });
  t.equal(activity.blockedShare, 2 / 48);
  t.ok(activity.p50Us > 300 && activity.p50Us < 10_000);
  t.same(before, { decisions: 0, p50Us: null, blockedShare: null });
  t.same(topAgents, [
    { agentName: 'Agent coder', events: 47, blocked: 2, undecided: 1 },
    { agentName: 'Agent other', events: 4, blocked: 0, undecided: 0 },
  ]);
  t.same(topFindings[0], { kind: 'secrets.token', severity: 'critical', count: 2 });
  const sum = (buckets: Record<string, number>[]) =>
    buckets.reduce<Record<string, number>>((all, bucket) => {
      for (const [name, count] of Object.entries(bucket)) all[name] = (all[name] ?? 0) + count;
      return all;
    }, {});
  t.equal(minutes.length, 15);
  t.same(sum(minutes), sum(seconds));
  for (const args of ['since: "2025-01-02T00:00:00Z", until: "2025-01-01T00:00:00Z"', `${SPAN}, first: 101`]) {
    const refused = await ask(`{ tenant(id: "${ours}") { topAgents(${args}) { events } } }`, 'viewer');
    t.equal(refused.errors?.[0]?.extensions?.code, 'BAD_INPUT', args);
  }
  t.same(failures, []);
});

const AGENT = `query ($tenant: ID!, $key: ID!) { tenant(id: $tenant) { agent(key: $key) { name permission ownerSlug
  activity(${SPAN}, bucketHours: 1) { from events blocked }
  uses(${SPAN}) { eventType toolKind events blocked }
  coverage(${SPAN}) { calls results unannouncedResults coveredShare }
  policyHits(${SPAN}) { policyId enforced simulated } } } }`;

t.test('P6 an agent and its findings are seen by its tenant, and by guests while it is shared', async (t) => {
  const { ask, sql, ours, theirs, failures } = await open(t);
  const key = new Story({ tenant: OURS }).agentKey;
  const { data } = await ask(AGENT, 'viewer', { tenant: ours, key });
  const { agent } = data.tenant;
  t.match(agent, { name: 'Agent coder', permission: 'OWNER' });
  t.equal(agent.activity.length, 24);
  t.equal(agent.activity[0].events, 45);
  t.match(agent.uses[0], { eventType: 'tool_invocation', toolKind: 'shell', blocked: 2 });
  t.match(agent.coverage, { results: 1, unannouncedResults: 1, coveredShare: 0 });
  t.ok(agent.policyHits.some(({ policyId }: { policyId: string }) => policyId === 'late.policy'));

  const asGuest = async () => {
    const { data } = await ask(AGENT, 'stranger', { tenant: theirs, key });
    const { data: listed } = await ask(
      'query ($tenant: ID!) { tenant(id: $tenant) { agents { edges { node { key permission } } } } }',
      'stranger',
      { tenant: theirs },
    );
    const found = nodes((await ask(FINDINGS('first: 50'), 'stranger', { tenant: theirs })).data.tenant.findings);
    const searched = nodes(
      (await ask(FINDINGS('search: "destruct"'), 'stranger', { tenant: theirs })).data.tenant.findings,
    );
    return { agent: data.tenant.agent, agents: nodes(listed.tenant.agents), found, searched };
  };
  const before = await asGuest();
  t.equal(before.agent, null);
  t.equal(before.agents.length, 2);
  t.equal(before.found.length, 5);
  t.equal(before.searched.length, 1);

  const owned = before.found[0]?.['id'];
  t.ok(owned);
  await ask(TRIAGE, 'analyst', {
    input: { tenantId: ours, ids: [await firstOf(ask, ours)], verdict: 'TRUE_POSITIVE', note: 'secret' },
  });
  await sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${ours}, ${key}, ${theirs}, 'view')`;
  const shared = await asGuest();
  t.same(shared.agent, { ...agent, permission: 'VIEW', ownerSlug: 'ours' });
  t.equal(shared.agents.length, 3);
  t.equal(shared.found.length, 10);
  t.equal(shared.searched.length, 2);
  const foreign = shared.found.filter(({ isOwn }) => !isOwn);
  t.equal(foreign.length, 5);
  t.ok(
    foreign.every(({ triage }) => triage === null),
    'what its people made of them is not told',
  );
  const refused = await ask(TRIAGE, 'stranger', {
    input: { tenantId: theirs, ids: [foreign[0]?.['id']], status: 'CLOSED' },
  });
  t.equal(refused.data.triageFindings.userErrors[0]?.code, 'not-found', 'a guest looks on');
  t.ok(foreign.every(({ isManaged }) => isManaged === false));

  const shares = (caller: string, tenant: string) =>
    ask(
      'query ($tenant: ID!, $key: ID!) { tenant(id: $tenant) { agent(key: $key) { guests { tenantId permission } } } }',
      caller,
      {
        tenant,
        key,
      },
    );
  t.same((await shares('owner', ours)).data.tenant.agent.guests, [{ tenantId: theirs, permission: 'VIEW' }]);
  t.same((await shares('stranger', theirs)).data.tenant.agent.guests, [], 'a guest does not see who else there is');
  t.equal((await shares('viewer', ours)).errors?.[0]?.extensions?.code, 'FORBIDDEN');

  const paged = await ask(
    'query ($tenant: ID!) { tenant(id: $tenant) { agents(last: 1) { edges { node { name } } pageInfo { hasPreviousPage } } } }',
    'viewer',
    { tenant: ours },
  );
  t.equal(paged.data.tenant.agents.edges.length, 1);
  t.ok(paged.data.tenant.agents.pageInfo.hasPreviousPage);
  t.same(failures, []);
});

t.test('P6 a guest that manages an agent judges its findings, and both audit logs tell', async (t) => {
  const { ask, sql, ours, theirs, callers, failures } = await open(t);
  const key = new Story({ tenant: OURS }).agentKey;
  await sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${ours}, ${key}, ${theirs}, 'manage')`;
  const analyst = callers.analyst.kind === 'person' ? callers.analyst.userId : '';
  const first = await firstOf(ask, ours);
  await ask(TRIAGE, 'analyst', { input: { tenantId: ours, ids: [first], note: 'look', assigneeId: analyst } });
  const list = async () =>
    nodes((await ask(FINDINGS('first: 50'), 'stranger', { tenant: theirs })).data.tenant.findings);
  const foreign = (await list()).filter(({ isOwn }) => isOwn === false);
  t.equal(foreign.length, 5);
  t.ok((await list()).every(({ isManaged }) => isManaged === true));
  t.same(
    foreign.find(({ id }) => id === first)?.['triage'],
    { status: 'OPEN', verdict: null, note: 'look', assignee: null, changedBy: `tenant:${ours}` },
    'what was made of it is seen, and nobody is named',
  );
  const byAssignee = await ask(FINDINGS(`assignee: "${analyst}"`), 'stranger', { tenant: theirs });
  t.same(nodes(byAssignee.data.tenant.findings), [], 'nor is it found by whom it was given to');
  const own = (await list()).find(({ isOwn }) => isOwn)?.['id'];
  const judge = (input: object) =>
    ask(TRIAGE, 'stranger', { input: { tenantId: theirs, ids: [first, own], ...input } });
  const given = await judge({ verdict: 'ACCEPTED_RISK', status: 'CLOSED' });
  t.match(given.data.triageFindings, { userErrors: [], findings: { length: 2 } });
  t.same(
    nodes((await ask(FINDINGS('status: CLOSED'), 'viewer', { tenant: ours })).data.tenant.findings).map((row) => [
      row['id'],
      row['triage'],
    ]),
    [
      [
        first,
        { status: 'CLOSED', verdict: 'ACCEPTED_RISK', note: 'look', assignee: 'ann', changedBy: `tenant:${theirs}` },
      ],
    ],
    'its owner sees the verdict, and which tenant gave it',
  );
  t.equal((await judge({ assigneeId: analyst })).data.triageFindings.userErrors[0]?.code, 'invalid-request');
  const told = await sql`
    select tenant_id, actor, detail from audit_log where action = 'findings.triaged' order by tenant_id, seq`;
  const ofTenant = (id: string) => told.filter((row) => row['tenant_id'] === id);
  t.match(ofTenant(theirs), [{ actor: /^user:/, detail: new RegExp(String(own)) }]);
  const [, toOwner, ...more] = ofTenant(ours);
  t.same(more, []);
  t.match(toOwner, { actor: `tenant:${theirs}`, detail: new RegExp(String(first)) });
  t.notMatch(toOwner?.['detail'], String(own), 'of the guest’s own findings the owner is not told');
  await sql`update agent_shares set permission = 'view'`;
  t.equal((await judge({ status: 'OPEN' })).data.triageFindings.userErrors[0]?.code, 'not-found');
  t.ok((await list()).every(({ isOwn, triage }) => isOwn || triage === null));
  t.same(failures, []);
});

async function firstOf(ask: Awaited<ReturnType<typeof startTestGraph>>['ask'], tenant: string): Promise<unknown> {
  return nodes((await ask(FINDINGS('first: 1'), 'viewer', { tenant })).data.tenant.findings)[0]?.['id'];
}
