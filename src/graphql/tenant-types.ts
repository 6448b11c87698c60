import { resolveCursorConnection } from '@pothos/plugin-relay';
import type { Role } from '../domain/roles.ts';
import { asEventId, findDecisions, listDecisions } from '../store/activity.ts';
import { listAudit, listAuditBefore, type StoredAuditRow } from '../store/audit-log.ts';
import { ownersSeenBy } from '../store/shares.ts';
import { decisionStatistics, type StatisticsBucket, type TimeSpan } from '../store/statistics.ts';
import { readTenant, type TenantRow } from '../store/tenants.ts';
import { badInput, builder, COST, type GraphqlContext } from './builder.ts';
import { Action, DecisionKind, DecisionType, type DecisionWithEvent } from './decision-types.ts';
import { fail, keyOrNone } from './keys.ts';
import { needs, type OfTenant, PERSON_NAME } from './of-tenant.ts';
import { given } from './outcome.ts';
import { withEvents } from './outcomes.ts';
import { idPage, pageComplexity, paging } from './paging.ts';
import { spanOf } from './time-span.ts';

/** What a caller sees of one tenant. */

export const OnFailureType = builder.enumType('OnFailure', {
  description: 'What is answered when no decision is reached in time.',
  values: { ALLOW: { value: 'allow' }, DEGRADE: { value: 'degrade' }, BLOCK: { value: 'block' } } as const,
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
    actorName: t.exposeString('actorName', { nullable: true, description: PERSON_NAME }),
    action: t.exposeString('action'),
    target: t.exposeString('target', { nullable: true }),
    targetName: t.exposeString('targetName', { nullable: true, description: PERSON_NAME }),
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
        const sessionKey = keyOrNone(args.sessionKey);
        return resolveCursorConnection<Promise<DecisionWithEvent[]>>(
          { ...paging(args), toCursor: ({ decision }) => decision.id },
          (page) =>
            inTenant(tenantId, async (tx) => {
              const owners = await ownersSeenBy(tx, tenantId);
              const rows = await listDecisions(tx, { owners, action, kind, sessionKey, since, until }, idPage(page));
              return withEvents(tx, tenantId, rows);
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
          const [decision] = await withEvents(tx, tenantId, await findDecisions(tx, ids));
          return decision;
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
