import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, moment } from './columns.ts';
import { users } from './organizations.ts';
import { tenants } from './tenants.ts';

/** Identity providers of tenants. */
export const ssoConnections = pgTable(
  'sso_connections',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    kind: text('kind').$type<'oidc' | 'saml'>().notNull(),
    name: text('name').notNull(),
    state: text('state').$type<'draft' | 'enabled' | 'disabled'>().notNull().default('draft'),
    /** Of the kind: checked against its schema when it is read and written. Secrets in it are sealed. */
    settings: jsonb('settings').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('sso_connections_of_tenant').on(table.tenantId, table.id),
    check('sso_connections_kind_known', sql`${table.kind} in ('oidc', 'saml')`),
    check('sso_connections_state_known', sql`${table.state} in ('draft', 'enabled', 'disabled')`),
  ],
);

/** Who somebody is to an identity provider: the connection and its own name for them, which no other connection can claim. */
export const userIdentities = pgTable(
  'user_identities',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    connectionId: uuid('connection_id').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.connectionId, table.subject] }),
    foreignKey({
      name: 'user_identities_connection_fk',
      columns: [table.tenantId, table.connectionId],
      foreignColumns: [ssoConnections.tenantId, ssoConnections.id],
    }),
    index('user_identities_by_user').on(table.userId),
    check('user_identities_subject_bound', sql`length(${table.subject}) between 1 and 512`),
  ],
);

/** E-mail domains that a tenant has proven to own, and the connection that signs in the people there. */
export const verifiedDomains = pgTable(
  'verified_domains',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** Lower case. */
    domain: text('domain').notNull(),
    connectionId: uuid('connection_id'),
    /** What the tenant must publish in DNS to prove that the domain is its own. */
    challenge: text('challenge').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    verifiedAt: moment('verified_at'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.domain] }),
    uniqueIndex('verified_domains_one_owner').on(table.domain).where(sql`${table.verifiedAt} is not null`),
    foreignKey({
      name: 'verified_domains_connection_fk',
      columns: [table.tenantId, table.connectionId],
      foreignColumns: [ssoConnections.tenantId, ssoConnections.id],
    }),
    check('verified_domains_lower_case', sql`${table.domain} = lower(${table.domain})`),
  ],
);

/** Sign-ins that went to an identity provider and have not come back. Each comes back once. */
export const pendingSignIns = pgTable(
  'pending_sign_ins',
  {
    /** Of the state (OIDC) or the RelayState (SAML). */
    stateHash: bytea('state_hash').primaryKey(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    connectionId: uuid('connection_id').notNull(),
    browserHash: bytea('browser_hash').notNull(),
    /** Nonce, code verifier, request id: as JSON text, sealed. */
    secrets: text('secrets').notNull(),
    /** A path of the dashboard to go to afterwards. */
    returnTo: text('return_to').notNull(),
    /** A try-out: shows what came and signs nobody in. */
    purpose: text('purpose').$type<'sign_in' | 'test'>().notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'pending_sign_ins_connection_fk',
      columns: [table.tenantId, table.connectionId],
      foreignColumns: [ssoConnections.tenantId, ssoConnections.id],
    }),
    index('pending_sign_ins_by_expiry').on(table.expiresAt),
  ],
);

/** Assertions and requests to log out that were accepted: none is accepted twice. Kept until it would be too old anyway. */
export const usedAssertions = pgTable(
  'used_assertions',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    connectionId: uuid('connection_id').notNull(),
    /** The SHA-256 of connection and id, since the provider chooses the id. */
    assertionId: text('assertion_id').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.connectionId, table.assertionId] }),
    index('used_assertions_by_expiry').on(table.expiresAt),
  ],
);
