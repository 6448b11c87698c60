import { sql } from 'drizzle-orm';
import { check, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { ON_FAILURE, type OnFailure } from '../../domain/decision.ts';
import { moment } from './columns.ts';
import { FIRST_ORGANIZATION_ID, organizations } from './organizations.ts';

const onFailureValues = sql.raw(ON_FAILURE.map((value) => `'${value}'`).join(', '));

/** Who data belongs to. Every other tenant table refers to this one. */
export const tenants = pgTable(
  'tenants',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    organizationId: uuid('organization_id')
      .notNull()
      .default(FIRST_ORGANIZATION_ID)
      .references(() => organizations.id),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    onFailure: text('on_failure').$type<OnFailure>().notNull().default('allow'),
    /** Milliseconds to a decision; null for the service's own. */
    deadlineMs: integer('deadline_ms'),
    /** Days that events are kept; null for as long as the service keeps them. */
    retentionDays: integer('retention_days'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('tenants_slug_form', sql`${table.slug} ~ '^[a-z0-9][a-z0-9-]{0,62}$'`),
    check('tenants_on_failure_known', sql`${table.onFailure} in (${onFailureValues})`),
    check('tenants_deadline_bound', sql`${table.deadlineMs} between 50 and 60000`),
    check('tenants_retention_bound', sql`${table.retentionDays} between 1 and 3650`),
  ],
);
