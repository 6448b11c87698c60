import { resolveCursorConnection } from '@pothos/plugin-relay';
import { dateTimeMs, isRfc3339DateTime } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import { findAgents, listAgents, type VisibleAgent } from '../store/agents.ts';
import {
  type AgentBucket,
  type AgentUse,
  agentActivity,
  agentUses,
  countKind,
  listPolicyHits,
} from '../store/insight.ts';
import type { Place } from '../store/paging.ts';
import { listShares, type ShareRow } from '../store/shares.ts';
import type { TimeSpan } from '../store/statistics.ts';
import { badInput, builder, COST } from './builder.ts';
import { PolicyHitsType } from './insight-types.ts';
import { keyOf } from './keys.ts';
import { needs, type OfTenant } from './of-tenant.ts';
import { given } from './outcome.ts';
import { type CursorPage, failCursor, pageComplexity, paging } from './paging.ts';
import { TenantType } from './tenant-types.ts';
import { limitOf, spanOf } from './time-span.ts';

/** Agents, and what each did over time. */

interface AgentNode extends OfTenant {
  agent: VisibleAgent;
}

const AgentPermission = builder.enumType('AgentPermission', {
  description: 'OWNER: it is the tenant’s own. Else what its owner lets the tenant do.',
  values: { OWNER: { value: 'owner' }, VIEW: { value: 'view' }, MANAGE: { value: 'manage' } } as const,
});

const AgentBucketType = builder.objectRef<AgentBucket>('AgentBucket').implement({
  description: 'What an agent did in one stretch of time.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', resolve: ({ from }) => from }),
    events: t.exposeInt('events'),
    blocked: t.exposeInt('blocked'),
    undecided: t.exposeInt('undecided'),
  }),
});

const AgentUseType = builder.objectRef<AgentUse>('AgentUse').implement({
  description: 'What an agent did, by the type of event and, of calls that were inspected, the kind of tool.',
  fields: (t) => ({
    eventType: t.exposeString('eventType'),
    toolKind: t.string({ nullable: true, resolve: ({ toolKind }) => (toolKind === '' ? undefined : toolKind) }),
    events: t.exposeInt('events'),
    blocked: t.exposeInt('blocked'),
  }),
});

interface Coverage {
  calls: number;
  results: number;
  unannounced: number;
}

const CoverageType = builder.objectRef<Coverage>('AgentCoverage').implement({
  description: 'Whether an agent’s calls were all asked about.',
  fields: (t) => ({
    calls: t.exposeInt('calls'),
    results: t.exposeInt('results'),
    unannouncedResults: t.int({
      description: 'Results of calls that were never asked about: they went around the gate.',
      resolve: ({ unannounced }) => unannounced,
    }),
    coveredShare: t.float({
      nullable: true,
      description: 'Of results, 0 to 1; null where there were none.',
      resolve: ({ results, unannounced }) => (results === 0 ? undefined : Math.max(0, 1 - unannounced / results)),
    }),
  }),
});

const AgentGuestType = builder.objectRef<ShareRow>('AgentGuest').implement({
  description: 'Another tenant that sees the agent.',
  fields: (t) => ({
    tenantId: t.exposeID('sharedWith'),
    slug: t.string({
      nullable: true,
      description: 'Its short name, by which agents are shared.',
      resolve: ({ sharedWith }, _args, { services }) => services.administration.tenants.findById(sharedWith)?.slug,
    }),
    permission: t.field({ type: AgentPermission, resolve: ({ permission }) => permission }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
});

const UNANNOUNCED = 'coverage.unannounced_result';
const BUCKETS_MAX = 1_000;
const SHARES_MAX = 100;

/** Whose counts: they lie with the agent's owner. */
const subjectOf = ({ agent: { ownerId, agentKey } }: AgentNode) => ({ tenantId: ownerId, agentKey });

export const AgentType = builder.objectRef<AgentNode>('Agent').implement({
  description: 'A monitored agent.',
  fields: (t) => {
    const span = {
      since: t.arg({ type: 'DateTime', required: true }),
      until: t.arg({ type: 'DateTime', required: true }),
    };
    return {
      key: t.id({ resolve: ({ agent }) => agent.agentKey }),
      agentId: t.string({ description: 'What the sensors call it.', resolve: ({ agent }) => agent.agentId }),
      name: t.string({ resolve: ({ agent }) => agent.name }),
      firstSeenAt: t.field({ type: 'DateTime', resolve: ({ agent }) => agent.firstSeenAt }),
      lastSeenAt: t.field({ type: 'DateTime', resolve: ({ agent }) => agent.lastSeenAt }),
      eventsCount: t.int({ resolve: ({ agent }) => agent.eventsCount }),
      permission: t.field({ type: AgentPermission, resolve: ({ agent }) => agent.permission }),
      ownerSlug: t.string({
        nullable: true,
        description: 'The short name of the tenant that it belongs to.',
        resolve: ({ agent }, _args, { services }) => services.administration.tenants.findById(agent.ownerId)?.slug,
      }),
      activity: t.field({
        type: [AgentBucketType],
        description: `What it did over time, in stretches of whole hours, at most ${BUCKETS_MAX}.`,
        args: { ...span, bucketHours: t.arg.int({ required: true }) },
        complexity: COST.sum,
        resolve: (node, { bucketHours, ...args }, { inTenant }) =>
          inTenant(node.tenantId, (tx) => agentActivity(tx, subjectOf(node), bucketsOf(args, bucketHours))),
      }),
      uses: t.field({
        type: [AgentUseType],
        args: span,
        complexity: COST.sum,
        resolve: (node, args, { inTenant }) =>
          inTenant(node.tenantId, (tx) => agentUses(tx, subjectOf(node), spanOf(args))),
      }),
      coverage: t.field({
        type: CoverageType,
        args: span,
        complexity: COST.sum,
        resolve: (node, args, { inTenant }) =>
          inTenant(node.tenantId, async (tx) => {
            const uses = await agentUses(tx, subjectOf(node), spanOf(args));
            const unannounced = await countKind(tx, subjectOf(node), spanOf(args), UNANNOUNCED);
            const sum = (type: string) =>
              uses.reduce((all, { eventType, events }) => all + (eventType === type ? events : 0), 0);
            return { calls: sum('tool_invocation'), results: sum('tool_result'), unannounced };
          }),
      }),
      policyHits: t.field({
        type: [PolicyHitsType],
        description: 'Policies that matched what it did, most first.',
        args: { ...span, first: t.arg.int() },
        complexity: COST.sum,
        resolve: (node, { first, ...args }, { inTenant }) =>
          inTenant(node.tenantId, (tx) => listPolicyHits(tx, subjectOf(node), spanOf(args), limitOf(first))),
      }),
      guests: t.field({
        type: [AgentGuestType],
        description: `With whom it is shared, at most ${SHARES_MAX}. Empty for an agent that another tenant shares.`,
        complexity: COST.list,
        authScopes: needs('shares'),
        resolve: ({ agent, tenantId }, _args, { inTenant }) =>
          agent.permission === 'owner'
            ? inTenant(tenantId, (tx) => listShares(tx, { tenantId, agentKey: agent.agentKey }, undefined, SHARES_MAX))
            : [],
      }),
    };
  },
});

function bucketsOf(span: TimeSpan, bucketHours: number): TimeSpan & { bucketHours: number } {
  const { since, until } = spanOf(span);
  const count = (until.getTime() - since.getTime()) / 3_600_000 / bucketHours;
  if (!(bucketHours >= 1 && count <= BUCKETS_MAX))
    throw badInput(`since, until and bucketHours must make at most ${BUCKETS_MAX} stretches`);
  return { since, until, bucketHours };
}

builder.objectFields(TenantType, (t) => ({
  agents: t.connection({
    type: AgentType,
    description: 'The tenant’s agents and those shared with it, by when they were first seen, newest first.',
    complexity: pageComplexity,
    args: {
      name: t.arg.string({ description: 'A part of the name.' }),
      activeSince: t.arg({ type: 'DateTime' }),
    },
    resolve: ({ tenantId }, args, { inTenant }) => {
      const { name, activeSince } = given(args);
      const filter = { ...(name ? { name } : {}), ...(activeSince === undefined ? {} : { activeSince }) };
      return resolveCursorConnection<Promise<AgentNode[]>>(
        { ...paging(args), toCursor: ({ agent }) => writePlace(agent) },
        (page) =>
          inTenant(tenantId, async (tx) =>
            (await listAgents(tx, tenantId, filter, agentPage(page))).map((agent) => ({ tenantId, agent })),
          ),
      );
    },
  }),
  agent: t.field({
    type: AgentType,
    nullable: true,
    args: { key: t.arg.id({ required: true }) },
    resolve: ({ tenantId }, { key }, { inTenant }) =>
      inTenant(tenantId, async (tx) => {
        const [agent] = await findAgents(tx, tenantId, [keyOf(key)]);
        return agent === undefined ? undefined : { tenantId, agent };
      }),
  }),
}));

function agentPage({ limit, inverted, before, after }: CursorPage) {
  return { limit, inverted, before: readPlace(before), after: readPlace(after) };
}

function writePlace({ firstSeenAt, ownerId, agentKey }: VisibleAgent): string {
  return `${firstSeenAt.toISOString()} ${ownerId} ${agentKey}`;
}

function readPlace(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [at = '', ownerId = '', agentKey = '', ...rest] = cursor.split(' ');
  if (rest.length > 0 || !isRfc3339DateTime(at) || !isUuid(ownerId) || !isUuid(agentKey)) return failCursor();
  return { at: new Date(dateTimeMs(at)), keys: [ownerId, agentKey] };
}
