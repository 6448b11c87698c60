import { and, eq } from 'drizzle-orm';
import type { MappedPerson } from '../domain/claim-mapping.ts';
import type { Role } from '../domain/roles.ts';
import { assert } from '../lib/assert.ts';
import { endPlatformTokens } from './access-tokens.ts';
import { audit } from './audit-log.ts';
import type { Database } from './database.ts';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { ssoConnections, userIdentities } from './schema/sso.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Who signs in, through which connection. */
export interface ProviderSignIn {
  tenantId: string;
  connectionId: string;
  /** When the connection was last changed, as the person was checked and mapped by it. */
  connectionAsOf: Date;
  kind: 'oidc' | 'saml';
  person: MappedPerson;
  address: string;
}

export type Provisioned =
  | { kind: 'member'; userId: string }
  /** `userId`: who may do less from now on, where the refusal comes of that. */
  | { kind: 'refused'; cause: RefusalCause; userId?: string };

type RefusalCause = 'connection_not_enabled' | 'connection_changed' | 'account_disabled' | 'no_role' | 'removed';

/**
 * Finds or makes the person whom the connection calls `person.subject`, and brings the membership in the connection's tenant
 * up to date, with the audit entries in the same transaction. Nobody is ever found by an e-mail address, and no other tenant's
 * membership is touched. A refusal leaves an entry, too.
 */
export function provision({ db }: Database, signIn: ProviderSignIn): Promise<Provisioned> {
  return db.transaction(async (tx) => {
    const outcome = await provisionIn(tx, signIn);
    const { tenantId, connectionId, kind, address } = signIn;
    await audit(tx, {
      tenantId,
      actor: outcome.kind === 'member' ? `user:${outcome.userId}` : 'nobody',
      action: outcome.kind === 'member' ? 'sign_in.succeeded' : 'sign_in.failed',
      target: connectionId,
      detail: { method: kind, ...(outcome.kind === 'refused' ? { cause: outcome.cause } : {}) },
      address,
    });
    return outcome;
  });
}

async function provisionIn(tx: TenantTransaction, signIn: ProviderSignIn): Promise<Provisioned> {
  const { tenantId, connectionId, connectionAsOf, person } = signIn;
  // Locked against a change, and by it two first sign-ins of one person against each other.
  const [connection] = await tx
    .select({ state: ssoConnections.state, updatedAt: ssoConnections.updatedAt })
    .from(ssoConnections)
    .where(and(eq(ssoConnections.tenantId, tenantId), eq(ssoConnections.id, connectionId)))
    .for('update');
  if (connection?.state !== 'enabled') return { kind: 'refused', cause: 'connection_not_enabled' };
  // Whom the settings of before vouched for, and with which roles, counts no more.
  if (connection.updatedAt.getTime() !== connectionAsOf.getTime())
    return { kind: 'refused', cause: 'connection_changed' };
  const known = await findIdentity(tx, signIn);
  if (known === undefined && person.roles.length === 0) return { kind: 'refused', cause: 'no_role' };
  if (known === undefined) return { kind: 'member', userId: await makeMember(tx, signIn) };
  if (known.disabledAt !== null) return { kind: 'refused', cause: 'account_disabled' };
  await tx.update(users).set({ email: person.email, name: person.name }).where(eq(users.id, known.userId));
  return refreshMembership(tx, signIn, known.userId);
}

async function findIdentity(tx: TenantTransaction, { connectionId, person }: ProviderSignIn) {
  const [row] = await tx
    .select({ userId: users.id, disabledAt: users.disabledAt })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.userId))
    .where(and(eq(userIdentities.connectionId, connectionId), eq(userIdentities.subject, person.subject)));
  return row;
}

async function makeMember(tx: TenantTransaction, signIn: ProviderSignIn): Promise<string> {
  const { tenantId, connectionId, person } = signIn;
  const [tenant] = await tx
    .select({ organizationId: tenants.organizationId })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  assert(tenant !== undefined, 'a connection has a tenant');
  const [user] = await tx
    .insert(users)
    .values({
      organizationId: tenant.organizationId,
      email: person.email,
      name: person.name,
      signsInByEmail: false,
    })
    .returning({ id: users.id });
  assert(user !== undefined, 'what was inserted is returned');
  await tx.insert(userIdentities).values({ tenantId, connectionId, subject: person.subject, userId: user.id });
  await setRoles(tx, signIn, { userId: user.id, from: [], to: person.roles });
  return user.id;
}

/** Where the claims decide the roles they decide them anew; else whoever was removed stays out. */
async function refreshMembership(tx: TenantTransaction, signIn: ProviderSignIn, userId: string): Promise<Provisioned> {
  const { tenantId, person } = signIn;
  const [membership] = await tx
    .select({ roles: memberships.roles })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)))
    .for('update');
  if (!person.rolesFromClaims)
    return membership === undefined ? { kind: 'refused', cause: 'removed' } : { kind: 'member', userId };
  const from = membership?.roles ?? [];
  // Owners are made and unmade by owners alone.
  const to: Role[] = [...from.filter((role) => role === 'owner'), ...person.roles];
  await setRoles(tx, signIn, { userId, from, to });
  return to.length === 0 ? { kind: 'refused', cause: 'no_role', userId } : { kind: 'member', userId };
}

async function setRoles(
  tx: TenantTransaction,
  { tenantId, connectionId, address }: ProviderSignIn,
  { userId, from, to }: { userId: string; from: readonly Role[]; to: Role[] },
): Promise<void> {
  if (from.length === to.length && from.every((role) => to.includes(role))) return;
  if (to.length === 0)
    await tx.delete(memberships).where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)));
  else
    await tx
      .insert(memberships)
      .values({ tenantId, userId, roles: to })
      .onConflictDoUpdate({ target: [memberships.tenantId, memberships.userId], set: { roles: to } });
  await endPlatformTokens(tx, { tenantId, userIds: [userId] });
  await audit(tx, {
    tenantId,
    actor: `user:${userId}`,
    action: to.length === 0 ? 'member.removed' : 'member.changed',
    target: userId,
    detail: { by: 'identity provider', connection: connectionId, from, to },
    address,
  });
}
