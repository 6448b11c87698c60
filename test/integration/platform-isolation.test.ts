import t from 'tap';
import { PLATFORM_SCOPES } from '../../src/domain/scopes.ts';
import type { Route } from '../../src/platform/http.ts';
import { type Answered, type As, openTestPlatform } from '../support/administration.ts';

/**
 * Every route of the platform interface, called by those who have every right in another tenant (P6). It walks the route
 * table: a route that is added fails here until the test knows what to send it.
 */

const platform = await openTestPlatform(t);
const { admin, call, newAgent, newPerson, newTenant, token } = platform;
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');
const third = await newTenant('third');
const owner: As = { person: await newPerson('owner', [ours, ['owner']]) };
const member = await newPerson('member', [ours, ['viewer']]);
const strangers: Record<string, As> = {
  'a person': { person: await newPerson('stranger', [theirs, ['owner']]) },
  'a token': { token: await token(theirs, [...PLATFORM_SCOPES]) },
};

const agent = await newAgent(ours, 'coder');
const made = async (path: string, body: object) => (await call('POST', path, { as: owner, body })).body.id;
const ISSUER = {
  issuer: 'https://issuer.example',
  jwksUrl: 'https://issuer.example/keys',
  audience: 'gatehouse',
  scopes: ['events:write'],
};
const tokenId = await made('/tenants/ours/tokens', { name: 'sensor', kind: 'ingest' });
const issuerId = await made('/tenants/ours/issuers', ISSUER);
await call('PUT', `/tenants/ours/agents/${agent}/shares/third`, { as: owner, body: { permission: 'view' } });

const TENANT = '/api/v1/tenants/:tenant';

/** What to send each route so that an owner succeeds. */
const CALLS: Record<string, { params?: Record<string, string>; body?: object | ((tenant: string) => object) }> = {
  'GET /api/v1/agents': {},
  [`GET ${TENANT}`]: {},
  [`PATCH ${TENANT}`]: { body: { name: 'Renamed' } },
  [`GET ${TENANT}/audit`]: {},
  [`GET ${TENANT}/tokens`]: {},
  [`POST ${TENANT}/tokens`]: { body: { name: 'x', kind: 'ingest' } },
  [`DELETE ${TENANT}/tokens/:id`]: { params: { id: tokenId } },
  [`GET ${TENANT}/issuers`]: {},
  [`POST ${TENANT}/issuers`]: {
    body: (tenant) => ({ ...ISSUER, issuer: `https://${encodeURIComponent(tenant)}.example` }),
  },
  [`DELETE ${TENANT}/issuers/:id`]: { params: { id: issuerId } },
  [`GET ${TENANT}/members`]: {},
  [`POST ${TENANT}/members`]: { body: { email: 'x@example.com', name: 'X', roles: ['viewer'] } },
  [`PATCH ${TENANT}/members/:user`]: { params: { user: member }, body: { roles: ['analyst'] } },
  [`DELETE ${TENANT}/members/:user`]: { params: { user: member } },
  [`POST ${TENANT}/members/:user/disable`]: { params: { user: member } },
  [`POST ${TENANT}/members/:user/enable`]: { params: { user: member } },
  [`POST ${TENANT}/members/:user/end-sessions`]: { params: { user: member } },
  [`GET ${TENANT}/agents/:agent/shares`]: { params: { agent } },
  [`PUT ${TENANT}/agents/:agent/shares/:guest`]: { params: { agent, guest: third.id }, body: { permission: 'manage' } },
  [`DELETE ${TENANT}/agents/:agent/shares/:guest`]: { params: { agent, guest: third.id } },
};

/** Routes that are nobody's tenant's. Each must say why. */
const OPEN: Record<string, string> = {};

/** Whatever identifies something of the tenant: none of it may be in a stranger's answer. */
const SECRETS = [ours.id, agent, tokenId, issuerId, member, 'member@example.com', 'owner@example.com', 'coder'];

const nameOf = (route: Route) => `${route.method} ${route.path}`;
const tenantRoutes = platform.routes.filter((route) => OPEN[nameOf(route)] === undefined);

function send(route: Route, as: As | undefined, tenant: string): Promise<Answered> {
  const { params = {}, body } = CALLS[nameOf(route)] ?? {};
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    name === 'tenant' ? tenant : (params[name] ?? name),
  );
  const address = route.path.includes(':tenant') ? path : `${path}?tenant=${tenant}`;
  return call(route.method, address, {
    ...(as && { as }),
    ...(body && { body: typeof body === 'function' ? body(tenant) : body }),
  });
}

/** Every row, or those of `tenantId`, as one text. */
async function rows(tenantId?: string): Promise<string> {
  const tables = await admin<{ name: string; scoped: boolean }[]>`
    select c.relname as name,
      exists (select from information_schema.columns i where i.table_name = c.relname and i.column_name = 'tenant_id') as scoped
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const texts: string[] = [];
  for (const { name, scoped } of tables) {
    if (tenantId !== undefined && !scoped) continue;
    const only = tenantId === undefined ? admin`` : admin`where tenant_id = ${tenantId}`;
    const [row] = await admin`select string_agg(x::text, E'\n' order by x::text) as all from ${admin(name)} x ${only}`;
    texts.push(`${name}\n${row?.['all'] ?? ''}`);
  }
  return texts.join('\n\n');
}

t.test('P6 every route is known to this test', async (t) => {
  t.same(
    platform.routes.map(nameOf).filter((name) => CALLS[name] === undefined && OPEN[name] === undefined),
    [],
    'say in CALLS what to send, or in OPEN why it is of no tenant',
  );
});

for (const [who, as] of Object.entries(strangers)) {
  t.test(`P6 ${who} of another tenant, naming this one, reads nothing and changes nothing`, async (t) => {
    const before = await rows();
    for (const route of tenantRoutes) {
      for (const name of [ours.id, ours.slug]) {
        const refused = await send(route, as, name);
        t.ok(['not-found', 'forbidden'].includes(String(refused.code)), `${nameOf(route)}: ${refused.code}`);
        t.notOk(
          SECRETS.some((secret) => refused.detail.includes(secret)),
          'and says nothing',
        );
      }
    }
    t.equal(await rows(), before);
  });

  t.test(`P6 ${who} of another tenant, naming their own with ids of this one, reaches nothing`, async (t) => {
    const before = await rows(ours.id);
    for (const route of tenantRoutes) {
      const answered = await send(route, as, theirs.id);
      // No token may do what owners alone may, not even in its own tenant.
      const expected = 'token' in as && route.permission === 'owners' ? 'forbidden' : 'not-found';
      if (CALLS[nameOf(route)]?.params !== undefined)
        t.equal(answered.code, expected, `${nameOf(route)}: the ids are not theirs`);
      const shown = JSON.stringify(answered.body ?? {}) + answered.detail;
      t.same(
        SECRETS.filter((secret) => shown.includes(secret)),
        [],
        `${nameOf(route)} shows nothing of this tenant`,
      );
    }
    t.equal(await rows(ours.id), before);
  });
}

t.test('P6 nobody at all reads nothing and changes nothing', async (t) => {
  const before = await rows();
  for (const route of tenantRoutes)
    t.equal((await send(route, undefined, ours.id)).code, 'unauthorized', nameOf(route));
  t.equal(await rows(), before);
});

t.test('P6 control: the owner succeeds with the same requests', async (t) => {
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const route of tenantRoutes.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))) {
    const answered = await send(route, owner, ours.id);
    t.equal(answered.status, 'answer', `${nameOf(route)}: ${answered.code} ${answered.detail}`);
  }
});
