import { isUuid } from '../domain/ids.ts';
import type { ShownBacktest } from '../platform/backtests.ts';
import type { BacktestDifference } from '../store/policy-backtests.ts';
import { badInput, builder, COST } from './builder.ts';
import { TenantType } from './tenant-types.ts';

/** Policy sets tried on stored sessions. */

const BacktestState = builder.enumType('BacktestState', {
  values: {
    RUNNING: { value: 'running' },
    DONE: { value: 'done' },
    CANCELLED: { value: 'cancelled' },
    FAILED: { value: 'failed' },
    INTERRUPTED: { value: 'interrupted', description: 'The service stopped while it ran.' },
  } as const,
});

const DifferenceKind = builder.enumType('BacktestDifferenceKind', {
  values: { BLOCKED: { value: 'blocked' }, ALLOWED: { value: 'allowed' } } as const,
});

const DifferenceType = builder.objectRef<BacktestDifference>('BacktestDifference').implement({
  description: 'An event that one set blocks and the other does not.',
  fields: (t) => ({
    eventId: t.id({ resolve: ({ event }) => event }),
    sessionKey: t.exposeID('sessionKey'),
    toolName: t.string({ nullable: true, resolve: ({ tool }) => (tool === '' ? undefined : tool) }),
    now: t.field({
      type: DifferenceKind,
      description: 'What the set that is tried makes of it.',
      resolve: ({ now }) => now,
    }),
    reason: t.exposeString('reason', { description: 'Why the set that blocks it does.' }),
  }),
});

export const BacktestType = builder.objectRef<ShownBacktest>('Backtest').implement({
  description:
    'A policy set tried on stored sessions: each lived through under the policies that count, and under those.',
  fields: (t) => ({
    id: t.exposeID('id'),
    version: t.exposeInt('version', { nullable: true, description: 'Absent for files that were not saved.' }),
    since: t.field({ type: 'DateTime', resolve: ({ since }) => since }),
    until: t.field({ type: 'DateTime', resolve: ({ until }) => until }),
    state: t.field({ type: BacktestState, resolve: ({ state }) => state }),
    startedBy: t.exposeString('startedBy'),
    startedAt: t.field({ type: 'DateTime', resolve: ({ startedAt }) => startedAt }),
    endedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ endedAt }) => endedAt }),
    sessionsCount: t.exposeInt('sessionsCount'),
    sessionsDone: t.exposeInt('sessionsDone'),
    sessionsLeftOut: t.exposeInt('sessionsLeftOut', {
      description: 'Of those done: too large, or not to be inspected in time.',
    }),
    eventsDone: t.exposeInt('eventsDone'),
    decisionsDone: t.exposeInt('decisionsDone'),
    newlyBlocked: t.exposeInt('newlyBlocked', { description: 'Decisions.' }),
    newlyAllowed: t.exposeInt('newlyAllowed', { description: 'Decisions.' }),
    differences: t.field({
      type: [DifferenceType],
      description: 'The first 200.',
      resolve: ({ differences }) => [...differences],
    }),
  }),
});

builder.objectFields(TenantType, (t) => ({
  backtest: t.field({
    type: BacktestType,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: ({ tenantId }, { id }, { policies, inTenant }) => {
      if (!isUuid(id)) throw badInput('a backtest is named by its UUID');
      return policies.backtests.find({ tenantId, inTenant: (work) => inTenant(tenantId, work) }, id);
    },
  }),
  backtests: t.field({
    type: [BacktestType],
    description: 'The newest 20.',
    complexity: COST.list,
    resolve: ({ tenantId }, _args, { policies, inTenant }) =>
      policies.backtests.list({ tenantId, inTenant: (work) => inTenant(tenantId, work) }),
  }),
}));
