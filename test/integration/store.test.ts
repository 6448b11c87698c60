import { once } from 'node:events';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import type postgres from 'postgres';
import t, { type Test } from 'tap';
import { agentSessionKey, type EventId, type TenantSlug } from '../../src/domain/ids.ts';
import type { DecisionRecord, EventRecord, JournalRecord } from '../../src/domain/record.ts';
import type { StoredRecord } from '../../src/journal/journal.ts';
import { MendableError } from '../../src/lib/mendable-error.ts';
import { connectOnce } from '../../src/store/connection.ts';
import { ConnectionPool } from '../../src/store/connection-pool.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type ExportFilter, exportDecisions, exportEvents } from '../../src/store/exports.ts';
import { migrate, refuseOldServer } from '../../src/store/migrate.ts';
import { DAY_MS, dayAt, ensurePartitions } from '../../src/store/partitions.ts';
import { ProjectionStore, prepareBatch } from '../../src/store/projection.ts';
import { deleteExpiredOfTenants, REMOVALS } from '../../src/store/retention.ts';
import * as agentTables from '../../src/store/schema/agents.ts';
import * as eventTables from '../../src/store/schema/events.ts';
import * as findingTables from '../../src/store/schema/findings.ts';
import * as projectionTables from '../../src/store/schema/projection.ts';
import * as releaseTables from '../../src/store/schema/releases.ts';
import * as rollupTables from '../../src/store/schema/rollups.ts';
import * as tenantTables from '../../src/store/schema/tenants.ts';
import * as revocationTables from '../../src/store/schema/token-revocations.ts';
import { NewerDatabaseError } from '../../src/store/schema-version.ts';
import { originalText, storableText } from '../../src/store/storable-text.ts';
import { ensureTenant, listTenants, updateTenant } from '../../src/store/tenants.ts';
import { TokenRevocations } from '../../src/store/token-revocations.ts';
import { gatehouse, startCommand } from '../support/command-line.ts';
import { newEventId } from '../support/event-ids.ts';
import { openClient, startTestPostgres } from '../support/postgres.ts';

const cluster = await startTestPostgres(t);
const ACME = 'acme' as TenantSlug;
const GLOBEX = 'globex' as TenantSlug;

async function open(t: Test): Promise<{ url: string; sql: postgres.Sql; database: Database }> {
  const url = await cluster.createDatabase();
  const database = openDatabase(url);
  t.teardown(() => database.close());
  return { url, sql: openClient(t, url), database };
}

interface Wanted {
  tenant?: TenantSlug;
  sessionId?: string;
  atMs?: number;
  body?: (body: string) => string;
}

function eventRecord({
  tenant = ACME,
  sessionId = 's',
  atMs = Date.now(),
  body = (text) => text,
}: Wanted = {}): EventRecord {
  const event = {
    event_type: 'session_start',
    session_id: sessionId,
    timestamp: '2025-06-01T12:00:00Z',
    agent: { id: 'agent-1', name: 'Agent' },
    user: { email: 'a@example.com' },
  };
  return {
    kind: 'event',
    tenant,
    session: agentSessionKey(tenant, sessionId),
    event: newEventId(atMs),
    atMs,
    eventType: 'session_start',
    dedupe: 'dedupe',
    correlationId: 'correlation',
    subject: 'ci',
    body: Buffer.from(body(JSON.stringify(event))),
  };
}

function decisionRecord(wanted: Wanted, rest: Partial<DecisionRecord> = {}): DecisionRecord {
  const decision = { kind: 'decided', action: 'block', reason: 'no \0' } as const;
  return { ...eventRecord(wanted), kind: 'decision', decision, onFailure: 'allow', effects: [], tookUs: 5, ...rest };
}

/** Stores `records` as a projector would. */
async function store(database: Database, records: JournalRecord[]): Promise<ProjectionStore> {
  const projection = new ProjectionStore(database, `journal-${Math.random()}`);
  const { seq: from } = await projection.position();
  const positioned = records.map((record, index) => ({ seq: from + index + 1, record }));
  await projection.write(prepareBatch(positioned, from, positioned.at(-1) as StoredRecord));
  return projection;
}

t.test('migrations: many at once, and again, make the schema once', async (t) => {
  const { url, sql } = await open(t);
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  await sql`drop schema drizzle cascade`;
  await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
  await migrate(url);
  const [{ count } = { count: 0 }] = await sql<
    { count: number }[]
  >`select count(*)::int from drizzle.__drizzle_migrations`;
  t.ok(count >= 1);
  t.same(await sql`select hash from drizzle.__drizzle_migrations group by hash having count(*) > 1`, []);
});

t.test(
  'a database that cannot be migrated is told in one line: of a newer version, without rights, only to be read, or of an old server',
  async (t) => {
    const { url, sql } = await open(t);
    await sql`create role poor login password 'poor' nosuperuser`;
    const poor = new URL(await cluster.createDatabase());
    [poor.username, poor.password] = ['poor', 'poor'];
    await t.rejects(migrate(poor.href), { message: /cannot be migrated: permission denied.*must be allowed/ });
    t.ok((await migrate(poor.href).catch((error: unknown) => error)) instanceof MendableError);
    const name = new URL(url).pathname.slice(1);
    await sql`drop schema drizzle cascade`;
    await sql.unsafe(`alter database "${name}" set default_transaction_read_only = on`);
    await t.rejects(migrate(url), { message: /cannot be migrated: cannot execute .* read-only transaction/ });
    await sql.unsafe(`alter database "${name}" reset default_transaction_read_only`);
    const newer = await cluster.createDatabase();
    await migrate(newer);
    await openClient(
      t,
      newer,
    )`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.now() + 9e11})`;
    await t.rejects(migrate(newer), NewerDatabaseError);
    t.throws(() => refuseOldServer(150_004), {
      message: /PostgreSQL 15\.4; it must be 16 or later$/,
    });
    t.doesNotThrow(() => refuseOldServer(160_000));
  },
);

const releaseOf = ({ tenant, session, event, atMs }: JournalRecord): JournalRecord => {
  return { kind: 'release', tenant, session, event, atMs, subject: 'ann', reason: 'r', hold: true, taints: [] };
};

t.test('the tables are what the schema says', async (t) => {
  const { sql } = await open(t);
  const modules = [
    agentTables,
    eventTables,
    findingTables,
    projectionTables,
    tenantTables,
    releaseTables,
    revocationTables,
    rollupTables,
  ];
  const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, PgTable));
  t.equal(tables.length, 16);
  for (const table of tables) {
    const { name, columns } = getTableConfig(table);
    const actual = await sql`
      select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as "notNull"
      from pg_attribute where attrelid = ${name}::regclass and attnum > 0 and not attisdropped order by attname`;
    const expected = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().replace('bigserial', 'bigint'),
      notNull: column.notNull,
    }));
    t.same(
      [...actual],
      expected.sort((a, b) => (a.name < b.name ? -1 : 1)),
      name,
    );
    const [kind] = await sql`select relkind from pg_class where oid = ${name}::regclass`;
    t.equal(kind?.['relkind'], name in { events: 1, decisions: 1, inspections: 1, findings: 1 } ? 'p' : 'r');
    // Of these two the agent's row, which is written with them, refers to the tenant.
    const refersByItself = !(name in { events: 1, decisions: 1 });
    if (refersByItself && columns.some((column) => column.name === 'tenant_id')) {
      const keys =
        await sql`select 1 from pg_constraint where conrelid = ${name}::regclass and confrelid = 'tenants'::regclass`;
      t.equal(keys.length, 1, `${name} refers to its tenant`);
    }
  }
});

t.test('tenants: made once, listed, changed', async (t) => {
  const { database } = await open(t);
  const wanted = { slug: ACME, name: 'Acme', onFailure: 'block' } as const;
  const made = await Promise.all(Array.from({ length: 10 }, () => ensureTenant(database, wanted)));
  t.equal(new Set(made.map(({ id }) => id)).size, 1);
  t.match(made[0], wanted);
  t.match(
    await ensureTenant(database, { ...wanted, name: 'Other', onFailure: 'allow' }),
    wanted,
    'an existing one keeps its settings',
  );
  await ensureTenant(database, { slug: GLOBEX, name: 'Globex', onFailure: 'allow' });
  t.same(
    (await listTenants(database)).map(({ slug }) => slug),
    ['acme', 'globex'],
  );
  t.equal(await updateTenant(database, GLOBEX, { onFailure: 'degrade' }), 'changed');
  t.equal(await updateTenant(database, 'none' as TenantSlug, { name: 'x' }), 'no_tenant');
  t.match((await listTenants(database))[1], { name: 'Globex', onFailure: 'degrade' });
  await t.rejects(
    ensureTenant(database, { ...wanted, slug: 'Not A Slug' as TenantSlug }),
    'the database checks the form too',
  );
});

t.test('revocations: whoever follows by number sees every one', async (t) => {
  const { url, database } = await open(t);
  const revocations = new TokenRevocations(database);
  await revocations.revoke({ tokenId: 'one', expiresAt: 2_000_000_000 });
  await revocations.revoke({ tokenId: 'one', expiresAt: 2_100_000_000 });
  const [first] = await revocations.listAfter(0, 10);
  t.match(first, { tokenId: 'one', expiresAtSeconds: 2_000_000_000 });
  t.same(await revocations.listAfter(first?.seq ?? 0, 10), []);
  for (const tokenId of ['', 'x'.repeat(257), 'a\0b', '\ud800'])
    await t.rejects(revocations.revoke({ tokenId, expiresAt: 1 }), RangeError);

  const seen: string[] = [];
  let seq = first?.seq ?? 0;
  const follow = async () => {
    for (let page = await revocations.listAfter(seq, 3); page.length > 0; page = await revocations.listAfter(seq, 3)) {
      for (const revocation of page) seen.push(revocation.tokenId);
      seq = page.at(-1)?.seq ?? seq;
    }
  };
  const others = Array.from({ length: 4 }, () => openDatabase(url, 2));
  t.teardown(() => Promise.all(others.map((other) => other.close())));
  const ids = Array.from({ length: 80 }, (_, n) => `token-${n}`);
  const state = { done: false };
  const revoking = Promise.all(
    ids.map((tokenId, n) =>
      new TokenRevocations(others[n % 4] as Database).revoke({ tokenId, expiresAt: 2_000_000_000 }),
    ),
  ).then(() => {
    state.done = true;
  });
  while (!state.done) await follow();
  await revoking;
  await follow();
  t.same(seen.toSorted(), ids.toSorted());
});

t.test('storable text: any string is stored, and comes back; no two become one', async (t) => {
  const { sql } = await open(t);
  const unit = fc.oneof(
    fc.constantFrom(0, 0xfffd, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x30, 0x66),
    fc.integer({ min: 0, max: 0xffff }),
  );
  const text = fc.array(unit, { maxLength: 40 }).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(text, (value) => originalText(storableText(value)) === value),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(text, text, (a, b) => (a === b) === (storableText(a) === storableText(b))),
    { numRuns: 5000 },
  );
  for (const value of ['', 'plain', '\u{1f600}é']) t.equal(storableText(value), value);
  const values = fc.sample(text, 500);
  const [row] =
    await sql`select json_agg(value) as values from json_array_elements_text(${JSON.stringify(values.map(storableText))}::text::json) as value`;
  t.same(row?.['values'].map(originalText), values);
});

t.test('a connection that is lost in a transaction fails its work, and nothing else', async (t) => {
  const { url, sql, database } = await open(t);
  await sql`create table marks (n int)`;
  const pidOf = async (connection: postgres.Sql) =>
    (await connection<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid as number;
  const kill = (pid: number) => sql`select pg_terminate_backend(${pid}, 5000)`;
  await t.test('while a statement runs', async (t) => {
    const work = database.withSql((sql) =>
      sql.begin(async (sql) => {
        await sql`insert into marks values (1)`;
        const pid = await pidOf(sql as unknown as postgres.Sql);
        await Promise.all([sql`select pg_sleep(20)`, kill(pid)]);
      }),
    );
    await t.rejects(work);
  });
  await t.test('between two statements', async (t) => {
    const work = database.withSql((sql) =>
      sql.begin(async (sql) => {
        await sql`insert into marks values (2)`;
        await kill(await pidOf(sql as unknown as postgres.Sql));
        await new Promise((resolve) => setTimeout(resolve, 50));
        await sql`insert into marks values (3)`;
      }),
    );
    await t.rejects(work);
  });
  await t.test('while it is lent to nobody', async (t) => {
    await kill(await database.withSql((sql) => pidOf(sql)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.same(await database.withSql((sql) => sql`select 1 as one`), [{ one: 1 }]);
  });
  await t.test('a statement that fails leaves the connection usable', async (t) => {
    const before = await database.withSql((sql) => pidOf(sql));
    await t.rejects(database.withSql((sql) => sql.begin((sql) => sql`insert into marks values ('x')`)));
    t.equal(await database.withSql((sql) => pidOf(sql)), before);
  });
  t.same(await sql`select * from marks`, [], 'no half of a transaction is stored');
  await database.ping();
  await t.rejects(openDatabase('postgres://nobody@127.0.0.1:1/none').ping());
  const lost = connectOnce(url);
  await lost.close(0);
  await t.rejects(lost.sql`select 1`, 'a closed connection is not made anew');
});

t.test('P9: a server that says nothing more keeps nobody waiting for ever', async (t) => {
  const url = await cluster.createDatabase();
  const pool = new ConnectionPool({ url, connectionsMax: 1, connection: { silenceMsMax: 2_000 } });
  t.teardown(() => pool.close(0));
  const startedAtMs = performance.now();
  await t.rejects(
    pool.use((sql) => sql`select pg_sleep(20)`),
    'as from one that is frozen, or out of reach',
  );
  t.ok(performance.now() - startedAtMs < 10_000);
  t.same(await pool.use((sql) => sql`select 1 as one`), [{ one: 1 }], 'the next connection is a new one');
});

t.test('P9: the pool keeps its bound, lends in turn, and refuses when it is closed', async (t) => {
  const url = await cluster.createDatabase();
  const pool = new ConnectionPool({ url, connectionsMax: 2 });
  let running = 0;
  let most = 0;
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      pool.use(async (sql) => {
        order.push(n);
        most = Math.max(most, ++running);
        await sql`select pg_sleep(0.002)`;
        running--;
      }),
    ),
  );
  t.equal(most, 2);
  t.same(
    order,
    order.toSorted((a, b) => a - b),
    'whoever waits longest is next',
  );
  const slow = pool.use((sql) => sql`select pg_sleep(0.1)`);
  await pool.close(5);
  await slow;
  await t.rejects(
    pool.use((sql) => sql`select 1`),
    { name: 'PoolRefused' },
  );
});

t.test('P9: an owner has its share of the pool, and those that wait are served in turn', async (t) => {
  const url = await cluster.createDatabase();
  const pool = new ConnectionPool({ url, connectionsMax: 4, ownerShare: 0.5 });
  t.teardown(() => pool.close(5));
  const running: Record<string, number> = { a: 0, b: 0, c: 0 };
  const order: string[] = [];
  const borrow = (owner: string) =>
    pool.use(
      async (sql) => {
        running[owner] = (running[owner] ?? 0) + 1;
        t.ok(running[owner] <= 2, 'half of the connections');
        order.push(owner);
        await sql`select pg_sleep(0.02)`;
        running[owner]--;
      },
      { owner },
    );
  await Promise.all([...'aaaaaaaaaa', ...'bbb', ...'ccc'].map(borrow));
  t.match(order.join(''), /aaa$/, 'nobody is kept waiting by all that one of them wants');
  const many = await Promise.allSettled(Array.from({ length: 600 }, () => borrow('a')).concat(borrow('b')));
  t.equal(many.filter(({ status }) => status === 'rejected').length, 98, 'nor does it take all places to wait');
  t.equal(many.at(-1)?.status, 'fulfilled');
  const hold = Array.from({ length: 2 }, () => borrow('c'));
  await t.rejects(
    pool.use((sql) => sql`select 1`, { owner: 'c', waitMs: 1 }),
    { name: 'PoolRefused' },
    'who waits says for how long',
  );
  await Promise.all(hold);
});

t.test('partitions: a day has its own, a strange day has the default one', async (t) => {
  const { sql, database } = await open(t);
  const now = Date.now();
  const records = [0, 1, 40].map((days) => eventRecord({ atMs: now - days * DAY_MS }));
  const strange = [eventRecord({ atMs: now + 400 * DAY_MS }), eventRecord({ atMs: 1000 })];
  await store(database, [...records, ...strange]);
  const rows = await sql`select tableoid::regclass::text as partition, id from events`;
  const where = new Map(rows.map((row) => [row['id'], row['partition']]));
  const nameOf = (atMs: number) => `events_p${new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  for (const record of records) t.equal(where.get(record.event), nameOf(record.atMs));
  for (const record of strange) t.equal(where.get(record.event), 'events_default');
  const day = dayAt(now) - 100;
  const made = await Promise.all(
    Array.from({ length: 5 }, () => database.withSql((sql) => ensurePartitions(sql, day))),
  );
  t.same(new Set(made), new Set([true]), 'made by many at once');
  t.equal(
    await database.withSql((sql) => ensurePartitions(sql, dayAt(1000))),
    false,
    'not over rows of the default one',
  );
});

t.test(
  'retention drops whole days, old rows of the default partition, forgotten sessions and revocations',
  async (t) => {
    const { sql, database } = await open(t);
    const now = Date.now();
    const day = (days: number) => now - days * DAY_MS;
    const kept = [decisionRecord({ sessionId: 'new', atMs: now }), decisionRecord({ sessionId: 'edge', atMs: day(7) })];
    const old = [decisionRecord({ sessionId: 'old', atMs: day(9) }), eventRecord({ sessionId: 'older', atMs: 1000 })];
    const projection = await store(database, [
      ...kept,
      ...old,
      eventRecord({ sessionId: 'long', atMs: day(20) }),
      eventRecord({ sessionId: 'long', atMs: now }),
      ...[day(20), now].map((atMs) => releaseOf(eventRecord({ sessionId: 'long', atMs }))),
    ]);
    const revocations = new TokenRevocations(database);
    await revocations.revoke({ tokenId: 'over', expiresAt: day(2) / 1000 });
    await revocations.revoke({ tokenId: 'valid', expiresAt: day(-2) / 1000 });
    await projection.prepareDays(now);
    const removeExpired = async () => {
      const counts = new Map<string, number>();
      for (const removal of REMOVALS) counts.set(removal.what, (await projection.removeExpired(removal, now, 7)).count);
      return counts;
    };
    const removed = await removeExpired();
    t.match(Object.fromEntries(removed), {
      partitions: 8, // Two days of four tables.
      events_default: 1,
      agent_sessions: 2,
      releases: 1,
      token_revocations: 1,
    });
    t.ok((removed.get('activity_minutes') ?? 0) > 0);
    t.same(
      (await sql`select minute from activity_minutes order by 1`).map((row) => dayAt(row['minute'].getTime())),
      [dayAt(day(7)), dayAt(now)],
      'counts are kept as long as what they count',
    );
    t.same(
      (await sql`select id from decisions order by id desc`).map((row) => row['id']),
      kept.map(({ event }) => event),
    );
    t.equal((await sql`select 1 from events`).length, 3);
    t.same(
      (await sql`select session_id from agent_sessions order by 1`).map((row) => row['session_id']),
      ['edge', 'long', 'new'],
    );
    t.same(
      (await revocations.listAfter(0, 9)).map(({ tokenId }) => tokenId),
      ['valid'],
    );
    const tomorrow = `decisions_p${new Date(day(-1)).toISOString().slice(0, 10).replaceAll('-', '')}`;
    t.equal((await sql`select to_regclass(${tomorrow}) as name`)[0]?.['name'], tomorrow, 'tomorrow is prepared');
    t.same(new Set((await removeExpired()).values()), new Set([0]), 'nothing is left');
  },
);

t.test('a tenant that keeps its events for less long loses its own rows alone', async (t) => {
  const { sql, database } = await open(t);
  const now = Date.now();
  const day = (days: number) => now - days * DAY_MS;
  const kept = decisionRecord({ sessionId: 'kept', atMs: day(2) });
  await store(database, [
    kept,
    decisionRecord({ sessionId: 'old', atMs: day(4) }),
    decisionRecord({ sessionId: 'old', atMs: day(5) }),
    releaseOf(eventRecord({ sessionId: 'old', atMs: day(4) })),
  ]);
  const remove = () => database.withSql((client) => deleteExpiredOfTenants(client, now, 7));
  t.equal(await remove(), 0, 'nobody asked for it');
  await sql`update tenants set retention_days = 7`;
  t.equal(await remove(), 0, 'no shorter than for everybody');
  const other = await ensureTenant(database, { slug: 'other' as TenantSlug, name: 'Other', onFailure: 'allow' });
  await sql`update tenants set retention_days = 1 where id = ${other.id}`;
  t.equal(await remove(), 0, 'another tenant is another tenant');
  await sql`update tenants set retention_days = 3 where id <> ${other.id}`;
  t.equal(
    await remove(),
    2 + 2 + 1 + 1 + 4,
    'events, decisions, the release, the session, and what was counted in minutes and hours',
  );
  t.same(
    (await sql`select id from events`).map((row) => row['id']),
    [kept.event],
  );
  t.same(
    (await sql`select session_id from agent_sessions`).map((row) => row['session_id']),
    ['kept'],
  );
});

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

t.test('export: filters, cursor, pages by rows and by bytes', async (t) => {
  const { database } = await open(t);
  const start = Date.now() - 100_000;
  const many = Array.from({ length: 600 }, (_, n) => eventRecord({ atMs: start + n, sessionId: `s${n % 3}` }));
  const large = Array.from({ length: 12 }, (_, n) =>
    eventRecord({ atMs: start + 1000 + n, body: (text) => ' '.repeat(1024 * 1024) + text }),
  );
  const others = [
    eventRecord({ tenant: GLOBEX, sessionId: 's1', atMs: start + 2000 }),
    decisionRecord({ tenant: GLOBEX, sessionId: 's1', atMs: start + 2001 }),
  ];
  await store(database, [...many, ...large, ...others]);
  const tenants = await listTenants(database);
  const ids = async (filter: Partial<ExportFilter>) =>
    (await collect(exportEvents(database, { tenants, ...filter }))).map(({ id }) => id);
  const expected = [...many, ...large, ...others].map(({ event }) => event);
  t.same(await ids({}), expected);
  t.same(
    await ids({ tenants: tenants.filter(({ slug }) => slug === GLOBEX) }),
    others.map(({ event }) => event),
  );
  t.same(await ids({ tenants: [] }), []);
  t.same(
    await ids({ sessionId: 's1' }),
    [...many.filter((_, n) => n % 3 === 1), ...others].map(({ event }) => event),
    'of every tenant',
  );
  t.same(await ids({ sinceMs: start + 590 }), expected.slice(590));
  t.same(await ids({ after: expected[598] as EventId }), expected.slice(599));
  const [decision, ...rest] = await collect(exportDecisions(database, { tenants }));
  t.same(rest, []);
  t.match(decision, {
    tenant: 'globex',
    sessionId: 's1',
    reason: 'no \0',
    action: 'block',
    decidedAtMs: start + 2001,
    late: null,
  });
});

const runExport = (env: Parameters<typeof gatehouse>[0], ...words: string[]) => gatehouse(env, ['export', ...words]);

t.test('gatehouse export prints JSON lines', async (t) => {
  const { url, database } = await open(t);
  const exact = (text: string) =>
    text.replace('{', '{\r\n  "big": 12345678901234567890, "double": 1, "double": 2, "nul": "\\u0000\\ud800",');
  const records = [
    eventRecord({ sessionId: 'odd \0', body: exact, atMs: Date.now() - 10 }),
    decisionRecord({}, { explanation: '{"policies":[]}', notWaitedFor: [newEventId(1000)] }),
    ...Array.from({ length: 3000 }, () => eventRecord({ tenant: GLOBEX, atMs: Date.now() - 8 * DAY_MS })),
  ];
  await store(database, records);
  const env = { GATEHOUSE_DATABASE_URL: url };
  const all = await runExport(env, 'events');
  t.equal(all.code, 0);
  t.equal(all.stdout.trimEnd().split('\n').length, records.length);
  const since = await runExport(
    env,
    'events',
    '--since',
    '7d',
    '--tenant',
    'acme',
    '--session',
    'odd \0'.replace('\0', ''),
  );
  t.equal(since.stdout, '', 'no such session');
  const recent = (await runExport(env, 'events', '--since', '7d')).stdout.trimEnd().split('\n');
  t.equal(recent.length, 2);
  t.match(recent[0], /"event":\{ +"big": 12345678901234567890, "double": 1, "double": 2, "nul": "\\u0000\\ud800",/);
  t.equal(JSON.parse(recent[0] as string).event.session_id, 'odd \0');
  const decisions = await runExport(env, 'decisions', '--since', new Date(Date.now() - 60_000).toISOString());
  t.match(JSON.parse(decisions.stdout), {
    tenant: 'acme',
    action: 'block',
    reason: 'no \0',
    explanation: { policies: [] },
    notWaitedFor: [String],
  });
  for (const args of [
    [],
    ['tokens'],
    ['events', 'x'],
    ['events', '--since', 'yesterday'],
    ['events', '--tenant', 'No!'],
    ['events', '--bogus'],
    ['events', '--tenant', 'none'],
  ]) {
    const wrong = await runExport(env, ...args);
    t.equal(wrong.code, 2);
    t.match(wrong.stderr, /^gatehouse: [^\n]+\n$/, args.join(' '));
  }
});

t.test('gatehouse export waits for its reader, and ends quietly when the reader goes', async (t) => {
  const { url, database } = await open(t);
  await store(
    database,
    Array.from({ length: 400 }, () => eventRecord({ body: (text) => ' '.repeat(100_000) + text })),
  );
  const running = startCommand({ GATEHOUSE_DATABASE_URL: url }, ['export', 'events']);
  running.stderr.resume();
  await once(running.stdout, 'readable');
  running.stdout.destroy();
  t.same(await once(running, 'exit'), [0, null]);
});

t.test('gatehouse export uses the embedded PostgreSQL, running or not', async (t) => {
  const admin = openClient(t, cluster.url);
  await migrate(cluster.url);
  await admin`insert into tenants (slug, name) values ('acme', 'Acme') on conflict do nothing`;
  const env = { GATEHOUSE_DATA_DIR: cluster.dataDir };
  t.match(await runExport(env, 'events', '--tenant', 'acme'), { code: 0, stdout: '', stderr: '' });
  t.equal((await admin`select 1`).length, 1, 'the running one goes on');
  await cluster.stop();
  t.match(await runExport(env, 'events', '--tenant', 'acme'), { code: 0, stdout: '', stderr: '' });
  await t.rejects(openDatabase(cluster.url).ping(), 'what it started it stopped');
  await cluster.start();
});
