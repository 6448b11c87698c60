import { sql } from 'drizzle-orm';
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { Role } from '../../domain/roles.ts';
import { agents } from './agents.ts';
import { moment } from './columns.ts';
import { users } from './organizations.ts';
import { tenants } from './tenants.ts';

/** Who may see a tenant, and as what. */
export const memberships = pgTable(
  'memberships',
  {
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    roles: text('roles').array().$type<Role[]>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Null while somebody who was known here before has not accepted the invitation: it does not count until then. */
    acceptedAt: moment('accepted_at').defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId] }),
    index('memberships_by_user').on(table.userId),
    check(
      'memberships_roles_known',
      sql`cardinality(${table.roles}) > 0 and ${table.roles} <@ array['owner', 'admin', 'analyst', 'viewer']`,
    ),
  ],
);

/** Agents that their tenant lets another one see. */
export const agentShares = pgTable(
  'agent_shares',
  {
    /** Whose agent it is: the key below proves it. */
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    agentKey: uuid('agent_key').notNull(),
    sharedWith: uuid('shared_with')
      .notNull()
      .references(() => tenants.id),
    permission: text('permission').$type<'view' | 'manage'>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.agentKey, table.sharedWith] }),
    foreignKey({
      name: 'agent_shares_agent_fk',
      columns: [table.tenantId, table.agentKey],
      foreignColumns: [agents.tenantId, agents.agentKey],
    }),
    index('agent_shares_by_guest').on(table.sharedWith),
    check('agent_shares_permission_known', sql`${table.permission} in ('view', 'manage')`),
    check('agent_shares_with_another', sql`${table.tenantId} <> ${table.sharedWith}`),
  ],
);

/** Access tokens that were minted here: what they allow, never the token itself. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    tokenId: text('token_id').primaryKey(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    /** Who holds it, as the one who minted it named them. */
    subject: text('subject').notNull(),
    audience: text('audience').notNull(),
    scopes: text('scopes').array().notNull(),
    /** Who minted it, themselves or with a token of theirs; absent where it was the operator's command line. */
    createdBy: uuid('created_by').references(() => users.id),
    /** The token that it was minted with, which may be in no book: another issuer's, or of the command line without a database. */
    parentId: text('parent_id'),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** The key that signed it, with which it ends; absent in rows of before there was this column. */
    keyId: text('key_id'),
  },
  (table) => [
    index('access_tokens_by_tenant').on(table.tenantId, table.createdAt.desc()),
    index('access_tokens_by_parent').on(table.parentId),
  ],
);

/** Whose tokens of other issuers are accepted, and for which tenant. */
export const trustedIssuers = pgTable(
  'trusted_issuers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    tenantId: uuid('tenant_id')
      .notNull()
      .references(() => tenants.id),
    issuer: text('issuer').notNull(),
    jwksUrl: text('jwks_url').notNull(),
    audience: text('audience').notNull(),
    /** A claim that must be there with this value, where the issuer serves more than this tenant. */
    tenantClaim: text('tenant_claim'),
    tenantClaimValue: text('tenant_claim_value'),
    scopes: text('scopes').array().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('trusted_issuers_by_tenant').on(table.tenantId),
    index('trusted_issuers_by_issuer').on(table.issuer),
    check('trusted_issuers_claim_whole', sql`(${table.tenantClaim} is null) = (${table.tenantClaimValue} is null)`),
  ],
);
