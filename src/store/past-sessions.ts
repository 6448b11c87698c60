import { sql } from 'drizzle-orm';
import { type AgentSessionKey, type EventId, eventIdFloor, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { PastSession } from '../domain/policy-work.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Stored sessions of a tenant, as a backtest lives through them. Not those of agents that others share with it. */

/** What one session may hold to be lived through, and what is read at once. */
const SESSION_EVENTS_MAX = 5_000;
const SESSION_CHARS_MAX = 32 * 1024 * 1024;
const PAGE_EVENTS_MAX = 25;
const RELEASES_MAX = 1_000;

/** A stretch of time: sessions that were going on in it. */
export interface PastStretch {
  since: Date;
  until: Date;
}

/** Keys of the sessions of the stretch, at most `max`: those that started last, first. */
export async function listPastSessions(
  tx: TenantTransaction,
  tenantId: string,
  { since, until }: PastStretch,
  max: number,
): Promise<AgentSessionKey[]> {
  const rows = await tx.execute<{ session_key: AgentSessionKey }>(sql`
    select session_key from agent_sessions
    where tenant_id = ${tenantId} and last_at >= ${since.toISOString()}::timestamptz
      and started_at < ${until.toISOString()}::timestamptz
    order by started_at desc limit ${max}`);
  return rows.map(({ session_key }) => session_key);
}

interface EventRow extends Record<string, unknown> {
  id: EventId;
  received_ms: number;
  body: string;
  effects: string | null;
  late_effects: string | null;
  inspected: string | null;
}

/**
 * The session as it was up to `until`, read page by page with `inTenant`, so that no transaction is long; undefined where it
 * is larger than is lived through.
 */
export async function readPastSession(
  inTenant: <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>,
  { tenantId, slug, sessionKey, until }: { tenantId: string; slug: TenantSlug; sessionKey: string; until: Date },
): Promise<PastSession | undefined> {
  const upTo = eventIdFloor(until.getTime());
  const events: PastSession['events'][number][] = [];
  let chars = 0;
  for (let isMore = true; isMore; ) {
    const page = await inTenant((tx) => eventsPage(tx, { tenantId, sessionKey, after: events.at(-1)?.id, upTo }));
    for (const row of page) {
      const effects = [row.effects, row.late_effects, row.inspected].filter((text) => text !== null);
      events.push({ id: row.id, receivedAtMs: row.received_ms, body: row.body, effects });
      chars += row.body.length;
    }
    if (events.length > SESSION_EVENTS_MAX || chars > SESSION_CHARS_MAX) return undefined;
    isMore = page.length === PAGE_EVENTS_MAX;
  }
  return { tenant: slug, events, releases: await inTenant((tx) => releasesOf(tx, { tenantId, sessionKey, upTo })) };
}

function eventsPage(
  tx: TenantTransaction,
  {
    tenantId,
    sessionKey,
    after,
    upTo,
  }: { tenantId: string; sessionKey: string; after?: string | undefined; upTo: string },
): Promise<EventRow[]> {
  return tx.execute<EventRow>(sql`
    select e.id, (extract(epoch from e.received_at) * 1000)::float8 as received_ms, e.body, d.effects, d.late_effects,
      i.effects as inspected
    from events e left join decisions d on d.id = e.id left join inspections i on i.id = e.id
    where e.tenant_id = ${tenantId} and e.session_key = ${sessionKey} and e.id < ${upTo}::uuid
      ${after === undefined ? sql`` : sql`and e.id > ${after}::uuid`}
    order by e.id limit ${PAGE_EVENTS_MAX}`);
}

async function releasesOf(
  tx: TenantTransaction,
  { tenantId, sessionKey, upTo }: { tenantId: string; sessionKey: string; upTo: string },
): Promise<PastSession['releases']> {
  const rows = await tx.execute<{ id: EventId; hold: boolean; labels: string[] }>(sql`
    select id, hold, to_json(taints) as labels from releases
    where tenant_id = ${tenantId} and session_key = ${sessionKey} and id < ${upTo}::uuid
    order by id limit ${RELEASES_MAX}`);
  return rows.map(({ id, hold, labels }) => ({
    id,
    receivedAtMs: eventIdTimeMs(id),
    hold,
    taints: labels.map(originalText),
  }));
}
