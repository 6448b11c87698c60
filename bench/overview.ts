import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { graphql } from 'graphql';
import type postgres from 'postgres';
import { LatencyHistogram } from '../src/cli/demo/latency-histogram.ts';
import type { TenantSlug } from '../src/domain/ids.ts';
import { contextOf } from '../src/graphql/context.ts';
import { schema } from '../src/graphql/schema.ts';
import type { Caller } from '../src/platform/caller.ts';
import { connectOnce } from '../src/store/connection.ts';
import { openDatabase } from '../src/store/database.ts';
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts';
import { migrate } from '../src/store/migrate.ts';
import { DAY_MS, dayAt, ensurePartitions } from '../src/store/partitions.ts';
import { openTenantDatabase } from '../src/store/tenant-database.ts';
import { ensureTenant } from '../src/store/tenants.ts';
import { isProgram, progress, type Report, runBenchmarks } from './support/report.ts';

/** How long does an overview take over ten million stored events? */

const DAYS = 7;
const AGENTS = 200;
const SESSIONS = 20_000;
const ASKED = 20;
const P99_MS_MAX = 300;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What the dashboard's first page asks for. */
const OVERVIEW = `query ($tenant: ID!, $since: DateTime!, $until: DateTime!, $before: DateTime!, $bucketSeconds: Int!) {
  tenant(id: $tenant) {
    statistics(since: $since, until: $until, bucketSeconds: $bucketSeconds) { from decisions blocked undecided failedOpen p50Us p99Us }
    now: activity(since: $since, until: $until) { decisions blocked failedOpen timeouts p50Us p99Us }
    before: activity(since: $before, until: $since) { decisions blocked failedOpen p99Us }
    topAgents(since: $since, until: $until, first: 5) { agentKey agentName events blocked }
    policyHits(since: $since, until: $until, first: 5) { policyId enforced simulated falsePositiveRate }
    topFindings(since: $since, until: $until, first: 5) { kind severity count }
    findingCounts(since: $since, until: $until) { severity open closed }
    blocks: decisions(first: 8, action: BLOCK) { edges { node { id reason toolName } } }
  } }`;

const FINDINGS = (args: string) => `query ($tenant: ID!) { tenant(id: $tenant) { findings(first: 50, ${args}) {
  edges { node { id kind severity agentName toolName triage { status } } } } } }`;

export async function overview(eventsCount = 10_000_000): Promise<Report> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-overview-'));
  const running = await startEmbeddedPostgres({ dataDir, log: silent });
  try {
    await migrate(running.url);
    const service = openDatabase(running.url, 1);
    const tenant = await ensureTenant(service, { slug: 'demo' as TenantSlug, name: 'Demo', onFailure: 'allow' });
    await service.close();
    const connection = connectOnce(running.url, { statementTimeoutMs: 0, lockTimeoutMs: 0 });
    const { sql } = connection;
    const fillMs = await timed(() => fill(sql, tenant.id, eventsCount));
    progress('counting them as the migration does');
    const rebuildMs = await timed(() => sql`select rebuild_rollups()`);
    await sql`vacuum analyze`;
    await connection.close(1);
    const table = await askAll(running.url, tenant.id);
    return {
      title: `an overview of ${eventsCount.toLocaleString('en-US')} stored events`,
      inputs: [
        `${DAYS} days, ${AGENTS} agents, half of the events are decisions, one in fifty has findings; tiny bodies`,
        `each question ${ASKED} times, through the graph, under the role that row-level security binds`,
      ],
      table: [['question', 'first', 'p50', 'slowest'], ...table.map(({ cells }) => cells)],
      notes: [
        `filled in ${seconds(fillMs)}; counted again from the events, as the migration does once, in ${seconds(rebuildMs)}`,
      ],
      failures: table.flatMap(({ name, slowestMs, isOverview }) =>
        isOverview && slowestMs > P99_MS_MAX ? [`${name} took ${slowestMs.toFixed(0)} ms, above ${P99_MS_MAX} ms`] : [],
      ),
    };
  } finally {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Events at even distances up to now, with what a projector writes beside them. */
async function fill(sql: postgres.Sql, tenantId: string, count: number): Promise<void> {
  const now = Date.now();
  for (let day = dayAt(now) - DAYS; day <= dayAt(now); day++) await ensurePartitions(sql, day);
  const stepMs = (DAYS * DAY_MS) / count;
  const firstMs = now - DAYS * DAY_MS;
  await sql`set synchronous_commit = off`;
  await sql`
    insert into agents select ${tenantId}::uuid, md5('agent' || n)::uuid, 'agent-' || n, 'Agent ' || n, now(), now(), 1
    from generate_series(0, ${AGENTS - 1}::int) n`;
  await sql`
    insert into agent_sessions select ${tenantId}::uuid, md5('session' || n)::uuid, 'session-' || n,
      md5('agent' || n % ${AGENTS}::int)::uuid, 'dev@example.com', now(), now(), null, 'open', 0, 1, 0, 0
    from generate_series(0, ${SESSIONS - 1}::int) n`;
  const chunk = Math.ceil(count / 20);
  for (let from = 0; from < count; from += chunk) {
    progress(`${from.toLocaleString('en-US')} of ${count.toLocaleString('en-US')} events`);
    const to = Math.min(count, from + chunk) - 1;
    await sql`
      with e as materialized (
        select n, ${firstMs}::bigint + (n * ${stepMs}::float8)::bigint as ms from generate_series(${from}::bigint, ${to}::bigint) n
      ), id as materialized (
        select n, timestamptz 'epoch' + ms * interval '1 millisecond' as at,
          (lpad(to_hex(ms), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid as id,
          md5('session' || n % ${SESSIONS}::int)::uuid as session, md5('agent' || n % ${AGENTS}::int)::uuid as agent
        from e
      ), events as (
        insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email, tool_name,
          correlation_id, subject, dedupe, body)
        select id, ${tenantId}::uuid, session, agent, case n % 2 when 0 then 'tool_invocation' else 'tool_result' end, at, at,
          'dev@example.com', 'Bash', 'c', 'ci', 'd', '{}' from id
      )
      insert into decisions (id, tenant_id, session_key, kind, action, reason, on_failure, effects, explanation, took_us, decided_at)
      select id, ${tenantId}::uuid, session, 'decided', case when n % 100 = 0 then 'block' else 'allow' end,
        case when n % 100 = 0 then 'Deletes' end, 'allow', '[{"kind":"call","tool":"Bash","toolKind":"shell"}]',
        case when n % 50 = 0 then json_build_object(
          'policies', json_build_array(json_build_object('id', 'policy-' || n % 70, 'reason', 'Deletes files')),
          'findings', json_build_array(json_build_object('kind', 'kind.of-' || n % 90, 'severity',
            (array['low', 'medium', 'high', 'critical'])[1 + n % 3], 'confidence', 0.9)))::text end,
        200 + n % 5000, at
      from id where n % 2 = 0`;
  }
}

interface Asked {
  name: string;
  slowestMs: number;
  isOverview: boolean;
  cells: string[];
}

async function askAll(url: string, tenantId: string): Promise<Asked[]> {
  const people = openTenantDatabase(url);
  const caller: Caller = {
    kind: 'token',
    tokenId: 'bench',
    subject: 'bench',
    tenantId,
    permissions: ['read'],
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  // What it asks needs the database alone.
  const services = { tenantDatabase: people, policies: {} as never, services: {} as never };
  const contextValue = contextOf(caller, '127.0.0.1', services);
  const ask = async (source: string, variables: object) => {
    const { errors } = await graphql({
      schema,
      source,
      contextValue,
      variableValues: { tenant: tenantId, ...variables },
    });
    if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('; '));
  };
  const until = Date.now();
  const overviewOf = (hours: number, bucketSeconds: number) => () =>
    ask(OVERVIEW, {
      since: new Date(until - hours * 3_600_000).toISOString(),
      until: new Date(until).toISOString(),
      before: new Date(until - 2 * hours * 3_600_000).toISOString(),
      bucketSeconds,
    });
  const questions: [name: string, ask: () => Promise<void>, isOverview?: boolean][] = [
    ['overview, 1 hour', overviewOf(1, 60), true],
    ['overview, 24 hours', overviewOf(24, 900), true],
    ['overview, 7 days', overviewOf(DAYS * 24, 7_200), true],
    ['findings, newest', () => ask(FINDINGS('status: OPEN'), {})],
    ['findings, of a kind', () => ask(FINDINGS('kind: "kind.of-50"'), {})],
    ['findings, searched', () => ask(FINDINGS('search: "agent 150 dele"'), {})],
    ['findings, searched in vain', () => ask(FINDINGS('search: "nowhere"'), {})],
  ];
  const asked: Asked[] = [];
  for (const [name, question, isOverview = false] of questions) asked.push(await measure(name, question, isOverview));
  await people.close();
  return asked;
}

async function measure(name: string, question: () => Promise<void>, isOverview: boolean): Promise<Asked> {
  const firstMs = await timed(question);
  const latencies = new LatencyHistogram();
  for (let n = 0; n < ASKED; n++) latencies.record((await timed(question)) * 1000);
  const slowestMs = latencies.maxUs / 1000;
  const cells = [firstMs, latencies.percentileUs(50) / 1000, slowestMs].map((ms) => `${ms.toFixed(0)} ms`);
  return { name, slowestMs, isOverview, cells: [name, ...cells] };
}

if (isProgram(import.meta.url)) {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '10000000' } } });
  await runBenchmarks(() => overview(Number(values.events)));
}
