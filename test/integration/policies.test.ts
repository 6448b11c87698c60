import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { POLICIES_FILE } from '../../src/bundles.ts';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { writeGlobalId } from '../../src/graphql/global-ids.ts';
import { graphqlRoutes } from '../../src/graphql/graphql-routes.ts';
import { PolicyPool } from '../../src/inspection/policy-pool.ts';
import { admissionOf } from '../../src/platform/admission.ts';
import { Backtests } from '../../src/platform/backtests.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { refuse } from '../../src/platform/http.ts';
import { PolicyOutlines } from '../../src/platform/policy-context.ts';
import { activateVersion, shadowVersion } from '../../src/platform/policy-operations.ts';
import { openDatabase } from '../../src/store/database.ts';
import { countShadowed } from '../../src/store/shadow-counts.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { eventId, insertStory, SESSION_KEY } from '../support/dashboard-story.ts';
import { signedIn } from '../support/graph.ts';
import { policySetText } from '../support/policies.ts';
import { testPolicies } from '../support/policy-context.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';
import { ask as askRoute } from '../support/route-browser.ts';

/** Policies through the graph, on a real database and with the real threads. */

const postgres = await startTestPostgres(t);
const databaseUrl = await postgres.createDatabase();
const service = openDatabase(databaseUrl);
const people = openTenantDatabase(databaseUrl);
const admin = openClient(t, databaseUrl);
const failures: unknown[] = [];
const policies = await testPolicies(t, failures);
t.teardown(async () => {
  await people.close();
  await service.close();
});
const newTenant = (slug: string) => ensureTenant(service, { slug: slug as TenantSlug, name: slug, onFailure: 'allow' });
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');
await insertStory(admin, ours.id);

const CALLERS: Record<string, Caller> = {
  owner: signedIn({ [ours.id]: 'owner' }),
  viewer: signedIn({ [ours.id]: 'viewer' }),
  stranger: signedIn({ [theirs.id]: 'owner' }),
};
/** What the gate could not use of our tenant. */
const refused: { policySet: string; why: string }[] = [];
const routes = graphqlRoutes({
  authenticate: async (request) =>
    CALLERS[request.headers.get('authorization') ?? ''] ?? refuse('unauthorized', 'sign in first'),
  tenantDatabase: people,
  policies: { ...policies, refusedOf: (tenantId) => (tenantId === ours.id ? refused : []) },
  services: {} as never,
  onError: (error) => failures.push(error),
});

/** Answers are looked into freely. */
type Data = ReturnType<typeof JSON.parse>;

interface Answer {
  data: Data;
  errors?: { message: string; extensions?: { code?: string } }[];
}

async function ask(query: string, variables: object = {}, caller = 'owner'): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: caller };
  const body = JSON.stringify({ query, variables });
  const answer = await askRoute(routes, { method: 'POST', url: 'http://localhost/api/v1/graphql', headers, body });
  return JSON.parse(answer.kind === 'answer' ? answer.body : '{}') as Answer;
}

/** The tenant as `caller` sees it. */
async function ofTenant(
  fields: string,
  variables: object = {},
  { tenant = ours, caller = 'owner' } = {},
): Promise<Data> {
  const named = Object.keys(variables).includes('files') ? '($files: [PolicyFileInput!]!)' : '';
  const { data, errors } = await ask(`query ${named} { tenant(id: "${tenant.id}") { ${fields} } }`, variables, caller);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data.tenant;
}

/** A mutation's payload. */
async function change(name: string, input: object, payload: string, caller = 'owner'): Promise<Data> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${payload} userErrors { code message } } }`;
  const { data, errors } = await ask(query, { input: { tenantId: ours.id, ...input } }, caller);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data[name];
}

const policy = (id: string, rest: string) =>
  policySetText(`  policies:\n    - { id: ${id}, on: tool_invocation, severity: medium, ${rest} }\n`);
const ECHO = policy('own.echo', `when: 'shell.names.exists(n, n == "echo")', effect: block, reason: No echo`);
const QUIET = policy('own.quiet', 'effect: log, match: { toolName: nothing_has_this_name }');
/** `text` with `tests` beside its policy. */
const withTests = (text: string, tests: string) => text.replace(/ \}\n$/, `, tests: [${tests}] }\n`);
const files = (text: string, file = 'own.yaml') => [{ file, text }];
const save = (text: string, note = 'why') =>
  change(
    'savePolicySet',
    { files: files(text), note },
    'policySet { nodeId version hash note createdBy } faults { file line column path message }',
  );
const auditActions = async () =>
  (await admin`select action, target, detail from audit_log where tenant_id = ${ours.id} and seq > 1 order by seq`).map(
    ({ action, target }) => `${action} ${target ?? '-'}`,
  );

t.test('the set of the installation is there to start from', async (t) => {
  const { installationPolicySet } = await ofTenant(
    'installationPolicySet { version { version } hash files { file text } policies { id mode severity effect on file line tags testsCount } }',
  );
  t.equal(installationPolicySet.version, null);
  t.match(installationPolicySet.hash, /^[\da-f]{64}$/);
  const destructive = installationPolicySet.policies.find(({ id }: { id: string }) => id === 'shell.destructive');
  t.match(destructive, { mode: 'ENFORCE', severity: 'critical', effect: 'block', on: ['tool_invocation'], line: 6 });
  const file = installationPolicySet.files.find((each: { file: string }) => each.file === destructive.file);
  t.match(file.text.split('\n')[destructive.line - 1], /id: shell\.destructive/, 'the line is where it stands');
});

t.test('files are checked without being kept, and each fault is told with its place', async (t) => {
  const checked = async (text: string) =>
    (
      await ofTenant('checkPolicies(files: $files) { faults { file line column path message } policies { id } }', {
        files: files(text),
      })
    ).checkPolicies;
  t.same(await checked(ECHO), { faults: [], policies: [{ id: 'own.echo' }] });
  const warned = await ofTenant('checkPolicies(files: $files) { faults { line } warnings { file line message } }', {
    files: files(ECHO.replace('shell.names.exists', 'tool.kind == "shel" && shell.names.exists')),
  });
  t.match(warned.checkPolicies, { faults: [], warnings: [{ file: 'own.yaml', line: 6, message: /never "shel"/ }] });
  const broken = await checked(ECHO.replace('shell.names.exists', 'shell.nams.exists'));
  t.match(broken, { policies: [], faults: [{ file: 'own.yaml', line: 6, path: 'spec.policies[0].when' }] });
  t.ok(broken.faults[0].column > 20, 'within the line');
  t.match((await checked('a: [')).faults, [{ file: 'own.yaml', message: /YAML/ }]);
  const unfit = withTests(ECHO, '{ name: half, event: { event_type: tool_invocation }, expect: allow }');
  t.match((await checked(unfit)).faults, [{ line: 6, message: /test "half": \/tool must be present/ }]);
  t.same((await ofTenant('policySets { version }')).policySets, []);
});

t.test('what cannot be a set is refused', async (t) => {
  const refused = async (given: object[]) => {
    const query =
      'query ($files: [PolicyFileInput!]!) { tenant(id: "ID") { checkPolicies(files: $files) { faults { line } } } }';
    const { errors } = await ask(query.replace('ID', ours.id), { files: given });
    return `${errors?.[0]?.extensions?.code} ${errors?.[0]?.message}`;
  };
  t.match(await refused([]), /BAD_INPUT .*1 to 200 files/);
  t.match(await refused(Array.from({ length: 201 }, (_, n) => ({ file: `${n}.yaml`, text: '' }))), /1 to 200 files/);
  t.match(await refused(files(ECHO, '../own.yaml')), /is named like/);
  t.match(await refused([...files(ECHO), ...files(ECHO)]), /two files are named own.yaml/);
  t.match(await refused(files('#'.repeat(1_100_000))), /more than 1048576/);
});

t.test('P9 a hostile text costs neither the event loop nor more than its bounds', async (t) => {
  let turns = 0;
  const clock = setInterval(() => turns++, 5);
  const many = Array.from(
    { length: 4_000 },
    (_, n) =>
      `    - { id: p.n${n}, on: tool_invocation, severity: low, effect: log, when: 'shell.names.exists(n, n.matches("(a|b)*${n}"))' }\n`,
  );
  const { checkPolicies } = await ofTenant('checkPolicies(files: $files) { faults { message } policies { id } }', {
    files: files(policySetText(`  policies:\n${many.join('')}`)),
  });
  clearInterval(clock);
  t.equal(checkPolicies.policies.length, 4_000);
  t.ok(turns > 5, 'the main thread went on meanwhile');
  const deep = await ofTenant('checkPolicies(files: $files) { faults { message } }', {
    files: files(`a: ${'['.repeat(100_000)}`),
  });
  t.match(deep.checkPolicies.faults, [{ message: /nested deeper/ }]);
});

t.test('P9 the pool ends what takes too long, and refuses what is too much', async (t) => {
  const start = { secret: new Uint8Array(32) };
  const hasty = new PolicyPool({ file: POLICIES_FILE, start, timeoutMs: 1 });
  t.same(await hasty.check('ours', files(ECHO)), { ok: false, refused: 'too_long' });
  await hasty.stop();
  const small = new PolicyPool({ file: POLICIES_FILE, start, tasksMax: 1 });
  const [first, second] = await Promise.all([small.check('ours', files(ECHO)), small.check('theirs', files(ECHO))]);
  t.match(first, { ok: true, policies: [{ id: 'own.echo' }] });
  t.same(second, { ok: false, refused: 'busy' });
  await small.stop();
});

t.test('P9 a tenant that asks for much waits for itself, and is refused beyond its share', async (t) => {
  const pool = new PolicyPool({ file: POLICIES_FILE, start: { secret: new Uint8Array(32) }, tasksOfTenantMax: 4 });
  const over: string[] = [];
  const check = async (tenant: string, text: string) => {
    const checked = await pool.check(tenant, files(text));
    over.push(tenant);
    return checked;
  };
  const slow = policySetText(
    `  policies:\n${Array.from({ length: 2_000 }, (_, n) => `    - { id: p.n${n}, on: tool_invocation, severity: low, effect: log, when: 'true' }\n`).join('')}`,
  );
  const flood = Array.from({ length: 40 }, () => check('evil', slow));
  t.match(await check('ours', ECHO), { ok: true, policies: [{ id: 'own.echo' }] });
  const refused = await Promise.all(flood);
  t.equal(refused.filter((each) => 'refused' in each && each.refused === 'share_used_up').length, 36);
  t.ok(over.indexOf('ours') < 39, 'before all that the other had asked for first');
  await pool.stop();
});

t.test('inline tests are run, and what fails says why', async (t) => {
  const tests = `{ name: echoes, event: { tool_invocation: { name: Bash, input: { command: echo hi } } }, expect: block }, { name: lists, event: { tool_invocation: { name: Bash, input: { command: ls } } }, expect: block }`;
  const { testPolicies } = await ofTenant(
    'testPolicies(files: $files) { faults { line } tests { policy name file isPassed problem } }',
    {
      files: files(withTests(ECHO, tests)),
    },
  );
  t.match(testPolicies, {
    faults: [],
    tests: [
      { policy: 'own.echo', name: 'echoes', isPassed: true, problem: null },
      { name: 'lists', isPassed: false, problem: 'expected block, but it says allow' },
    ],
  });
});

t.test('versions are saved, activated, tried beside, rolled back, and all of it is in the audit log', async (t) => {
  const broken = await save('a: [');
  t.match(broken, { policySet: null, faults: [{ file: 'own.yaml' }], userErrors: [{ code: 'invalid-request' }] });
  const { policySet: one } = await save(ECHO, 'no echo');
  t.match(one, { version: 1, note: 'no echo', createdBy: 'user:22222222-2222-4222-8222-222222222222' });
  t.equal(one.nodeId, writeGlobalId({ type: 'PolicySetVersion', tenantId: ours.id, key: '1' }));
  const { policySet: two } = await save(QUIET, 'quiet');
  t.equal(two.version, 2);
  t.not(one.hash, two.hash);
  const input = { files: files(ECHO), note: 'begun before the second' };
  t.match(await change('savePolicySet', { ...input, newestSeen: 1 }, 'policySet { version }'), {
    policySet: null,
    userErrors: [{ code: 'conflict', message: /version 2 was saved since/ }],
  });
  t.same(await ofTenant('policySets { version } second: policySets(before: 2) { version }'), {
    policySets: [{ version: 2 }, { version: 1 }],
    second: [{ version: 1 }],
  });
  const set = await ofTenant(
    'policySet(version: 1) { hash version { hash } files { text } policies { id } } none: policySet(version: 9) { hash }',
  );
  t.same(set.policySet.files, [{ text: ECHO }]);
  t.equal(set.policySet.hash, one.hash);
  t.equal(set.none, null);

  const state = (name: string, version: number | null) =>
    change(name, { version }, 'policyState { activeVersion shadowVersion }');
  t.match(await state('shadowPolicySet', 2), { policyState: { activeVersion: null, shadowVersion: 2 } });
  t.match(await state('activatePolicySet', 2), { policyState: { activeVersion: 2, shadowVersion: null } });
  t.match(await state('activatePolicySet', 2), { policyState: { activeVersion: 2 } });
  t.match(await state('activatePolicySet', 1), { policyState: { activeVersion: 1 } }, 'rolled back');
  t.match(await state('activatePolicySet', 9), { policyState: null, userErrors: [{ code: 'not-found' }] });
  const { policyState } = await ofTenant(
    'policyState { activeVersion shadowVersion history { seq activeVersion shadowVersion changedBy } }',
  );
  t.match(policyState, { activeVersion: 1, shadowVersion: null });
  t.same(
    policyState.history.map(({ activeVersion }: { activeVersion: number }) => activeVersion),
    [1, 2, null],
    'what changes nothing is no entry',
  );
  t.match(await state('activatePolicySet', null), { policyState: { activeVersion: null } });
  t.same(await auditActions(), [
    'policies.saved 1',
    'policies.saved 2',
    'policies.shadowed 2',
    'policies.activated 2',
    'policies.activated 1',
    'policies.activated -',
  ]);
  const diff = await ofTenant(
    'policySetDiff(from: 1, to: 2) { file before after } same: policySetDiff(from: 1, to: 1) { file } none: policySetDiff(from: 1, to: 9) { file } whole: policySetDiff(to: 1) { file after }',
  );
  t.same(diff.policySetDiff, [{ file: 'own.yaml', before: ECHO, after: QUIET }]);
  t.same([diff.same, diff.none], [[], null]);
  t.equal(diff.whole.find(({ file }: { file: string }) => file === 'own.yaml').after, ECHO);
  t.equal(diff.whole.find(({ file }: { file: string }) => file !== 'own.yaml').after, null);
});

t.test(
  'a set that an older version of the service took, and that is right no more, does not become what decides',
  async (t) => {
    await admin`
    insert into policy_sets (tenant_id, version, hash, files, note, created_by)
    values (${ours.id}, 3, 'h', ${JSON.stringify(files('a: ['))}, '', 'operator')`;
    const refused = await change('activatePolicySet', { version: 3 }, 'policyState { activeVersion }');
    t.match(refused, { policyState: null, userErrors: [{ code: 'conflict', message: /cannot be used: own.yaml:1/ }] });
    await admin`delete from policy_sets where version = 3`;
  },
);

t.test('a version that is known to be right is activated though there is no room to look at policies', async (t) => {
  const full = new PolicyPool({ file: POLICIES_FILE, start: { secret: new Uint8Array(32) }, tasksMax: 0 });
  t.teardown(() => full.stop());
  let work: typeof policies.work = policies.work;
  const outlines = new PolicyOutlines({ check: (tenantId, files) => work.check(tenantId, files) });
  const context = { ...policies, outlines };
  const scope = admissionOf(people, { caller: CALLERS['owner'] as Caller, tenantId: ours.id, address: '127.0.0.1' });
  t.match(await activateVersion(context, scope, 1), { activeVersion: 1 });
  work = full;
  t.match(await activateVersion(context, scope, null), { activeVersion: null });
  t.match(await activateVersion(context, scope, 1), { activeVersion: 1 }, 'rolled back');
  t.match(await shadowVersion(context, scope, 2), { slug: 'too-many-requests', detail: /try again in a moment/ });
  await activateVersion(context, scope, null);
});

t.test('the policies that count come with what they matched, and how often people found that wrong', async (t) => {
  const used = async () => {
    const { policies } = await ofTenant(
      'policies { policy { id } hitsLast7Days hitsLast30Days lastHitAt isDormant judged falsePositives falsePositiveRate }',
    );
    return (id: string) => policies.find((each: { policy: { id: string } }) => each.policy.id === id);
  };
  const hit = (await used())('shell.destructive');
  t.match(hit, { hitsLast7Days: 3, hitsLast30Days: 3, isDormant: false, judged: 0, falsePositiveRate: null });
  t.equal(new Date(hit.lastHitAt).getTime(), Number.parseInt(eventId(5).replaceAll('-', '').slice(0, 12), 16));
  t.match((await used())('sql.destructive'), { hitsLast7Days: 0, lastHitAt: null, isDormant: true, judged: 0 });
  await admin`
    insert into finding_triage (tenant_id, event_id, n, status, verdict, changed_by)
    select tenant_id, event_id, n, 'closed', case n when 0 then 'false_positive' else 'true_positive' end, 'operator'
    from findings where tenant_id = ${ours.id} and event_id in (${eventId(3)}, ${eventId(5)})`;
  t.match((await used())('shell.destructive'), { judged: 4, falsePositives: 2, falsePositiveRate: 0.5 });
  await admin`
    update policy_hits set hour = hour - interval '10 days', last_at = last_at - interval '10 days'
    where policy_id = 'shell.destructive'`;
  t.match((await used())('shell.destructive'), { hitsLast7Days: 0, hitsLast30Days: 3, isDormant: false });
  await admin`update policy_hits set hour = hour - interval '30 days' where policy_id = 'shell.destructive'`;
  t.match((await used())('shell.destructive'), { hitsLast30Days: 0, lastHitAt: null, isDormant: true });
});

t.test(
  'what a set that is tried would have changed is counted and listed, and so is what only policies in shadow mode say',
  async (t) => {
    const COUNTS = 'policySet decisions newlyBlocked newlyAllowed simulated countedSince';
    const PAGE =
      'edges { node { id action shadowAction simulatedAction explanation { shadow { action reason policies { id } } } } } pageInfo { hasNextPage endCursor }';
    const none = await ofTenant(
      `shadowCounts { ${COUNTS} } shadowDifferences { ${PAGE} } simulatedDecisions { ${PAGE} }`,
    );
    t.match(none.shadowCounts, { policySet: null, decisions: 0, newlyBlocked: 0, simulated: 0, countedSince: null });
    t.same([none.shadowDifferences.edges, none.simulatedDecisions.edges], [[], []]);

    await change('shadowPolicySet', { version: 2 }, 'policyState { shadowVersion }');
    const { hash } = (await ofTenant('policySet(version: 2) { hash }')).policySet;
    const shadow = { policySet: hash, action: 'block', reason: 'No echo', policies: [{ id: 'own.echo' }] };
    await admin`update decisions set shadow_set = ${hash}, shadow_action = 'allow' where tenant_id = ${ours.id} and kind = 'decided'`;
    await admin`
    update decisions set shadow_action = 'block',
      explanation = jsonb_set(explanation::jsonb, '{shadow}', ${JSON.stringify(shadow)}::text::jsonb)::text
    where id in (${eventId(10)}, ${eventId(11)})`;
    await admin`update decisions set shadow_action = null where id = ${eventId(12)}`;
    await admin`update decisions set simulated_action = 'block' where id = ${eventId(13)}`;
    const tried = await ofTenant(
      `shadowCounts { ${COUNTS} } shadowDifferences { ${PAGE} } first: shadowDifferences(first: 1) { ${PAGE} }
      simulatedDecisions { ${PAGE} } other: shadowDifferences(policySet: "${'0'.repeat(64)}") { ${PAGE} }`,
    );
    t.match(tried.shadowCounts, { policySet: hash, decisions: 40, newlyBlocked: 2, newlyAllowed: 2, simulated: 1 });
    const ids = ({ edges }: Data) => edges.map(({ node }: Data) => node.id);
    t.same(
      ids(tried.shadowDifferences),
      [11, 10, 5, 3].map((n) => eventId(n)),
      'newest first',
    );
    t.match(tried.shadowDifferences.edges[0].node, {
      action: 'ALLOW',
      shadowAction: 'BLOCK',
      explanation: { shadow: { action: 'BLOCK', reason: 'No echo', policies: [{ id: 'own.echo' }] } },
    });
    t.match(tried.shadowDifferences.edges[3].node, {
      action: 'BLOCK',
      shadowAction: 'ALLOW',
      explanation: { shadow: null },
    });
    t.same(ids(tried.simulatedDecisions), [eventId(13)]);
    t.equal(tried.simulatedDecisions.edges[0].node.simulatedAction, 'BLOCK');
    t.same(tried.other.edges, []);
    const { endCursor, hasNextPage } = tried.first.pageInfo;
    t.equal(hasNextPage, true);
    const rest = await ofTenant(`shadowDifferences(after: "${endCursor}") { ${PAGE} }`);
    t.same(
      ids(rest.shadowDifferences),
      [10, 5, 3].map((n) => eventId(n)),
    );
    const { errors } = await ask(`{ tenant(id: "${ours.id}") { shadowCounts(policySet: "x") { decisions } } }`);
    t.match(errors, [{ message: /named by its hash/, extensions: { code: 'BAD_INPUT' } }]);

    const few = await people.inTenant({ tenantId: ours.id }, (tx) => countShadowed(tx, ours.id, hash, 34));
    t.match(few, { decisions: 33, newlyBlocked: 1, newlyAllowed: 0, simulated: 1 }, 'among the newest');
    t.equal(few.since?.getTime(), Number.parseInt(eventId(11).replaceAll('-', '').slice(0, 12), 16));
    await change('shadowPolicySet', { version: null }, 'policyState { shadowVersion }');
    const after = await ofTenant(`shadowCounts { ${COUNTS} } named: shadowCounts(policySet: "${hash}") { ${COUNTS} }`);
    t.match(after.shadowCounts, { policySet: null, decisions: 0, simulated: 1 });
    t.match(after.named, { decisions: 40, newlyBlocked: 2 }, 'what was tried once can still be asked for');
  },
);

t.test('P6 a tenant is told which of its sets the gate cannot use', async (t) => {
  t.same(await ofTenant('policyState { refused { policySet why } }'), { policyState: { refused: [] } });
  refused.push({ policySet: 'h', why: 'own.yaml:1:1: wrong' });
  t.same(await ofTenant('policyState { refused { policySet why } }'), { policyState: { refused } });
  const theirState = await ofTenant('policyState { refused { why } }', {}, { tenant: theirs, caller: 'stranger' });
  t.same(theirState.policyState.refused, []);
  refused.pop();
});

t.test('P6 what is tried on a shared agent’s decisions is its owner’s alone', async (t) => {
  const { hash } = (await ofTenant('policySet(version: 2) { hash }')).policySet;
  await admin`insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${ours.id}, ${SESSION_KEY}, ${theirs.id}, 'view')`;
  const seen = await ofTenant(
    `decisions { edges { node { id } } } shadowCounts(policySet: "${hash}") { decisions simulated }
      shadowDifferences(policySet: "${hash}") { edges { node { id } } } simulatedDecisions { edges { node { id } } }`,
    {},
    { tenant: theirs, caller: 'stranger' },
  );
  t.ok(seen.decisions.edges.length > 0, 'a guest sees the decisions');
  t.same(seen.shadowCounts, { decisions: 0, simulated: 0 });
  t.same([seen.shadowDifferences.edges, seen.simulatedDecisions.edges], [[], []]);
  await admin`delete from agent_shares where tenant_id = ${ours.id}`;
});

const WEEK_MS = 7 * 86_400_000;
const stretch = () => ({
  since: new Date(Date.now() - WEEK_MS).toISOString(),
  until: new Date(Date.now() + 60_000).toISOString(),
});
const BACKTEST =
  'id version state sessionsCount sessionsDone sessionsLeftOut eventsDone decisionsDone newlyBlocked newlyAllowed endedAt differences { eventId sessionKey toolName now reason }';

async function finished(id: string): Promise<Data> {
  for (;;) {
    const { backtest } = await ofTenant(`backtest(id: "${id}") { ${BACKTEST} }`);
    if (backtest.state !== 'RUNNING') return backtest;
    await sleep(20);
  }
}

t.test('a backtest lives through the stored sessions, and tells what would be blocked and allowed', async (t) => {
  const started = await change(
    'startBacktest',
    { files: files(ECHO), ...stretch() },
    `backtest { ${BACKTEST} } faults { line }`,
  );
  t.match(started, { userErrors: [], faults: [], backtest: { version: null, state: 'RUNNING', sessionsCount: 1 } });
  const done = await finished(started.backtest.id);
  t.match(done, { state: 'DONE', sessionsDone: 1, sessionsLeftOut: 0, eventsDone: 45, decisionsDone: 42 });
  const echoes = done.differences.filter(({ now }: { now: string }) => now === 'BLOCKED');
  t.equal(done.newlyBlocked, echoes.length);
  t.ok(echoes.length > 30);
  t.match(echoes[0], { sessionKey: SESSION_KEY, toolName: 'Bash', reason: 'No echo' });
  t.match(
    done.differences.filter(({ now }: { now: string }) => now === 'ALLOWED'),
    [{ eventId: eventId(3) }, { eventId: eventId(5) }],
    'what the installation’s set blocks, and this one does not',
  );
  t.equal(done.newlyAllowed, 2);
  const version = await change('startBacktest', { version: 2, ...stretch() }, `backtest { ${BACKTEST} }`);
  t.match(await finished(version.backtest.id), { state: 'DONE', version: 2, newlyBlocked: 0, newlyAllowed: 2 });
  t.equal((await ofTenant('backtests { id }')).backtests.length, 2);
  t.match((await auditActions()).at(-1), /^policies\.tried/);
});

t.test('a backtest that cannot be is refused', async (t) => {
  const refused = (input: object) =>
    change('startBacktest', { ...stretch(), ...input }, 'backtest { id } faults { line message }');
  t.match(await refused({ version: 99 }), { backtest: null, userErrors: [{ code: 'not-found' }] });
  t.match(await refused({}), { userErrors: [{ message: /a version or of files/ }] });
  t.match(await refused({ version: 1, since: new Date(Date.now() + 120_000).toISOString() }), {
    userErrors: [{ message: /before until/ }],
  });
  t.match(await refused({ files: files('a: [') }), {
    faults: [{ message: /YAML/ }],
    userErrors: [{ code: 'invalid-request' }],
  });
});

t.test('one backtest of a tenant runs at a time; it can be cancelled, and one that was cut off says so', async (t) => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const comparison = { decisions: 1, newlyBlocked: 0, newlyAllowed: 0, differences: [] };
  const work = { comparing: () => () => held.then(() => comparison) };
  const backtests = new Backtests(work, (error) => failures.push(error));
  const inTenant: Parameters<Backtests['find']>[0]['inTenant'] = (each) => people.inTenant({ tenantId: ours.id }, each);
  const audited: string[] = [];
  const scope = {
    tenantId: ours.id,
    inTenant,
    caller: CALLERS['owner'] as Caller,
    may: () => true,
    audit: async (_tx: unknown, { action, target }: { action: string; target?: string }) => {
      audited.push(`${action} ${target}`);
    },
    tell: async () => {},
  };
  const wanted = { since: new Date(0), until: new Date(), before: [], after: [], hash: 'h', version: null };
  const first = await backtests.start(scope, wanted);
  t.match(await backtests.start(scope, wanted), { kind: 'refusal', slug: 'conflict' });
  if (!('id' in first)) throw new Error('it did not start');
  t.match(await backtests.find(scope, first.id), { state: 'running' });
  t.match(await new Backtests(work, () => {}).find(scope, first.id), { state: 'interrupted' }, 'as after a restart');
  // It ends after its row was read, and before that is shown.
  let noteRead = () => {};
  const wasRead = new Promise<void>((resolve) => {
    noteRead = resolve;
  });
  const cancelled = wasRead.then(() => Promise.all([first, first].map(({ id }) => backtests.cancel(scope, id))));
  const readWhileItEnds = backtests.find(
    {
      tenantId: ours.id,
      inTenant: async (each) => {
        const read = await inTenant(each);
        noteRead();
        await cancelled;
        return read;
      },
    },
    first.id,
  );
  await wasRead;
  go();
  t.match(await readWhileItEnds, { state: 'running' }, 'which is no interruption');
  for (const each of await cancelled) t.match(each, { state: 'cancelled', sessionsDone: 1 });
  await backtests.cancel(scope, first.id);
  const entries = ['policies.tried', 'policies.trial_cancelled'].map((action) => `${action} ${first.id}`);
  t.same(audited, entries, 'what stopped something is told once');
  const failing = new Backtests({ comparing: () => () => Promise.reject(new Error('broken')) }, (error) => {
    t.match(error, { message: 'broken' });
  });
  const second = await failing.start(scope, wanted);
  await failing.stop();
  t.match('id' in second && (await failing.find(scope, second.id)), { state: /failed|cancelled/ });
});

t.test('only the newest backtests are kept', async (t) => {
  await admin`
    insert into policy_backtests (tenant_id, hash, since, until, started_by, started_at, state)
    select ${ours.id}, 'h', now(), now(), 'operator', now() - n * interval '1 day', 'done' from generate_series(1, 30) n`;
  const last = await change('startBacktest', { version: 1, ...stretch() }, 'backtest { id }');
  await finished(last.backtest.id);
  t.equal((await admin`select 1 from policy_backtests where tenant_id = ${ours.id}`).length, 20);
});

t.test('who may only look changes nothing, and cannot make others work', async (t) => {
  const forbidden = async (query: string, variables: object = {}) =>
    (await ask(query, variables, 'viewer')).errors?.[0]?.extensions?.code;
  const input = { tenantId: ours.id };
  for (const [name, given] of Object.entries({
    savePolicySet: { files: files(ECHO), note: '' },
    activatePolicySet: { version: 1 },
    shadowPolicySet: { version: 1 },
    startBacktest: { version: 1, ...stretch() },
    cancelBacktest: { id: SESSION_KEY },
  })) {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { userErrors { code } } }`;
    t.equal(await forbidden(query, { input: { ...input, ...given } }), 'FORBIDDEN', name);
    const stranger = await ask(query, { input: { ...input, ...given } }, 'stranger');
    t.equal(stranger.errors?.[0]?.extensions?.code, 'FORBIDDEN', `P6 ${name} of another tenant`);
  }
  for (const field of ['checkPolicies', 'testPolicies']) {
    const query = `query ($files: [PolicyFileInput!]!) { tenant(id: "${ours.id}") { ${field}(files: $files) { faults { line } } } }`;
    t.equal(await forbidden(query, { files: files(ECHO) }), 'FORBIDDEN', field);
  }
  t.ok(await ofTenant('policies { policy { id } } policySets { version }', {}, { caller: 'viewer' }), 'but may look');
});

t.test('P6 another tenant finds nothing of it', async (t) => {
  const [run] = await admin`select id from policy_backtests where tenant_id = ${ours.id} limit 1`;
  const seen = await ofTenant(
    `policySets { version } policySet(version: 1) { hash } policyState { activeVersion history { seq } }
    policySetDiff(from: 1, to: 2) { file } backtests { id } backtest(id: "${run?.['id']}") { id } policies { hitsLast30Days }`,
    {},
    { tenant: theirs, caller: 'stranger' },
  );
  t.ok(seen.policies.every(({ hitsLast30Days }: { hitsLast30Days: number }) => hitsLast30Days === 0));
  t.same(
    { ...seen, policies: [] },
    {
      policySets: [],
      policySet: null,
      policyState: { activeVersion: null, history: [] },
      policySetDiff: null,
      backtests: [],
      backtest: null,
      policies: [],
    },
  );
});

t.test('nothing failed inside', async (t) => t.same(failures, []));
