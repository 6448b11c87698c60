import type { PolicyFile, RefusedPolicySet } from '../domain/policies.ts';
import type { PolicyFault, PolicyOutline } from '../domain/policy-work.ts';
import { isRefusal, type Refusal } from '../platform/http.ts';
import { faultsIn } from '../platform/policy-context.ts';
import { activeFiles, type FileDifference, fileDifferences } from '../platform/policy-operations.ts';
import { listPolicyHits, type PolicyHits } from '../store/insight.ts';
import {
  findPolicySet,
  listPolicyActivations,
  listPolicySets,
  type PolicyActivationRow,
  type PolicySetRow,
  type PolicyState,
  readPolicyState,
} from '../store/policy-sets.ts';
import { badInput, builder, COST, type GraphqlContext, PAGE_SIZE } from './builder.ts';
import { falsePositiveRate } from './insight-types.ts';
import { type OfTenant, PERSON_NAME, seenFrom } from './of-tenant.ts';
import { TenantType } from './tenant-types.ts';

/** Policy sets of a tenant: their versions, what they hold, and what came of their policies. */

export type PolicyStateNode = PolicyState & OfTenant;

interface PolicySetNode extends OfTenant {
  /** Absent for the set of the installation. */
  row: PolicySetRow | undefined;
  files: readonly PolicyFile[];
}

/** What costs a look into a whole set. */
export const COSTLY = 100;
export const VERSION_MAX = 2_147_483_647;

const PolicyFileType = builder.objectRef<PolicyFile>('PolicyFile').implement({
  description: 'A file of policies, as it was written.',
  fields: (t) => ({ file: t.exposeString('file'), text: t.exposeString('text') }),
});

export const PolicyFileInput = builder.inputType('PolicyFileInput', {
  fields: (t) => ({ file: t.string({ required: true }), text: t.string({ required: true }) }),
});

export const PolicyFaultType = builder.objectRef<PolicyFault>('PolicyFault').implement({
  description: 'What is wrong with a policy file, where, and what mends it.',
  fields: (t) => ({
    file: t.exposeString('file'),
    line: t.exposeInt('line', { description: 'From 1, as columns.' }),
    column: t.exposeInt('column'),
    path: t.exposeString('path', { description: 'The value that is meant: spec.policies[3].when' }),
    message: t.exposeString('message'),
  }),
});

const PolicyMode = builder.enumType('PolicyMode', {
  values: { ENFORCE: { value: 'enforce' }, SHADOW: { value: 'shadow' }, OFF: { value: 'off' } } as const,
});

export const PolicyType = builder.objectRef<PolicyOutline>('Policy').implement({
  description: 'A policy of a set.',
  fields: (t) => ({
    id: t.exposeID('id'),
    title: t.string({ nullable: true, resolve: ({ title }) => title }),
    description: t.string({ nullable: true, resolve: ({ description }) => description }),
    on: t.stringList({ description: 'Event types that it decides about.', resolve: ({ on }) => [...on] }),
    severity: t.exposeString('severity'),
    mode: t.field({ type: PolicyMode, resolve: ({ mode }) => mode }),
    effect: t.exposeString('effect', { description: 'block, alert or log.' }),
    tags: t.stringList({ resolve: ({ tags }) => [...tags] }),
    testsCount: t.exposeInt('testsCount'),
    file: t.exposeString('file'),
    line: t.exposeInt('line'),
  }),
});

export const PolicySetVersionType = builder.objectRef<PolicySetRow & OfTenant>('PolicySetVersion').implement({
  description: 'A policy set that somebody saved. It never changes.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: '1, 2, … within the tenant.' }),
    hash: t.exposeString('hash', {
      description: 'As decisions carry it. Versions that differ in layout alone have the same.',
    }),
    note: t.exposeString('note'),
    createdBy: t.exposeString('createdBy'),
    createdByName: t.exposeString('createdByName', { nullable: true, description: PERSON_NAME }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
});

const PolicySetType = builder.objectRef<PolicySetNode>('PolicySet').implement({
  description: 'A policy set with what it holds.',
  fields: (t) => ({
    version: t.field({
      type: PolicySetVersionType,
      nullable: true,
      description: 'Absent for the set of the installation.',
      resolve: ({ tenantId, row }) => (row === undefined ? undefined : { ...row, tenantId }),
    }),
    files: t.field({ type: [PolicyFileType], resolve: ({ files }) => [...files] }),
    policies: t.field({
      type: [PolicyType],
      complexity: COSTLY,
      resolve: async (set, _args, context) => [...(await outlined(context, set)).policies],
    }),
    hash: t.string({
      complexity: COSTLY,
      resolve: async (set, _args, context) => (await outlined(context, set)).hash,
    }),
  }),
});

const PolicyActivationType = builder.objectRef<PolicyActivationRow>('PolicyActivation').implement({
  description: 'What counted from a moment on.',
  fields: (t) => ({
    seq: t.exposeInt('seq'),
    activeVersion: t.exposeInt('activeVersion', { nullable: true }),
    shadowVersion: t.exposeInt('shadowVersion', { nullable: true }),
    changedBy: t.exposeString('changedBy'),
    changedByName: t.exposeString('changedByName', { nullable: true, description: PERSON_NAME }),
    changedAt: t.field({ type: 'DateTime', resolve: ({ changedAt }) => changedAt }),
  }),
});

const RefusedPolicySetType = builder.objectRef<RefusedPolicySet>('RefusedPolicySet').implement({
  description: 'A set that was chosen, and that the gate cannot use.',
  fields: (t) => ({
    policySet: t.exposeString('policySet', { description: 'Its hash.' }),
    why: t.exposeString('why'),
  }),
});

/** Why a set that was saved cannot be used. */
interface PolicySetProblem {
  message: string;
  faults: readonly PolicyFault[];
}

const PolicySetProblemType = builder.objectRef<PolicySetProblem>('PolicySetProblem').implement({
  description: 'Why a set that was saved cannot be used: the policy language of the service may have changed since.',
  fields: (t) => ({
    message: t.exposeString('message'),
    faults: t.field({
      type: [PolicyFaultType],
      description: 'Every fault of its files; none where it is too much altogether.',
      resolve: ({ faults }) => [...faults],
    }),
  }),
});

export const PolicyStateType = builder.objectRef<PolicyStateNode>('PolicyState').implement({
  description: 'Which set decides, and which is tried beside it. The gate follows within about a second.',
  fields: (t) => ({
    activeVersion: t.exposeInt('activeVersion', {
      nullable: true,
      description: 'Null: the policies of the installation.',
    }),
    shadowVersion: t.exposeInt('shadowVersion', { nullable: true, description: 'Null: none.' }),
    refused: t.field({
      type: [RefusedPolicySetType],
      description: 'Of these, the sets that the gate cannot use. What decided before goes on deciding.',
      resolve: ({ tenantId }, _args, { policies }) => [...(policies.refusedOf?.(tenantId) ?? [])],
    }),
    problem: t.field({
      type: PolicySetProblemType,
      nullable: true,
      description:
        'Why the version that is to decide cannot be used by this version of the service; null where it can.',
      complexity: COSTLY,
      resolve: ({ tenantId }, _args, context) => problemInForce(context, tenantId),
    }),
    history: t.field({
      type: [PolicyActivationType],
      description: `What counted, newest first, ${PAGE_SIZE} at a time: before the entry "before".`,
      args: { before: t.arg.int() },
      complexity: COST.list,
      resolve: ({ tenantId }, { before }, { inTenant }) =>
        inTenant(tenantId, (tx) => listPolicyActivations(tx, tenantId, before ?? undefined, PAGE_SIZE)),
    }),
  }),
});

interface PolicyUse {
  policy: PolicyOutline;
  /** Of the last week and the last month; undefined where it matched nothing. */
  week: PolicyHits | undefined;
  month: PolicyHits | undefined;
}

const matched = (hits: PolicyHits | undefined) => (hits === undefined ? 0 : hits.enforced + hits.simulated);

const PolicyUseType = builder.objectRef<PolicyUse>('PolicyUse').implement({
  description:
    'A policy that counts, and how often it matched, in whole hours. Matches in shadow mode are counted, too.',
  fields: (t) => ({
    policy: t.field({ type: PolicyType, resolve: ({ policy }) => policy }),
    hitsLast7Days: t.int({ resolve: ({ week }) => matched(week) }),
    hitsLast30Days: t.int({ resolve: ({ month }) => matched(month) }),
    lastHitAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null: nothing in 30 days.',
      resolve: ({ month }) => month?.lastAt,
    }),
    isDormant: t.boolean({
      description: 'It is not off, and matched nothing in 30 days.',
      resolve: ({ policy, month }) => policy.mode !== 'off' && month === undefined,
    }),
    judged: t.int({
      description: 'Findings of events that it matched in 30 days, on which a person gave a verdict.',
      resolve: ({ month }) => month?.judged ?? 0,
    }),
    falsePositives: t.int({
      description: 'Of those, judged to be false positives.',
      resolve: ({ month }) => month?.falsePositives ?? 0,
    }),
    falsePositiveRate: t.float({
      nullable: true,
      description: 'Null where nothing was judged.',
      resolve: ({ month }) => (month === undefined ? undefined : falsePositiveRate(month)),
    }),
  }),
});

const FileDifferenceType = builder.objectRef<FileDifference>('PolicyFileDifference').implement({
  description: 'A file in which two sets differ; null where it is not there.',
  fields: (t) => ({
    file: t.exposeString('file'),
    before: t.exposeString('before', { nullable: true }),
    after: t.exposeString('after', { nullable: true }),
  }),
});

builder.objectFields(TenantType, (t) => ({
  policySets: t.field({
    type: [PolicySetVersionType],
    description: `Versions that were saved, newest first, ${PAGE_SIZE} at a time: before the version "before".`,
    args: { before: t.arg.int() },
    complexity: COST.list,
    resolve: ({ tenantId }, { before }, { inTenant }) =>
      inTenant(tenantId, async (tx) =>
        seenFrom(tenantId, await listPolicySets(tx, tenantId, before ?? undefined, PAGE_SIZE)),
      ),
  }),
  policySet: t.field({
    type: PolicySetType,
    nullable: true,
    args: { version: t.arg.int({ required: true }) },
    complexity: COSTLY,
    resolve: ({ tenantId }, { version }, context) => versionOf(context, tenantId, version),
  }),
  installationPolicySet: t.field({
    type: PolicySetType,
    description: 'What counts where the tenant has no set of its own.',
    complexity: COSTLY,
    resolve: ({ tenantId }, _args, { policies }) => ({ tenantId, row: undefined, files: policies.installation }),
  }),
  policyState: t.field({
    type: PolicyStateType,
    resolve: ({ tenantId }, _args, { inTenant }) =>
      inTenant(tenantId, async (tx) => ({ tenantId, ...(await readPolicyState(tx, tenantId)) })),
  }),
  policies: t.field({
    type: [PolicyUseType],
    description: 'The policies that count, and how often each matched.',
    complexity: COST.sum,
    resolve: ({ tenantId }, _args, context) => policiesInUse(context, tenantId),
  }),
  policySetDiff: t.field({
    type: [FileDifferenceType],
    nullable: true,
    description: 'The files in which two versions differ. Null as a version means the set of the installation.',
    args: { from: t.arg.int(), to: t.arg.int() },
    complexity: COSTLY,
    resolve: async ({ tenantId }, { from, to }, context) => {
      const [before, after] = await Promise.all([
        filesOf(context, tenantId, from ?? undefined),
        filesOf(context, tenantId, to ?? undefined),
      ]);
      return before === undefined || after === undefined ? undefined : fileDifferences(before, after);
    },
  }),
}));

async function versionOf(
  { inTenant }: GraphqlContext,
  tenantId: string,
  version: number,
): Promise<PolicySetNode | undefined> {
  if (version < 1 || version > VERSION_MAX) return undefined;
  const set = await inTenant(tenantId, (tx) => findPolicySet(tx, tenantId, version));
  return set === undefined ? undefined : { tenantId, row: set, files: set.files };
}

async function filesOf(
  context: GraphqlContext,
  tenantId: string,
  version: number | undefined,
): Promise<readonly PolicyFile[] | undefined> {
  if (version === undefined) return context.policies.installation;
  return (await versionOf(context, tenantId, version))?.files;
}

const DAY_MS = 86_400_000;

async function policiesInUse(context: GraphqlContext, tenantId: string): Promise<PolicyUse[]> {
  const until = new Date();
  const lastDays = (days: number) => ({ since: new Date(until.getTime() - days * DAY_MS), until });
  const { files, week, month } = await context.inTenant(tenantId, async (tx) => ({
    files: await activeFiles(context.policies, tx, tenantId),
    week: byPolicy(await listPolicyHits(tx, { tenantId }, lastDays(7))),
    month: byPolicy(await listPolicyHits(tx, { tenantId }, lastDays(30))),
  }));
  const { policies } = await outlined(context, { tenantId, files });
  return policies.map((policy) => ({ policy, week: week.get(policy.id), month: month.get(policy.id) }));
}

async function problemInForce(context: GraphqlContext, tenantId: string): Promise<PolicySetProblem | undefined> {
  const { policies, inTenant } = context;
  const files = await inTenant(tenantId, (tx) => activeFiles(policies, tx, tenantId));
  const result = await policies.outlines.of(tenantId, files);
  if (!isRefusal(result)) return undefined;
  // Anything else, as that too much is looked at just now, says nothing of the set.
  if (result.slug !== 'invalid-request') throw badInput(result.detail);
  return { message: result.detail, faults: faultsIn(result) };
}

const byPolicy = (hits: readonly PolicyHits[]) => new Map(hits.map((each) => [each.policyId, each]));

async function outlined({ policies }: GraphqlContext, { tenantId, files }: Pick<PolicySetNode, 'tenantId' | 'files'>) {
  return answered(await policies.outlines.of(tenantId, files));
}

/** What a query asked for, or an error that its reader can mend. */
export function answered<T extends object>(result: T | Refusal): T {
  if (isRefusal(result)) throw badInput(result.detail);
  return result;
}
