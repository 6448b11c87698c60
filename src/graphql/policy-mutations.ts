import { isUuid } from '../domain/ids.ts';
import { startBacktest } from '../platform/backtest-operations.ts';
import { type Refusal, refuse } from '../platform/http.ts';
import { faultsIn } from '../platform/policy-context.ts';
import { activateVersion, saveFiles, shadowVersion } from '../platform/policy-operations.ts';
import { BacktestType } from './backtest-types.ts';
import { builder } from './builder.ts';
import { given, outcomeIn, outcomeOf, UserErrorType } from './outcome.ts';
import { PolicyFaultType, PolicyFileInput, PolicySetVersionType, PolicyStateType } from './policy-types.ts';

/** Mutations of a tenant's policies. */

/** What came of files: their faults are told one by one. */
async function outcomeOfFiles<T extends object>(done: Promise<T | Refusal>) {
  const result = await done;
  return { ...(await outcomeOf(Promise.resolve(result))), faults: faultsIn(result) };
}

builder.relayMutationField(
  'savePolicySet',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      files: t.field({ type: [PolicyFileInput], required: true }),
      note: t.string({ required: true, description: 'What it changes, and why.' }),
      newestSeen: t.int({
        description:
          'The newest version that was there when the files were begun, 0 for none. With a newer one meanwhile, nothing is kept, and the error is a `conflict`.',
      }),
    }),
  },
  {
    description: 'Keeps files as the next version. Nothing follows them until they are activated.',
    resolve: (_root, { input: { tenantId, files, note, newestSeen } }, { admit, policies }) => {
      const version = { files, note, ...given({ newestSeen }) };
      return outcomeIn(tenantId, outcomeOfFiles(saveFiles(policies, admit(tenantId, 'policies'), version)));
    },
  },
  {
    outputFields: (t) => ({
      policySet: t.field({ type: PolicySetVersionType, nullable: true, resolve: ({ value }) => value }),
      faults: t.field({ type: [PolicyFaultType], resolve: ({ faults }) => [...faults] }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

const CHANGES = {
  activatePolicySet: {
    operation: activateVersion,
    description: 'Lets a version decide; null: the policies of the installation. An older version rolls back to it.',
  },
  shadowPolicySet: {
    operation: shadowVersion,
    description: 'Tries a version beside what decides, without consequences; null: none.',
  },
} as const;

for (const [name, { operation, description }] of Object.entries(CHANGES)) {
  builder.relayMutationField(
    name,
    { inputFields: (t) => ({ tenantId: t.id({ required: true }), version: t.int() }) },
    {
      description,
      resolve: async (_root, { input: { tenantId, version } }, { admit, policies }) => ({
        tenantId,
        ...(await outcomeOf(operation(policies, admit(tenantId, 'policies'), version ?? null))),
      }),
    },
    {
      outputFields: (t) => ({
        policyState: t.field({
          type: PolicyStateType,
          nullable: true,
          resolve: ({ tenantId, value }) => (value === undefined ? undefined : { tenantId, ...value }),
        }),
        userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
      }),
    },
  );
}

builder.relayMutationField(
  'startBacktest',
  {
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      version: t.int({ description: 'What is tried: this, or files.' }),
      files: t.field({ type: [PolicyFileInput] }),
      since: t.field({ type: 'DateTime', required: true }),
      until: t.field({ type: 'DateTime', required: true }),
    }),
  },
  {
    description: 'Starts to live through stored sessions again, under the policies that count and under others.',
    resolve: (_root, { input: { tenantId, version, files, since, until } }, { admit, policies }) => {
      const trial = { since, until, ...given({ version, files }) };
      return outcomeOfFiles(startBacktest(policies, admit(tenantId, 'policies'), trial));
    },
  },
  {
    outputFields: (t) => ({
      backtest: t.field({ type: BacktestType, nullable: true, resolve: ({ value }) => value }),
      faults: t.field({ type: [PolicyFaultType], resolve: ({ faults }) => [...faults] }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);

builder.relayMutationField(
  'cancelBacktest',
  { inputFields: (t) => ({ tenantId: t.id({ required: true }), id: t.id({ required: true }) }) },
  {
    resolve: (_root, { input: { tenantId, id } }, { admit, policies }) => {
      const admission = admit(tenantId, 'policies');
      const unknown = refuse('invalid-request', 'a backtest is named by its UUID');
      return outcomeOf(isUuid(id) ? policies.backtests.cancel(admission, id) : Promise.resolve(unknown));
    },
  },
  {
    outputFields: (t) => ({
      backtest: t.field({ type: BacktestType, nullable: true, resolve: ({ value }) => value }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);
