import type { PolicyFault, PolicyOutline, PolicyTestOutcome } from '../domain/policy-work.ts';
import { checkFiles, testFiles } from '../platform/policy-operations.ts';
import { builder } from './builder.ts';
import { answered, COSTLY, PolicyFaultType, PolicyFileInput, PolicyType } from './policy-types.ts';
import { TenantType } from './tenant-types.ts';

/** Files of policies that are read without being kept. */

interface PolicyCheckNode {
  faults: readonly PolicyFault[];
  warnings: readonly PolicyFault[];
  policies: readonly PolicyOutline[];
}

const PolicyCheckType = builder.objectRef<PolicyCheckNode>('PolicyCheck').implement({
  description: 'What is wrong with files, or what they hold.',
  fields: (t) => ({
    faults: t.field({ type: [PolicyFaultType], resolve: ({ faults }) => [...faults] }),
    warnings: t.field({
      type: [PolicyFaultType],
      description:
        'What is right, and hardly meant: a comparison with a value that a fact never has. None where there are faults.',
      resolve: ({ warnings }) => [...warnings],
    }),
    policies: t.field({ type: [PolicyType], resolve: ({ policies }) => [...policies] }),
  }),
});

const PolicyTestOutcomeType = builder.objectRef<PolicyTestOutcome>('PolicyTestOutcome').implement({
  description: 'What became of a test that stands beside a policy.',
  fields: (t) => ({
    policy: t.exposeString('policy'),
    name: t.exposeString('name'),
    file: t.exposeString('file'),
    isPassed: t.boolean({ resolve: ({ ok }) => ok }),
    problem: t.string({ nullable: true, resolve: ({ problem }) => problem }),
  }),
});

interface PolicyTestsNode {
  faults: readonly PolicyFault[];
  tests: readonly PolicyTestOutcome[];
}

const PolicyTestsType = builder.objectRef<PolicyTestsNode>('PolicyTests').implement({
  description: 'Outcomes of tests; none where the files have faults.',
  fields: (t) => ({
    faults: t.field({ type: [PolicyFaultType], resolve: ({ faults }) => [...faults] }),
    tests: t.field({ type: [PolicyTestOutcomeType], resolve: ({ tests }) => [...tests] }),
  }),
});

builder.objectFields(TenantType, (t) => ({
  checkPolicies: t.field({
    type: PolicyCheckType,
    description: 'Whether files are right, without keeping them.',
    authScopes: ({ tenantId }) => ({ permission: { tenantId, permission: 'policies' } }),
    args: { files: t.arg({ type: [PolicyFileInput], required: true }) },
    complexity: COSTLY,
    resolve: async ({ tenantId }, { files }, { policies }) => {
      const checked = answered(await checkFiles(policies, tenantId, files));
      return checked.ok ? { faults: [], ...checked } : { faults: checked.faults, warnings: [], policies: [] };
    },
  }),
  testPolicies: t.field({
    type: PolicyTestsType,
    description: 'Runs the tests that stand beside the policies of files.',
    authScopes: ({ tenantId }) => ({ permission: { tenantId, permission: 'policies' } }),
    args: { files: t.arg({ type: [PolicyFileInput], required: true }) },
    complexity: COSTLY,
    resolve: async ({ tenantId }, { files }, { policies }) => {
      const tested = answered(await testFiles(policies, tenantId, files));
      return tested.ok ? { faults: [], tests: tested.tests } : { faults: tested.faults, tests: [] };
    },
  }),
}));
