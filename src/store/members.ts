import { and, eq, exists, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Role } from '../domain/roles.ts';
import { assert } from '../lib/assert.ts';
import { endPlatformTokens } from './access-tokens.ts';
import type { Database } from './database.ts';
import { behind, newestFirst, type Place } from './paging.ts';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { ssoConnections, userIdentities } from './schema/sso.ts';
import { tenants } from './schema/tenants.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Somebody who belongs to a tenant. */
export interface MemberRow {
  userId: string;
  email: string;
  /** Empty until they have accepted the invitation. */
  name: string;
  roles: Role[];
  createdAt: Date;
  /** Whether they may not sign in, anywhere. Told of who has accepted alone. */
  disabled: boolean;
  /** Whether they have accepted: until then nothing of theirs is told here, and of the tenant nothing but its name there. */
  accepted: boolean;
}

const KEYS = [memberships.userId];

/**
 * The person whom links to `email` (lower case) sign in, made in the tenant's organization if there is none. They are called by their
 * address until they accept an invitation.
 */
export async function ensureUserByEmail(
  { db }: Database,
  { email, tenantId }: { email: string; tenantId: string },
): Promise<string> {
  const organizationId = sql`(select ${tenants.organizationId} from ${tenants} where ${tenants.id} = ${tenantId})`;
  const made = await db
    .insert(users)
    .values({ email, name: email, signsInByEmail: true, organizationId })
    .onConflictDoNothing()
    .returning({ id: users.id });
  const found =
    made.length > 0
      ? made
      : await db
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.email, email), users.signsInByEmail));
  const [user] = found;
  assert(user !== undefined, 'a person who was not inserted is there');
  return user.id;
}

/** The tenant's members, newest first, at most `limit`. */
export async function listMembers(
  tx: TenantTransaction,
  tenantId: string,
  after: Place | undefined,
  limit: number,
): Promise<MemberRow[]> {
  const rows = await membersOf(tx)
    .where(and(eq(memberships.tenantId, tenantId), behind(memberships.createdAt, KEYS, after)))
    .orderBy(...newestFirst(memberships.createdAt, KEYS))
    .limit(limit);
  return rows.map(shown);
}

/** Those of `userIds` who are members of the tenant. */
export async function findMembers(
  tx: TenantTransaction,
  tenantId: string,
  userIds: readonly string[],
): Promise<MemberRow[]> {
  const theirs = inArray(memberships.userId, [...userIds]);
  return (await membersOf(tx).where(and(eq(memberships.tenantId, tenantId), theirs))).map(shown);
}

function membersOf(tx: TenantTransaction) {
  return tx
    .select({
      userId: memberships.userId,
      email: users.email,
      name: users.name,
      roles: memberships.roles,
      createdAt: memberships.createdAt,
      acceptedAt: memberships.acceptedAt,
      disabledAt: users.disabledAt,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId));
}

function shown({ acceptedAt, disabledAt, name, ...row }: Awaited<ReturnType<typeof membersOf>>[number]): MemberRow {
  const accepted = acceptedAt !== null;
  return { ...row, name: accepted ? originalText(name) : '', accepted, disabled: accepted && disabledAt !== null };
}

/** `kept`: they wait with roles that `mayChange` refused. */
export type InvitationOutcome =
  | { kind: 'invited' }
  | { kind: 'waiting'; before: Role[] }
  | { kind: 'member' }
  | { kind: 'kept' };

/**
 * Invites somebody: they are a member once they accept. `waiting`: they were invited before and have not accepted; the roles of then
 * are no more. `member`: they are one.
 *
 * @param mayChange asked with the roles of an earlier invitation.
 */
export async function inviteMember(
  tx: TenantTransaction,
  { tenantId, userId }: { tenantId: string; userId: string },
  roles: readonly Role[],
  mayChange: (before: Role[]) => boolean,
): Promise<InvitationOutcome> {
  const made = await tx
    .insert(memberships)
    .values({ tenantId, userId, roles: [...roles], createdAt: new Date(), acceptedAt: null })
    .onConflictDoNothing()
    .returning({ userId: memberships.userId });
  if (made.length > 0) return { kind: 'invited' };
  const own = and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId));
  const [found] = await tx
    .select({ roles: memberships.roles, acceptedAt: memberships.acceptedAt })
    .from(memberships)
    .where(own)
    .for('update');
  if (found?.acceptedAt !== null) return { kind: 'member' };
  if (!mayChange(found.roles)) return { kind: 'kept' };
  await tx
    .update(memberships)
    .set({ roles: [...roles] })
    .where(own);
  return { kind: 'waiting', before: found.roles };
}

/** `last_owner`: the tenant would be left with nobody who can sign in and may make owners. `kept`: `mayChange` refused. */
export type MemberChange =
  | { kind: 'changed'; before: Role[] }
  | { kind: 'unchanged' }
  | { kind: 'unknown' }
  | { kind: 'kept' }
  | { kind: 'last_owner' };

/**
 * Gives a member other roles, or with none ends the membership. Changes of one tenant's members wait for each other, so that
 * of two owners who unmake one another at the same time one remains.
 *
 * @param mayChange asked with the roles that the member has now.
 */
export async function changeMember(
  tx: TenantTransaction,
  member: { tenantId: string; userId: string },
  roles: readonly Role[],
  mayChange: (before: Role[]) => boolean,
): Promise<MemberChange> {
  const { tenantId, userId } = member;
  await lockMembers(tx, tenantId);
  const own = and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId));
  const [found] = await tx.select({ roles: memberships.roles }).from(memberships).where(own);
  if (found === undefined) return { kind: 'unknown' };
  if (!mayChange(found.roles)) return { kind: 'kept' };
  if (sameRoles(found.roles, roles)) return { kind: 'unchanged' };
  const unmakesOwner = found.roles.includes('owner') && !roles.includes('owner');
  if (unmakesOwner && (await countOwners(tx, tenantId, { userId })) === 0) return { kind: 'last_owner' };
  if (roles.length === 0) await tx.delete(memberships).where(own);
  else
    await tx
      .update(memberships)
      .set({ roles: [...roles] })
      .where(own);
  // After the membership, as where an identity provider changes it: two at once never block each other.
  await endPlatformTokens(tx, { tenantId, userIds: [userId] });
  return { kind: 'changed', before: found.roles };
}

/** Whoever takes an owner from the tenant does so alone. Waits for no insert of an event: those take a weaker lock. */
export async function lockMembers(tx: TenantTransaction, tenantId: string): Promise<void> {
  await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId)).for('no key update');
}

/**
 * The owners who can act and sign in, but for one person or one connection: an invitation or a disabled account makes no owners, nor
 * does a connection that is not enabled.
 */
export async function countOwners(
  tx: TenantTransaction,
  tenantId: string,
  without: { userId?: string; connectionId?: string },
): Promise<number> {
  const { userId, connectionId } = without;
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.tenantId, tenantId),
        userId === undefined ? undefined : ne(memberships.userId, userId),
        sql`'owner' = any(${memberships.roles})`,
        isPresent(tx, tenantId, connectionId),
      ),
    );
  return Number(row?.count);
}

/** The roles that the person has in the tenant now; none where they are no member, or could not sign in. */
export async function rolesOfNow(
  tx: TenantTransaction,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Role[]> {
  const [row] = await tx
    .select({ roles: memberships.roles })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), isPresent(tx, tenantId)));
  return row?.roles ?? [];
}

/** Whether a member can act and sign in: by mail, or through a connection of the tenant that is enabled, but for one. */
function isPresent(tx: TenantTransaction, tenantId: string, withoutConnection?: string): SQL | undefined {
  const connection = and(
    eq(ssoConnections.tenantId, tenantId),
    eq(ssoConnections.state, 'enabled'),
    withoutConnection === undefined ? undefined : ne(ssoConnections.id, withoutConnection),
  );
  const wayIn = tx
    .select({ id: ssoConnections.id })
    .from(userIdentities)
    .innerJoin(ssoConnections, eq(ssoConnections.id, userIdentities.connectionId))
    .where(and(eq(userIdentities.userId, users.id), connection));
  return and(isNull(users.disabledAt), isNotNull(memberships.acceptedAt), or(users.signsInByEmail, exists(wayIn)));
}

export function sameRoles(some: readonly Role[], others: readonly Role[]): boolean {
  return some.length === others.length && some.every((role) => others.includes(role));
}
