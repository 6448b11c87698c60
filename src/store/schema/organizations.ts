import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from './columns.ts';

/** The organization that an installation begins with; its tenants and people belong to it unless others are named. */
export const FIRST_ORGANIZATION_ID = '00000000-0000-7000-8000-000000000000';

/** Whoever runs tenants: a company, a team. */
export const organizations = pgTable('organizations', {
  id: uuid('id').primaryKey().defaultRandom(),
  name: text('name').notNull(),
  createdAt: moment('created_at').notNull().defaultNow(),
});

/** People. Which tenants they may see is in `memberships`. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    organizationId: uuid('organization_id')
      .notNull()
      .default(FIRST_ORGANIZATION_ID)
      .references(() => organizations.id),
    /** Lower case. */
    email: text('email').notNull(),
    name: text('name').notNull(),
    /**
     * Whether a link sent to `email` signs this person in. Somebody an identity provider brought is known by its name for
     * them, never by an address that it claims; they may share one with somebody else here.
     */
    signsInByEmail: boolean('signs_in_by_email').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    disabledAt: moment('disabled_at'),
  },
  (table) => [
    uniqueIndex('users_one_for_each_mailbox').on(table.email).where(sql`${table.signsInByEmail}`),
    check('users_email_form', sql`${table.email} = lower(${table.email}) and length(${table.email}) between 3 and 254`),
  ],
);
