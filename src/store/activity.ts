import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Decision, UndecidedCause } from '../domain/decision.ts';
import { type EventId, eventIdFloor, isUuid } from '../domain/ids.ts';
import { type EventRow, selectEvents } from './event-rows.ts';
import { agentSessions, agents } from './schema/agents.ts';
import { decisions, events, inspections } from './schema/events.ts';
import { agentShares } from './schema/memberships.ts';
import { ownedBy, type SharePermission, sharedWithUs } from './shares.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/**
 * What agents did, as people look at it: newest first, in pages. Every query goes through a tenant's transaction, so that
 * it finds the rows of that tenant and of agents shared with it, and no others.
 */

/**
 * A page of rows, newest first; `inverted`: the last of them, oldest first. `after` and `before` are ids of rows, exclusive, in
 * the order of newest first.
 */
export interface Page {
  limit: number;
  inverted: boolean;
  before?: string | undefined;
  after?: string | undefined;
}

export type AgentSessionRow = typeof agentSessions.$inferSelect & {
  agentName: string;
  agentId: string;
  /** What the tenant was given where the agent is shared with it. */
  permission: SharePermission | null;
};
export type DecisionRow = typeof decisions.$inferSelect;
export type InspectionRow = typeof inspections.$inferSelect;

export interface DecisionFilter {
  sessionKey?: string | undefined;
  action?: 'allow' | 'block' | undefined;
  kind?: Decision['kind'] | undefined;
  cause?: UndecidedCause | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  /** The tenants whose agents they are of: row-level security alone would walk through everybody's. */
  owners: readonly string[];
  /** Those that the policy set of this hash, which was tried beside, would have answered otherwise. */
  changedBy?: string | undefined;
  /** Those that were allowed, and that policies in shadow mode would have blocked. */
  isSimulated?: true | undefined;
}

/** Between two cursors, newest first unless inverted. */
function bounds(column: typeof decisions.id | typeof events.id, page: Page): (SQL | undefined)[] {
  const { after, before } = page;
  return [after === undefined ? undefined : lt(column, after), before === undefined ? undefined : gt(column, before)];
}

export function listDecisions(tx: TenantTransaction, filter: DecisionFilter, page: Page): Promise<DecisionRow[]> {
  const { sessionKey, action, kind, cause, since, until, owners, changedBy, isSimulated } = filter;
  return tx
    .select()
    .from(decisions)
    .where(
      and(
        sessionKey === undefined ? undefined : eq(decisions.sessionKey, sessionKey),
        action === undefined ? undefined : eq(decisions.action, action),
        kind === undefined ? undefined : eq(decisions.kind, kind),
        cause === undefined ? undefined : eq(decisions.cause, cause),
        since === undefined ? undefined : gte(decisions.id, eventIdFloor(since.getTime())),
        until === undefined ? undefined : lt(decisions.id, eventIdFloor(until.getTime())),
        ownedBy(decisions.tenantId, owners),
        changedBy === undefined
          ? undefined
          : and(eq(decisions.shadowSet, changedBy), ne(decisions.shadowAction, decisions.action)),
        isSimulated === undefined ? undefined : isNotNull(decisions.simulatedAction),
        ...bounds(decisions.id, page),
      ),
    )
    .orderBy(page.inverted ? asc(decisions.id) : desc(decisions.id))
    .limit(page.limit);
}

/** Those of `ids` that can be seen. */
export function findDecisions(tx: TenantTransaction, ids: readonly string[]): Promise<DecisionRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : tx
        .select()
        .from(decisions)
        .where(inArray(decisions.id, [...ids]));
}

export function findInspections(tx: TenantTransaction, ids: readonly string[]): Promise<InspectionRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : tx
        .select()
        .from(inspections)
        .where(inArray(inspections.id, [...ids]));
}

export function findEvents(tx: TenantTransaction, ids: readonly string[]): Promise<EventRow[]> {
  return ids.length === 0
    ? Promise.resolve([])
    : selectEvents(tx, { where: inArray(events.id, [...ids]), limit: ids.length });
}

/** Events of one session. */
export function listSessionEvents(
  tx: TenantTransaction,
  { tenantId, sessionKey }: Pick<AgentSessionRow, 'tenantId' | 'sessionKey'>,
  page: Page,
): Promise<EventRow[]> {
  return selectEvents(tx, {
    where: and(eq(events.tenantId, tenantId), eq(events.sessionKey, sessionKey), ...bounds(events.id, page)),
    orderBy: page.inverted ? asc(events.id) : desc(events.id),
    limit: page.limit,
  });
}

export interface SessionFilter {
  agentKey?: string | undefined;
  state?: 'open' | 'ended' | undefined;
  since?: Date | undefined;
}

/** A place in the list of sessions: they are in the order of their start. */
export interface SessionPlace {
  startedAt: Date;
  sessionKey: string;
}

export interface SessionPage {
  limit: number;
  inverted: boolean;
  before?: SessionPlace | undefined;
  after?: SessionPlace | undefined;
}

export async function listAgentSessions(
  tx: TenantTransaction,
  { agentKey, state, since }: SessionFilter,
  page: SessionPage,
): Promise<AgentSessionRow[]> {
  const place = sql`(${agentSessions.startedAt}, ${agentSessions.sessionKey})`;
  const { after, before } = page;
  const value = ({ startedAt, sessionKey }: SessionPlace) =>
    sql`(${startedAt.toISOString()}::timestamptz, ${sessionKey}::uuid)`;
  const rows = await sessionsWithAgents(tx)
    .where(
      and(
        agentKey === undefined ? undefined : eq(agentSessions.agentKey, agentKey),
        state === undefined ? undefined : eq(agentSessions.state, state),
        since === undefined ? undefined : gte(agentSessions.startedAt, since),
        after === undefined ? undefined : sql`${place} < ${value(after)}`,
        before === undefined ? undefined : sql`${place} > ${value(before)}`,
      ),
    )
    .orderBy(
      page.inverted ? asc(agentSessions.startedAt) : desc(agentSessions.startedAt),
      page.inverted ? asc(agentSessions.sessionKey) : desc(agentSessions.sessionKey),
    )
    .limit(page.limit);
  return rows.map(readable);
}

export async function findAgentSession(
  tx: TenantTransaction,
  sessionKey: string,
): Promise<AgentSessionRow | undefined> {
  const [row] = await sessionsWithAgents(tx).where(eq(agentSessions.sessionKey, sessionKey)).limit(1);
  return row === undefined ? undefined : readable(row);
}

/** Those of `sessionKeys` that can be seen. */
export async function findAgentSessions(
  tx: TenantTransaction,
  sessionKeys: readonly string[],
): Promise<AgentSessionRow[]> {
  if (sessionKeys.length === 0) return [];
  const rows = await sessionsWithAgents(tx).where(inArray(agentSessions.sessionKey, [...sessionKeys]));
  return rows.map(readable);
}

function sessionsWithAgents(tx: TenantTransaction) {
  return tx
    .select({
      session: agentSessions,
      agentName: agents.name,
      agentId: agents.agentId,
      permission: agentShares.permission,
    })
    .from(agentSessions)
    .innerJoin(agents, and(eq(agents.tenantId, agentSessions.tenantId), eq(agents.agentKey, agentSessions.agentKey)))
    .leftJoin(agentShares, sharedWithUs(agentSessions.tenantId, agentSessions.agentKey));
}

function readable(row: {
  session: typeof agentSessions.$inferSelect;
  agentName: string;
  agentId: string;
  permission: SharePermission | null;
}): AgentSessionRow {
  const { session, agentName, agentId, permission } = row;
  return {
    ...session,
    permission,
    sessionId: originalText(session.sessionId),
    userEmail: originalText(session.userEmail),
    agentName: originalText(agentName),
    agentId: originalText(agentId),
  };
}

/** The id of an event, where `text` is one. */
export function asEventId(text: string): EventId | undefined {
  return isUuid(text) ? (text as EventId) : undefined;
}
