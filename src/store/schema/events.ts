import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { Decision, OnFailure, UndecidedAnswer, UndecidedCause } from '../../domain/decision.ts';
import type { EventType } from '../../domain/event-types.ts';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * The three tables that grow with the traffic. Each is partitioned by day over the event's id, a UUIDv7 (see
 * `partitions.ts`; the migration adds what Drizzle cannot say), so that the key stays the id alone and retention drops
 * a table instead of deleting rows. They do not refer to each other by foreign key: they are written together, and a
 * day of one must be droppable without a look into the others. Nor do events and decisions refer to their tenant: the
 * agent's row does, which is written first in the same transaction, and a look-up for each row took PostgreSQL a fifth of
 * its time.
 *
 * Texts from a sensor are written by `storableText`; `body` and the JSON texts are kept as they are.
 */
export const events = pgTable(
  'events',
  {
    id: uuid('id').primaryKey(),
    tenantId: uuid('tenant_id').notNull(),
    sessionKey: uuid('session_key').notNull(),
    agentKey: uuid('agent_key').notNull(),
    eventType: text('event_type').$type<EventType>().notNull(),
    /** The sensor's clock. */
    eventAt: moment('event_at').notNull(),
    /** Our clock. */
    receivedAt: moment('received_at').notNull(),
    userEmail: text('user_email').notNull(),
    toolName: text('tool_name'),
    correlationId: text('correlation_id').notNull(),
    traceparent: text('traceparent'),
    /** The subject of the access token that sent it. */
    subject: text('subject').notNull(),
    dedupe: text('dedupe').notNull(),
    /** The request body, byte for byte. */
    body: text('body').notNull(),
    /** Of an observational event: hash of the tenant's policy set that it came under; null for the installation's policies. */
    policySet: text('policy_set'),
  },
  (table) => [
    index('events_by_time').on(table.tenantId, table.id),
    index('events_by_session').on(table.tenantId, table.sessionKey, table.id),
  ],
);

/** How each blocking event was answered, and what became known after the answer. */
export const decisions = pgTable(
  'decisions',
  {
    id: uuid('id').primaryKey(),
    tenantId: uuid('tenant_id').notNull(),
    sessionKey: uuid('session_key').notNull(),
    kind: text('kind').$type<Decision['kind']>().notNull(),
    /** Of a `decided` one. */
    action: text('action').$type<'allow' | 'block'>(),
    reason: text('reason'),
    /** Of an `undecided` one: why, and how it was answered. */
    cause: text('cause').$type<UndecidedCause>(),
    answered: text('answered'),
    onFailure: text('on_failure').$type<OnFailure>().notNull(),
    /** `Effect[]` as JSON text. */
    effects: text('effects').notNull(),
    /** `Explanation` as JSON text. */
    explanation: text('explanation'),
    /** Hash of the policy set that was tried beside the one that decided, and what it would have answered, if that is known. */
    shadowSet: text('shadow_set'),
    shadowAction: text('shadow_action').$type<'allow' | 'block'>(),
    /** `block` where an event was allowed that policies in shadow mode would have blocked. */
    simulatedAction: text('simulated_action').$type<'block'>(),
    /** Events of the session whose inspection was not waited for. */
    notWaitedFor: uuid('not_waited_for').array(),
    tookUs: bigint('took_us', { mode: 'number' }).notNull(),
    decidedAt: moment('decided_at').notNull(),
    /** When and why the sender got another answer, though this one was recorded, and which: none is a fail-open. */
    unansweredAt: moment('unanswered_at'),
    unansweredCause: text('unanswered_cause').$type<UndecidedCause>(),
    answeredInstead: text('answered_instead').$type<UndecidedAnswer>(),
    /** The inspection that finished after the answer. */
    lateAt: moment('late_at'),
    lateAction: text('late_action').$type<'allow' | 'block'>(),
    lateReason: text('late_reason'),
    lateCause: text('late_cause').$type<UndecidedCause>(),
    lateExplanation: text('late_explanation'),
    lateEffects: text('late_effects'),
  },
  (table) => [
    index('decisions_by_time').on(table.tenantId, table.id),
    index('decisions_by_session').on(table.tenantId, table.sessionKey, table.id),
    // Few of many, each looked for by itself: what was stopped, what was not decided, and what a change of the policies would change.
    index('decisions_blocked').on(table.tenantId, table.id).where(sql`action = 'block'`),
    index('decisions_undecided').on(table.tenantId, table.id).where(sql`kind = 'undecided'`),
    index('decisions_by_shadow').on(table.tenantId, table.shadowSet, table.id).where(sql`shadow_action <> action`),
    index('decisions_simulated').on(table.tenantId, table.id).where(sql`simulated_action is not null`),
  ],
);

/** What was found in observational events. */
export const inspections = pgTable(
  'inspections',
  {
    id: uuid('id').primaryKey(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    sessionKey: uuid('session_key').notNull(),
    /** `Explanation` as JSON text; absent where the inspection failed for good, and `cause` says why. */
    explanation: text('explanation'),
    cause: text('cause').$type<UndecidedCause>(),
    effects: text('effects').notNull(),
    inspectedAt: moment('inspected_at').notNull(),
  },
  (table) => [index('inspections_by_time').on(table.tenantId, table.id)],
);
