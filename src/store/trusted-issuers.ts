import { and, asc, eq, inArray } from 'drizzle-orm';
import type { TenantSlug } from '../domain/ids.ts';
import { isScope, type Scope } from '../domain/scopes.ts';
import type { TrustedIssuer } from '../domain/trusted-issuer.ts';
import { assert } from '../lib/assert.ts';
import { lockNamed } from './advisory-locks.ts';
import type { Database } from './database.ts';
import { behind, newestFirst, type Place } from './paging.ts';
import { trustedIssuers } from './schema/memberships.ts';
import { tenants } from './schema/tenants.ts';
import { violates } from './sql-errors.ts';
import type { TenantTransaction } from './tenant-database.ts';

export interface TrustedIssuerRow {
  id: string;
  tenantId: string;
  issuer: string;
  jwksUrl: string;
  audience: string;
  tenantClaim: string | null;
  tenantClaimValue: string | null;
  scopes: string[];
  createdAt: Date;
}

/** Issuers that a tenant may trust: every server holds those of all tenants in memory. */
export const ISSUERS_MAX = 32;

const KEYS = [trustedIssuers.id];

/** Somebody trusts the issuer already, in a way that its tokens could not be told apart from these. */
export class AmbiguousIssuer extends Error {
  override readonly name = 'AmbiguousIssuer';
}

/**
 * Trusts an issuer. Undefined at the bound.
 *
 * @throws {AmbiguousIssuer} which the transaction must not go on after.
 */
export async function addTrustedIssuer(
  tx: TenantTransaction,
  row: Omit<TrustedIssuerRow, 'id' | 'createdAt' | 'scopes'> & { scopes: readonly Scope[] },
): Promise<TrustedIssuerRow | undefined> {
  // Two at once must not pass the bound together.
  await lockNamed(tx, `trusted_issuers ${row.tenantId}`);
  if ((await listTrustedIssuers(tx, row.tenantId, undefined, ISSUERS_MAX)).length >= ISSUERS_MAX) return undefined;
  try {
    const values = { ...row, scopes: [...row.scopes], createdAt: new Date() };
    const [made] = await tx.insert(trustedIssuers).values(values).returning();
    assert(made !== undefined, 'what was inserted is returned');
    return made;
  } catch (error) {
    throw violates(error, 'trusted_issuers_told_apart') ? new AmbiguousIssuer() : error;
  }
}

/** Whom the tenant trusts, newest first, at most `limit`. */
export function listTrustedIssuers(
  tx: TenantTransaction,
  tenantId: string,
  after: Place | undefined,
  limit: number,
): Promise<TrustedIssuerRow[]> {
  return tx
    .select()
    .from(trustedIssuers)
    .where(and(eq(trustedIssuers.tenantId, tenantId), behind(trustedIssuers.createdAt, KEYS, after)))
    .orderBy(...newestFirst(trustedIssuers.createdAt, KEYS))
    .limit(limit);
}

/** Those of `ids` that the tenant trusts. */
export function findTrustedIssuers(
  tx: TenantTransaction,
  tenantId: string,
  ids: readonly string[],
): Promise<TrustedIssuerRow[]> {
  return tx
    .select()
    .from(trustedIssuers)
    .where(and(eq(trustedIssuers.tenantId, tenantId), inArray(trustedIssuers.id, [...ids])));
}

/** Ends the trust. Undefined where there was none. */
export async function removeTrustedIssuer(
  tx: TenantTransaction,
  tenantId: string,
  id: string,
): Promise<TrustedIssuerRow | undefined> {
  const [removed] = await tx
    .delete(trustedIssuers)
    .where(and(eq(trustedIssuers.tenantId, tenantId), eq(trustedIssuers.id, id)))
    .returning();
  return removed;
}

/** Everybody's, oldest first, for the service itself. */
export async function listAllTrustedIssuers({ db }: Database): Promise<TrustedIssuer[]> {
  const rows = await db
    .select({ row: trustedIssuers, tenant: tenants.slug })
    .from(trustedIssuers)
    .innerJoin(tenants, eq(tenants.id, trustedIssuers.tenantId))
    .orderBy(asc(trustedIssuers.createdAt), asc(trustedIssuers.id));
  return rows.map(({ row, tenant }) => {
    const { id, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue } = row;
    const scopes = row.scopes.filter(isScope);
    return { id, tenant: tenant as TenantSlug, issuer, jwksUrl, audience, tenantClaim, tenantClaimValue, scopes };
  });
}
