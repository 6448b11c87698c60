import { sql } from 'drizzle-orm';
import t from 'tap';
import type { TenantSlug } from '../../src/domain/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { openTenantDatabase, type TenantDatabase } from '../../src/store/tenant-database.ts';
import { ensureTenant } from '../../src/store/tenants.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

/** Tenants are kept apart by the database itself (P6). */

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

/** What a transaction of tenant `id` counts in `table`. */
async function count(database: TenantDatabase, tenantId: string, table: string): Promise<number> {
  const rows = await database.inTenant({ tenantId }, (tx) => tx.execute(sql`select 1 from ${sql.identifier(table)}`));
  return rows.length;
}

/** What is found and counted of agents. */
const OF_AGENTS = ['findings', 'agent_hours', 'policy_hits', 'finding_hours'];
/** A tenant as such sees no rows of these: they are given to it, or a person's own. */
const OF_OTHERS = ['agent_shares', 'saved_filters'];
const KEY = '11111111-1111-4111-8111-111111111111';
const EVENT = '01900000-0000-7000-8000-000000000001';

t.before(async () => {
  const [user] = await admin`
    insert into users (email, name, signs_in_by_email) values ('ann@example.com', 'Ann', true) returning id`;
  await admin`insert into memberships (tenant_id, user_id, roles) values (${theirs.id}, ${user?.['id']}, array['owner'])`;
  await admin`
    insert into agents (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
    values (${theirs.id}, ${KEY}, 'coder', 'Coder', now(), now(), 1)`;
  await admin`
    insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, state,
      reopened_count, events_count, blocked_count, undecided_count)
    values (${theirs.id}, ${KEY}, 's', ${KEY}, 'a@b', now(), now(), 'open', 0, 1, 0, 0)`;
  await admin`
    insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email,
      correlation_id, subject, dedupe, body)
    values (${EVENT}, ${theirs.id}, ${KEY}, ${KEY}, 'tool_invocation', now(), now(), 'a@b', 'c', 's', 'd', '{}')`;
  await admin`
    insert into decisions (id, tenant_id, session_key, kind, action, on_failure, effects, took_us, decided_at)
    values (${EVENT}, ${theirs.id}, ${KEY}, 'decided', 'allow', 'allow', '[]', 1, now())`;
  await admin`
    insert into inspections (id, tenant_id, session_key, effects, inspected_at)
    values (${EVENT}, ${theirs.id}, ${KEY}, '[]', now())`;
  await admin`
    insert into releases (id, tenant_id, session_key, subject, reason, hold, taints, released_at)
    values (${EVENT}, ${theirs.id}, ${KEY}, 's', 'r', true, '{}', now())`;
  const [connection] = await admin`
    insert into sso_connections (tenant_id, kind, name, settings) values (${theirs.id}, 'oidc', 'x', '{}') returning id`;
  await admin`
    insert into user_identities (tenant_id, connection_id, subject, user_id)
    values (${theirs.id}, ${connection?.['id']}, 'ann', ${user?.['id']})`;
  await admin`insert into verified_domains (tenant_id, domain, challenge) values (${theirs.id}, 'example.com', 'c')`;
  await admin`
    insert into access_tokens (token_id, tenant_id, subject, audience, scopes, expires_at)
    values ('t', ${theirs.id}, 's', 'a', array['events:write'], now())`;
  await admin`
    insert into trusted_issuers (tenant_id, issuer, jwks_url, audience, scopes)
    values (${theirs.id}, 'https://i', 'https://i/j', 'a', array['events:write'])`;
  await admin`
    insert into policy_sets (tenant_id, version, hash, files, note, created_by)
    values (${theirs.id}, 1, 'h', '[]', 'n', 'operator')`;
  await admin`
    insert into policy_activations (tenant_id, seq, active_version, changed_by) values (${theirs.id}, 1, 1, 'operator')`;
  await admin`insert into feed_heads (tenant_id, seq) values (${theirs.id}, 1)`;
  await admin`
    insert into feed_batches (tenant_id, seq, events, decisions, sessions)
    values (${theirs.id}, 1, array[${EVENT}::uuid], '{}', '{}')`;
  await admin`
    insert into policy_backtests (tenant_id, hash, since, until, started_by)
    values (${theirs.id}, 'h', now(), now(), 'operator')`;
  await admin`
    insert into findings (event_id, n, tenant_id, session_key, agent_key, kind, severity, confidence, policies, found_at, search)
    values (${EVENT}, 0, ${theirs.id}, ${KEY}, ${KEY}, 'k', 'low', 1, '{}', now(), '')`;
  await admin`
    insert into finding_triage (tenant_id, event_id, n, status, changed_by) values (${theirs.id}, ${EVENT}, 0, 'open', 'x')`;
  await admin`
    insert into activity_minutes (tenant_id, minute, events, decisions, blocked, undecided, failed_open, timeouts, latency)
    values (${theirs.id}, now(), 1, 1, 0, 0, 0, 0, '{}')`;
  await admin`
    insert into agent_hours (tenant_id, agent_key, hour, event_type, tool_kind, events, blocked, undecided)
    values (${theirs.id}, ${KEY}, now(), 'tool_invocation', '', 1, 0, 0)`;
  await admin`
    insert into policy_hits (tenant_id, hour, policy_id, agent_key, enforced, simulated, last_at)
    values (${theirs.id}, now(), 'p', ${KEY}, 1, 0, now())`;
  await admin`
    insert into finding_hours (tenant_id, hour, kind, severity, agent_key, findings)
    values (${theirs.id}, now(), 'k', 'low', ${KEY}, 1)`;
  await admin`
    insert into saved_filters (tenant_id, user_id, name, query, saved_at)
    values (${theirs.id}, ${user?.['id']}, 'mine', 'severity=high', now())`;
  await admin`
    insert into audit_log (tenant_id, seq, at, actor, action, detail, previous_hash, hash)
    values (${theirs.id}, 1, now(), 'operator', 'test', '{}', '', '')`;
});

t.test('P6 every table forces row-level security, and people reach partitions only through their table', async (t) => {
  const tables = await admin`
    select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced, c.relispartition as partition,
      has_table_privilege('gatehouse_app', c.oid, 'select, insert, update, delete, truncate') as reachable
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p')`;
  t.ok(tables.length > 20);
  for (const { name, enabled, forced, partition, reachable } of tables) {
    if (partition) t.notOk(reachable, `${name} is closed to people`);
    else t.ok(enabled && forced, `${name} forces row-level security`);
  }
});

t.test('P6 the role of people has no way around', async (t) => {
  const [role] = await admin`
    select rolsuper, rolbypassrls, rolcreaterole, rolcanlogin from pg_roles where rolname = 'gatehouse_app'`;
  t.same({ ...role }, { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcanlogin: false });
  const [owned] = await admin`
    select count(*)::int as n from pg_class where relowner = (select oid from pg_roles where rolname = 'gatehouse_app')`;
  t.equal(owned?.['n'], 0, 'it owns nothing, so that it cannot lift what binds it');
  const now = await people.inTenant({ tenantId: ours.id }, (tx) => tx.execute(sql`select current_user::text as name`));
  t.same(now[0]?.['name'], 'gatehouse_app');
});

t.test('P6 each table with a tenant shows its rows to that tenant alone', async (t) => {
  const tables = await admin<{ name: string }[]>`
    select c.table_name as name from information_schema.columns c
    join pg_class k on k.relname = c.table_name and not k.relispartition
    where c.table_schema = 'public' and c.column_name = 'tenant_id' and has_table_privilege('gatehouse_app', k.oid, 'select')`;
  t.ok(tables.length >= 13);
  for (const { name } of tables) {
    if (!OF_OTHERS.includes(name)) t.equal(await count(people, theirs.id, name), 1, `${name}: the tenant sees its row`);
    t.equal(await count(people, ours.id, name), 0, `${name}: another sees none`);
  }
});

t.test('P6 a transaction of no tenant sees nothing', async (t) => {
  for (const table of ['tenants', 'agents', 'events', 'audit_log', 'users', 'organizations']) {
    const rows = await people.inTenant({ tenantId: '' }, (tx) =>
      tx.execute(sql`select 1 from ${sql.identifier(table)}`),
    );
    t.equal(rows.length, 0, table);
  }
});

t.test('P6 a tenant does not last beyond its transaction', async (t) => {
  const single = openTenantDatabase(url, 1);
  t.teardown(() => single.close());
  t.equal(await count(single, theirs.id, 'agents'), 1);
  t.equal(await count(single, '', 'agents'), 0, 'on the same connection');
});

t.test('P6 nothing can be written for another tenant', async (t) => {
  const write = (statement: ReturnType<typeof sql>) =>
    people.inTenant({ tenantId: ours.id }, (tx) => tx.execute(statement));
  await t.rejects(
    write(sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission)
      values (${theirs.id}, ${KEY}, ${ours.id}, 'manage')`),
    'nobody shares the agents of others with themselves',
  );
  await t.rejects(
    write(sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission)
      values (${ours.id}, ${KEY}, ${theirs.id}, 'view')`),
    'nor as their own',
  );
  await t.rejects(
    write(
      sql`insert into memberships (tenant_id, user_id, roles) select ${theirs.id}, id, array['owner'] from users`,
    ).then((rows) => {
      if (rows.count === 0) throw new Error('no person of another tenant was seen');
    }),
  );
  for (const table of ['memberships', 'agent_shares', 'trusted_issuers', 'sso_connections', 'verified_domains']) {
    await write(sql`delete from ${sql.identifier(table)}`);
  }
  await write(sql`update tenants set name = 'taken'`);
  const [left] = await admin`select name from tenants where id = ${theirs.id}`;
  t.equal(left?.['name'], 'theirs');
  t.equal(await count(people, theirs.id, 'sso_connections'), 1);
  await t.rejects(write(sql`insert into events (id) values (${EVENT})`), /permission denied|Failed query/);
  await t.rejects(write(sql`select * from login_sessions`), /permission denied|Failed query/);
  await t.rejects(write(sql`select * from pending_sign_ins`), /permission denied|Failed query/);
});

t.test('P6 a tenant ends the login sessions of its own connections, and sees nothing more of any', async (t) => {
  await admin`
    insert into login_sessions (token_hash, user_id, method, connection_id, expires_at)
    select 'of a connection', user_id, 'oidc', connection_id, now() from user_identities`;
  await admin`
    insert into login_sessions (token_hash, user_id, method, expires_at)
    select 'of a link', id, 'magic_link', now() from users`;
  const inTenant = async (tenantId: string, statement: ReturnType<typeof sql>) =>
    (await people.inTenant({ tenantId }, (tx) => tx.execute(statement))).length;
  const end = sql`update login_sessions set ended_at = now() where ended_at is null returning id`;
  t.equal(await inTenant(ours.id, sql`select id from login_sessions`), 0);
  t.equal(await inTenant(ours.id, end), 0, "another tenant's");
  t.equal(await inTenant(theirs.id, end), 1, 'its own');
  await t.rejects(inTenant(theirs.id, sql`select token_hash from login_sessions`));
  await t.rejects(inTenant(theirs.id, sql`update login_sessions set ended_at = null, expires_at = now()`));
  await t.rejects(inTenant(theirs.id, sql`delete from login_sessions`));
  const left = await admin`select method from login_sessions where ended_at is null`;
  t.same(
    left.map((row) => row['method']),
    ['magic_link'],
  );
});

t.test('P6 a shared agent is seen with what it did, and is not written', async (t) => {
  const share = (permission: string) =>
    people.inTenant({ tenantId: theirs.id }, (tx) =>
      tx.execute(sql`insert into agent_shares (tenant_id, agent_key, shared_with, permission)
      values (${theirs.id}, ${KEY}, ${ours.id}, ${permission})`),
    );
  await share('view');
  for (const table of [
    'agents',
    'agent_sessions',
    'events',
    'decisions',
    'inspections',
    'agent_shares',
    ...OF_AGENTS,
  ]) {
    t.equal(await count(people, ours.id, table), 1, table);
  }
  for (const table of ['access_tokens', 'memberships', 'audit_log', 'finding_triage', 'activity_minutes'])
    t.equal(await count(people, ours.id, table), 0, table);
  await people.inTenant({ tenantId: ours.id }, (tx) => tx.execute(sql`update agent_shares set permission = 'manage'`));
  const [kept] = await admin`select permission from agent_shares`;
  t.equal(kept?.['permission'], 'view', 'the guest cannot widen it');
});

t.test('P6 a guest gives back what was shared with it, and ends no share of another', async (t) => {
  const third = await newTenant('third');
  await admin`insert into agent_shares (tenant_id, agent_key, shared_with, permission) values (${theirs.id}, ${KEY}, ${third.id}, 'view')`;
  const giveBack = (tenantId: string) =>
    people.inTenant({ tenantId }, (tx) => tx.execute(sql`delete from agent_shares`));
  await giveBack(ours.id);
  const left = await admin`select shared_with from agent_shares`;
  t.same(
    left.map((row) => row['shared_with']),
    [third.id],
  );
  t.equal(await count(people, ours.id, 'agents'), 0, 'and sees it no more');
  await admin`update agent_shares set shared_with = ${ours.id}`;
});

t.test('P6 a guest that manages an agent judges its findings in its own name, and no others', async (t) => {
  const asGuest = (statement: ReturnType<typeof sql>) =>
    people.inTenant({ tenantId: ours.id }, (tx) => tx.execute(statement));
  const judge = (by = `tenant:${ours.id}`) =>
    asGuest(sql`update finding_triage set status = 'closed', changed_by = ${by}`);
  await judge();
  const [before] = await admin`select status from finding_triage`;
  t.equal(before?.['status'], 'open', 'who may only look changes nothing');
  const other = '01900000-0000-7000-8000-000000000002';
  await admin`
    insert into findings (event_id, n, tenant_id, session_key, agent_key, kind, severity, confidence, policies, found_at, search)
    values (${other}, 0, ${theirs.id}, ${KEY}, ${other}, 'k', 'low', 1, '{}', now(), ''),
      (${EVENT}, 1, ${theirs.id}, ${KEY}, ${KEY}, 'k', 'low', 1, '{}', now(), '')`;
  const insert = (event: string, n: number, { by = `tenant:${ours.id}`, owner = theirs.id } = {}) =>
    asGuest(sql`insert into finding_triage (tenant_id, event_id, n, status, changed_by)
      values (${owner}, ${event}, ${n}, 'closed', ${by})`);
  await t.rejects(insert(EVENT, 1), 'who may only look adds nothing');
  await admin`update agent_shares set permission = 'manage'`;
  await insert(EVENT, 1);
  await judge();
  t.equal(await count(people, ours.id, 'finding_triage'), 2);
  await t.rejects(insert(other, 0), 'the finding of another agent');
  await t.rejects(insert(EVENT, 2), 'a finding that is not there');
  await t.rejects(insert(EVENT, 1, { by: 'user:somebody' }), 'in the name of somebody');
  await t.rejects(judge('user:somebody'));
  await t.rejects(asGuest(sql`update finding_triage set tenant_id = ${ours.id}`), 'it stays where it belongs');
  await t.rejects(asGuest(sql`delete from finding_triage`));
  await admin`delete from agent_shares`;
  t.equal(await count(people, ours.id, 'finding_triage'), 0);
});

t.test('the audit log is never changed, not even by its owner', async (t) => {
  await t.rejects(admin`update audit_log set action = 'other'`, /never changed/);
  await t.rejects(admin`delete from audit_log`, /never changed/);
  await t.rejects(admin`truncate audit_log`, /never changed/);
});
