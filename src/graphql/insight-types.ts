import { FAIL_OPEN_BUDGET } from '../domain/decision.ts';
import {
  type AgentCounts,
  type FindingKindCount,
  listBusyAgents,
  listFindingKinds,
  listPolicyHits,
  type PolicyHits,
} from '../store/insight.ts';
import { type StatisticsBucket, summarizeActivity } from '../store/statistics.ts';
import { builder, COST } from './builder.ts';
import { TenantType } from './tenant-types.ts';
import { limitOf, spanOf } from './time-span.ts';

/** What a tenant's agents, policies and detectors amount to over time. */

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole);

/** Of the findings that people judged, 0 to 1; undefined where they judged none. */
export function falsePositiveRate({ falsePositives, judged }: PolicyHits): number | undefined {
  return share(falsePositives, judged);
}

const ActivityType = builder.objectRef<Omit<StatisticsBucket, 'from'>>('Activity').implement({
  description: 'What the tenant’s own agents did in a stretch of time, in one sum.',
  fields: (t) => ({
    events: t.exposeInt('events'),
    decisions: t.exposeInt('decisions'),
    blocked: t.exposeInt('blocked'),
    undecided: t.exposeInt('undecided'),
    failedOpen: t.exposeInt('failedOpen', { description: 'Let through because no decision was reached.' }),
    timeouts: t.exposeInt('timeouts', { description: 'Of those, answered 408.' }),
    p50Us: t.exposeFloat('p50Us', { nullable: true, description: 'Microseconds to a decision, at most a tenth off.' }),
    p99Us: t.exposeFloat('p99Us', { nullable: true }),
    blockedShare: t.float({
      nullable: true,
      description: 'Of decisions, 0 to 1.',
      resolve: ({ blocked, decisions }) => share(blocked, decisions),
    }),
    failedOpenShare: t.float({
      nullable: true,
      description: 'Of decisions, 0 to 1.',
      resolve: ({ failedOpen, decisions }) => share(failedOpen, decisions),
    }),
    failOpenBudget: t.float({
      description: 'The share of decisions that may fail open before somebody should look into it.',
      resolve: () => FAIL_OPEN_BUDGET,
    }),
  }),
});

export const PolicyHitsType = builder.objectRef<PolicyHits>('PolicyHits').implement({
  description: 'How often a policy matched.',
  fields: (t) => ({
    policyId: t.exposeID('policyId'),
    enforced: t.exposeInt('enforced', { description: 'Events that it matched.' }),
    simulated: t.exposeInt('simulated', { description: 'Events that it matched in shadow mode.' }),
    lastAt: t.field({ type: 'DateTime', resolve: ({ lastAt }) => lastAt }),
    judged: t.exposeInt('judged', {
      description: 'Findings of events that it matched, on which a person gave a verdict.',
    }),
    falsePositives: t.exposeInt('falsePositives', { description: 'Of those, judged to be false positives.' }),
    falsePositiveRate: t.float({
      nullable: true,
      description: 'Null where nothing was judged.',
      resolve: falsePositiveRate,
    }),
  }),
});

const FindingKindType = builder.objectRef<FindingKindCount>('FindingKind').implement({
  description: 'How often a kind of finding was reported.',
  fields: (t) => ({
    kind: t.exposeString('kind'),
    severity: t.exposeString('severity'),
    count: t.exposeInt('count'),
  }),
});

const BusyAgentType = builder.objectRef<AgentCounts>('BusyAgent').implement({
  description: 'What an agent did, in one sum.',
  fields: (t) => ({
    agentKey: t.exposeID('agentKey'),
    agentName: t.exposeString('agentName'),
    events: t.exposeInt('events'),
    blocked: t.exposeInt('blocked'),
    undecided: t.exposeInt('undecided'),
  }),
});

builder.objectFields(TenantType, (t) => {
  const span = {
    since: t.arg({ type: 'DateTime', required: true }),
    until: t.arg({ type: 'DateTime', required: true }),
  };
  const top = { ...span, first: t.arg.int() };
  return {
    activity: t.field({
      type: ActivityType,
      description: 'The minute that holds `since` counts as a whole.',
      args: span,
      complexity: COST.sum,
      resolve: ({ tenantId }, args, { inTenant }) =>
        inTenant(tenantId, (tx) => summarizeActivity(tx, tenantId, spanOf(args))),
    }),
    policyHits: t.field({
      type: [PolicyHitsType],
      description: 'Policies by how often they matched, most first. The hour that holds `since` counts as a whole.',
      args: top,
      complexity: COST.sum,
      resolve: ({ tenantId }, { first, ...args }, { inTenant }) =>
        inTenant(tenantId, (tx) => listPolicyHits(tx, { tenantId }, spanOf(args), limitOf(first))),
    }),
    topFindings: t.field({
      type: [FindingKindType],
      description: 'Kinds of findings by how often they were reported, most first. Of whole hours.',
      args: top,
      complexity: COST.sum,
      resolve: ({ tenantId }, { first, ...args }, { inTenant }) =>
        inTenant(tenantId, (tx) => listFindingKinds(tx, { tenantId }, spanOf(args), limitOf(first))),
    }),
    topAgents: t.field({
      type: [BusyAgentType],
      description: 'Agents that were blocked most, then those that did most. Of whole hours.',
      args: top,
      complexity: COST.sum,
      resolve: ({ tenantId }, { first, ...args }, { inTenant }) =>
        inTenant(tenantId, (tx) => listBusyAgents(tx, tenantId, spanOf(args), limitOf(first))),
    }),
  };
});
