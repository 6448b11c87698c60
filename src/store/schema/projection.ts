import { bigint, bigserial, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { bytea, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * How far each journal is in the database, written in the transaction of the rows. One row for each journal that ever
 * fed this database, so that a fresh journal starts at its own beginning.
 */
export const projectorPositions = pgTable('projector_positions', {
  journalId: text('journal_id').primaryKey(),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  /** Tells the record at `seq` from any other that a journal of this name may have there; null where that is not known. */
  mark: text('mark'),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});

/** Records that could not become rows, whole, with the reason. */
export const quarantine = pgTable(
  'quarantine',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** Null where nothing of the record could be read; its event is `NO_EVENT` then. */
    tenantId: uuid('tenant_id').references(() => tenants.id),
    journalId: text('journal_id').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    eventId: uuid('event_id').notNull(),
    /** The record as JSON text in UTF-8; a body is in base64. Where it could not be read, its bytes. */
    record: bytea('record').notNull(),
    /** What PostgreSQL called it; absent where the record was unfit before it got there. */
    sqlState: text('sql_state'),
    error: text('error').notNull(),
    quarantinedAt: moment('quarantined_at').notNull().defaultNow(),
  },
  (table) => [
    unique('quarantine_once').on(table.journalId, table.seq, table.eventId),
    index('quarantine_by_tenant').on(table.tenantId),
  ],
);
