import { asc, eq, inArray } from 'drizzle-orm';
import type { Role } from '../domain/roles.ts';
import { endPlatformTokens } from './access-tokens.ts';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

/**
 * Somebody's account with every tenant it counts in. In transactions of the service: no one tenant may see, or write, all of it.
 */
export interface Account {
  organizationId: string;
  isDisabled: boolean;
  /** Where the person is a member, in the order in which audit logs may be locked. */
  places: AccountPlace[];
  /** The tenants that wait for the person to accept an invitation. They have no say in the account, and are told nothing of it. */
  invitedTo: string[];
}

export interface AccountPlace {
  tenantId: string;
  organizationId: string;
  roles: Role[];
}

/**
 * The account, which nobody else disables or enables meanwhile, and whose tenants nobody else takes an owner from; undefined where there
 * is none.
 */
export async function lockAccount(tx: TenantTransaction, userId: string): Promise<Account | undefined> {
  const [user] = await tx
    .select({ organizationId: users.organizationId, disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  if (user === undefined) return undefined;
  const theirs = tx.select({ id: memberships.tenantId }).from(memberships).where(eq(memberships.userId, userId));
  await tx
    .select({ id: tenants.id })
    .from(tenants)
    .where(inArray(tenants.id, theirs))
    .orderBy(asc(tenants.id))
    .for('no key update');
  const rows = await tx
    .select({
      tenantId: memberships.tenantId,
      organizationId: tenants.organizationId,
      roles: memberships.roles,
      acceptedAt: memberships.acceptedAt,
    })
    .from(memberships)
    .innerJoin(tenants, eq(tenants.id, memberships.tenantId))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.tenantId));
  const places = rows.flatMap(({ acceptedAt, ...place }) => (acceptedAt === null ? [] : [place]));
  const invitedTo = rows.flatMap(({ acceptedAt, tenantId }) => (acceptedAt === null ? [tenantId] : []));
  return { organizationId: user.organizationId, isDisabled: user.disabledAt !== null, places, invitedTo };
}

/** Lets the person sign in no more, or again. What they minted for the platform interface ends, as when they leave a tenant. */
export async function setDisabled(
  tx: TenantTransaction,
  userId: string,
  { places, disabled }: { places: readonly AccountPlace[]; disabled: boolean },
): Promise<void> {
  await tx
    .update(users)
    .set({ disabledAt: disabled ? new Date() : null })
    .where(eq(users.id, userId));
  if (disabled) for (const { tenantId } of places) await endPlatformTokens(tx, { tenantId, userIds: [userId] });
}
