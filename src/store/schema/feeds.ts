import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * What became visible to each tenant, in the order in which it did. Ids of events are by the time of receipt, and an older one may
 * be stored after a newer one: who wants to see every row once goes by these numbers, which have no gaps and are given out under a
 * lock that is held until the rows are there.
 */
export const feedHeads = pgTable('feed_heads', {
  tenantId: uuid('tenant_id')
    .primaryKey()
    .references(() => tenants.id),
  /** Of the newest batch. */
  seq: bigint('seq', { mode: 'number' }).notNull(),
});

/** One transaction of a projector, as one tenant may see it: its own rows, and those of agents shared with it. */
export const feedBatches = pgTable(
  'feed_batches',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    storedAt: moment('stored_at').notNull().defaultNow(),
    /** Ids of events that are new, or of which more became known. */
    events: uuid('events').array().notNull(),
    /** Those of them with a decision. */
    decisions: uuid('decisions').array().notNull(),
    /** Keys of the sessions that changed. */
    sessions: uuid('sessions').array().notNull(),
    /** Findings that are new, as `<event>.<n>`. */
    findings: text('findings').array().notNull().default(sql`'{}'`),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.seq] }),
    // For retention.
    index('feed_batches_by_time').on(table.storedAt),
  ],
);
