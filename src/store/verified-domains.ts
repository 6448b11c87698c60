import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import { lockNamed } from './advisory-locks.ts';
import type { Database } from './database.ts';
import { ssoConnections, verifiedDomains } from './schema/sso.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** An e-mail domain that a tenant says is its own; verified once it has proven so. */
export interface ClaimedDomain {
  domain: string;
  connectionId: string | null;
  challenge: string;
  createdAt: Date;
  verifiedAt: Date | null;
}

export const DOMAINS_MAX = 256;

const COLUMNS = {
  domain: verifiedDomains.domain,
  connectionId: verifiedDomains.connectionId,
  challenge: verifiedDomains.challenge,
  createdAt: verifiedDomains.createdAt,
  verifiedAt: verifiedDomains.verifiedAt,
};

export function listDomains(tx: TenantTransaction, tenantId: string): Promise<ClaimedDomain[]> {
  return tx
    .select(COLUMNS)
    .from(verifiedDomains)
    .where(eq(verifiedDomains.tenantId, tenantId))
    .orderBy(asc(verifiedDomains.domain))
    .limit(DOMAINS_MAX);
}

export async function getDomain(
  tx: TenantTransaction,
  tenantId: string,
  domain: string,
): Promise<ClaimedDomain | undefined> {
  const [row] = await tx.select(COLUMNS).from(verifiedDomains).where(ofTenant(tenantId, domain));
  return row;
}

/** Claims a domain, unverified. False where the tenant has claimed it already. */
export async function insertDomain(
  tx: TenantTransaction,
  claim: { tenantId: string; domain: string; connectionId: string | null; challenge: string },
): Promise<boolean> {
  const made = await tx
    .insert(verifiedDomains)
    .values(claim)
    .onConflictDoNothing()
    .returning({ domain: verifiedDomains.domain });
  return made.length > 0;
}

/** Says which connection signs in the people of the domain. Returns whether the domain is there. */
export async function routeDomain(
  tx: TenantTransaction,
  { tenantId, domain, connectionId }: { tenantId: string; domain: string; connectionId: string | null },
): Promise<boolean> {
  const changed = await tx
    .update(verifiedDomains)
    .set({ connectionId })
    .where(ofTenant(tenantId, domain))
    .returning({ domain: verifiedDomains.domain });
  return changed.length > 0;
}

export async function deleteDomain(tx: TenantTransaction, tenantId: string, domain: string): Promise<boolean> {
  const gone = await tx
    .delete(verifiedDomains)
    .where(ofTenant(tenantId, domain))
    .returning({ domain: verifiedDomains.domain });
  return gone.length > 0;
}

function ofTenant(tenantId: string, domain: string) {
  return and(eq(verifiedDomains.tenantId, tenantId), eq(verifiedDomains.domain, domain));
}

/**
 * Marks a domain as proven, in a transaction of the service: people may not write this. `taken` where another tenant has
 * proven it before.
 */
export async function verifyDomain(
  tx: TenantTransaction,
  tenantId: string,
  domain: string,
): Promise<'verified' | 'taken' | 'unclaimed'> {
  await lockNamed(tx, `verified_domains ${domain}`);
  const owners = await tx
    .select({ tenantId: verifiedDomains.tenantId })
    .from(verifiedDomains)
    .where(and(eq(verifiedDomains.domain, domain), isNotNull(verifiedDomains.verifiedAt)));
  if (owners.some((owner) => owner.tenantId !== tenantId)) return 'taken';
  const changed = await tx
    .update(verifiedDomains)
    .set({ verifiedAt: sql`coalesce(${verifiedDomains.verifiedAt}, now())` })
    .where(ofTenant(tenantId, domain))
    .returning({ domain: verifiedDomains.domain });
  return changed.length > 0 ? 'verified' : 'unclaimed';
}

/** The enabled connection that signs in the people of a verified domain. */
export async function connectionForDomain({ db }: Database, domain: string): Promise<string | undefined> {
  const [row] = await db
    .select({ id: ssoConnections.id })
    .from(verifiedDomains)
    .innerJoin(ssoConnections, eq(ssoConnections.id, verifiedDomains.connectionId))
    .where(
      and(
        eq(verifiedDomains.domain, domain),
        isNotNull(verifiedDomains.verifiedAt),
        eq(ssoConnections.state, 'enabled'),
      ),
    );
  return row?.id;
}
