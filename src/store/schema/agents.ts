import { sql } from 'drizzle-orm';
import { bigint, check, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Agents and their sessions, as folded from the events. Their keys are hashes: what a sensor calls them may be longer
 * than an index entry can be. Their texts are written by `storableText`.
 */
export const agents = pgTable(
  'agents',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** `agentKey` of tenant and `agent_id`. */
    agentKey: uuid('agent_key').notNull(),
    agentId: text('agent_id').notNull(),
    /** The newest name it went by. */
    name: text('name').notNull(),
    firstSeenAt: moment('first_seen_at').notNull(),
    lastSeenAt: moment('last_seen_at').notNull(),
    eventsCount: bigint('events_count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.agentKey] })],
);

export const agentSessions = pgTable(
  'agent_sessions',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** `agentSessionKey` of tenant and `session_id`. */
    sessionKey: uuid('session_key').notNull(),
    sessionId: text('session_id').notNull(),
    /** The agent and the user of the newest event. */
    agentKey: uuid('agent_key').notNull(),
    userEmail: text('user_email').notNull(),
    startedAt: moment('started_at').notNull(),
    lastAt: moment('last_at').notNull(),
    /** Present exactly when `state` is `ended`. */
    endedAt: moment('ended_at'),
    state: text('state').$type<'open' | 'ended'>().notNull(),
    reopenedCount: integer('reopened_count').notNull(),
    eventsCount: bigint('events_count', { mode: 'number' }).notNull(),
    blockedCount: bigint('blocked_count', { mode: 'number' }).notNull(),
    undecidedCount: bigint('undecided_count', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.sessionKey] }),
    foreignKey({
      name: 'agent_sessions_agent_fk',
      columns: [table.tenantId, table.agentKey],
      foreignColumns: [agents.tenantId, agents.agentKey],
    }),
    // By the start, which stays: an index over what each batch changes would have to be written with each batch.
    index('agent_sessions_by_time').on(table.tenantId, table.startedAt.desc()),
    index('agent_sessions_by_agent').on(table.tenantId, table.agentKey, table.startedAt.desc()),
    check('agent_sessions_ended_when_ended', sql`(${table.state} = 'ended') = (${table.endedAt} is not null)`),
    check('agent_sessions_state_known', sql`${table.state} in ('open', 'ended')`),
  ],
);
