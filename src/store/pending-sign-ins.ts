import { createHash } from 'node:crypto';
import { and, asc, count, eq, gt, lt, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { pendingSignIns, usedAssertions } from './schema/sso.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** A sign-in that went to an identity provider. */
export interface PendingSignIn {
  stateHash: Uint8Array;
  tenantId: string;
  connectionId: string;
  browserHash: Uint8Array;
  /** Sealed. */
  secrets: string;
  returnTo: string;
  purpose: 'sign_in' | 'test';
  expiresAt: Date;
}

/** Sign-ins of one connection that may be under way. */
const PENDING_MAX = 10_000;
const SWEPT_AT_ONCE = 100;

/**
 * Stores a sign-in and lets go of expired ones, and of the oldest of a connection of which too many are under way. Anybody can begin
 * some: whoever began too many keeps nobody else from beginning theirs.
 */
export async function insertPending({ db }: Database, pending: PendingSignIn): Promise<void> {
  const expired = db
    .select({ stateHash: pendingSignIns.stateHash })
    .from(pendingSignIns)
    .where(lt(pendingSignIns.expiresAt, sql`now()`))
    .limit(SWEPT_AT_ONCE);
  await db.delete(pendingSignIns).where(sql`${pendingSignIns.stateHash} in ${expired}`);
  const [found] = await db
    .select({ pending: count() })
    .from(pendingSignIns)
    .where(eq(pendingSignIns.connectionId, pending.connectionId));
  const tooMany = (found?.pending ?? 0) - PENDING_MAX + 1;
  if (tooMany > 0) {
    const oldest = db
      .select({ stateHash: pendingSignIns.stateHash })
      .from(pendingSignIns)
      .where(eq(pendingSignIns.connectionId, pending.connectionId))
      .orderBy(asc(pendingSignIns.expiresAt))
      .limit(tooMany);
    await db.delete(pendingSignIns).where(sql`${pendingSignIns.stateHash} in ${oldest}`);
  }
  await db.insert(pendingSignIns).values(pending);
}

/** What names a pending sign-in: what came back, where it came back to, and in which browser. */
export type PendingKey = Pick<PendingSignIn, 'stateHash' | 'connectionId' | 'browserHash'>;

/**
 * Takes a pending sign-in out, so that it comes back once; undefined where there is none, it has expired, belongs to another
 * connection, or was begun in another browser (which leaves it to that browser).
 */
export async function takePending({ db }: Database, key: PendingKey, now: Date): Promise<PendingSignIn | undefined> {
  const [row] = await db
    .delete(pendingSignIns)
    .where(
      and(
        eq(pendingSignIns.stateHash, key.stateHash),
        eq(pendingSignIns.connectionId, key.connectionId),
        eq(pendingSignIns.browserHash, key.browserHash),
        gt(pendingSignIns.expiresAt, now),
      ),
    )
    .returning();
  return row;
}

/** What a provider sent and signed: counts once. */
export interface UsedMessage {
  tenantId: string;
  connectionId: string;
  /** As the provider chose it: any text. */
  messageId: string;
  /** When it would be refused as too old. */
  expiresAt: Date;
}

/**
 * Remembers a message until it would be too old anyway. False where it was used before: a replay. What it brings about belongs into
 * the same transaction, or is lost with the first failure: nobody can send it again.
 */
export async function useMessage(
  tx: TenantTransaction,
  { messageId, tenantId, connectionId, expiresAt }: UsedMessage,
): Promise<boolean> {
  const expired = tx
    .select({ assertionId: usedAssertions.assertionId })
    .from(usedAssertions)
    .where(and(eq(usedAssertions.connectionId, connectionId), lt(usedAssertions.expiresAt, sql`now()`)))
    .limit(SWEPT_AT_ONCE);
  await tx
    .delete(usedAssertions)
    .where(and(eq(usedAssertions.connectionId, connectionId), sql`${usedAssertions.assertionId} in ${expired}`));
  // Only of its hash it is certain that it can be stored: not every text can, nor is every length an index's.
  const assertionId = createHash('sha256').update(`${connectionId} ${messageId}`).digest('base64url');
  const made = await tx
    .insert(usedAssertions)
    .values({ tenantId, connectionId, assertionId, expiresAt })
    .onConflictDoNothing()
    .returning({ assertionId: usedAssertions.assertionId });
  return made.length > 0;
}
