import { and, asc, desc, eq, gt, gte, lt, lte, type SQL } from 'drizzle-orm';
import type { EventType } from '../domain/event-types.ts';
import { eventIdFloor } from '../domain/ids.ts';
import { findAgentSession, type Page } from './activity.ts';
import { type EventRow, selectEvents } from './event-rows.ts';
import { events } from './schema/events.ts';
import { storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** A tenant's events as people look through them, in pages. */

export interface EventFilter {
  eventType?: EventType | undefined;
  toolName?: string | undefined;
  /** Of the tenant, or of an agent shared with it. */
  sessionKey?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

export interface EventsFound {
  rows: EventRow[];
  /** The last event that was looked at, where the look ended before the page was full: the next page goes on behind it. */
  lookedTo: string | undefined;
}

/** Events that are looked at for one page of a filter that no index serves. */
export const LOOKED_AT_MAX = 20_000;

/**
 * Events of the tenant's own agents, or of one session. Every page reads a bounded part of what is stored: rows are walked in the
 * order of an index, and a filter by type or tool, which none serves, ends after so many, however few it found.
 */
export async function listEvents(
  tx: TenantTransaction,
  tenantId: string,
  filter: EventFilter,
  page: Page,
  lookedAtMax = LOOKED_AT_MAX,
): Promise<EventsFound> {
  const { eventType, toolName, sessionKey } = filter;
  // Row-level security alone would walk through everybody's events: the index begins with the tenant that they are of.
  const ownerId = sessionKey === undefined ? tenantId : (await findAgentSession(tx, sessionKey))?.tenantId;
  if (ownerId === undefined) return { rows: [], lookedTo: undefined };
  const walked = and(
    eq(events.tenantId, ownerId),
    sessionKey === undefined ? undefined : eq(events.sessionKey, sessionKey),
    ...stretch(filter, page),
  );
  const order = page.inverted ? asc(events.id) : desc(events.id);
  const isWalk = eventType !== undefined || toolName !== undefined;
  // Found out beforehand: what comes in between the two statements must not move it.
  const lookedTo = isWalk ? await nth(tx, walked, order, lookedAtMax) : undefined;
  const wanted = and(
    walked,
    lookedTo === undefined ? undefined : (page.inverted ? lte : gte)(events.id, lookedTo),
    eventType === undefined ? undefined : eq(events.eventType, eventType),
    toolName === undefined ? undefined : eq(events.toolName, storableText(toolName)),
  );
  const rows = await selectEvents(tx, { where: wanted, orderBy: order, limit: page.limit });
  return { rows, lookedTo: rows.length < page.limit ? lookedTo : undefined };
}

function stretch({ since, until }: EventFilter, { after, before }: Page): (SQL | undefined)[] {
  return [
    since === undefined ? undefined : gte(events.id, eventIdFloor(since.getTime())),
    until === undefined ? undefined : lt(events.id, eventIdFloor(until.getTime())),
    after === undefined ? undefined : lt(events.id, after),
    before === undefined ? undefined : gt(events.id, before),
  ];
}

/** The id of the `count`th of these events; undefined where there are no more than those. */
async function nth(
  tx: TenantTransaction,
  walked: SQL | undefined,
  order: SQL,
  count: number,
): Promise<string | undefined> {
  const [last, ...more] = await tx
    .select({ id: events.id })
    .from(events)
    .where(walked)
    .orderBy(order)
    .offset(count - 1)
    .limit(2);
  return more.length > 0 ? last?.id : undefined;
}
