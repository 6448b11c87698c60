import { resolveCursorConnection } from '@pothos/plugin-relay';
import { MOMENT_MS_MAX } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import {
  type AgentSessionRow,
  findAgentSession,
  listAgentSessions,
  listSessionEvents,
  type SessionPlace,
} from '../store/activity.ts';
import { builder } from './builder.ts';
import { type TimelineEntry, TimelineEntryType } from './decision-types.ts';
import { keyOf, keyOrNone } from './keys.ts';
import type { OfTenant } from './of-tenant.ts';
import { given } from './outcome.ts';
import { withOutcomes } from './outcomes.ts';
import { type CursorPage, failCursor, idPage, pageComplexity, paging } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** Sessions of agents. */

export interface AgentSessionNode extends OfTenant {
  row: AgentSessionRow;
}

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
              withOutcomes(tx, tenantId, await listSessionEvents(tx, row, idPage(page))),
            ),
        ),
    }),
  }),
});

builder.objectFields(TenantType, (t) => ({
  agentSessions: t.connection({
    type: AgentSessionType,
    description: 'Sessions of agents, by their start, newest first.',
    complexity: pageComplexity,
    args: { agentKey: t.arg.id(), state: t.arg({ type: SessionState }), since: t.arg({ type: 'DateTime' }) },
    resolve: ({ tenantId }, args, { inTenant }) => {
      const { state, since } = given(args);
      const agentKey = keyOrNone(args.agentKey);
      return resolveCursorConnection<Promise<AgentSessionNode[]>>(
        { ...paging(args), toCursor: ({ row }) => writePlace(row) },
        (page) =>
          inTenant(tenantId, async (tx) => {
            const rows = await listAgentSessions(tx, { agentKey, state, since }, sessionPage(page));
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
}));

function sessionPage({ limit, inverted, before, after }: CursorPage) {
  return { limit, inverted, before: readPlace(before), after: readPlace(after) };
}

function writePlace({ startedAt, sessionKey }: SessionPlace): string {
  return `${startedAt.getTime()}.${sessionKey}`;
}

function readPlace(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, ms, sessionKey] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (ms === undefined || sessionKey === undefined || !isUuid(sessionKey) || Number(ms) > MOMENT_MS_MAX)
    return failCursor();
  return { startedAt: new Date(Number(ms)), sessionKey };
}
