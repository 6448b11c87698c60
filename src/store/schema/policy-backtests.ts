import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** What became of a backtest. One that is `running` without a process that runs it was interrupted. */
export type BacktestState = 'running' | 'done' | 'cancelled' | 'failed';

/** Policy sets tried on stored sessions: how far each got, and what it found. The newest few of each tenant are kept. */
export const policyBacktests = pgTable(
  'policy_backtests',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** The version that was tried; null for files that were not saved. */
    version: integer('version'),
    /** The hash of the compiled set. */
    hash: text('hash').notNull(),
    since: moment('since').notNull(),
    until: moment('until').notNull(),
    state: text('state').$type<BacktestState>().notNull().default('running'),
    startedBy: text('started_by').notNull(),
    startedAt: moment('started_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
    sessionsCount: integer('sessions_count').notNull().default(0),
    sessionsDone: integer('sessions_done').notNull().default(0),
    /** Of those done: too large, or not to be inspected in time. */
    sessionsLeftOut: integer('sessions_left_out').notNull().default(0),
    eventsDone: integer('events_done').notNull().default(0),
    decisionsDone: integer('decisions_done').notNull().default(0),
    newlyBlocked: integer('newly_blocked').notNull().default(0),
    newlyAllowed: integer('newly_allowed').notNull().default(0),
    /** `BacktestDifference[]` as JSON text, the first so many. */
    differences: text('differences').notNull().default('[]'),
  },
  (table) => [
    index('policy_backtests_by_time').on(table.tenantId, table.startedAt.desc()),
    check('policy_backtests_state_known', sql`${table.state} in ('running', 'done', 'cancelled', 'failed')`),
  ],
);
