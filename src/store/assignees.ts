import { and, asc, eq, isNotNull } from 'drizzle-orm';
import { allows } from '../domain/roles.ts';
import { memberships } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Somebody whom a finding can be given to: a member whose roles allow triage. */
export interface Assignee {
  id: string;
  name: string;
}

/** By name, at most `limit`. */
export async function listAssignees(tx: TenantTransaction, tenantId: string, limit: number): Promise<Assignee[]> {
  const rows = await membersOf(tx)
    .where(and(eq(memberships.tenantId, tenantId), isNotNull(memberships.acceptedAt)))
    .orderBy(asc(users.name), asc(users.id));
  return rows
    .filter(({ roles }) => allows(roles, 'triage'))
    .slice(0, limit)
    .map(({ id, name }) => ({ id, name: originalText(name) }));
}

export async function isAssignee(tx: TenantTransaction, tenantId: string, userId: string): Promise<boolean> {
  const [row] = await membersOf(tx).where(
    and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), isNotNull(memberships.acceptedAt)),
  );
  return row !== undefined && allows(row.roles, 'triage');
}

function membersOf(tx: TenantTransaction) {
  return tx
    .select({ id: users.id, name: users.name, roles: memberships.roles })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId));
}
