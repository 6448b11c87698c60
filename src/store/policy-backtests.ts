import { and, desc, eq, notInArray } from 'drizzle-orm';
import type { EventId } from '../domain/ids.ts';
import type { PolicyDifference } from '../domain/policy-work.ts';
import { policyBacktests } from './schema/policy-backtests.ts';
import { tenants } from './schema/tenants.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** Backtests of a tenant: see `schema/policy-backtests.ts`. */

export type BacktestDifference = PolicyDifference & { event: EventId; sessionKey: string };

type StoredBacktest = typeof policyBacktests.$inferSelect;
export type BacktestRow = Omit<StoredBacktest, 'differences'> & { differences: readonly BacktestDifference[] };
/** What changes while one runs. */
export type BacktestProgress = Pick<
  BacktestRow,
  | 'state'
  | 'endedAt'
  | 'sessionsDone'
  | 'sessionsLeftOut'
  | 'eventsDone'
  | 'decisionsDone'
  | 'newlyBlocked'
  | 'newlyAllowed'
  | 'differences'
>;

/** How many of a tenant are kept. */
const KEPT = 20;

/** Notes that a backtest starts, and forgets the oldest ones. */
export async function addBacktest(
  tx: TenantTransaction,
  given: Pick<StoredBacktest, 'tenantId' | 'version' | 'hash' | 'since' | 'until' | 'startedBy' | 'sessionsCount'>,
): Promise<BacktestRow> {
  const { tenantId } = given;
  await tx.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId)).for('no key update');
  const newest = tx
    .select({ id: policyBacktests.id })
    .from(policyBacktests)
    .where(eq(policyBacktests.tenantId, tenantId))
    .orderBy(desc(policyBacktests.startedAt))
    .limit(KEPT - 1);
  await tx
    .delete(policyBacktests)
    .where(and(eq(policyBacktests.tenantId, tenantId), notInArray(policyBacktests.id, newest)));
  const [row] = await tx.insert(policyBacktests).values(given).returning();
  return shown(row as StoredBacktest);
}

export async function updateBacktest(
  tx: TenantTransaction,
  tenantId: string,
  id: string,
  { differences, ...progress }: BacktestProgress,
): Promise<void> {
  await tx
    .update(policyBacktests)
    .set({ ...progress, differences: JSON.stringify(differences) })
    .where(and(eq(policyBacktests.tenantId, tenantId), eq(policyBacktests.id, id)));
}

export async function findBacktest(
  tx: TenantTransaction,
  tenantId: string,
  id: string,
): Promise<BacktestRow | undefined> {
  const [row] = await tx
    .select()
    .from(policyBacktests)
    .where(and(eq(policyBacktests.tenantId, tenantId), eq(policyBacktests.id, id)));
  return row === undefined ? undefined : shown(row);
}

/** Those that are kept, newest first. */
export async function listBacktests(tx: TenantTransaction, tenantId: string): Promise<BacktestRow[]> {
  const rows = await tx
    .select()
    .from(policyBacktests)
    .where(eq(policyBacktests.tenantId, tenantId))
    .orderBy(desc(policyBacktests.startedAt))
    .limit(KEPT);
  return rows.map(shown);
}

function shown({ differences, ...row }: StoredBacktest): BacktestRow {
  return { ...row, differences: JSON.parse(differences) as BacktestDifference[] };
}
