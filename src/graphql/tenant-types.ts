import { resolveCursorConnection } from '@pothos/plugin-relay';
import { MOMENT_MS_MAX } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import type { Permission, Role } from '../domain/roles.ts';
import {
  type AgentSessionRow,
  asEventId,
  findAgentSession,
  findDecisions,
  findEvents,
  listAgentSessions,
  listDecisions,
  listSessionEvents,
  type SessionPlace,
} from '../store/activity.ts';
import { listAudit, listAuditBefore, type StoredAuditRow } from '../store/audit-log.ts';
import { decisionStatistics, type StatisticsBucket, type TimeSpan } from '../store/statistics.ts';
import { readTenant, type TenantRow } from '../store/tenants.ts';
import { badInput, builder, COST, type GraphqlContext, PAGE_SIZE, PAGE_SIZE_MAX } from './builder.ts';
import {
  Action,
  DecisionKind,
  DecisionType,
  type DecisionWithEvent,
  type TimelineEntry,
  TimelineEntryType,
} from './decision-types.ts';
import { given } from './outcome.ts';
import { withEvents, withOutcomes } from './outcomes.ts';
import { spanOf } from './time-span.ts';

/** What a caller sees of one tenant. Objects carry the tenant that they were reached through. */

export interface OfTenant {
  tenantId: string;
}

export interface AgentSessionNode extends OfTenant {
  row: AgentSessionRow;
}

/** Demands a permission in the tenant that the object was reached through. */
export const needs =
  (permission: Permission) =>
  ({ tenantId }: OfTenant) => ({ permission: { tenantId, permission } });

interface PageSize {
  first?: number | null | undefined;
  last?: number | null | undefined;
}

/** @throws {GraphQLError} for a page that is too large. */
export function paging<Args extends PageSize>(args: Args) {
  if (Math.max(args.first ?? 0, args.last ?? 0) > PAGE_SIZE_MAX) throw badInput(`a page has at most ${PAGE_SIZE_MAX}`);
  return { args, defaultSize: PAGE_SIZE, maxSize: PAGE_SIZE_MAX };
}

export const OnFailureType = builder.enumType('OnFailure', {
  description: 'What is answered when no decision is reached in time.',
  values: { ALLOW: { value: 'allow' }, DEGRADE: { value: 'degrade' }, BLOCK: { value: 'block' } } as const,
});

const SessionState = builder.enumType('AgentSessionState', {
  values: { OPEN: { value: 'open' }, ENDED: { value: 'ended' } } as const,
});

export const AgentSessionType = builder.objectRef<AgentSessionNode>('AgentSession').implement({
  description: 'One run of an agent.',
  fields: (t) => ({
    key: t.id({ resolve: ({ row }) => row.sessionKey }),
    sessionId: t.string({ description: 'What the sensor calls it.', resolve: ({ row }) => row.sessionId }),
    agentKey: t.id({ resolve: ({ row }) => row.agentKey }),
    agentId: t.string({ resolve: ({ row }) => row.agentId }),
    agentName: t.string({ resolve: ({ row }) => row.agentName }),
    userEmail: t.string({ resolve: ({ row }) => row.userEmail }),
    startedAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.startedAt }),
    lastAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.lastAt }),
    endedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ row }) => row.endedAt }),
    state: t.field({ type: SessionState, resolve: ({ row }) => row.state }),
    eventsCount: t.int({ resolve: ({ row }) => row.eventsCount }),
    blockedCount: t.int({ resolve: ({ row }) => row.blockedCount }),
    undecidedCount: t.int({ resolve: ({ row }) => row.undecidedCount }),
    timeline: t.connection({
      type: TimelineEntryType,
      description: 'Its events, newest first.',
      complexity: pageComplexity,
      resolve: ({ row, tenantId }, args, { inTenant }) =>
        resolveCursorConnection<Promise<TimelineEntry[]>>(
          { ...paging(args), toCursor: ({ event }) => event.id },
          (page) =>
            inTenant(tenantId, async (tx) =>
              withOutcomes(tx, await listSessionEvents(tx, row.sessionKey, idPage(page))),
            ),
        ),
    }),
  }),
});

export const BucketType = builder.objectRef<StatisticsBucket>('StatisticsBucket').implement({
  description: 'What the tenant’s own agents did in one stretch of time.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', resolve: ({ from }) => from }),
    events: t.exposeInt('events'),
    decisions: t.exposeInt('decisions'),
    blocked: t.exposeInt('blocked'),
    undecided: t.exposeInt('undecided'),
    failedOpen: t.exposeInt('failedOpen', { description: 'Let through because no decision was reached.' }),
    timeouts: t.exposeInt('timeouts', { description: 'Of those, answered 408.' }),
    p50Us: t.exposeFloat('p50Us', { nullable: true, description: 'Microseconds to a decision.' }),
    p99Us: t.exposeFloat('p99Us', { nullable: true }),
  }),
});

const AuditEntryType = builder.objectRef<StoredAuditRow>('AuditEntry').implement({
  description: 'Something that somebody did in the tenant.',
  fields: (t) => ({
    seq: t.exposeInt('seq'),
    at: t.field({ type: 'DateTime', resolve: ({ at }) => at }),
    actor: t.exposeString('actor'),
    action: t.exposeString('action'),
    target: t.exposeString('target', { nullable: true }),
    detail: t.exposeString('detail', { description: 'JSON text.' }),
    address: t.exposeString('address', { nullable: true }),
  }),
});

const BUCKETS_MAX = 1_000;
const AUDIT_ENTRIES_MAX = 200;
const MINUTE_SECONDS = 60;
/** Of what is counted from the events themselves. */
const EVENTS_SPAN_MS_MAX = 3_600_000;

export interface TenantNode extends OfTenant {
  settings: TenantRow;
}

export const TenantType = builder.objectRef<TenantNode>('Tenant').implement({
  description: 'A tenant, and what its agents do.',
  authScopes: needs('read'),
  fields: (t) => ({
    id: t.id({ resolve: ({ tenantId }) => tenantId }),
    slug: t.string({ resolve: ({ settings }) => settings.slug }),
    name: t.string({ resolve: ({ settings }) => settings.name }),
    onFailure: t.field({
      type: OnFailureType,
      resolve: ({ settings }) => settings.onFailure,
    }),
    decisions: t.connection({
      type: DecisionType,
      description: 'Decisions, newest first.',
      complexity: pageComplexity,
      args: {
        action: t.arg({ type: Action }),
        kind: t.arg({ type: DecisionKind }),
        sessionKey: t.arg.id(),
        since: t.arg({ type: 'DateTime' }),
        until: t.arg({ type: 'DateTime' }),
      },
      resolve: ({ tenantId }, args, { inTenant }) => {
        const { action, kind, since, until } = given(args);
        const sessionKey =
          args.sessionKey === null || args.sessionKey === undefined ? undefined : keyOf(args.sessionKey);
        return resolveCursorConnection<Promise<DecisionWithEvent[]>>(
          { ...paging(args), toCursor: ({ decision }) => decision.id },
          (page) =>
            inTenant(tenantId, async (tx) => {
              const rows = await listDecisions(tx, { action, kind, sessionKey, since, until }, idPage(page));
              return withEvents(tx, rows);
            }),
        );
      },
    }),
    decision: t.field({
      type: DecisionType,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: ({ tenantId }, { id }, { inTenant }) =>
        inTenant(tenantId, async (tx) => {
          const ids = [asEventId(id) ?? fail('a decision is named by the id of its event')];
          const [[decision], [event]] = await Promise.all([findDecisions(tx, ids), findEvents(tx, ids)]);
          return decision === undefined ? undefined : { decision, event };
        }),
    }),
    agentSessions: t.connection({
      type: AgentSessionType,
      description: 'Sessions of agents, by their start, newest first.',
      complexity: pageComplexity,
      args: { agentKey: t.arg.id(), state: t.arg({ type: SessionState }), since: t.arg({ type: 'DateTime' }) },
      resolve: ({ tenantId }, args, { inTenant }) => {
        const { state, since } = given(args);
        const agentKey = args.agentKey === null || args.agentKey === undefined ? undefined : keyOf(args.agentKey);
        return resolveCursorConnection<Promise<AgentSessionNode[]>>(
          { ...paging(args), toCursor: ({ row }) => writePlace(row) },
          ({ before, after, limit, inverted }) =>
            inTenant(tenantId, async (tx) => {
              const page = { limit, inverted, before: readPlace(before), after: readPlace(after) };
              const rows = await listAgentSessions(tx, { agentKey, state, since }, page);
              return rows.map((row) => ({ tenantId, row }));
            }),
        );
      },
    }),
    agentSession: t.field({
      type: AgentSessionType,
      nullable: true,
      args: { key: t.arg.id({ required: true }) },
      resolve: ({ tenantId }, { key }, { inTenant }) =>
        inTenant(tenantId, async (tx) => {
          const row = await findAgentSession(tx, keyOf(key));
          return row === undefined ? undefined : { tenantId, row };
        }),
    }),
    statistics: t.field({
      type: [BucketType],
      description: `Decisions over time, at most ${BUCKETS_MAX} stretches. Those that are not of whole minutes are counted from the events, of an hour at most.`,
      args: {
        since: t.arg({ type: 'DateTime', required: true }),
        until: t.arg({ type: 'DateTime', required: true }),
        bucketSeconds: t.arg.int({ required: true }),
      },
      complexity: COST.sum,
      resolve: ({ tenantId }, args, { inTenant }) => {
        const stretches = stretchesOf(args);
        return inTenant(tenantId, (tx) => decisionStatistics(tx, tenantId, stretches));
      },
    }),
    auditLog: t.field({
      type: [AuditEntryType],
      description: `Up to ${AUDIT_ENTRIES_MAX} entries, oldest first.`,
      authScopes: needs('audit'),
      args: { after: t.arg.int({ defaultValue: 0 }) },
      complexity: COST.list,
      resolve: ({ tenantId }, { after }, { inTenant }) =>
        inTenant(tenantId, (tx) => listAudit(tx, tenantId, after ?? 0, AUDIT_ENTRIES_MAX)),
    }),
    recentAuditLog: t.field({
      type: [AuditEntryType],
      description: `Up to ${AUDIT_ENTRIES_MAX} entries, newest first: before the entry "before".`,
      authScopes: needs('audit'),
      args: { before: t.arg.int() },
      complexity: COST.list,
      resolve: ({ tenantId }, { before }, { inTenant }) =>
        inTenant(tenantId, (tx) => listAuditBefore(tx, tenantId, before ?? undefined, AUDIT_ENTRIES_MAX)),
    }),
  }),
});

interface Stretches extends TimeSpan {
  bucketSeconds: number;
}

/** @throws {GraphQLError} for more than can be counted at once. */
function stretchesOf({ bucketSeconds, ...span }: Stretches): Stretches {
  const { since, until } = spanOf(span);
  const spanMs = until.getTime() - since.getTime();
  if (!(bucketSeconds >= 1 && spanMs / 1000 / bucketSeconds <= BUCKETS_MAX))
    throw badInput(`since, until and bucketSeconds must make 1 to ${BUCKETS_MAX} stretches`);
  if (bucketSeconds % MINUTE_SECONDS !== 0 && spanMs > EVENTS_SPAN_MS_MAX)
    throw badInput('beyond an hour, bucketSeconds must be whole minutes');
  return { since, until, bucketSeconds };
}

/** The tenant as the caller may see it; undefined where they do not belong to it. */
export function loadTenant({ inTenant }: GraphqlContext, tenantId: string): Promise<TenantNode | undefined> {
  return inTenant(tenantId, async (tx) => {
    const settings = await readTenant(tx, tenantId);
    return settings === undefined ? undefined : { tenantId, settings };
  });
}

export interface MembershipNode extends OfTenant {
  roles: readonly Role[];
}

export const MembershipType = builder.objectRef<MembershipNode>('Membership').implement({
  description: 'What somebody is in a tenant.',
  fields: (t) => ({
    roles: t.stringList({ resolve: ({ roles }) => [...roles] }),
    tenant: t.field({
      type: TenantType,
      resolve: async ({ tenantId }, _args, context) =>
        (await loadTenant(context, tenantId)) ?? fail('the tenant is gone'),
    }),
  }),
});

export function pageComplexity({ first, last }: PageSize) {
  return { field: COST.list, multiplier: Math.min(PAGE_SIZE_MAX, first ?? last ?? PAGE_SIZE) / 10 };
}

export interface CursorPage {
  before?: string;
  after?: string;
  limit: number;
  inverted: boolean;
}

export function idPage({ before, after, limit, inverted }: CursorPage) {
  return { limit, inverted, before: readIdCursor(before), after: readIdCursor(after) };
}

function readIdCursor(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : (asEventId(cursor) ?? fail('a cursor is what pageInfo or an edge gave'));
}

function writePlace({ startedAt, sessionKey }: SessionPlace): string {
  return `${startedAt.getTime()}.${sessionKey}`;
}

function readPlace(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, ms, sessionKey] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (ms === undefined || sessionKey === undefined || !isUuid(sessionKey) || Number(ms) > MOMENT_MS_MAX)
    return fail('a cursor is what pageInfo or an edge gave');
  return { startedAt: new Date(Number(ms)), sessionKey };
}

export function keyOf(text: string): string {
  return isUuid(text) ? text : fail('a key is a UUID in lower case');
}

export function fail(message: string): never {
  throw badInput(message);
}
