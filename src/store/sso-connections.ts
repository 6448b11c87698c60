import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Role } from '../domain/roles.ts';
import type { SsoKind, SsoState } from '../domain/sso.ts';
import { endPlatformTokens } from './access-tokens.ts';
import { lockNamed } from './advisory-locks.ts';
import type { Database } from './database.ts';
import { memberships } from './schema/memberships.ts';
import { loginSessions } from './schema/sign-in.ts';
import { pendingSignIns, ssoConnections, usedAssertions, userIdentities, verifiedDomains } from './schema/sso.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** A connection as it is stored: its settings of the kind, unread, with secrets sealed. */
export interface StoredConnection {
  id: string;
  tenantId: string;
  kind: SsoKind;
  name: string;
  state: SsoState;
  settings: unknown;
  createdAt: Date;
  updatedAt: Date;
}

/** Connections that a tenant may have. */
export const CONNECTIONS_MAX = 32;

/** The tenant's connections, oldest first. */
export function listConnections(tx: TenantTransaction, tenantId: string): Promise<StoredConnection[]> {
  return tx
    .select()
    .from(ssoConnections)
    .where(eq(ssoConnections.tenantId, tenantId))
    .orderBy(asc(ssoConnections.createdAt), asc(ssoConnections.id))
    .limit(CONNECTIONS_MAX);
}

export async function getConnection(
  tx: TenantTransaction,
  tenantId: string,
  id: string,
): Promise<StoredConnection | undefined> {
  const [row] = await tx.select().from(ssoConnections).where(ofTenant(tenantId, id));
  return row;
}

/** Stores a connection in state `draft`, under an id that the caller chose: secrets are sealed for it. False at the bound. */
export async function insertConnection(
  tx: TenantTransaction,
  connection: Pick<StoredConnection, 'id' | 'tenantId' | 'kind' | 'name' | 'settings'>,
): Promise<boolean> {
  // Two at once must not pass the bound together.
  await lockNamed(tx, `sso_connections ${connection.tenantId}`);
  if ((await listConnections(tx, connection.tenantId)).length >= CONNECTIONS_MAX) return false;
  await tx.insert(ssoConnections).values(connection);
  return true;
}

/** Changes what is given. Returns whether the connection exists and was last changed at `asOf`. */
export async function updateConnection(
  tx: TenantTransaction,
  { tenantId, id, asOf }: { tenantId: string; id: string; asOf: Date },
  changes: Partial<Pick<StoredConnection, 'name' | 'state' | 'settings'>>,
): Promise<boolean> {
  // Milliseconds on both sides: JavaScript's Date holds no more.
  const unchanged = sql`date_trunc('milliseconds', ${ssoConnections.updatedAt}) = ${asOf.toISOString()}::timestamptz`;
  const changed = await tx
    .update(ssoConnections)
    .set({ ...changes, updatedAt: sql`clock_timestamp()` })
    .where(and(ofTenant(tenantId, id), unchanged))
    .returning({ id: ssoConnections.id });
  return changed.length > 0;
}

function ofTenant(tenantId: string, id: string) {
  return and(eq(ssoConnections.tenantId, tenantId), eq(ssoConnections.id, id));
}

/** For sign-in, which begins before anybody's tenant is known: the connection `id` of whatever tenant. */
export async function findConnection({ db }: Database, id: string): Promise<StoredConnection | undefined> {
  const [row] = await db.select().from(ssoConnections).where(eq(ssoConnections.id, id));
  return row;
}

/**
 * Removes a connection with what only it gives meaning to, in a transaction of the service (people may not write to those
 * tables): identities, sign-ins under way, used assertions. Ending what its people hold is the caller's, and comes first. Returns
 * whether it was there.
 */
export async function removeConnection(tx: TenantTransaction, tenantId: string, id: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: ssoConnections.id })
    .from(ssoConnections)
    .where(ofTenant(tenantId, id))
    .for('update');
  if (row === undefined) return false;
  for (const table of [pendingSignIns, usedAssertions, userIdentities])
    await tx.delete(table).where(and(eq(table.tenantId, tenantId), eq(table.connectionId, id)));
  await tx
    .update(verifiedDomains)
    .set({ connectionId: null })
    .where(and(eq(verifiedDomains.tenantId, tenantId), eq(verifiedDomains.connectionId, id)));
  await tx.delete(ssoConnections).where(ofTenant(tenantId, id));
  return true;
}

/** Ends the platform tokens that people whom the connection knows minted: they can sign in no more. Before any audit entry. */
export async function endTokensOf(tx: TenantTransaction, tenantId: string, connectionId: string): Promise<void> {
  const known = await tx
    .selectDistinct({ userId: userIdentities.userId })
    .from(userIdentities)
    .where(and(eq(userIdentities.tenantId, tenantId), eq(userIdentities.connectionId, connectionId)));
  await endPlatformTokens(tx, { tenantId, userIds: known.map(({ userId }) => userId) });
}

/**
 * Ends the login sessions that the connection began: a provider that is no longer trusted was perhaps not trustworthy before. Returns
 * which.
 */
export function endSessionsOf(tx: TenantTransaction, connectionId: string): Promise<{ id: string }[]> {
  return tx
    .update(loginSessions)
    .set({ endedAt: sql`now()` })
    .where(and(eq(loginSessions.connectionId, connectionId), isNull(loginSessions.endedAt)))
    .returning({ id: loginSessions.id });
}

/**
 * The roles that people whom the connection knows have in its tenant. Locks the connection, so that nobody signs in through it for
 * the first time until the transaction ends.
 */
export async function rolesKnownBy(tx: TenantTransaction, tenantId: string, connectionId: string): Promise<Role[]> {
  await tx.select({ id: ssoConnections.id }).from(ssoConnections).where(ofTenant(tenantId, connectionId)).for('update');
  const rows = await tx
    .selectDistinct({ role: sql<Role>`unnest(${memberships.roles})` })
    .from(userIdentities)
    .innerJoin(
      memberships,
      and(eq(memberships.tenantId, userIdentities.tenantId), eq(memberships.userId, userIdentities.userId)),
    )
    .where(and(eq(userIdentities.tenantId, tenantId), eq(userIdentities.connectionId, connectionId)));
  return rows.map(({ role }) => role);
}
