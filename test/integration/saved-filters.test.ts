import { sql } from 'drizzle-orm';
import t, { type Test } from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { startTestGraph } from '../support/graph.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/** Lists of findings that people keep for themselves, through the graph and in the database. */

const postgres = await startTestPostgres(t);
const url = await postgres.createDatabase();
const service = openDatabase(url);
const people = openTenantDatabase(url);
const admin = openClient(t, url);
t.teardown(async () => {
  await people.close();
  await service.close();
});
const newTenant = (slug: string) => ensureTenant(service, { slug: slug as TenantSlug, name: slug, onFailure: 'allow' });
const ours = await newTenant('ours');
const theirs = await newTenant('theirs');

async function member(name: string, tenants: readonly { id: string }[]): Promise<Caller & { userId: string }> {
  const [user] = await admin<{ id: string }[]>`
    insert into users (email, name, signs_in_by_email) values (${`${name}@example.com`}, ${name}, true) returning id`;
  const userId = user?.id ?? '';
  for (const { id } of tenants)
    await admin`insert into memberships (tenant_id, user_id, roles) values (${id}, ${userId}, '{viewer}')`;
  return {
    kind: 'person',
    userId,
    email: `${name}@example.com`,
    name,
    organization: { id: userId, name: 'Home' },
    loginSessionId: userId,
    tenants: new Map(tenants.map(({ id }) => [id, ['viewer' as const]])),
  };
}

const ann = await member('ann', [ours, theirs]);
const bob = await member('bob', [ours]);
const program: Caller = {
  kind: 'token',
  tokenId: 't',
  subject: 'p',
  tenantId: ours.id,
  permissions: ['read'],
  expiresAt: Math.floor(Date.now() / 1000) + 3_600,
};
const { ask, failures } = await startTestGraph(t, url, { ann, bob, program });

async function kept(who: string, tenant = ours): Promise<{ name: string; query: string }[]> {
  const { data } = await ask('query ($id: ID!) { tenant(id: $id) { savedFilters { name query } } }', who, {
    id: tenant.id,
  });
  return data.tenant.savedFilters;
}

async function change(mutation: 'saveFilter' | 'forgetFilter', who: string, input: object) {
  const type = mutation === 'saveFilter' ? 'SaveFilterInput' : 'ForgetFilterInput';
  const text = `mutation ($input: ${type}!) { ${mutation}(input: $input) { filters { name query } userErrors { code message } } }`;
  const { data, errors } = await ask(text, who, { input: { tenantId: ours.id, ...input } });
  return data?.[mutation] ?? errors?.[0]?.extensions;
}

t.test('a filter is kept by name, for its person in its tenant', async (t) => {
  const grave = { name: 'Grave ones', query: 'severity=critical' };
  t.same(await change('saveFilter', 'ann', grave), { filters: [grave], userErrors: [] });
  await change('saveFilter', 'ann', { name: 'All', query: '' });
  const changed = { ...grave, query: 'severity=high' };
  await change('saveFilter', 'ann', changed);
  t.same(await kept('ann'), [{ name: 'All', query: '' }, changed], 'in the place of the one of the same name');
  t.same(await kept('ann', theirs), [], 'in another tenant there are none');
  t.same(await kept('bob'), [], 'nor of anybody else');
  t.match(await change('forgetFilter', 'bob', { name: 'All' }), { userErrors: [{ code: 'not-found' }] });
  t.same(await change('forgetFilter', 'ann', { name: 'All' }), { filters: [changed], userErrors: [] });
  t.match(await change('saveFilter', 'bob', { ...grave, tenantId: theirs.id }), { code: 'FORBIDDEN' });
});

t.test('there are no more than twenty of them, and none is long', async (t) => {
  for (let n = 0; n < 23; n++) await change('saveFilter', 'bob', { name: `f${n}`, query: `kind=${n}` });
  const names = (await kept('bob')).map(({ name }) => name);
  t.same(
    names,
    Array.from({ length: 20 }, (_, n) => `f${n + 3}`),
    'the oldest made room',
  );
  await refused(t, { name: 'x'.repeat(61), query: '' }, /name must be 1 to 60/);
  await refused(t, { name: '', query: '' }, /name must be/);
  await refused(t, { name: 'a\nb', query: '' }, /name must be/);
  await refused(t, { name: 'a', query: 'x'.repeat(4_001) }, /query must be at most 4000/);
  await refused(t, { name: 'a', query: 'a b' }, /as an address has them/);
  t.equal((await kept('bob')).length, 20);
  t.same(await kept('program'), [], 'a program has none');
  t.match(await change('saveFilter', 'program', { name: 'a', query: '' }), { userErrors: [{ code: 'forbidden' }] });
});

async function refused(t: Test, input: object, message: RegExp): Promise<void> {
  t.match(await change('saveFilter', 'bob', input), {
    filters: null,
    userErrors: [{ code: 'invalid-request', message }],
  });
}

t.test('P6 the database shows them to their person alone, and lets nobody write those of others', async (t) => {
  const count = async (scope: { tenantId: string; userId?: string }) =>
    (await people.inTenant(scope, (tx) => tx.execute(sql`select 1 from saved_filters`))).length;
  t.equal(await count({ tenantId: ours.id, userId: ann.userId }), 1);
  t.equal(await count({ tenantId: theirs.id, userId: ann.userId }), 0);
  t.equal(await count({ tenantId: ours.id }), 0);
  const write = (userId: string) =>
    people.inTenant({ tenantId: ours.id, userId: ann.userId }, (tx) =>
      tx.execute(sql`insert into saved_filters values (${ours.id}, ${userId}, 'n', '', now())`),
    );
  await t.rejects(write(bob.userId));
  await write(ann.userId);
  await people.inTenant({ tenantId: ours.id, userId: ann.userId }, (tx) => tx.execute(sql`delete from saved_filters`));
  t.equal(await count({ tenantId: ours.id, userId: bob.userId }), 20);
});

t.test('they end with the membership', async (t) => {
  await people.inTenant({ tenantId: ours.id }, (tx) =>
    tx.execute(sql`delete from memberships where user_id = ${bob.userId}`),
  );
  t.equal((await admin`select 1 from saved_filters where user_id = ${bob.userId}`).length, 0);
  t.same(failures, []);
});
