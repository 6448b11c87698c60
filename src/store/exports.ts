import type postgres from 'postgres';
import type { UndecidedAnswer, UndecidedCause } from '../domain/decision.ts';
import type { EventType } from '../domain/event-types.ts';
import { agentSessionKey, type EventId, eventIdFloor, type TenantSlug } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Database } from './database.ts';
import { originalText } from './storable-text.ts';

/** Which rows to export. Every condition given must hold. */
export interface ExportFilter {
  /** Only of these tenants. */
  tenants: readonly Tenant[];
  /** Only of the session that a sensor calls so. */
  sessionId?: string;
  /** Only received at this time or later, in Unix milliseconds. */
  sinceMs?: number;
  /** Only after this event: where an earlier export ended. */
  after?: EventId;
}

export interface ExportedEvent {
  id: EventId;
  tenant: TenantSlug;
  receivedAtMs: number;
  eventType: EventType;
  correlationId: string;
  traceparent: string | null;
  subject: string;
  /** The request body, byte for byte: JSON text, perhaps of several lines. */
  body: string;
}

export interface ExportedDecision {
  id: EventId;
  tenant: TenantSlug;
  /** Null where the session is forgotten already. */
  sessionId: string | null;
  eventType: EventType;
  receivedAtMs: number;
  decidedAtMs: number;
  kind: 'decided' | 'undecided';
  action: 'allow' | 'block' | null;
  reason: string | null;
  cause: UndecidedCause | null;
  answered: string | null;
  onFailure: string;
  tookUs: number;
  notWaitedFor: EventId[] | null;
  /** JSON texts. */
  effects: string;
  explanation: string | null;
  unanswered: { atMs: number; cause: UndecidedCause; answered: UndecidedAnswer } | null;
  late: LateDecision | null;
}

export interface LateDecision {
  atMs: number;
  action: 'allow' | 'block' | null;
  reason: string | null;
  cause: UndecidedCause | null;
  /** JSON texts. */
  effects: string | null;
  explanation: string | null;
}

export interface ExportedRelease {
  id: EventId;
  tenant: TenantSlug;
  /** Null where the session is forgotten already. */
  sessionId: string | null;
  releasedAtMs: number;
  subject: string;
  reason: string;
  hold: boolean;
  taints: string[];
}

/** A page is as many rows as fit, so that neither side holds more than this and one row. */
const PAGE_ROWS_MAX = 256;
const PAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Events in the order of their ids, which is that of their receipt to the millisecond. Later ones may still join. */
export async function* exportEvents(database: Database, filter: ExportFilter): AsyncGenerator<ExportedEvent> {
  const slugs = slugsOf(filter);
  for (let bounds = boundsOf(filter); ; ) {
    const rows = await database.withSql(
      (sql) => sql<EventRow[]>`
      with page as (
        select id, sum(octet_length(body)) over (order by id) - octet_length(body) as bytes_before
        from events e where ${condition(sql, filter, bounds)} order by id limit ${PAGE_ROWS_MAX}
      )
      select e.id, tenant_id, (extract(epoch from received_at) * 1000)::float8 as received_ms, event_type,
        correlation_id, traceparent, subject, body
      from page join events e on e.id = page.id where bytes_before < ${PAGE_BYTES_MAX} order by e.id`,
    );
    for (const row of rows) yield eventOf(row, slugs);
    const last = rows.at(-1);
    if (last === undefined) return;
    bounds = { ...bounds, after: last.id };
  }
}

/** Decisions in the order of the events' ids. */
export async function* exportDecisions(database: Database, filter: ExportFilter): AsyncGenerator<ExportedDecision> {
  const slugs = slugsOf(filter);
  for (let bounds = boundsOf(filter); ; ) {
    const rows = await database.withSql(
      (sql) => sql<DecisionRow[]>`
      with page as (
        select id, tenant_id, session_key,
          sum(octet_length(coalesce(explanation, ''))) over (order by id) - octet_length(coalesce(explanation, '')) as bytes_before
        from decisions e where ${condition(sql, filter, bounds)} order by id limit ${PAGE_ROWS_MAX}
      )
      select d.*, to_json(d.not_waited_for) as not_waited, s.session_id, e.event_type,
        (extract(epoch from e.received_at) * 1000)::float8 as received_ms,
        (extract(epoch from d.decided_at) * 1000)::float8 as decided_ms,
        (extract(epoch from d.unanswered_at) * 1000)::float8 as unanswered_ms,
        (extract(epoch from d.late_at) * 1000)::float8 as late_ms
      from page join decisions d on d.id = page.id join events e on e.id = page.id
      left join agent_sessions s on s.tenant_id = d.tenant_id and s.session_key = d.session_key
      where bytes_before < ${PAGE_BYTES_MAX} order by d.id`,
    );
    for (const row of rows) yield decisionOf(row, slugs);
    const last = rows.at(-1);
    if (last === undefined) return;
    bounds = { ...bounds, after: last.id };
  }
}

/** What people took back, in the order in which they did. */
export async function* exportReleases(database: Database, filter: ExportFilter): AsyncGenerator<ExportedRelease> {
  const slugs = slugsOf(filter);
  for (let bounds = boundsOf(filter); ; ) {
    const rows = await database.withSql(
      (sql) => sql<ReleaseRow[]>`
      select e.*, to_json(e.taints) as labels, s.session_id,
        (extract(epoch from e.released_at) * 1000)::float8 as released_ms
      from releases e left join agent_sessions s on s.tenant_id = e.tenant_id and s.session_key = e.session_key
      where ${condition(sql, filter, bounds)} order by e.id limit ${PAGE_ROWS_MAX}`,
    );
    for (const row of rows) yield releaseOf(row, slugs);
    const last = rows.at(-1);
    if (last === undefined) return;
    bounds = { ...bounds, after: last.id };
  }
}

interface ReleaseRow {
  id: EventId;
  tenant_id: string;
  session_id: string | null;
  released_ms: number;
  subject: string;
  reason: string;
  hold: boolean;
  labels: string[];
}

function releaseOf(row: ReleaseRow, slugs: Map<string, TenantSlug>): ExportedRelease {
  return {
    id: row.id,
    tenant: slugs.get(row.tenant_id) as TenantSlug,
    sessionId: original(row.session_id),
    releasedAtMs: row.released_ms,
    subject: originalText(row.subject),
    reason: originalText(row.reason),
    hold: row.hold,
    taints: row.labels.map(originalText),
  };
}

interface Bounds {
  from: EventId;
  after: EventId | undefined;
}

function boundsOf(filter: ExportFilter): Bounds {
  return { from: eventIdFloor(Math.max(0, filter.sinceMs ?? 0)), after: filter.after };
}

function condition(sql: postgres.Sql, { tenants, sessionId }: ExportFilter, { from, after }: Bounds) {
  const ids = JSON.stringify(tenants.map(({ id }) => id));
  const keys =
    sessionId === undefined ? null : JSON.stringify(tenants.map(({ slug }) => agentSessionKey(slug, sessionId)));
  return sql`
    e.tenant_id in (select json_array_elements_text(${ids}::text::json)::uuid)
    and e.id >= ${from}::uuid
    ${after === undefined ? sql`` : sql`and e.id > ${after}::uuid`}
    ${keys === null ? sql`` : sql`and e.session_key in (select json_array_elements_text(${keys}::text::json)::uuid)`}`;
}

function slugsOf({ tenants }: ExportFilter): Map<string, TenantSlug> {
  return new Map(tenants.map(({ id, slug }) => [id, slug]));
}

interface EventRow {
  id: EventId;
  tenant_id: string;
  received_ms: number;
  event_type: EventType;
  correlation_id: string;
  traceparent: string | null;
  subject: string;
  body: string;
}

function eventOf(row: EventRow, slugs: Map<string, TenantSlug>): ExportedEvent {
  return {
    id: row.id,
    tenant: slugs.get(row.tenant_id) as TenantSlug,
    receivedAtMs: row.received_ms,
    eventType: row.event_type,
    correlationId: originalText(row.correlation_id),
    traceparent: original(row.traceparent),
    subject: originalText(row.subject),
    body: row.body,
  };
}

interface DecisionRow {
  id: EventId;
  tenant_id: string;
  session_id: string | null;
  event_type: EventType;
  received_ms: number;
  decided_ms: number;
  kind: ExportedDecision['kind'];
  action: ExportedDecision['action'];
  reason: string | null;
  cause: UndecidedCause | null;
  answered: string | null;
  on_failure: string;
  effects: string;
  explanation: string | null;
  not_waited: EventId[] | null;
  took_us: string;
  unanswered_ms: number | null;
  unanswered_cause: UndecidedCause | null;
  answered_instead: UndecidedAnswer | null;
  late_ms: number | null;
  late_action: LateDecision['action'];
  late_reason: string | null;
  late_cause: UndecidedCause | null;
  late_explanation: string | null;
  late_effects: string | null;
}

function decisionOf(row: DecisionRow, slugs: Map<string, TenantSlug>): ExportedDecision {
  return {
    id: row.id,
    tenant: slugs.get(row.tenant_id) as TenantSlug,
    sessionId: original(row.session_id),
    eventType: row.event_type,
    receivedAtMs: row.received_ms,
    decidedAtMs: row.decided_ms,
    kind: row.kind,
    action: row.action,
    reason: original(row.reason),
    cause: row.cause,
    answered: row.answered,
    onFailure: row.on_failure,
    tookUs: Number(row.took_us),
    notWaitedFor: row.not_waited,
    effects: row.effects,
    explanation: row.explanation,
    unanswered: row.unanswered_ms === null ? null : unansweredOf(row, row.unanswered_ms),
    late: row.late_ms === null ? null : lateOf(row, row.late_ms),
  };
}

function unansweredOf(row: DecisionRow, atMs: number): ExportedDecision['unanswered'] {
  return { atMs, cause: row.unanswered_cause as UndecidedCause, answered: row.answered_instead ?? 'fail_open' };
}

function lateOf(row: DecisionRow, atMs: number): LateDecision {
  return {
    atMs,
    action: row.late_action,
    reason: original(row.late_reason),
    cause: row.late_cause,
    effects: row.late_effects,
    explanation: row.late_explanation,
  };
}

function original(stored: string | null): string | null {
  return stored === null ? null : originalText(stored);
}
