import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Role } from '../domain/roles.ts';
import type { Person } from '../domain/sign-in.ts';
import { audit } from './audit-log.ts';
import type { Database } from './database.ts';
import { memberships } from './schema/memberships.ts';
import { organizations, users } from './schema/organizations.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** The person with their roles; undefined where there is none, or they are disabled. */
export async function findPerson(
  { db }: Pick<Database, 'db'> | { db: TenantTransaction },
  userId: string,
): Promise<Person | undefined> {
  const rows = await db
    .select({
      email: users.email,
      name: users.name,
      organization: { id: organizations.id, name: organizations.name },
      tenantId: memberships.tenantId,
      roles: memberships.roles,
    })
    .from(users)
    .innerJoin(organizations, eq(organizations.id, users.organizationId))
    .leftJoin(memberships, and(eq(memberships.userId, users.id), isNotNull(memberships.acceptedAt)))
    .where(and(eq(users.id, userId), isNull(users.disabledAt)))
    .orderBy(memberships.createdAt, memberships.tenantId);
  const [first] = rows;
  if (first === undefined) return undefined;
  const { email, name, organization } = first;
  const roles = rows.flatMap((row) => (row.tenantId === null ? [] : [[row.tenantId, row.roles ?? []] as const]));
  return { userId, email, name, organization, tenants: new Map<string, readonly Role[]>(roles) };
}

/** The ids of the tenants that the person belongs to, disabled or not. */
export async function findTenantsOf({ db }: Database, userId: string): Promise<string[]> {
  const rows = await db
    .select({ tenantId: memberships.tenantId })
    .from(memberships)
    .where(and(eq(memberships.userId, userId), isNotNull(memberships.acceptedAt)))
    .orderBy(memberships.tenantId);
  return rows.map(({ tenantId }) => tenantId);
}

/** The id of whoever a link to `email` (canonical) signs in; undefined where nobody, or they are disabled. */
export async function findMailbox({ db }: Database, email: string): Promise<string | undefined> {
  const [user] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), eq(users.signsInByEmail, true), isNull(users.disabledAt)));
  return user?.id;
}

/** Whether the installation knows anybody yet. */
export async function hasUsers({ db }: Pick<Database, 'db'> | { db: TenantTransaction }): Promise<boolean> {
  return (await db.select({ id: users.id }).from(users).limit(1)).length > 0;
}

/** Makes somebody who signs in by e-mail; their id. `email` must be canonical and not taken. */
export async function insertUser(
  tx: TenantTransaction,
  { email, name }: { email: string; name: string },
): Promise<string> {
  const [made] = await tx.insert(users).values({ email, name, signsInByEmail: true }).returning({ id: users.id });
  return made?.id as string;
}

/** Who is to have a role, given by the operator of the installation. */
export interface Grant {
  tenantId: string;
  userId: string;
  role: Role;
}

/** Gives the role beside those that the person has, and writes so to the tenant's audit log. */
export async function grantAsOperator(tx: TenantTransaction, { tenantId, userId, role }: Grant): Promise<void> {
  await tx
    .insert(memberships)
    .values({ tenantId, userId, roles: [role] })
    .onConflictDoUpdate({
      target: [memberships.tenantId, memberships.userId],
      set: {
        roles: sql`array(select distinct unnest(${memberships.roles} || excluded.roles))`,
        acceptedAt: new Date(),
      },
    });
  await audit(tx, {
    tenantId,
    actor: 'operator',
    action: 'member.changed',
    target: `user:${userId}`,
    detail: { added: [role] },
  });
}

/** The ids of every tenant, in the order in which their audit logs may be locked. */
export async function tenantIds(tx: TenantTransaction): Promise<string[]> {
  const rows = await tx.select({ id: tenants.id }).from(tenants).orderBy(tenants.id);
  return rows.map(({ id }) => id);
}

/** What the operator gives whoever they let in: a membership, and an account that was disabled back. */
export interface OperatorAdmission {
  membership?: { tenantId: string; role: Role } | undefined;
  enable?: boolean;
}

/**
 * Lets whoever has `email` (canonical) sign in, in the operator's name. Somebody unknown is made somebody where `membership` says of
 * what, and a disabled account is one again with `enable`; otherwise nothing changes. Written to the log of each of their tenants.
 */
export function admitAsOperator(
  { db }: Database,
  email: string,
  { membership, enable = false }: OperatorAdmission = {},
): Promise<{ userId: string } | 'unknown' | 'disabled'> {
  return db.transaction(async (tx) => {
    const [known] = await tx
      .select({ id: users.id, disabledAt: users.disabledAt })
      .from(users)
      .where(and(eq(users.email, email), eq(users.signsInByEmail, true)))
      .for('update');
    if (known === undefined && membership === undefined) return 'unknown';
    const isDisabled = known !== undefined && known.disabledAt !== null;
    if (isDisabled && !enable) return 'disabled';
    const userId = known?.id ?? (await insertUser(tx, { email, name: email }));
    if (isDisabled) await tx.update(users).set({ disabledAt: null }).where(eq(users.id, userId));
    if (membership !== undefined) await grantAsOperator(tx, { ...membership, userId });
    const { tenantId } = memberships;
    const theirs = await tx
      .select({ tenantId })
      .from(memberships)
      .where(eq(memberships.userId, userId))
      .orderBy(tenantId);
    const entry = { actor: 'operator', target: `user:${userId}` };
    for (const each of theirs) {
      if (isDisabled) await audit(tx, { ...each, ...entry, action: 'member.enabled' });
      await audit(tx, { ...each, ...entry, action: 'sign_in.asked', detail: { purpose: 'operator' } });
    }
    return { userId };
  });
}
