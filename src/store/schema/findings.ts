import { sql } from 'drizzle-orm';
import {
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Severity } from '../../domain/decision.ts';
import type { FindingStatus, Verdict } from '../../domain/triage.ts';
import { moment } from './columns.ts';
import { users } from './organizations.ts';
import { tenants } from './tenants.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/**
 * What detectors reported, one row each, written from the explanations of decisions and inspections. Partitioned by day like
 * `events`, and never changed: what people make of a finding is in `finding_triage`.
 */
export const findings = pgTable(
  'findings',
  {
    eventId: uuid('event_id').notNull(),
    /** Its place in the explanation; from 1000 on in that of a late decision. */
    n: smallint('n').notNull(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    sessionKey: uuid('session_key').notNull(),
    agentKey: uuid('agent_key').notNull(),
    kind: text('kind').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    confidence: real('confidence').notNull(),
    /** Where in the event the evidence stands. Written by `storableText`. */
    pointer: text('pointer'),
    spanStart: integer('span_start'),
    spanEnd: integer('span_end'),
    /** The policies that matched the event, those in shadow mode behind the others. */
    policies: text('policies').array().notNull(),
    foundAt: moment('found_at').notNull(),
    /** The words of what it says: see `search_words` in the migration. */
    search: tsvector('search').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.n] }),
    index('findings_by_time').on(table.tenantId, table.eventId, table.n),
    index('findings_by_session').on(table.tenantId, table.sessionKey, table.eventId),
    index('findings_by_agent').on(table.tenantId, table.agentKey, table.eventId),
    index('findings_search').using('gin', table.search),
  ],
);

/** What people made of findings. A finding without a row here is open, and nobody judged it. */
export const findingTriage = pgTable(
  'finding_triage',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** The finding. No foreign key: its day is dropped whole. */
    eventId: uuid('event_id').notNull(),
    n: smallint('n').notNull(),
    status: text('status').$type<FindingStatus>().notNull(),
    verdict: text('verdict').$type<Verdict>(),
    note: text('note'),
    assignee: uuid('assignee').references(() => users.id),
    /** Who, as the audit log names them. */
    changedBy: text('changed_by').notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.eventId, table.n] }),
    check('finding_triage_status_known', sql`${table.status} in ('open', 'closed')`),
    check(
      'finding_triage_verdict_known',
      sql`${table.verdict} in ('true_positive', 'false_positive', 'accepted_risk')`,
    ),
  ],
);
