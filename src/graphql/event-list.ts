import { resolveCursorConnection } from '@pothos/plugin-relay';
import { EVENT_TYPES, type EventType } from '../domain/event-types.ts';
import { LOOKED_AT_MAX, listEvents } from '../store/events.ts';
import { builder, COST } from './builder.ts';
import { type TimelineEntry, TimelineEntryType } from './decision-types.ts';
import { fail, keyOrNone } from './keys.ts';
import { given } from './outcome.ts';
import { withOutcomes } from './outcomes.ts';
import { idPage, pageComplexity, paging } from './paging.ts';
import { TenantType } from './tenant-types.ts';

/** A tenant's events as people look through them. */

builder.objectField(TenantType, 'events', (t) =>
  t.connection({
    type: TimelineEntryType,
    description: `Events of the tenant’s own agents, or of one session that it sees, newest first, with what became of them. By type or tool, a page looks at ${LOOKED_AT_MAX} events: it may hold few, or none, and \`hasNextPage\` with \`endCursor\` leads on.`,
    // What walks through events costs as much as what adds them up.
    complexity: (args) => ({
      ...pageComplexity(args),
      ...(given(args).eventType === undefined && given(args).toolName === undefined ? {} : { field: COST.sum }),
    }),
    args: {
      eventType: t.arg.string({ description: EVENT_TYPES.join(', ') }),
      toolName: t.arg.string({ description: 'The whole name, as the sensor sent it.' }),
      sessionKey: t.arg.id(),
      since: t.arg({ type: 'DateTime' }),
      until: t.arg({ type: 'DateTime' }),
    },
    resolve: async ({ tenantId }, args, { inTenant }) => {
      const { toolName, since, until } = given(args);
      const filter = {
        eventType: eventTypeOf(args.eventType),
        toolName,
        sessionKey: keyOrNone(args.sessionKey),
        since,
        until,
      };
      let end: { inverted: boolean; lookedTo: string } | undefined;
      const connection = await resolveCursorConnection<Promise<TimelineEntry[]>>(
        { ...paging(args), toCursor: ({ event }) => event.id },
        (page) =>
          inTenant(tenantId, async (tx) => {
            const { rows, lookedTo } = await listEvents(tx, tenantId, filter, idPage(page));
            if (lookedTo !== undefined) end = { inverted: page.inverted, lookedTo };
            return withOutcomes(tx, tenantId, rows);
          }),
      );
      return { ...connection, pageInfo: { ...connection.pageInfo, ...placeOf(end) } };
    },
  }),
);

/** Where a page that ended before it was full goes on. */
function placeOf(end: { inverted: boolean; lookedTo: string } | undefined) {
  if (end === undefined) return {};
  return end.inverted
    ? { hasPreviousPage: true, startCursor: end.lookedTo }
    : { hasNextPage: true, endCursor: end.lookedTo };
}

function eventTypeOf(name: string | null | undefined): EventType | undefined {
  if (name === null || name === undefined) return undefined;
  return EVENT_TYPES.find((type) => type === name) ?? fail(`eventType is one of ${EVENT_TYPES.join(', ')}`);
}
