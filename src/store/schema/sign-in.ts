import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { LoginMethod, MagicLinkPurpose } from '../../domain/sign-in.ts';
import { bytea, moment } from './columns.ts';
import { users } from './organizations.ts';
import { tenants } from './tenants.ts';

/** What signs people in. Of every secret there is only the SHA-256 of 256 random bits. */
export const loginSessions = pgTable(
  'login_sessions',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tokenHash: bytea('token_hash').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    method: text('method').$type<LoginMethod>().notNull(),
    /** The identity provider's connection, where one signed them in. */
    connectionId: uuid('connection_id'),
    /** What the identity provider needs to end its own session, as JSON text, sealed. */
    providerSession: text('provider_session'),
    /** Keyed hashes of the provider's own names for the person and for its session, by which it ends them. */
    subjectMark: bytea('subject_mark'),
    sessionMark: bytea('session_mark'),
    /** Where it began, for its person to recognise it by. */
    address: text('address'),
    browser: text('browser'),
    createdAt: moment('created_at').notNull().defaultNow(),
    lastUsedAt: moment('last_used_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    /** When the identity provider says that it is over: no use extends it beyond. */
    overAt: moment('over_at'),
    endedAt: moment('ended_at'),
  },
  (table) => [
    index('login_sessions_by_user').on(table.userId),
    index('login_sessions_by_provider').on(table.connectionId, table.subjectMark),
    index('login_sessions_by_expiry').on(table.expiresAt),
    check('login_sessions_method_known', sql`${table.method} in ('magic_link', 'oidc', 'saml')`),
  ],
);

/** Links that sign in whoever opens them, once. */
export const magicLinks = pgTable(
  'magic_links',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tokenHash: bytea('token_hash').notNull().unique(),
    /** Nobody yet for the first owner, who says who they are when the link is used. */
    userId: uuid('user_id').references(() => users.id),
    /** `sign_in` links work in the browser that asked for them alone; the others are handed to somebody. */
    purpose: text('purpose').$type<MagicLinkPurpose>().notNull(),
    browserHash: bytea('browser_hash'),
    /** Of an invitation: the tenant whose membership is accepted with it. */
    tenantId: uuid('tenant_id').references(() => tenants.id),
    /** Of an invitation: what whoever sent it calls the person. */
    invitedAs: text('invited_as'),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('magic_links_by_user').on(table.userId),
    index('magic_links_by_expiry').on(table.expiresAt),
    check('magic_links_purpose_known', sql`${table.purpose} in ('sign_in', 'invitation', 'first_owner', 'operator')`),
    check('magic_links_person', sql`(${table.userId} is null) = (${table.purpose} = 'first_owner')`),
    check('magic_links_bound', sql`(${table.browserHash} is not null) = (${table.purpose} = 'sign_in')`),
  ],
);
