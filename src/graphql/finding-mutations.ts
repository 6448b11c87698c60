import { TRIAGE_FINDINGS_MAX } from '../domain/triage.ts';
import { triageFindings } from '../platform/triage.ts';
import { builder } from './builder.ts';
import { FindingStatusType, StoredFindingType, VerdictType, withEvents } from './finding-types.ts';
import { outcomeOf, UserErrorType } from './outcome.ts';

/** What people say of findings. */

builder.relayMutationField(
  'triageFindings',
  {
    description: `Judges up to ${TRIAGE_FINDINGS_MAX} findings at once: all of them or none. What is left out stays; null takes away.`,
    inputFields: (t) => ({
      tenantId: t.id({ required: true }),
      ids: t.idList({ required: true }),
      status: t.field({ type: FindingStatusType }),
      verdict: t.field({ type: VerdictType }),
      note: t.string(),
      assigneeId: t.id(),
    }),
  },
  {
    resolve: async (_root, { input }, { admit, inTenant }) => {
      const { tenantId, ids, status, verdict, note, assigneeId } = input;
      const change = { ids, status: status ?? undefined, verdict, note, assignee: assigneeId };
      const { value, userErrors } = await outcomeOf(triageFindings(admit(tenantId, 'triage'), change));
      const findings =
        value === undefined ? undefined : await inTenant(tenantId, (tx) => withEvents(tx, tenantId, value.findings));
      return { findings, userErrors };
    },
  },
  {
    outputFields: (t) => ({
      findings: t.field({ type: [StoredFindingType], nullable: true, resolve: ({ findings }) => findings }),
      userErrors: t.field({ type: [UserErrorType], resolve: ({ userErrors }) => userErrors }),
    }),
  },
);
