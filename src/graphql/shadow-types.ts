import { resolveCursorConnection } from '@pothos/plugin-relay';
import { type DecisionFilter, listDecisions } from '../store/activity.ts';
import { readShadowHash } from '../store/policy-sets.ts';
import { countShadowed, type ShadowCounts } from '../store/shadow-counts.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import { badInput, builder, COST, type GraphqlContext } from './builder.ts';
import { DecisionType, type DecisionWithEvent } from './decision-types.ts';
import { withEvents } from './outcomes.ts';
import { idPage, pageComplexity, paging } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** What policies that are only tried would have made of a tenant's decisions. */

const ShadowCountsType = builder.objectRef<ShadowCounts & { policySet: string | undefined }>('ShadowCounts').implement({
  description: 'What the decisions about the tenant’s own agents would have been under policies that are only tried.',
  fields: (t) => ({
    policySet: t.string({
      nullable: true,
      description: 'Hash of the set that is tried. Null: none is.',
      resolve: ({ policySet }) => policySet,
    }),
    decisions: t.exposeInt('decisions', { description: 'Of which it is known what that set would have answered.' }),
    newlyBlocked: t.exposeInt('newlyBlocked', { description: 'Of those, allowed, and it would have blocked them.' }),
    newlyAllowed: t.exposeInt('newlyAllowed', { description: 'Of those, blocked, and it would have allowed them.' }),
    simulated: t.exposeInt('simulated', {
      description: 'Allowed, and policies in shadow mode of the set that decided would have blocked them.',
    }),
    countedSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'From when on decisions are counted, where there are more than are looked at. Null: all that are stored.',
      resolve: ({ since }) => since,
    }),
  }),
});

const HASH = /^[\da-f]{64}$/;

/** The set that was asked for, or the one that is tried now. */
function setOf(tx: TenantTransaction, tenantId: string, asked: string | null | undefined): Promise<string | undefined> {
  if (asked === null || asked === undefined) return readShadowHash(tx, tenantId);
  if (!HASH.test(asked)) throw badInput('a policy set is named by its hash: 64 hexadecimal digits in lower case');
  return Promise.resolve(asked);
}

type PageArgs = Parameters<typeof pageComplexity>[0] & {
  before?: string | null | undefined;
  after?: string | null | undefined;
};

/** A page of the decisions that are as the filter says; none where there is no filter. */
function decisionsPage(
  args: PageArgs,
  { inTenant }: GraphqlContext,
  tenantId: string,
  filterOf: (tx: TenantTransaction) => Promise<DecisionFilter | undefined>,
) {
  return resolveCursorConnection<Promise<DecisionWithEvent[]>>(
    { ...paging(args), toCursor: ({ decision }) => decision.id },
    (page) =>
      inTenant(tenantId, async (tx) => {
        const filter = await filterOf(tx);
        return filter === undefined ? [] : withEvents(tx, tenantId, await listDecisions(tx, filter, idPage(page)));
      }),
  );
}

builder.objectFields(TenantType, (t) => {
  const policySet = t.arg.string({
    description: 'Hash of a set that is, or was, tried. The one that is tried now unless given.',
  });
  return {
    shadowCounts: t.field({
      type: ShadowCountsType,
      args: { policySet },
      complexity: COST.sum,
      resolve: ({ tenantId }, { policySet }, { inTenant }) =>
        inTenant(tenantId, async (tx) => {
          const hash = await setOf(tx, tenantId, policySet);
          return { policySet: hash, ...(await countShadowed(tx, tenantId, hash)) };
        }),
    }),
    shadowDifferences: t.connection({
      type: DecisionType,
      description: 'Decisions that the set that is tried would have answered otherwise, newest first.',
      complexity: pageComplexity,
      args: { policySet },
      resolve: ({ tenantId }, { policySet, ...args }, context) =>
        decisionsPage(args, context, tenantId, async (tx) => {
          const changedBy = await setOf(tx, tenantId, policySet);
          return changedBy === undefined ? undefined : { owners: [tenantId], changedBy };
        }),
    }),
    simulatedDecisions: t.connection({
      type: DecisionType,
      description: 'Decisions to allow that policies in shadow mode would have made a block, newest first.',
      complexity: pageComplexity,
      resolve: ({ tenantId }, args, context) =>
        decisionsPage(args, context, tenantId, async () => ({ owners: [tenantId], isSimulated: true })),
    }),
  };
});
