import { bigint, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** The policy sets that a tenant's people saved: whole, never changed, and kept, since stored decisions name them by hash. */
export const policySets = pgTable(
  'policy_sets',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** 1, 2, … within the tenant. */
    version: integer('version').notNull(),
    /** The hash of the compiled set, as decisions carry it. Two versions that differ in layout alone have the same. */
    hash: text('hash').notNull(),
    /** JSON text: `PolicyFile[]`, the files as they were written. */
    files: text('files').notNull(),
    note: text('note').notNull(),
    /** Who, as the audit log names them. */
    createdBy: text('created_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.version] }),
    index('policy_sets_by_hash').on(table.tenantId, table.hash),
  ],
);

/** Which set decides for a tenant, and which is tried beside it: the newest row counts. Rows are only ever added. */
export const policyActivations = pgTable(
  'policy_activations',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    /** Null: the policies of the installation. */
    activeVersion: integer('active_version'),
    /** Null: none is tried. */
    shadowVersion: integer('shadow_version'),
    changedBy: text('changed_by').notNull(),
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.seq] }),
    foreignKey({
      name: 'policy_activations_active_fk',
      columns: [table.tenantId, table.activeVersion],
      foreignColumns: [policySets.tenantId, policySets.version],
    }),
    foreignKey({
      name: 'policy_activations_shadow_fk',
      columns: [table.tenantId, table.shadowVersion],
      foreignColumns: [policySets.tenantId, policySets.version],
    }),
  ],
);
