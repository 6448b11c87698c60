import { and, asc, desc, eq, getTableColumns, gt, lt, sql } from 'drizzle-orm';
import { type AuditEntry, type AuditRow, auditHash, NO_HASH } from '../domain/audit.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { personName } from './person-names.ts';
import { auditLog } from './schema/audit-log.ts';
import { storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** An entry with its hash, as read back. */
export interface StoredAuditRow extends AuditRow {
  hash: Uint8Array;
  /** What `actor` and `target` are called here, where they are people of the tenant. No part of what the hash is of. */
  actorName: string | null;
  targetName: string | null;
}

/**
 * Writes to the tenant's audit log, in the transaction of what it tells of: neither is there without the other. Entries of
 * one tenant wait for each other until their transactions end.
 */
export async function audit(tx: TenantTransaction, entry: AuditEntry): Promise<void> {
  const { tenantId } = entry;
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.auditLog}, hashtext(${tenantId}))`);
  const [last] = await tx
    .select({ seq: auditLog.seq, hash: auditLog.hash })
    .from(auditLog)
    .where(eq(auditLog.tenantId, tenantId))
    .orderBy(desc(auditLog.seq))
    .limit(1);
  const row: AuditRow = {
    tenantId,
    seq: (last?.seq ?? 0) + 1,
    at: new Date(),
    actor: entry.actor,
    action: entry.action,
    target: entry.target === undefined ? null : storableText(entry.target),
    detail: JSON.stringify(entry.detail ?? {}),
    address: entry.address ?? null,
    previousHash: last?.hash ?? NO_HASH,
  };
  await tx.insert(auditLog).values({ ...row, hash: auditHash(row) });
}

/** Entries after `seq`, oldest first. */
export function listAudit(
  tx: TenantTransaction,
  tenantId: string,
  after: number,
  limit: number,
): Promise<StoredAuditRow[]> {
  return tx
    .select(columns(tenantId))
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), gt(auditLog.seq, after)))
    .orderBy(asc(auditLog.seq))
    .limit(limit);
}

/** Entries before `seq`, newest first; from the newest on where none is given. */
export function listAuditBefore(
  tx: TenantTransaction,
  tenantId: string,
  before: number | undefined,
  limit: number,
): Promise<StoredAuditRow[]> {
  const older = before === undefined ? undefined : lt(auditLog.seq, before);
  return tx
    .select(columns(tenantId))
    .from(auditLog)
    .where(and(eq(auditLog.tenantId, tenantId), older))
    .orderBy(desc(auditLog.seq))
    .limit(limit);
}

function columns(tenantId: string) {
  return {
    ...getTableColumns(auditLog),
    actorName: personName(auditLog.actor, tenantId),
    targetName: personName(auditLog.target, tenantId),
  };
}
