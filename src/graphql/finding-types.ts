import { resolveCursorConnection } from '@pothos/plugin-relay';
import { SEVERITIES } from '../domain/decision.ts';
import type { FindingStatus, Verdict } from '../domain/triage.ts';
import { findEvents } from '../store/activity.ts';
import { type Assignee, listAssignees } from '../store/assignees.ts';
import type { EventRow } from '../store/event-rows.ts';
import {
  countFindings,
  type FindingCount,
  type FindingRow,
  listFindings,
  readFindingKey,
  type Triage,
  writeFindingKey,
} from '../store/findings.ts';
import { isManagedBy } from '../store/shares.ts';
import { originalText } from '../store/storable-text.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import { builder, COST } from './builder.ts';
import { fail, keyOrNone } from './keys.ts';
import type { OfTenant } from './of-tenant.ts';
import { given } from './outcome.ts';
import { type CursorPage, failCursor, pageComplexity, paging } from './paging.ts';
import { TenantType } from './tenant-types.ts';
import { spanOf } from './time-span.ts';

/** Findings as people look through them, and what they made of each. */

const upper = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), { value }])) as Record<Uppercase<T>, { value: T }>;

export const SeverityType = builder.enumType('Severity', {
  values: upper(SEVERITIES),
});

export const VerdictType = builder.enumType('Verdict', {
  description: 'What a person says of a finding.',
  values: upper<Verdict>(['true_positive', 'false_positive', 'accepted_risk']),
});

export const FindingStatusType = builder.enumType('FindingStatus', {
  values: upper<FindingStatus>(['open', 'closed']),
});

export const AssigneeType = builder.objectRef<Assignee>('Assignee').implement({
  // By name: whoever may read sees them, and the addresses of members are for those who may see members.
  description: 'Somebody whom a finding can be given to.',
  fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
});

const TriageType = builder.objectRef<Triage>('Triage').implement({
  description: 'What people of the tenant made of a finding.',
  fields: (t) => ({
    status: t.field({ type: FindingStatusType, resolve: ({ status }) => status }),
    verdict: t.field({ type: VerdictType, nullable: true, resolve: ({ verdict }) => verdict }),
    note: t.exposeString('note', { nullable: true }),
    assigneeId: t.exposeID('assignee', { nullable: true }),
    assigneeName: t.exposeString('assigneeName', {
      nullable: true,
      description: 'Absent once they are no member any more.',
    }),
    changedBy: t.exposeString('changedBy', { description: 'Who, as the audit log names them.' }),
    changedAt: t.field({ type: 'DateTime', resolve: ({ changedAt }) => changedAt }),
  }),
});

/** A finding with its event, which is read with it. */
export interface FindingNode extends OfTenant {
  row: FindingRow;
  event: Pick<EventRow, 'eventType' | 'toolName' | 'userEmail'> | undefined;
}

export const StoredFindingType = builder.objectRef<FindingNode>('StoredFinding').implement({
  description: 'A finding in the list of all of them. Holds where the evidence is, never the evidence itself.',
  fields: (t) => ({
    id: t.id({ resolve: ({ row }) => writeFindingKey(row) }),
    eventId: t.id({ resolve: ({ row }) => row.eventId }),
    sessionKey: t.id({ resolve: ({ row }) => row.sessionKey }),
    agentKey: t.id({ resolve: ({ row }) => row.agentKey }),
    agentName: t.string({ resolve: ({ row }) => row.agentName }),
    kind: t.string({ resolve: ({ row }) => row.kind }),
    severity: t.field({ type: SeverityType, resolve: ({ row }) => row.severity }),
    confidence: t.float({ description: '0 to 1.', resolve: ({ row }) => row.confidence }),
    pointer: t.string({
      nullable: true,
      description: 'JSON pointer into the event.',
      resolve: ({ row }) => row.pointer,
    }),
    policies: t.stringList({
      description: 'Ids of the policies that matched the event, in shadow mode too.',
      resolve: ({ row }) => row.policies,
    }),
    foundAt: t.field({ type: 'DateTime', resolve: ({ row }) => row.foundAt }),
    eventType: t.string({ nullable: true, resolve: ({ event }) => event?.eventType }),
    toolName: t.string({
      nullable: true,
      resolve: ({ event }) =>
        event?.toolName === null || event === undefined ? undefined : originalText(event.toolName),
    }),
    userEmail: t.string({
      nullable: true,
      resolve: ({ event }) => (event === undefined ? undefined : originalText(event.userEmail)),
    }),
    isOwn: t.boolean({
      description: 'Whether it is of an agent of the tenant itself.',
      resolve: ({ row, tenantId }) => row.ownerId === tenantId,
    }),
    ownerSlug: t.string({
      nullable: true,
      description: 'The short name of the tenant whose agent it is of.',
      resolve: ({ row }, _args, { services }) => services.administration.tenants.findById(row.ownerId)?.slug,
    }),
    isManaged: t.boolean({
      description:
        'Whether people of the tenant may judge it: its own, or of an agent that is shared with it to be managed.',
      resolve: ({ row, tenantId }) => isManagedBy(tenantId, row),
    }),
    triage: t.field({
      type: TriageType,
      nullable: true,
      description: 'Null while nobody looked at it: it is open then. Guests who may not judge it see none.',
      resolve: ({ row }) => row.triage,
    }),
  }),
});

const FindingCountType = builder.objectRef<FindingCount>('FindingCount').implement({
  description: 'Findings of one severity.',
  fields: (t) => ({
    severity: t.field({ type: SeverityType, resolve: ({ severity }) => severity }),
    open: t.exposeInt('open'),
    closed: t.exposeInt('closed'),
  }),
});

/** The rows with the events they are about. */
export async function withEvents(tx: TenantTransaction, tenantId: string, rows: FindingRow[]): Promise<FindingNode[]> {
  const events = await findEvents(tx, [...new Set(rows.map(({ eventId }) => eventId))]);
  // The bodies are not kept: nothing of a finding shows them.
  const eventOf = new Map(
    events.map(({ id, eventType, toolName, userEmail }) => [id, { eventType, toolName, userEmail }]),
  );
  return rows.map((row) => ({ tenantId, row, event: eventOf.get(row.eventId) }));
}

const ASSIGNEES_MAX = 200;
const SEARCH_CHARS_MAX = 256;

builder.objectFields(TenantType, (t) => ({
  findings: t.connection({
    type: StoredFindingType,
    description: 'What detectors reported of the tenant’s agents and of those shared with it, newest first.',
    complexity: pageComplexity,
    args: {
      severities: t.arg({ type: [SeverityType] }),
      kind: t.arg.string(),
      policy: t.arg.string({ description: 'Id of a policy that matched the event.' }),
      verdict: t.arg({ type: VerdictType }),
      status: t.arg({ type: FindingStatusType }),
      assignee: t.arg.id(),
      agentKey: t.arg.id(),
      sessionKey: t.arg.id(),
      since: t.arg({ type: 'DateTime' }),
      until: t.arg({ type: 'DateTime' }),
      search: t.arg.string({
        description:
          'Beginnings of words, all of which must be there: in the kind, the reasons of policies, the tool, the agent, the session’s id, the user’s address.',
      }),
    },
    resolve: ({ tenantId }, args, { inTenant }) => {
      const { policy, assignee, agentKey, sessionKey, ...others } = given(args);
      const filter = {
        ...others,
        policyId: policy,
        assignee: keyOrNone(assignee),
        agentKey: keyOrNone(agentKey),
        sessionKey: keyOrNone(sessionKey),
      };
      if ((filter.search?.length ?? 0) > SEARCH_CHARS_MAX) fail(`a search has at most ${SEARCH_CHARS_MAX} characters`);
      return resolveCursorConnection<Promise<FindingNode[]>>(
        { ...paging(args), toCursor: ({ row }) => writeFindingKey(row) },
        (page) =>
          inTenant(tenantId, async (tx) =>
            withEvents(tx, tenantId, await listFindings(tx, tenantId, filter, findingPage(page))),
          ),
      );
    },
  }),
  findingCounts: t.field({
    type: [FindingCountType],
    description: 'Findings of the tenant’s own agents by severity; the hour that holds `since` counts as a whole.',
    complexity: COST.sum,
    args: { since: t.arg({ type: 'DateTime', required: true }), until: t.arg({ type: 'DateTime', required: true }) },
    resolve: ({ tenantId }, args, { inTenant }) =>
      inTenant(tenantId, (tx) => countFindings(tx, tenantId, spanOf(args))),
  }),
  assignees: t.field({
    type: [AssigneeType],
    description: `Members whose roles allow triage, by name, at most ${ASSIGNEES_MAX}.`,
    complexity: COST.list,
    resolve: ({ tenantId }, _args, { inTenant }) =>
      inTenant(tenantId, (tx) => listAssignees(tx, tenantId, ASSIGNEES_MAX)),
  }),
}));

function findingPage({ limit, inverted, before, after }: CursorPage) {
  return { limit, inverted, before: cursorOf(before), after: cursorOf(after) };
}

function cursorOf(cursor: string | undefined) {
  return cursor === undefined ? undefined : (readFindingKey(cursor) ?? failCursor());
}
