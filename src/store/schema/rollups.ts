import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Counts over stretches of time, so that an overview need not read events. The projector adds to them in the transaction of
 * the rows that they count. Times are those of the event's id.
 */

const tenantId = () =>
  uuid('tenant_id')
    .notNull()
    .references(() => tenants.id);

export const activityMinutes = pgTable(
  'activity_minutes',
  {
    tenantId: tenantId(),
    minute: moment('minute').notNull(),
    events: integer('events').notNull(),
    decisions: integer('decisions').notNull(),
    /** The sender was told to stop, by a decision or by the fail mode. */
    blocked: integer('blocked').notNull(),
    undecided: integer('undecided').notNull(),
    /** The sender was told nothing in time, and went on. */
    failedOpen: integer('failed_open').notNull(),
    /** Of those, answered 408. */
    timeouts: integer('timeouts').notNull(),
    /** Decisions by the time they took: the buckets of `lib/log-histogram.ts`. */
    latency: integer('latency').array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.minute] })],
);

export const agentHours = pgTable(
  'agent_hours',
  {
    tenantId: tenantId(),
    agentKey: uuid('agent_key').notNull(),
    hour: moment('hour').notNull(),
    eventType: text('event_type').notNull(),
    /** Of a call that was inspected; else empty. */
    toolKind: text('tool_kind').notNull(),
    events: integer('events').notNull(),
    blocked: integer('blocked').notNull(),
    undecided: integer('undecided').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.agentKey, table.hour, table.eventType, table.toolKind] }),
    index('agent_hours_by_time').on(table.tenantId, table.hour),
  ],
);

export const policyHits = pgTable(
  'policy_hits',
  {
    tenantId: tenantId(),
    hour: moment('hour').notNull(),
    policyId: text('policy_id').notNull(),
    agentKey: uuid('agent_key').notNull(),
    /** Events that the policy matched, whatever it asked for. */
    enforced: integer('enforced').notNull(),
    /** Events that it would have matched, were it not in shadow mode. */
    simulated: integer('simulated').notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.hour, table.policyId, table.agentKey] })],
);

export const findingHours = pgTable(
  'finding_hours',
  {
    tenantId: tenantId(),
    hour: moment('hour').notNull(),
    kind: text('kind').notNull(),
    severity: text('severity').notNull(),
    agentKey: uuid('agent_key').notNull(),
    findings: integer('findings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.hour, table.kind, table.severity, table.agentKey] })],
);
