import { isUuid } from '../domain/ids.ts';
import { findAgentSessions, findDecisions, findEvents } from '../store/activity.ts';
import { findFindingsOf, readFindingKey, writeFindingKey } from '../store/findings.ts';
import type { StatisticsBucket } from '../store/statistics.ts';
import { type AgentSessionNode, AgentSessionType } from './agent-session-types.ts';
import { BacktestType } from './backtest-types.ts';
import { badInput, builder, type GraphqlContext } from './builder.ts';
import {
  Action,
  DecisionKind,
  DecisionType,
  type DecisionWithEvent,
  type TimelineEntry,
  TimelineEntryType,
} from './decision-types.ts';
import { type FindingNode, SeverityType, StoredFindingType, withEvents as withTheirEvents } from './finding-types.ts';
import { keyOrNone } from './keys.ts';
import type { LiveBatch } from './live/feed-reader.ts';
import type { LiveFeeds } from './live/live-feeds.ts';
import type { Tick } from './live/live-readings.ts';
import { readCursor } from './live/position.ts';
import { backtestOf, statisticsOf } from './live/readings.ts';
import type { LiveTopic } from './live/topic.ts';
import { given } from './outcome.ts';
import { withEvents, withOutcomes } from './outcomes.ts';
import { BucketType } from './tenant-types.ts';

/** What can be watched. Each subscription tells batches, and where to go on after its connection was lost. */

/** Of a row without its long texts, in UTF-16 units. */
const ROW_CHARS = 1_000;
const lengthOf = (text: string | null | undefined) => text?.length ?? 0;

const DECISIONS: LiveTopic<DecisionWithEvent> = {
  name: 'decisions',
  resumes: true,
  load: async (tx, tenantId, ids) =>
    new Map((await withEvents(tx, tenantId, await findDecisions(tx, ids))).map((item) => [item.decision.id, item])),
  charsOf: ({ decision, event }) =>
    ROW_CHARS + lengthOf(event?.body) + lengthOf(decision.explanation) + lengthOf(decision.lateExplanation),
};

const FINDINGS: LiveTopic<FindingNode> = {
  name: 'findings',
  resumes: true,
  load: async (tx, tenantId, ids) => {
    const eventIds = [...new Set(ids.flatMap((id) => readFindingKey(id)?.eventId ?? []))];
    const nodes = await withTheirEvents(tx, tenantId, await findFindingsOf(tx, tenantId, eventIds));
    return new Map(nodes.map((node) => [writeFindingKey(node.row), node]));
  },
  charsOf: ({ row }) => ROW_CHARS + lengthOf(row.pointer) + lengthOf(row.triage?.note),
};

const EVENTS: LiveTopic<TimelineEntry> = {
  name: 'events',
  resumes: false,
  load: async (tx, tenantId, ids) =>
    new Map((await withOutcomes(tx, tenantId, await findEvents(tx, ids))).map((item) => [item.event.id, item])),
  charsOf: ({ event, decision, inspection }) =>
    ROW_CHARS + event.body.length + lengthOf(decision?.explanation) + lengthOf(inspection?.explanation),
};

const SESSIONS: LiveTopic<AgentSessionNode> = {
  name: 'sessions',
  resumes: false,
  load: async (tx, tenantId, ids) =>
    new Map((await findAgentSessions(tx, ids)).map((row) => [row.sessionKey, { tenantId, row }])),
  charsOf: () => ROW_CHARS,
};

/** A payload has at most a hundred. */
const ITEMS_COMPLEXITY = { field: 5, multiplier: 20 };
const MISSED =
  'How many were left out since the batch before, of all that there were, whatever is asked for. Read the list anew.';

const CURSOR = 'For `after`, to lose nothing when the connection is lost. Good for 24 hours.';
const HAS_GAP = 'Whether `after` lies too far back, so that what came next is not told.';

const DecisionsBatchType = builder.objectRef<LiveBatch<DecisionWithEvent>>('DecisionsBatch').implement({
  description:
    'Decisions that are new, or of which more became known. The first batch is empty: everything after it is told.',
  fields: (t) => ({
    items: t.field({ type: [DecisionType], complexity: ITEMS_COMPLEXITY, resolve: ({ items }) => items }),
    cursor: t.exposeString('cursor', { description: CURSOR }),
    missed: t.exposeInt('missed', { description: MISSED }),
    hasGap: t.exposeBoolean('hasGap', { description: HAS_GAP }),
  }),
});

const FindingsBatchType = builder.objectRef<LiveBatch<FindingNode>>('FindingsBatch').implement({
  description: 'Findings that are new. The first batch is empty: everything after it is told.',
  fields: (t) => ({
    items: t.field({ type: [StoredFindingType], complexity: ITEMS_COMPLEXITY, resolve: ({ items }) => items }),
    cursor: t.exposeString('cursor', { description: CURSOR }),
    missed: t.exposeInt('missed', { description: MISSED }),
    hasGap: t.exposeBoolean('hasGap', { description: HAS_GAP }),
  }),
});

const EventsBatchType = builder.objectRef<LiveBatch<TimelineEntry>>('EventsBatch').implement({
  description: 'Events that are new, or of which more became known. The first batch is empty.',
  fields: (t) => ({
    items: t.field({ type: [TimelineEntryType], complexity: ITEMS_COMPLEXITY, resolve: ({ items }) => items }),
    missed: t.exposeInt('missed', { description: MISSED }),
  }),
});

const SessionsBatchType = builder.objectRef<LiveBatch<AgentSessionNode>>('AgentSessionsBatch').implement({
  description: 'Sessions of agents that changed, as they are now. The first batch is empty.',
  fields: (t) => ({
    items: t.field({ type: [AgentSessionType], complexity: ITEMS_COMPLEXITY, resolve: ({ items }) => items }),
    missed: t.exposeInt('missed', { description: MISSED }),
  }),
});

const StatisticsTickType = builder.objectRef<Tick<StatisticsBucket[]>>('StatisticsTick').implement({
  description: 'How it stands now. Of ticks that were not taken in time, the newest is told.',
  fields: (t) => ({
    items: t.field({ type: [BucketType], complexity: ITEMS_COMPLEXITY, resolve: ({ value }) => value }),
    missed: t.exposeInt('missed', { description: 'Ticks that were left out since the one before.' }),
  }),
});

const LiveWindowType = builder.enumType('LiveWindow', {
  description: 'MINUTE: the last minute in seconds. HOUR: the last hour in minutes.',
  values: { MINUTE: { value: 'minute' }, HOUR: { value: 'hour' } } as const,
});

const DecisionsFilter = builder.inputType('DecisionsFilter', {
  description: 'Of decisions that are watched.',
  fields: (t) => ({
    action: t.field({ type: Action }),
    kind: t.field({ type: DecisionKind }),
    sessionKey: t.id(),
  }),
});

const FindingsFilter = builder.inputType('FindingsFilter', {
  description: 'Of findings that are watched.',
  fields: (t) => ({
    severities: t.field({ type: [SeverityType] }),
    kind: t.string(),
    policy: t.string({ description: 'Id of a policy that matched the event.' }),
    agentKey: t.id(),
    sessionKey: t.id(),
  }),
});

/** What can be watched in a tenant. @throws {GraphQLError} for who may not read there. */
function liveIn({ admit, live }: GraphqlContext, tenantId: string): LiveFeeds {
  admit(tenantId, 'read');
  if (live === undefined) throw badInput('subscriptions are asked for over a WebSocket');
  return live;
}

/** Whether an item belongs to the session or agent of this key, where one is asked for. */
function isOf<Item>(keyIn: (item: Item) => string, asked: string | null | undefined) {
  const wanted = keyOrNone(asked);
  return (item: Item) => wanted === undefined || keyIn(item) === wanted;
}

builder.subscriptionField('decisions', (t) =>
  t.field({
    type: DecisionsBatchType,
    description:
      'Decisions as they are stored. Who is slow, or was away and goes on at a cursor, gets every one, later.',
    args: {
      tenantId: t.arg.id({ required: true }),
      filter: t.arg({ type: DecisionsFilter }),
      after: t.arg.string({ description: 'The cursor of the last batch that was had.' }),
    },
    subscribe: (_root, { tenantId, filter, after }, context) => {
      const { action, kind, sessionKey } = given(filter ?? {});
      const isOfSession = isOf(({ decision }: DecisionWithEvent) => decision.sessionKey, sessionKey);
      return liveIn(context, tenantId).watch(tenantId, DECISIONS, {
        after: positionOf(after),
        accepts: (item) =>
          (action === undefined || item.decision.action === action) &&
          (kind === undefined || item.decision.kind === kind) &&
          isOfSession(item),
      });
    },
    resolve: (batch) => batch,
  }),
);

builder.subscriptionField('shadowDifferences', (t) =>
  t.field({
    type: DecisionsBatchType,
    description: 'Decisions that the policies which are tried would have made otherwise. Resumes as `decisions` does.',
    args: {
      tenantId: t.arg.id({ required: true }),
      after: t.arg.string({ description: 'The cursor of the last batch that was had.' }),
    },
    subscribe: (_root, { tenantId, after }, context) =>
      liveIn(context, tenantId).watch(tenantId, DECISIONS, {
        after: positionOf(after),
        accepts: ({ decision: { action, shadowAction } }) =>
          action !== null && shadowAction !== null && shadowAction !== action,
      }),
    resolve: (batch) => batch,
  }),
);

builder.subscriptionField('findings', (t) =>
  t.field({
    type: FindingsBatchType,
    description:
      'Findings as they are stored, those of late decisions and of inspections, too. Each is told once, as it is then; what people make of it is not. Resumes as `decisions` does.',
    args: {
      tenantId: t.arg.id({ required: true }),
      filter: t.arg({ type: FindingsFilter }),
      after: t.arg.string({ description: 'The cursor of the last batch that was had.' }),
    },
    subscribe: (_root, { tenantId, filter, after }, context) => {
      const { severities, kind, policy, agentKey, sessionKey } = given(filter ?? {});
      const isOfAgent = isOf(({ row }: FindingNode) => row.agentKey, agentKey);
      const isOfSession = isOf(({ row }: FindingNode) => row.sessionKey, sessionKey);
      return liveIn(context, tenantId).watch(tenantId, FINDINGS, {
        after: positionOf(after),
        accepts: (item) =>
          (severities === undefined || severities.includes(item.row.severity)) &&
          (kind === undefined || item.row.kind === kind) &&
          (policy === undefined || item.row.policies.includes(policy)) &&
          isOfAgent(item) &&
          isOfSession(item),
      });
    },
    resolve: (batch) => batch,
  }),
);

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventsBatchType,
    description: 'Events as they are stored, and what becomes known of them.',
    args: { tenantId: t.arg.id({ required: true }), sessionKey: t.arg.id() },
    subscribe: (_root, { tenantId, sessionKey }, context) =>
      liveIn(context, tenantId).watch(tenantId, EVENTS, {
        accepts: isOf(({ event }: TimelineEntry) => event.sessionKey, sessionKey),
      }),
    resolve: (batch) => batch,
  }),
);

builder.subscriptionField('sessionUpdates', (t) =>
  t.field({
    type: SessionsBatchType,
    description: 'Sessions of agents, whenever they change.',
    args: { tenantId: t.arg.id({ required: true }), sessionKey: t.arg.id() },
    subscribe: (_root, { tenantId, sessionKey }, context) =>
      liveIn(context, tenantId).watch(tenantId, SESSIONS, {
        accepts: isOf(({ row }: AgentSessionNode) => row.sessionKey, sessionKey),
      }),
    resolve: (batch) => batch,
  }),
);

builder.subscriptionField('statistics', (t) =>
  t.field({
    type: StatisticsTickType,
    description: 'Decisions over the last stretch of time, about every second.',
    args: { tenantId: t.arg.id({ required: true }), window: t.arg({ type: LiveWindowType, required: true }) },
    subscribe: (_root, { tenantId, window }, context) => {
      const { readings, database } = liveIn(context, tenantId);
      return readings.watch(statisticsOf(database, tenantId, window));
    },
    resolve: (tick) => tick,
  }),
);

builder.subscriptionField('backtest', (t) =>
  t.field({
    type: BacktestType,
    nullable: true,
    description: 'A backtest as it goes on, at most once a second, until it ends. Null where there is none.',
    args: { tenantId: t.arg.id({ required: true }), id: t.arg.id({ required: true }) },
    subscribe: (_root, { tenantId, id }, context) => {
      const { readings, database } = liveIn(context, tenantId);
      if (!isUuid(id)) throw badInput('a backtest is named by its UUID');
      return readings.watch(backtestOf(database, context.policies.backtests, tenantId, id));
    },
    resolve: ({ value }) => value,
  }),
);

function positionOf(cursor: string | null | undefined) {
  if (cursor === undefined || cursor === null) return undefined;
  const position = readCursor(cursor);
  if (position === undefined) throw badInput('a cursor is what a batch gave');
  return position;
}
