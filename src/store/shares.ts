import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { behind, newestFirst, type Place } from './paging.ts';
import { agents } from './schema/agents.ts';
import { agentShares } from './schema/memberships.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What a tenant may do with an agent of another one. */
export const SHARE_PERMISSIONS = ['view', 'manage'] as const;
export type SharePermission = (typeof SHARE_PERMISSIONS)[number];

/** Something of an agent: whose it is, and what the tenant that looks at it was given; null where nothing was. */
export interface OfSharedAgent {
  ownerId: string;
  permission: SharePermission | null;
}

/** Whether the tenant may act on it: it is its own, or its agent is shared with it to be managed. */
export function isManagedBy(tenantId: string, { ownerId, permission }: OfSharedAgent): boolean {
  return ownerId === tenantId || permission === 'manage';
}

/** Joins the share of the agent with the tenant that the transaction is for: what it was given. */
export function sharedWithUs(tenantId: AnyPgColumn, agentKey: AnyPgColumn): SQL | undefined {
  return and(
    eq(agentShares.tenantId, tenantId),
    eq(agentShares.agentKey, agentKey),
    sql`${agentShares.sharedWith} = current_tenant()`,
  );
}

export interface ShareRow {
  sharedWith: string;
  permission: SharePermission;
  createdAt: Date;
}

/** An agent of the tenant itself. */
export interface OwnAgent {
  tenantId: string;
  agentKey: string;
}

const KEYS = [agentShares.sharedWith];

const of = ({ tenantId, agentKey }: OwnAgent) =>
  and(eq(agentShares.tenantId, tenantId), eq(agentShares.agentKey, agentKey));

/** What the sensors of the tenant call the agent; undefined where it has no such agent. */
export async function findOwnAgent(tx: TenantTransaction, agent: OwnAgent): Promise<string | undefined> {
  const [found] = await tx
    .select({ agentId: agents.agentId })
    .from(agents)
    .where(and(eq(agents.tenantId, agent.tenantId), eq(agents.agentKey, agent.agentKey)));
  return found === undefined ? undefined : originalText(found.agentId);
}

/** With whom the agent is shared, newest first, at most `limit`. */
export function listShares(
  tx: TenantTransaction,
  agent: OwnAgent,
  after: Place | undefined,
  limit: number,
): Promise<ShareRow[]> {
  return tx
    .select({
      sharedWith: agentShares.sharedWith,
      permission: agentShares.permission,
      createdAt: agentShares.createdAt,
    })
    .from(agentShares)
    .where(and(of(agent), behind(agentShares.createdAt, KEYS, after)))
    .orderBy(...newestFirst(agentShares.createdAt, KEYS))
    .limit(limit);
}

/** Shares the agent, or changes what the guest may do. Returns what the guest could do before; undefined for nothing. */
export async function putShare(
  tx: TenantTransaction,
  agent: OwnAgent,
  guest: string,
  permission: SharePermission,
): Promise<SharePermission | undefined> {
  const own = and(of(agent), eq(agentShares.sharedWith, guest));
  const [before] = await tx.select({ permission: agentShares.permission }).from(agentShares).where(own).for('update');
  await tx
    .insert(agentShares)
    .values({ ...agent, sharedWith: guest, permission, createdAt: new Date() })
    .onConflictDoUpdate({
      target: [agentShares.tenantId, agentShares.agentKey, agentShares.sharedWith],
      set: { permission },
    });
  return before?.permission;
}

/** Returns whether there was a share to end. */
export async function removeShare(tx: TenantTransaction, agent: OwnAgent, guest: string): Promise<boolean> {
  const removed = await tx
    .delete(agentShares)
    .where(and(of(agent), eq(agentShares.sharedWith, guest)))
    .returning({ guest: agentShares.sharedWith });
  return removed.length > 0;
}

/** The guest gives an agent back. Returns whose it is and what its sensors call it; undefined where the guest was given none. */
export async function leaveShare(
  tx: TenantTransaction,
  { agentKey, guest }: { agentKey: string; guest: string },
): Promise<{ ownerId: string; agentId: string } | undefined> {
  const given = and(eq(agentShares.agentKey, agentKey), eq(agentShares.sharedWith, guest));
  const [found] = await tx
    .select({ ownerId: agents.tenantId, agentId: agents.agentId })
    .from(agents)
    .innerJoin(
      agentShares,
      and(given, eq(agentShares.tenantId, agents.tenantId), eq(agentShares.agentKey, agents.agentKey)),
    );
  const left = await tx.delete(agentShares).where(given).returning({ ownerId: agentShares.tenantId });
  return found === undefined || left.length === 0 ? undefined : { ...found, agentId: originalText(found.agentId) };
}

/** The tenants whose rows may be seen: the tenant itself and those that share agents with it. */
export async function ownersSeenBy(tx: TenantTransaction, tenantId: string): Promise<string[]> {
  const sharing = await tx
    .selectDistinct({ id: agentShares.tenantId })
    .from(agentShares)
    .where(eq(agentShares.sharedWith, tenantId));
  return [tenantId, ...sharing.map(({ id }) => id)];
}

/** Row-level security asks twice, for the tenant and for its guests, and no index serves an "or": this one it does. */
export function ownedBy(column: AnyPgColumn, owners: readonly string[]): SQL {
  const [only, ...others] = owners;
  return only !== undefined && others.length === 0 ? eq(column, only) : inArray(column, [...owners]);
}
