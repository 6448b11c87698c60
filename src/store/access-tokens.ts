import { and, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { TenantSlug } from '../domain/ids.ts';
import { AUDIENCES, type Audience, tokenKindOf } from '../domain/scopes.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
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
  /** Who minted it, themselves or with a token of theirs, where it was a person. */
  createdBy: string | null;
  /** The token that it was minted with. */
  parentId: string | null;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  /** The key that signed it, as far as that was put down. */
  keyId: string | null;
}

export type NewAccessToken = Omit<AccessTokenRow, 'revokedAt' | 'audience' | 'keyId'> & {
  audience: Audience;
  keyId: string;
};

const KEYS = [accessTokens.tokenId];

export async function recordAccessToken(tx: TenantTransaction, token: NewAccessToken): Promise<void> {
  await tx.insert(accessTokens).values({ ...token, subject: storableText(token.subject) });
}

/** How many tokens its people minted, or had minted by a token of theirs, and did not expire yet, revoked ones among them. The operator's are not counted. */
export async function countUnexpiredTokens(tx: TenantTransaction, tenantId: string): Promise<number> {
  const ofPeople = or(isNotNull(accessTokens.createdBy), isNotNull(accessTokens.parentId));
  const unexpired = gt(accessTokens.expiresAt, sql`now()`);
  return tx.$count(accessTokens, and(eq(accessTokens.tenantId, tenantId), ofPeople, unexpired));
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
  return rows.map(shown);
}

/** Those of `tokenIds` that are the tenant's. */
export async function findAccessTokens(
  tx: TenantTransaction,
  tenantId: string,
  tokenIds: readonly string[],
): Promise<AccessTokenRow[]> {
  const rows = await tx
    .select()
    .from(accessTokens)
    .where(and(eq(accessTokens.tenantId, tenantId), inArray(accessTokens.tokenId, [...tokenIds])));
  return rows.map(shown);
}

function shown(row: AccessTokenRow): AccessTokenRow {
  return { ...row, subject: originalText(row.subject) };
}

/**
 * A token with which another one is about to be minted. One that is in no book was minted without the database, or by another issuer.
 */
export async function findParent(
  tx: TenantTransaction,
  tenantId: string,
  tokenId: string,
): Promise<{ createdBy: string | null; isRevoked: boolean }> {
  const [parent] = await tx
    .select({ createdBy: accessTokens.createdBy, revokedAt: accessTokens.revokedAt })
    .from(accessTokens)
    .where(and(eq(accessTokens.tenantId, tenantId), eq(accessTokens.tokenId, tokenId)));
  const { createdBy = null, revokedAt = null } = parent ?? {};
  return { createdBy, isRevoked: revokedAt !== null };
}

/** `ended`: how many platform tokens that were minted by way of it ended with it. `already`: nothing was left to end. */
export type Revocation =
  | { kind: 'revoked'; subject: string; ended: number }
  | { kind: 'already' }
  | { kind: 'unknown' };

/**
 * Revokes a token of the tenant and the platform tokens that were minted by way of it: from the end of the transaction on, every
 * server refuses them within a second.
 */
export async function revokeAccessToken(tx: TenantTransaction, tenantId: string, tokenId: string): Promise<Revocation> {
  await lockRevocations(tx);
  const own = and(eq(accessTokens.tenantId, tenantId), eq(accessTokens.tokenId, tokenId));
  const [revoked] = await tx
    .update(accessTokens)
    .set({ revokedAt: new Date() })
    .where(and(own, isNull(accessTokens.revokedAt)))
    .returning({ subject: accessTokens.subject });
  const [known] = revoked
    ? [revoked]
    : await tx.select({ subject: accessTokens.subject }).from(accessTokens).where(own);
  if (known === undefined) return { kind: 'unknown' };
  // Also where it was revoked before its descendants were known as such.
  const ended = await endDescendants(tx, tokenId);
  if (revoked === undefined && ended === 0) return { kind: 'already' };
  return { kind: 'revoked', subject: originalText(known.subject), ended };
}

/** Ends what these people minted for the platform interface: it was good for the roles of then. Sensors keep their tokens. */
export async function endPlatformTokens(
  tx: TenantTransaction,
  { tenantId, userIds }: { tenantId: string; userIds: string[] },
): Promise<void> {
  await lockRevocations(tx);
  const theirs = and(eq(accessTokens.tenantId, tenantId), inArray(accessTokens.createdBy, userIds));
  await endPlatformTokensThat(tx, theirs);
}

/** Ends the platform tokens that were minted by way of this one, which must be refused already; how many. */
export function endDescendants(tx: TenantTransaction, tokenId: string): Promise<number> {
  const chain = sql`
    with recursive chain (id) as (
      select ${tokenId}::text union select child.token_id from access_tokens child join chain on child.parent_id = chain.id
    ) select id from chain`;
  return endPlatformTokensThat(tx, sql`${accessTokens.tokenId} in (${chain})`);
}

async function endPlatformTokensThat(tx: TenantTransaction, which: SQL | undefined): Promise<number> {
  const ended = await tx
    .update(accessTokens)
    .set({ revokedAt: new Date() })
    .where(and(which, eq(accessTokens.audience, AUDIENCES.platform), isNull(accessTokens.revokedAt)))
    .returning({ tokenId: accessTokens.tokenId });
  return ended.length;
}

/**
 * Before the tokens themselves, so that two that end some of the same never block each other, and before audit entries. The trigger
 * takes it as well.
 */
export async function lockRevocations(tx: TenantTransaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.revocations})`);
}

/**
 * To be called before looking at whoever mints a token. Whoever takes their rights and ends their tokens either did so before, so that it
 * shows, or waits until this transaction is over, and then ends what is minted in it.
 */
export async function holdRevocations(tx: TenantTransaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.revocations})`);
}

/** What the operator's command line minted, in the books of the tenant. Returns false where there is no such tenant. */
export async function recordForOperator(
  { db }: Database,
  slug: TenantSlug,
  token: Omit<NewAccessToken, 'tenantId' | 'createdBy' | 'parentId'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [tenant] = await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.slug, slug));
    if (tenant === undefined) return false;
    await recordAccessToken(tx, { ...token, tenantId: tenant.id, createdBy: null, parentId: null });
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
    const detail = { name: revoked.subject, ended: revoked.ended };
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
