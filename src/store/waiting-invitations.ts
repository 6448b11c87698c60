import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Role } from '../domain/roles.ts';
import type { Database } from './database.ts';
import { memberships } from './schema/memberships.ts';
import { magicLinks } from './schema/sign-in.ts';
import { tenants } from './schema/tenants.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What somebody is invited to and has not accepted, as they see it: the tenant's name and id, and nothing else of it. */
export interface WaitingInvitation {
  tenantId: string;
  tenantName: string;
  roles: Role[];
  invitedAt: Date;
  /** How long the link that was mailed last works; null where none does any more. */
  linkExpiresAt: Date | null;
}

/** More are not told. */
const TOLD_MAX = 20;

/** The person's invitations that wait, newest first. Asked across tenants, of which they belong to none: in the service's own name. */
export async function findWaitingInvitations({ db }: Database, userId: string, at: Date): Promise<WaitingInvitation[]> {
  const { tenantId, purpose, expiresAt, usedAt } = magicLinks;
  const link = and(
    eq(tenantId, memberships.tenantId),
    eq(magicLinks.userId, memberships.userId),
    eq(purpose, 'invitation'),
    isNull(usedAt),
    gt(expiresAt, at),
  );
  const rows = await db
    .select({
      tenantId: memberships.tenantId,
      tenantName: tenants.name,
      roles: memberships.roles,
      invitedAt: memberships.createdAt,
      linkExpiresAt: expiresAt,
    })
    .from(memberships)
    .innerJoin(tenants, eq(tenants.id, memberships.tenantId))
    .leftJoin(magicLinks, link)
    .where(and(eq(memberships.userId, userId), isNull(memberships.acceptedAt)))
    .orderBy(desc(memberships.createdAt), memberships.tenantId)
    .limit(TOLD_MAX);
  return rows.map(({ tenantName, ...row }) => ({ ...row, tenantName: originalText(tenantName) }));
}

/** Ends an invitation that waits, and its link with it. False where none does. */
export async function endInvitation(
  tx: TenantTransaction,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<boolean> {
  const ended = await tx
    .delete(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), isNull(memberships.acceptedAt)))
    .returning({ userId: memberships.userId });
  return ended.length > 0;
}
