import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/**
 * Who did what in a tenant. Each entry holds the hash of the one before it, so that none can be changed or taken out of
 * the middle unseen; the migration refuses changes, too.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** From 1, without gaps. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    at: moment('at').notNull(),
    /** `user:<id>`, `token:<id>`, `operator`, `tenant:<id>`, or `nobody` where a sign-in failed. */
    actor: text('actor').notNull(),
    /** What was done, as `sign_in.succeeded`. */
    action: text('action').notNull(),
    /** What it was done to. */
    target: text('target'),
    /** More, as JSON text. Never a secret. */
    detail: text('detail').notNull(),
    /** The network address it came from, where it came from one. */
    address: text('address'),
    previousHash: bytea('previous_hash').notNull(),
    hash: bytea('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.seq] })],
);
