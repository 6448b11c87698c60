import { and, eq, isNull } from 'drizzle-orm';
import type { TenantSlug } from '../domain/ids.ts';
import { type Audience, tokenKindOf } from '../domain/scopes.ts';
import { audit } from './audit-log.ts';
import type { Database } from './database.ts';
import { behind, newestFirst, type Place } from './paging.ts';
import { accessTokens } from './schema/memberships.ts';
import { tenants } from './schema/tenants.ts';
import { originalText, storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What is kept of an access token: everything but the token. */
export interface AccessTokenRow {
  tokenId: string;
  tenantId: string;
  /** Who holds it. */
  subject: string;
  audience: string;
  scopes: string[];
  /** Who minted it, where it was a person. */
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

export type NewAccessToken = Omit<AccessTokenRow, 'revokedAt' | 'audience'> & { audience: Audience };

const KEYS = [accessTokens.tokenId];

export async function recordAccessToken(tx: TenantTransaction, token: NewAccessToken): Promise<void> {
  await tx.insert(accessTokens).values({ ...token, subject: storableText(token.subject) });
}

/** The tenant's tokens, newest first, at most `limit`. */
export async function listAccessTokens(
  tx: TenantTransaction,
  tenantId: string,
  after: Place | undefined,
  limit: number,
): Promise<AccessTokenRow[]> {
  const rows = await tx
    .select()
    .from(accessTokens)
    .where(and(eq(accessTokens.tenantId, tenantId), behind(accessTokens.createdAt, KEYS, after)))
    .orderBy(...newestFirst(accessTokens.createdAt, KEYS))
    .limit(limit);
  return rows.map((row) => ({ ...row, subject: originalText(row.subject) }));
}

export type Revocation = { kind: 'revoked'; subject: string } | { kind: 'already' } | { kind: 'unknown' };

/** Revokes a token of the tenant: from the end of the transaction on, every server refuses it within a second. */
export async function revokeAccessToken(tx: TenantTransaction, tenantId: string, tokenId: string): Promise<Revocation> {
  const own = and(eq(accessTokens.tenantId, tenantId), eq(accessTokens.tokenId, tokenId));
  const [revoked] = await tx
    .update(accessTokens)
    .set({ revokedAt: new Date() })
    .where(and(own, isNull(accessTokens.revokedAt)))
    .returning({ subject: accessTokens.subject });
  if (revoked !== undefined) return { kind: 'revoked', subject: originalText(revoked.subject) };
  const [known] = await tx.select({ tokenId: accessTokens.tokenId }).from(accessTokens).where(own);
  return { kind: known === undefined ? 'unknown' : 'already' };
}

/** What the operator's command line minted, in the books of the tenant. Returns false where there is no such tenant. */
export async function recordForOperator(
  { db }: Database,
  slug: TenantSlug,
  token: Omit<NewAccessToken, 'tenantId' | 'createdBy'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [tenant] = await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.slug, slug));
    if (tenant === undefined) return false;
    await recordAccessToken(tx, { ...token, tenantId: tenant.id, createdBy: null });
    const { tokenId: target, subject: name, scopes, expiresAt } = token;
    const detail = { name, kind: tokenKindOf(token.audience), scopes, expiresAt: expiresAt.toISOString() };
    await audit(tx, { tenantId: tenant.id, actor: 'operator', action: 'token.minted', target, detail });
    return true;
  });
}

/** Revokes a token that is in the books of some tenant. Returns false where it is in none. */
export async function revokeForOperator({ db }: Database, tokenId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [known] = await tx
      .select({ tenantId: accessTokens.tenantId })
      .from(accessTokens)
      .where(eq(accessTokens.tokenId, tokenId));
    if (known === undefined) return false;
    const { tenantId } = known;
    const revoked = await revokeAccessToken(tx, tenantId, tokenId);
    if (revoked.kind !== 'revoked') return true;
    const detail = { name: revoked.subject };
    await audit(tx, { tenantId, actor: 'operator', action: 'token.revoked', target: tokenId, detail });
    return true;
  });
}

/** The tokens in the books of a tenant, newest first, read in pages. */
export async function* listForOperator(
  { db }: Database,
  slug: TenantSlug,
  pageRows: number,
): AsyncGenerator<AccessTokenRow> {
  const [tenant] = await db.select({ id: tenants.id }).from(tenants).where(eq(tenants.slug, slug));
  if (tenant === undefined) return;
  for (let after: Place | undefined; ; ) {
    const place = after;
    const rows = await db.transaction((tx) => listAccessTokens(tx, tenant.id, place, pageRows));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = { at: last.createdAt, keys: [last.tokenId] };
  }
}
