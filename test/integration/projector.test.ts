import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import t, { type Test } from 'tap';
import type { Decision } from '../../src/domain/decision.ts';
import type { EventType } from '../../src/domain/event-types.ts';
import { agentSessionKey, type EventId, type TenantSlug } from '../../src/domain/ids.ts';
import type { DecisionRecord, EventRecord, JournalRecord } from '../../src/domain/record.ts';
import type { ProjectedJournal } from '../../src/journal/journal.ts';
import { LmdbJournal } from '../../src/journal/lmdb-journal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Projector, type ProjectorBounds } from '../../src/projector/projector.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProjectionStore } from '../../src/store/projection.ts';
import { originalText } from '../../src/store/storable-text.ts';
import { newEventId } from '../support/event-ids.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { openClient, startTestPostgres, temporaryDirectory } from '../support/postgres.ts';
import { silentLog } from '../support/silent-log.ts';

const cluster = await startTestPostgres(t);
const ACME = 'acme' as TenantSlug;
const GLOBEX = 'globex' as TenantSlug;
const QUICK: Partial<ProjectorBounds> = { pollMs: 5, retryMs: 20, retryMsMax: 200 };
const MIB = 1024 * 1024;

interface EventOptions {
  tenant?: TenantSlug;
  sessionId?: string;
  eventType?: EventType;
  agentId?: string;
  agentName?: string;
  email?: string;
  timestamp?: string;
  toolName?: string;
  content?: string;
  atMs?: number;
  /** Instead of the JSON of the event. */
  body?: Buffer;
}

function eventRecord(options: EventOptions = {}): EventRecord {
  const { tenant = ACME, sessionId = 'session-1', eventType = 'tool_result', atMs = Date.now() } = options;
  const event = {
    event_type: eventType,
    session_id: sessionId,
    timestamp: options.timestamp ?? '2025-06-01T12:00:00.123Z',
    agent: { id: options.agentId ?? 'agent-1', name: options.agentName ?? 'Agent One' },
    user: { email: options.email ?? 'a@example.com' },
    ...(eventType.startsWith('tool') ? { tool: { name: options.toolName ?? 'Bash', input: {}, output: {} } } : {}),
    ...(eventType.endsWith('message') ? { message: { content: options.content ?? 'hello' } } : {}),
  };
  return {
    kind: 'event',
    tenant,
    session: agentSessionKey(tenant, sessionId),
    event: newEventId(atMs),
    atMs,
    eventType,
    dedupe: 'dedupe',
    correlationId: 'correlation',
    subject: 'ci',
    body: options.body ?? Buffer.from(JSON.stringify(event)),
  };
}

function decisionRecord(decision: Decision, options: EventOptions = {}): DecisionRecord {
  const receipt = eventRecord({ eventType: 'tool_invocation', ...options });
  return {
    ...receipt,
    kind: 'decision',
    decision,
    onFailure: 'allow',
    effects: [],
    explanation: '{"policies":[]}',
    tookUs: 812,
  };
}

const ALLOW: Decision = { kind: 'decided', action: 'allow' };
const BLOCK: Decision = { kind: 'decided', action: 'block', reason: 'no' };
const UNDECIDED: Decision = { kind: 'undecided', cause: 'deadline', answered: 'fail_open' };

function newJournal(records: JournalRecord[] = [], id?: string): MemoryJournal {
  const journal = new MemoryJournal({ bytesMax: 256 * MIB, ...(id === undefined ? {} : { id }) });
  for (const record of records) journal.append(record, 'disk');
  return journal;
}

function newProjector(
  journal: ProjectedJournal,
  url: string | (() => string),
  bounds: Partial<ProjectorBounds> = {},
  givesWay = false,
): Projector {
  return new Projector({
    journal,
    openStore: () => new ProjectionStore(openDatabase(typeof url === 'string' ? url : url(), 1), journal.id),
    clock: systemClock,
    log: silentLog,
    retentionDays: 90,
    givesWay: () => givesWay,
    bounds: { ...QUICK, ...bounds },
  });
}

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const untilMs = Date.now() + 120_000; !(await condition()); ) {
    if (Date.now() > untilMs) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Carries everything of `journal` into `url` and stops. */
async function projectAll(journal: MemoryJournal, url: string, bounds?: Partial<ProjectorBounds>): Promise<Projector> {
  const projector = newProjector(journal, url, bounds);
  projector.start();
  await until('everything is projected', () => journal.projectedUpTo === journal.head);
  await projector.stop(5_000);
  return projector;
}

async function openUrl(t: Test): Promise<{ url: string; sql: postgres.Sql }> {
  const url = await cluster.createDatabase();
  return { url, sql: openClient(t, url) };
}

t.test('records become rows: events, decisions, inspections, and what came after the answer', async (t) => {
  const { url, sql } = await openUrl(t);
  const observed = eventRecord({ sessionId: 's' });
  const allowed = decisionRecord(ALLOW, { sessionId: 's' });
  const blocked = {
    ...decisionRecord(BLOCK, { sessionId: 's' }),
    notWaitedFor: [observed.event],
    traceparent: '00-1-2-03',
  };
  const undecided = decisionRecord(UNDECIDED, { sessionId: 's' });
  const released = eventRecord({ sessionId: 's' });
  const { explanation: _, ...withoutExplanation } = undecided;
  const about = ({ tenant, session, event }: JournalRecord) => ({ tenant, session, event, atMs: Date.now() });
  const hold = { kind: 'hold', reason: 'late' } as const;
  await projectAll(
    newJournal([
      observed,
      allowed,
      blocked,
      withoutExplanation,
      { kind: 'inspection', ...about(observed), explanation: '{"findings":[]}', effects: [hold] },
      {
        kind: 'late_decision',
        ...about(undecided),
        action: 'block',
        reason: 'too late',
        explanation: '{}',
        effects: [],
      },
      { kind: 'unanswered', ...about(allowed), cause: 'deadline', answered: 'fail_open' },
      { kind: 'joined', ...about(observed), child: observed.session },
      { kind: 'release', ...about(released), subject: 'ann', reason: 'a\0b', hold: true, taints: ['x', 'y'] },
    ]),
    url,
  );
  const events = await sql`select e.*, t.slug from events e join tenants t on t.id = e.tenant_id order by e.id`;
  t.equal(events.length, 4);
  const first = events.find(({ id }) => id === observed.event);
  t.match(first, {
    slug: 'acme',
    event_type: 'tool_result',
    tool_name: 'Bash',
    subject: 'ci',
    user_email: 'a@example.com',
  });
  t.equal(first?.['body'], Buffer.from(observed.body).toString(), 'the body is kept byte for byte');
  t.equal(first?.['event_at'].toISOString(), '2025-06-01T12:00:00.123Z');
  const [release, ...others] = await sql`select * from releases`;
  t.match(release, {
    id: released.event,
    session_key: observed.session,
    subject: 'ann',
    hold: true,
    taints: ['x', 'y'],
  });
  t.same(others, []);
  const decisions = new Map((await sql`select * from decisions`).map((row) => [row['id'], row]));
  t.match(decisions.get(allowed.event), {
    kind: 'decided',
    action: 'allow',
    reason: null,
    took_us: '812',
    unanswered_cause: 'deadline',
    answered_instead: 'fail_open',
  });
  t.match(decisions.get(blocked.event), {
    action: 'block',
    reason: 'no',
    not_waited_for: [observed.event],
    late_at: null,
  });
  t.match(decisions.get(undecided.event), {
    kind: 'undecided',
    action: null,
    cause: 'deadline',
    answered: 'fail_open',
    explanation: null,
    late_action: 'block',
    late_reason: 'too late',
  });
  const [inspection] = await sql`select * from inspections`;
  t.match(inspection, {
    id: observed.event,
    explanation: '{"findings":[]}',
    effects: JSON.stringify([hold]),
    cause: null,
  });
  const [session] = await sql`select * from agent_sessions`;
  t.match(session, { session_id: 's', state: 'open', events_count: '4', blocked_count: '1', undecided_count: '2' });
});

t.test(
  'what tried policies would have answered stands in columns, so that differences are found by an index',
  async (t) => {
    const { url, sql } = await openUrl(t);
    const match = { id: 'p', severity: 'high', effect: 'block', reason: '"shadow":', tags: [] };
    const told = (fields: object) => JSON.stringify({ policies: [match], findings: [], cuts: [], ...fields });
    const set = 'a'.repeat(64);
    const record = (decision: Decision, fields: object) => ({
      ...decisionRecord(decision, { sessionId: 's' }),
      explanation: told(fields),
    });
    const differs = record(ALLOW, { shadow: { policySet: set, action: 'block', reason: 'r' } });
    const agrees = record(BLOCK, { shadow: { policySet: set, action: 'block' } });
    const unknown = record(ALLOW, { shadow: { policySet: set } });
    const simulated = record(ALLOW, { simulated: [match] });
    const blockedAnyhow = record(BLOCK, { simulated: [match] });
    const simulatedAlert = record(ALLOW, { simulated: [{ ...match, effect: 'alert' }] });
    const plain = record(ALLOW, {});
    const seen = { ...eventRecord({ sessionId: 's' }), policySet: set };
    const all = [differs, agrees, unknown, simulated, blockedAnyhow, simulatedAlert, plain];
    await projectAll(newJournal([...all, seen]), url);
    const rows = new Map(
      (await sql`select id, shadow_set, shadow_action, simulated_action from decisions`).map(({ id, ...rest }) => [
        id,
        rest,
      ]),
    );
    t.same(
      all.map(({ event }) => Object.values(rows.get(event) ?? {})),
      [
        [set, 'block', null],
        [set, 'block', null],
        [set, null, null],
        [null, null, 'block'],
        [null, null, null],
        [null, null, null],
        [null, null, null],
      ],
    );
    const found = await sql`select id from decisions where shadow_set = ${set} and shadow_action <> action`;
    t.same(
      found.map(({ id }) => id),
      [differs.event],
    );
    const [event] = await sql`select policy_set from events where id = ${seen.event}`;
    t.equal(event?.['policy_set'], set);
  },
);

t.test('sessions and agents are folded over batches: open, end, reopen, counters, newest name', async (t) => {
  const { url, sql } = await openUrl(t);
  const types: EventType[] = [
    'session_start',
    'session_end',
    'tool_result',
    'session_end',
    'session_end',
    'agent_message',
  ];
  const startMs = Date.now() - 60_000;
  const records = types.map((eventType, index) =>
    eventRecord({ eventType, atMs: startMs + index, agentName: `n${index}` }),
  );
  for (const batchRecordsMax of [1, 2, 3, 100]) {
    const tenant = `batch-${batchRecordsMax}` as TenantSlug;
    await projectAll(
      newJournal(records.map((record) => ({ ...record, tenant, event: newEventId(record.atMs) }))),
      url,
      { batchRecordsMax },
    );
  }
  await projectAll(newJournal(records.slice(0, 4).map((record) => ({ ...record, tenant: GLOBEX }))), url, {
    batchRecordsMax: 3,
  });
  const sessions = await sql`
    select slug, state, ended_at, started_at, last_at, reopened_count, events_count from agent_sessions
    join tenants on id = tenant_id order by slug`;
  t.equal(sessions.length, 5);
  for (const session of sessions.slice(0, 4)) {
    t.match(session, { state: 'open', ended_at: null, reopened_count: 3, events_count: '6' }, session['slug']);
    t.equal(session['started_at'].getTime(), startMs);
    t.equal(session['last_at'].getTime(), startMs + 5);
  }
  t.match(sessions[4], { slug: 'globex', state: 'ended', reopened_count: 1, events_count: '4' });
  t.equal(sessions[4]?.['ended_at'].getTime(), startMs + 3);
  const agents =
    await sql`select slug, agent_id, a.name, events_count from agents a join tenants t on t.id = tenant_id order by slug`;
  t.match(agents[0], { agent_id: 'agent-1', name: 'n5', events_count: '6' });
  t.match(agents[4], { slug: 'globex', name: 'n3', events_count: '4' }, 'equal agent ids of two tenants stay apart');
});

t.test('naughty strings are stored and come back as they were', async (t) => {
  const { url, sql } = await openUrl(t);
  const texts = [
    'a\0b',
    '\ud800',
    '\udc00\ud800',
    '\ufffd',
    '\ufffd0000',
    '\u{1f600}',
    'x'.repeat(1024),
    '\0'.repeat(1024),
    "'; drop table events; --",
    '\\u0000',
    '"\n\u2028',
  ];
  const times = [
    '0000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59.999-23:59',
    '2016-12-31T23:59:60Z',
    '1969-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00.001Z',
  ];
  const expected = new Map<EventId, EventRecord>();
  for (const [index, text] of texts.entries()) {
    const record = decisionRecord(
      { kind: 'decided', action: 'block', reason: text },
      { sessionId: text, agentId: text, agentName: text, toolName: text, email: text },
    );
    expected.set(record.event, { ...record, correlationId: text, subject: text, dedupe: text, kind: 'event' });
    Object.assign(record, { correlationId: text, subject: text, dedupe: text });
    expected.set(record.event, record as unknown as EventRecord);
    if (index === 0) continue;
  }
  for (const timestamp of times) {
    const record = eventRecord({ timestamp });
    expected.set(record.event, record);
  }
  const big = eventRecord({ eventType: 'agent_message', content: '\0"\ud800é'.repeat(MIB / 8) });
  expected.set(big.event, big);
  const spaced = eventRecord({
    body: Buffer.from(
      `\n${Buffer.from(eventRecord().body).toString().replace('{', '{ "n": 1e400, "n": 12345678901234567890,\r\n')}\t`,
    ),
  });
  expected.set(spaced.event, spaced);
  const projector = await projectAll(newJournal([...expected.values()]), url);
  t.equal(projector.counts.quarantined, 0);
  const rows = await sql`
    select e.id, e.body, e.subject, e.correlation_id, e.dedupe, e.tool_name, e.user_email, d.reason, s.session_id, a.agent_id, a.name,
      (extract(epoch from e.event_at) * 1000)::text as event_ms
    from events e left join decisions d using (id)
    join agent_sessions s on s.session_key = e.session_key join agents a on a.agent_key = e.agent_key`;
  t.equal(rows.length, expected.size);
  for (const row of rows) {
    const record = expected.get(row['id']) as EventRecord;
    const body = Buffer.from(record.body).toString();
    t.ok(row['body'] === body, 'the body is the same');
    const event = JSON.parse(body);
    t.equal(Number(row['event_ms']), instant(event.timestamp));
    t.equal(originalText(row['session_id']), event.session_id);
    t.equal(originalText(row['agent_id']), event.agent.id);
    t.equal(originalText(row['user_email']), event.user.email);
    t.equal(originalText(row['subject']), record.subject);
    t.equal(originalText(row['dedupe']), record.dedupe);
    if ('decision' in record) t.equal(originalText(row['reason']), (record.decision as { reason: string }).reason);
  }
  t.equal(new Set(rows.map((row) => row['session_id'])).size, texts.length + 1, 'no two texts became one');
});

/** What a timestamp means, by another way than the code's: a leap second is the first instant of the next. */
function instant(timestamp: string): number {
  return timestamp.includes(':60') ? Date.UTC(2017, 0, 1) : Date.parse(timestamp);
}

t.test('fields that the contract does not name for a type of event are kept, whatever they are', async (t) => {
  const { url, sql } = await openUrl(t);
  const types: EventType[] = ['user_message', 'agent_message', 'session_start', 'session_end'];
  const records = types.flatMap((eventType) =>
    [null, 5, {}, [], 'x', { name: 5 }].map((tool) => {
      const receipt = eventRecord({ eventType });
      const body = Buffer.from(JSON.stringify({ ...JSON.parse(receipt.body.toString()), tool }));
      return eventType === 'user_message' ? decisionRecord(ALLOW, { eventType, body }) : { ...receipt, body };
    }),
  );
  await projectAll(newJournal(records), url);
  t.match(await sql`select count(*)::int as events, count(tool_name)::int as tools from events`, [
    { events: records.length, tools: 0 },
  ]);
  t.match(await sql`select count(*)::int as n from decisions`, [{ n: 6 }]);
  t.match(await sql`select count(*)::int as n from quarantine`, [{ n: 0 }]);
});

t.test('P8: PostgreSQL is stopped and comes back: nothing is lost, nothing is stored twice', async (t) => {
  const database = new URL(await cluster.createDatabase()).pathname;
  const journal = newJournal(Array.from({ length: 300 }, () => eventRecord()));
  const current = () => {
    const moved = new URL(cluster.url);
    moved.pathname = database;
    return moved.href;
  };
  await cluster.stop();
  const projector = newProjector(journal, current, { batchRecordsMax: 50 });
  t.equal(projector.state, 'starting');
  t.equal(projector.lagRecords, 300);
  projector.start();
  await until('it has noticed', () => projector.state === 'retrying' && projector.counts.failures > 2);
  for (let n = 0; n < 100; n++) journal.append(eventRecord(), 'disk');
  t.equal(projector.lagRecords, 400, 'the journal takes records meanwhile');
  for (let round = 1; round <= 3; round++) {
    await cluster.start();
    for (let n = 0; n < 200; n++) journal.append(eventRecord(), 'disk');
    await until('it goes on', () => projector.counts.batches >= round * 2);
    await cluster.stop();
    for (let n = 0; n < 200; n++) journal.append(decisionRecord(ALLOW), 'disk');
    await until('it has noticed again', () => projector.state === 'retrying');
  }
  await cluster.start();
  await until('it has caught up', () => projector.lagRecords === 0);
  t.equal(projector.state, 'running');
  await projector.stop(5_000);
  t.equal(projector.state, 'stopped');
  const sql = openClient(t, current());
  const [events] = await sql`select count(*)::int, count(distinct id)::int as ids from events`;
  t.same(events, { count: 1600, ids: 1600 });
  const [counters] = await sql`select sum(events_count)::int as sessions from agent_sessions`;
  t.equal(counters?.['sessions'], 1600);
});

/**
 * A way to the database that breaks: after `chunks` pieces in either direction it ends both sides, with the last piece
 * delivered or not. Each number is another point between the steps of a transaction, from the side of the process that
 * dies there.
 */
async function breakingProxy(
  t: Test,
  url: string,
  chunks: number,
  deliversLast: boolean,
): Promise<{ url: string; broke: () => boolean }> {
  const target = new URL(url);
  let passed = 0;
  const sockets = new Set<Socket>();
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (passed >= chunks) {
      client.destroy();
      return;
    }
    const upstream = connectTo(Number(new URL(url).port), '127.0.0.1');
    const ways = [
      [client, upstream],
      [upstream, client],
    ] as const;
    for (const [from, to] of ways) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
      from.on('data', (data) => {
        passed++;
        if (passed > chunks) return;
        if (passed < chunks || deliversLast) to.write(data);
        if (passed === chunks) setTimeout(breakAll, 5);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    breakAll();
    server.close();
  });
  target.port = String((server.address() as AddressInfo).port);
  return { url: target.href, broke: () => passed >= chunks };
}

t.test('P2 P8: a process that dies between any two steps of a transaction stores each record once', async (t) => {
  const { url, sql } = await openUrl(t);
  let expected = 0;
  let points = 0;
  for (const deliversLast of [false, true]) {
    for (let chunks = 1; ; chunks++) {
      const journal = newJournal([eventRecord(), decisionRecord(ALLOW), decisionRecord(BLOCK)]);
      expected += journal.head;
      const proxy = await breakingProxy(t, url, chunks, deliversLast);
      const doomed = newProjector(journal, proxy.url, { retryMs: 60_000, retryMsMax: 60_000 });
      doomed.start();
      await until('it is broken or done', () => proxy.broke() || journal.projectedUpTo === journal.head);
      const done = journal.projectedUpTo === journal.head;
      if (done)
        t.equal(await projected(sql, journal), journal.head, 'the journal is told only of what the database holds');
      await doomed.stop(0);
      // What the dead process had sent may still be under way in the server.
      await projectAll(journal, url);
      t.equal(await projected(sql, journal), journal.head);
      const [count] =
        await sql`select count(*)::int as events, (select count(*)::int from decisions) as decisions from events`;
      t.same(count, { events: expected, decisions: (expected / 3) * 2 }, `broken after ${chunks} pieces`);
      const [counters] =
        await sql`select events_count::int as events, blocked_count::int as blocked from agent_sessions`;
      t.same(counters, { events: expected, blocked: expected / 3 });
      if (!proxy.broke()) break;
      points++;
    }
  }
  t.ok(points > 20, `${points} points`);
});

async function projected(sql: postgres.Sql, journal: MemoryJournal): Promise<number> {
  const [row] = await sql`select seq::int from projector_positions where journal_id = ${journal.id}`;
  return row?.['seq'] ?? 0;
}

t.test('a record that PostgreSQL refuses goes to quarantine alone, and projection goes on', async (t) => {
  const { url, sql } = await openUrl(t);
  await sql`alter table events add constraint no_poison check (subject <> 'poison')`;
  const records = Array.from({ length: 500 }, () => eventRecord());
  for (const at of [0, 77, 78, 250, 499]) (records[at] as EventRecord).subject = 'poison';
  (records[100] as EventRecord).body = Buffer.from('{"event_type": nonsense');
  (records[101] as EventRecord).body = Buffer.from([0xff, 0x22]);
  const lost = decisionRecord(ALLOW);
  const journal = newJournal([
    ...records,
    { ...lost, kind: 'late_decision', action: 'block', explanation: '{}', effects: [] },
  ]);
  const projector = await projectAll(journal, url);
  t.equal(projector.counts.quarantined, 8);
  const [stored] = await sql`select count(*)::int from events`;
  t.equal(stored?.['count'], 493);
  const kept =
    await sql`select seq::int, sql_state, error, convert_from(record, 'UTF8')::json as record from quarantine order by seq`;
  t.same(
    kept.map((row) => row['seq']),
    [1, 78, 79, 101, 102, 251, 500, 501],
  );
  t.same(
    kept.map((row) => row['sql_state']),
    ['23514', '23514', '23514', null, null, '23514', '23514', null],
  );
  t.equal(kept[4]?.['record'].body, Buffer.from([0xff, 0x22]).toString('base64'), 'the whole record is kept');
  t.match(kept[7]?.['error'], /not stored/);
  const [counters] = await sql`select sum(events_count)::int as events from agent_sessions`;
  t.equal(counters?.['events'], 493);
});

t.test('journals and databases that do not know each other', async (t) => {
  await t.test('a fresh journal with an old database starts at its own beginning', async (t) => {
    const { url, sql } = await openUrl(t);
    await projectAll(newJournal([eventRecord(), eventRecord(), eventRecord()]), url);
    await projectAll(newJournal([eventRecord(), eventRecord()]), url);
    t.equal((await sql`select 1 from events`).length, 5);
    t.equal((await sql`select 1 from projector_positions`).length, 2);
  });
  await t.test('an old journal with a fresh database gives it all it still has', async (t) => {
    const journal = newJournal(Array.from({ length: 10 }, () => eventRecord()));
    await projectAll(journal, (await openUrl(t)).url);
    journal.markFolded(4);
    const { url, sql } = await openUrl(t);
    const warnings: string[] = [];
    const projector = new Projector({
      journal,
      openStore: () => new ProjectionStore(openDatabase(url, 1), journal.id),
      clock: systemClock,
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
      retentionDays: 90,
      givesWay: () => false,
      bounds: QUICK,
    });
    projector.start();
    await until('it has caught up', () => projector.lagRecords === 0);
    await projector.stop(1_000);
    t.equal((await sql`select 1 from events`).length, 6);
    t.match(warnings, [/lacks records/]);
  });
  await t.test('a journal that a power loss set back loses none of its new records', async (t) => {
    const { url, sql } = await openUrl(t);
    const records = Array.from({ length: 10 }, () => eventRecord());
    await projectAll(newJournal(records, 'one'), url);
    const setBack = newJournal(records.slice(0, 6), 'one');
    const projector = newProjector(setBack, url);
    for (let n = 0; n < 6; n++) setBack.append(eventRecord(), 'disk');
    projector.start();
    await until('it has caught up', () => projector.lagRecords === 0);
    await projector.stop(1_000);
    t.equal((await sql`select 1 from events`).length, 16);
  });
  await t.test(
    'nor one that was set back and went on through a restart before the database was there again',
    async (t) => {
      const { url, sql } = await openUrl(t);
      const records = Array.from({ length: 10 }, () => eventRecord());
      await projectAll(newJournal(records, 'one'), url);
      const fresh = Array.from({ length: 60 }, () => eventRecord());
      await projectAll(newJournal([...records.slice(0, 2), ...fresh], 'one'), url);
      t.equal((await sql`select 1 from events`).length, 70);
    },
  );
  await t.test('a journal and a copy of it that feed one database both reach it whole', async (t) => {
    const { url, sql } = await openUrl(t);
    const shared = Array.from({ length: 20 }, () => eventRecord());
    const journals = [newJournal(shared, 'one'), newJournal(shared, 'one')];
    const projectors = journals.map((journal) => newProjector(journal, url));
    for (const projector of projectors) projector.start();
    for (let n = 0; n < 40; n++) {
      for (const journal of journals) journal.append(eventRecord(), 'disk');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until('both have caught up', () => journals.every((journal) => journal.projectedUpTo === journal.head));
    for (const projector of projectors) await projector.stop(5_000);
    t.equal((await sql`select 1 from events`).length, 100);
    const [session] = await sql`select events_count::int as events from agent_sessions`;
    t.equal(session?.['events'], 100, 'and nothing is counted twice');
  });
  await t.test(
    'a record that the disk damaged goes to quarantine, and what came after it is carried over',
    async (t) => {
      const { url, sql } = await openUrl(t);
      const path = temporaryDirectory(t, 'journal');
      const options = { path, bytesMax: 16 * MIB, relaxed: false };
      const written = new LmdbJournal(options);
      for (const correlationId of ['one', 'damaged', 'three'])
        await written.append({ ...eventRecord(), correlationId }, 'disk').durable;
      await written.close();
      const file = join(path, 'data.mdb');
      const bytes = readFileSync(file);
      for (
        let at = bytes.indexOf('"correlationId":"damaged"');
        at >= 0;
        at = bytes.indexOf('"correlationId":"damaged"', at + 1)
      )
        bytes[at] = 0x7b;
      writeFileSync(file, bytes);
      const journal = new LmdbJournal(options);
      t.teardown(() => journal.close());
      t.equal(journal.read(2), undefined);
      const projector = newProjector(journal, url);
      projector.start();
      await until('it has caught up', () => projector.lagRecords === 0);
      await projector.stop(1_000);
      t.same(await sql`select correlation_id from events order by id`, [
        { correlation_id: 'one' },
        { correlation_id: 'three' },
      ]);
      const [kept] = await sql`select tenant_id, seq::int, record, error from quarantine`;
      t.match(kept, { tenant_id: null, seq: 2, error: /cannot be read/ });
      t.ok(kept?.['record'].includes('damaged'));
    },
  );
  await t.test('records that are stored already are not stored or counted again', async (t) => {
    const { url, sql } = await openUrl(t);
    const records = [...Array.from({ length: 9 }, () => eventRecord()), decisionRecord(BLOCK)];
    await projectAll(newJournal(records.slice(0, 5)), url);
    await projectAll(newJournal(records), url);
    t.equal((await sql`select 1 from events`).length, 10);
    const [session] = await sql`select events_count::int as events, blocked_count::int as blocked from agent_sessions`;
    t.same(session, { events: 10, blocked: 1 });
  });
  await t.test('a database that was exchanged while it ran is noticed', async (t) => {
    const { url, sql } = await openUrl(t);
    const journal = newJournal([eventRecord()]);
    const projector = newProjector(journal, url);
    projector.start();
    await until('it runs', () => projector.lagRecords === 0);
    // Its first batch is followed by maintenance, whose locks a truncation may deadlock with; the second comes after that.
    journal.append(eventRecord(), 'disk');
    await until('its maintenance is over', () => projector.lagRecords === 0);
    await sql`alter table audit_log disable trigger all`;
    await sql`truncate tenants, events cascade`;
    journal.append(eventRecord(), 'disk');
    await until('it goes on', () => projector.lagRecords === 0);
    await projector.stop(1_000);
    t.equal((await sql`select 1 from events`).length, 1);
    t.equal(projector.counts.quarantined, 0);
  });
});

t.test('stop carries over what is left within its time, and gives up in time when the database is away', async (t) => {
  const { url, sql } = await openUrl(t);
  const journal = newJournal(Array.from({ length: 2_000 }, () => eventRecord()));
  const projector = newProjector(journal, url, { batchRecordsMax: 100 });
  projector.start();
  await projector.stop(20_000);
  t.equal((await sql`select 1 from events`).length, 2_000);
  const away = newProjector(newJournal([eventRecord()]), 'postgres://nobody@127.0.0.1:1/none');
  away.start();
  const startedAtMs = Date.now();
  await away.stop(500);
  t.ok(Date.now() - startedAtMs < 5_000);
  t.equal(away.state, 'stopped');
});

t.test('in a surge rows wait between batches, as long as they are not late', async (t) => {
  const bounds = { batchRecordsMax: 5, giveWayMs: 1_000_000, lateMs: 500_000 };
  const ofAge = (ageMs: number) =>
    newJournal(Array.from({ length: 20 }, () => eventRecord({ atMs: Date.now() - ageMs })));
  const fresh = ofAge(0);
  const projector = newProjector(fresh, (await openUrl(t)).url, bounds, true);
  projector.start();
  await until('a batch is there', () => fresh.projectedUpTo > 0);
  await sleep(300);
  t.equal(fresh.projectedUpTo, 5, 'the next one waits');
  await projector.stop(5_000);
  t.equal(fresh.projectedUpTo, 20, 'a stop waits for nothing');
  const late = ofAge(600_000);
  const behind = newProjector(late, (await openUrl(t)).url, bounds, true);
  behind.start();
  await until('late rows wait no longer', () => late.projectedUpTo === 20);
  await behind.stop(5_000);
});

t.test('a batch is bounded in records and in bytes', async (t) => {
  const { url, sql } = await openUrl(t);
  const journal = newJournal(
    Array.from({ length: 24 }, () => eventRecord({ eventType: 'agent_message', content: 'x'.repeat(100_000) })),
  );
  const projector = await projectAll(journal, url, { batchBytesMax: 450_000 });
  t.equal(projector.counts.batches, 6);
  t.equal((await sql`select 1 from events`).length, 24);
});

t.test('a batch that its bytes end is followed by the next at once: it has not caught up', async (t) => {
  const { url } = await openUrl(t);
  const journal = newJournal(
    Array.from({ length: 12 }, () => eventRecord({ eventType: 'agent_message', content: 'x'.repeat(100_000) })),
  );
  const projector = newProjector(journal, url, { batchBytesMax: 450_000, pollMs: 1_000_000 });
  projector.start();
  await until('everything is projected', () => journal.projectedUpTo === journal.head);
  t.equal(projector.counts.batches, 3);
  await projector.stop(5_000);
});

t.test(
  'P9: retention removes bounded pieces between batches, until nothing is left, whatever one of them waits for',
  async (t) => {
    const { url, sql } = await openUrl(t);
    await projectAll(newJournal([eventRecord()]), url);
    const [tenant] = await sql<{ id: string }[]>`select id from tenants`;
    const id = tenant?.id as string;
    const long = new Date(Date.now() - 100 * 86_400_000);
    await sql`
    insert into agent_sessions (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at, state,
      reopened_count, events_count, blocked_count, undecided_count)
    select ${id}, md5(n::text)::uuid, n::text, agent_key, '', ${long}, ${long}, 'open', 0, 1, 0, 0
    from generate_series(1, 25000) n, (select agent_key from agent_sessions limit 1) a`;
    await sql`
    insert into feed_batches (tenant_id, seq, stored_at, events, decisions, sessions)
    select ${id}, n + 1000, ${long}, '{}', '{}', '{}' from generate_series(1, 5) n`;
    const old = async () =>
      Number((await sql`select (select count(*) from agent_sessions where last_at = ${long}) as n`)[0]?.['n']);
    const journal = newJournal();
    const projector = newProjector(journal, url, { transactionMsMax: 2_000 });
    await sql.begin(async (locked) => {
      await locked`lock table finding_triage in access exclusive mode`;
      projector.start();
      await until('it has begun', async () => (await old()) < 25_000);
      journal.append(eventRecord(), 'disk');
      await until('rows are carried meanwhile', () => projector.lagRecords === 0);
      await until('nothing is left', async () => (await old()) === 0);
      await until(
        'nor of what comes last',
        async () => (await sql`select 1 from feed_batches where seq > 1000`).length === 0,
      );
    });
    await projector.stop(5_000);
    t.equal(journal.projectedUpTo, 1);
    t.equal((await sql`select 1 from agent_sessions`).length, 1);
  },
);
