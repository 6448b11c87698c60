import { sql } from 'drizzle-orm';
import type { TenantTransaction } from './tenant-database.ts';

/** Keys of `pg_advisory_lock`: 0x67617465 is "gate", so that they are unlikely to be another program's. */
export const ADVISORY_LOCKS = {
  migrate: 0x67617465_01,
  partitions: 0x67617465_02,
  revocations: 0x67617465_03,
  firstOwner: 0x67617465_04,
  /** The first of two keys; the second is of the tenant. */
  auditLog: 0x67617465,
  /** The first of two keys; the second is of the issuer. Taken by a trigger. */
  trustedIssuers: 0x67617466,
} as const;

/** Lets those who name the same thing take turns, each until its transaction ends. */
export async function lockNamed(tx: Pick<TenantTransaction, 'execute'>, name: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}
