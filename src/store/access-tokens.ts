import { and, eq, isNull } from 'drizzle-orm';
import type { Audience } from '../domain/scopes.ts';
import { behind, newestFirst, type Place } from './paging.ts';
import { accessTokens } from './schema/memberships.ts';
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
