import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Holds and taints that people took back. Few: kept in one table. Texts are written by `storableText`. */
export const releases = pgTable(
  'releases',
  {
    /** A UUIDv7 like those of events: its place among the session's events. */
    id: uuid('id').primaryKey(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    sessionKey: uuid('session_key').notNull(),
    /** Who: the subject of the access token. */
    subject: text('subject').notNull(),
    reason: text('reason').notNull(),
    /** What was there and ended. */
    hold: boolean('hold').notNull(),
    taints: text('taints').array().notNull(),
    releasedAt: moment('released_at').notNull(),
  },
  (table) => [index('releases_by_session').on(table.tenantId, table.sessionKey, table.id)],
);
