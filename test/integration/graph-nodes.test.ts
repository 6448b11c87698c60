import { randomUUID } from 'node:crypto';
import type { GraphQLInterfaceType } from 'graphql';
import t from 'tap';
import type { Permission } from '../../src/domain/roles.ts';
import { readGlobalId, writeGlobalId } from '../../src/graphql/global-ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import { refuse } from '../../src/platform/http.ts';
import type { Browser } from '../support/browser.ts';
import { explain, project, Story } from '../support/insight-story.ts';
import { type GraphAnswer, startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { slug } from '../support/tenant-policies.ts';

/**
 * Global ids: every object that has one is found again by it, by who may, and by nobody else (P6). The test walks the types of the
 * schema: one that is added fails here until the test knows where it stands.
 */

const programs: Record<string, { tenantId: string; permissions: Permission[] }> = {};
const platform = await startTestPlatform(t, await startTestPostgres(t), {
  bearer: async ({ headers }) => {
    const program = programs[headers.get('authorization')?.replace('Bearer ', '') ?? ''];
    if (program === undefined) return refuse('unauthorized', 'nobody');
    return { kind: 'token', tokenId: 'token', subject: 'program', expiresAt: 2_000_000_000, ...program };
  },
});
const { sql } = platform;
const ours = await platform.addTenant('ours');
const theirs = await platform.addTenant('theirs');
await platform.addPerson('owner@example.com', { [ours]: ['owner'] });
await platform.addPerson('viewer@example.com', { [ours]: ['viewer'] });
await platform.addPerson('stranger@example.com', { [theirs]: ['owner'] });
const owner = await platform.signIn('owner@example.com');
const viewer = await platform.signIn('viewer@example.com');
const stranger = await platform.signIn('stranger@example.com');
programs['of-theirs'] = { tenantId: theirs, permissions: ['read', 'members', 'tokens', 'sso', 'policies'] };
programs['without-read'] = { tenantId: ours, permissions: ['members', 'tokens', 'sso'] };

type Who = Browser | string;

async function ask(who: Who, query: string, variables: object = {}): Promise<GraphAnswer> {
  if (typeof who !== 'string') return platform.ask(who, query, variables);
  const answer = await fetch(`${platform.url}/api/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${who}` },
    body: JSON.stringify({ query, variables }),
  });
  return (await answer.json()) as GraphAnswer;
}

const edges = 'edges { node { nodeId } }';
/** Where objects of each type stand in a tenant, and what is demanded of who looks at them there. */
const PLACES: Record<string, { field: string; permission?: Permission }> = {
  Tenant: { field: 'nodeId' },
  Agent: { field: `agents { ${edges} }` },
  AgentSession: { field: `agentSessions { ${edges} }` },
  Decision: { field: `decisions { ${edges} }` },
  TimelineEntry: { field: `events { ${edges} }` },
  StoredFinding: { field: `findings { ${edges} }` },
  PolicySetVersion: { field: 'policySets { nodeId }' },
  Backtest: { field: 'backtests { nodeId }' },
  Member: { field: `members { ${edges} }`, permission: 'members' },
  AccessToken: { field: `accessTokens { ${edges} }`, permission: 'tokens' },
  TrustedIssuer: { field: `trustedIssuers { ${edges} }`, permission: 'tokens' },
  SsoConnection: { field: 'ssoConnections { nodeId }', permission: 'sso' },
  ClaimedDomain: { field: 'verifiedDomains { nodeId }', permission: 'sso' },
};

const idsIn = (answer: unknown): string[] =>
  [...JSON.stringify(answer).matchAll(/"nodeId":"([^"]+)"/g)].map(([, id]) => id as string);

async function listed(who: Who, tenantId: string, type: string): Promise<string[]> {
  const { data } = await ask(who, `query ($id: ID!) { tenant(id: $id) { ${PLACES[type]?.field} } }`, { id: tenantId });
  return idsIn(data);
}

const nodes = (who: Who, nodeIds: readonly string[]) =>
  ask(who, 'query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId } }', { nodeIds });
const node = (who: Who, nodeId: string, wanted = '__typename nodeId') =>
  ask(who, `query ($nodeId: ID!) { node(nodeId: $nodeId) { ${wanted} } }`, { nodeId });
const rewritten = (nodeId: string, change: object) => writeGlobalId({ ...parts(nodeId), ...change });
const parts = (nodeId: string) => readGlobalId(nodeId) ?? { type: '', tenantId: '', key: '' };
const code = ({ errors }: GraphAnswer) => errors?.[0]?.extensions?.code;

/** Makes one of everything, and tells what ids the payloads of mutations gave. */
async function furnish(browser: Browser, tenantId: string, name: string): Promise<string[]> {
  const story = new Story({ tenant: slug(name) });
  const at = Date.now() - 60_000;
  story.observed(at);
  story.blocked(at + 1, explain({ policies: ['shell'], findings: [['destructive.delete', 'high']] }));
  await project(platform.databaseUrl, story.records);
  await sql`insert into policy_sets (tenant_id, version, hash, files, note, created_by) values (${tenantId}, 1, 'h', '[]', '', 'test')`;
  await sql`
    insert into policy_backtests (tenant_id, hash, since, until, started_by, state)
    values (${tenantId}, 'h', now(), now(), 'test', 'done')`;
  const made: string[] = [];
  const change = async (mutation: string, wanted: string, input: object) => {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${wanted} { nodeId } userErrors { message } } }`;
    const { data, errors } = await ask(browser, query, { input: { tenantId, ...input } });
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    made.push(...idsIn(data));
  };
  const settings = { issuer: `https://${name}.example`, clientId: 'us', clientSecret: 'shh', passwordBased: false };
  await change('mintAccessToken', 'accessToken', { name: 'sensor', kind: 'INGEST' });
  await change('trustIssuer', 'trustedIssuer', {
    issuer: `https://${name}.example`,
    jwksUrl: `https://${name}.example/keys`,
    audience: 'us',
    scopes: ['events:write'],
  });
  await change('makeSsoConnection', 'connection', { kind: 'OIDC', name: 'Corp', settings: JSON.stringify(settings) });
  await change('claimDomain', 'domain', { domain: `${name}-company.invalid` });
  await change('directDomain', 'domain', { domain: `${name}-company.invalid` });
  await change('changeTenantSettings', 'tenant', { deadlineMs: 200 });
  return made;
}

const inPayloads = await furnish(owner, ours, 'ours');
await furnish(stranger, theirs, 'theirs');
const objects: { type: string; nodeId: string }[] = [];
for (const type of Object.keys(PLACES))
  objects.push(...(await listed(owner, ours, type)).map((nodeId) => ({ type, nodeId })));
const allIds = objects.map(({ nodeId }) => nodeId);

t.test('P6 every type with a global id is known to this test, and there is one of each', async (t) => {
  const types = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType).map(({ name }) => name);
  t.same(Object.keys(PLACES).sort(), types.sort(), 'say in PLACES where it stands');
  t.same([...new Set(objects.map(({ type }) => type))].sort(), types.sort());
});

t.test('no two objects have the same id, whatever their type, and payloads give the ids of lists', async (t) => {
  t.equal(new Set(allIds).size, objects.length);
  const raw = objects.map(({ nodeId }) => parts(nodeId).key);
  t.ok(new Set(raw).size < raw.length, 'though a decision has the raw id of its event');
  t.equal(inPayloads.length, 6);
  t.same(
    inPayloads.filter((nodeId) => !allIds.includes(nodeId)),
    [],
  );
});

t.test('every object is found again by its id', async (t) => {
  for (const { type, nodeId } of objects)
    t.same((await node(owner, nodeId)).data, { node: { __typename: type, nodeId } }, type);
  const twice = [...allIds, ...allIds];
  const { data, errors } = await nodes(owner, twice);
  t.same([errors, idsIn(data)], [undefined, twice], 'all at once, in the order asked for, as often as asked for');
  t.same((await nodes(owner, [])).data, { nodes: [] });
});

t.test('an object is whole, however it was found', async (t) => {
  const [decision] = await listed(owner, ours, 'Decision');
  const wanted = '... on Decision { id action toolName explanation { findings { kind } } }';
  const found = (await node(owner, decision as string, wanted)).data.node;
  const { data } = await ask(owner, `{ tenant(id: "${ours}") { decision(id: "${found.id}") { ${wanted} } } }`);
  t.match(found, { action: 'BLOCK', explanation: { findings: [{ kind: 'destructive.delete' }] } });
  t.same(found, data.tenant.decision);
  const [tenant] = await listed(owner, ours, 'Tenant');
  const through = await node(owner, tenant as string, `... on Tenant { slug ${PLACES['Decision']?.field} }`);
  t.same([through.data.node.slug, idsIn(through.data)], ['ours', [decision]]);
});

for (const [who, as] of [
  ['a person', stranger],
  ['a program', 'of-theirs'],
] as const) {
  t.test(`P6 ${who} of another tenant finds nothing, and cannot tell it from what is not there`, async (t) => {
    const nowhere = objects.map(({ nodeId }) => rewritten(nodeId, { tenantId: randomUUID() }));
    for (const [index, { type, nodeId }] of objects.entries()) {
      const answer = await node(as, nodeId);
      t.same(answer, { data: { node: null } }, type);
      t.same(answer, await node(as, nowhere[index] as string), `${type}, as of a tenant that is not there`);
    }
    t.same(await nodes(as, allIds), { data: { nodes: allIds.map(() => null) } }, 'nor all at once');
    const disguised = objects
      .filter(({ type }) => type !== 'Tenant')
      .filter(({ nodeId }) => parts(nodeId).key !== '1')
      .map(({ nodeId }) => rewritten(nodeId, { tenantId: theirs }));
    t.same(await nodes(as, disguised), { data: { nodes: disguised.map(() => null) } }, 'nor as of their own tenant');
    for (const type of Object.keys(PLACES)) {
      const [own] = await listed(stranger, theirs, type);
      t.same((await node(as, own as string)).data.node?.nodeId, own, `control: their own ${type}`);
      if (parts(own as string).key !== '1')
        t.same(await node(as, rewritten(own as string, { tenantId: ours })), { data: { node: null } }, `as of ours`);
    }
  });
}

t.test('P6 nobody at all is told to sign in', async (t) => {
  const answer = await node('nobody', allIds[0] as string);
  t.match(answer, { status: 401 });
});

t.test('what is not there is null', async (t) => {
  for (const { type, nodeId } of objects.filter(({ type }) => type !== 'Tenant')) {
    const { key } = parts(nodeId);
    const other = key === '1' ? '2147483647' : key.replace(/^.{8}/, '00000000');
    t.same(await node(owner, rewritten(nodeId, { key: other })), { data: { node: null } }, type);
  }
});

t.test('who may not read the field that leads there may not have the object', async (t) => {
  for (const [type, { field, permission }] of Object.entries(PLACES)) {
    const [nodeId] = await listed(owner, ours, type);
    const asField = await ask(viewer, `{ tenant(id: "${ours}") { ${field} } }`);
    const asNode = await node(viewer, nodeId as string);
    t.equal(code(asNode), permission === undefined ? undefined : 'FORBIDDEN', type);
    t.equal(code(asNode), code(asField), `${type}, as of the field`);
    t.equal(asNode.data.node?.nodeId ?? null, permission === undefined ? nodeId : null);
    t.equal(code(await node('without-read', nodeId as string)), 'FORBIDDEN', `${type}, without reading at all`);
  }
  const some = [...(await listed(owner, ours, 'Member')), ...(await listed(owner, ours, 'Agent'))];
  const { data, errors } = await nodes(viewer, some);
  t.same(idsIn(data), some.slice(-1), 'one that is refused leaves the others as they are');
  t.equal(errors?.length, some.length - 1);
});

t.test('what is no global id is told so', async (t) => {
  const [decision] = await listed(owner, ours, 'Decision');
  const good = decision as string;
  const { key } = parts(good);
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const bad = {
    nothing: '',
    'a raw id': key,
    'no base64': '%%%',
    'another way to write it': `${good}=`,
    'more behind it': `${good}AA`,
    'a type without ids': rewritten(good, { type: 'Viewer' }),
    'a property of objects': rewritten(good, { type: 'constructor' }),
    'no tenant': rewritten(good, { tenantId: 'ours' }),
    'upper case': rewritten(good, { tenantId: ours.toUpperCase() }),
    'no key': rewritten(good, { key: '' }),
    'no UUID': rewritten(good, { key: `${key}\0` }),
    'two parts': encoded(`Decision:${ours}`),
    'a tenant with a key': encoded(`Tenant:${ours}:${ours}`),
    'a version beyond all': encoded(`PolicySetVersion:${ours}:2147483648`),
    'a finding with zeros': encoded(`StoredFinding:${ours}:${key}.01`),
    'a token of strange characters': encoded(`AccessToken:${ours}:\0`),
  };
  for (const [name, nodeId] of Object.entries(bad)) {
    const answer = await node(owner, nodeId);
    t.equal(code(answer), 'BAD_INPUT', name);
    t.match(answer.errors?.[0]?.message, /what the field nodeId of an object gave/, name);
    const among = await nodes(owner, [good, nodeId]);
    t.same(among.data.nodes, [{ __typename: 'Decision', nodeId: good }, null], `${name}, among others`);
    t.match(among.errors, [{ path: ['nodes', 1] }]);
  }
});

t.test('how many can be asked for is bounded, and each counts', async (t) => {
  const many = (count: number) => Array.from({ length: count }, () => allIds[0] as string);
  t.equal((await nodes(owner, many(100))).data.nodes.length, 100);
  t.match((await nodes(owner, many(101))).errors, [{ message: /at most 100/, extensions: { code: 'BAD_INPUT' } }]);
  const costly = (count: number) =>
    ask(
      owner,
      `query ($ids: [ID!]!) { ${Array.from({ length: count }, (_, n) => `a${n}: nodes(nodeIds: $ids) { nodeId }`).join(' ')} }`,
      { ids: many(100) },
    );
  t.notOk((await costly(4)).errors);
  t.match((await costly(5)).errors?.[0], { message: /complexity/, extensions: { code: 'BAD_INPUT' } });
});

t.test('P6 a shared agent has an id in each tenant, good while it is shared', async (t) => {
  const [agent] = await listed(owner, ours, 'Agent');
  const [session] = await listed(owner, ours, 'AgentSession');
  const guests = [agent, session].map((nodeId) => rewritten(nodeId as string, { tenantId: theirs }));
  const { key } = parts(agent as string);
  await sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${ours}, ${key}, ${theirs}, 'view')`;
  t.same(idsIn((await nodes(stranger, guests)).data), guests);
  t.ok((await listed(stranger, theirs, 'Agent')).includes(guests[0] as string));
  t.same(await node(stranger, agent as string), { data: { node: null } }, 'by that of its owner it is not found');
  await sql`delete from agent_shares`;
  t.same(await nodes(stranger, guests), { data: { nodes: [null, null] } });
});
