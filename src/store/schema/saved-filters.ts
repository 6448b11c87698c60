import { sql } from 'drizzle-orm';
import { check, foreignKey, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { memberships } from './memberships.ts';

/** Lists of findings that somebody gave a name, for themselves alone. They end with the membership. */
export const savedFilters = pgTable(
  'saved_filters',
  {
    tenantId: uuid('tenant_id').notNull(),
    userId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    /** What the address of the list says of it. */
    query: text('query').notNull(),
    savedAt: moment('saved_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId, table.name] }),
    foreignKey({
      name: 'saved_filters_member_fk',
      columns: [table.tenantId, table.userId],
      foreignColumns: [memberships.tenantId, memberships.userId],
    }).onDelete('cascade'),
    check('saved_filters_bounded', sql`length(${table.name}) between 1 and 200 and length(${table.query}) <= 4000`),
  ],
);
