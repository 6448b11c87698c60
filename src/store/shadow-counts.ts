import { sql } from 'drizzle-orm';
import { type EventId, eventIdTimeMs } from '../domain/ids.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What the tenant's decisions would have been under policies that are only tried. */
export interface ShadowCounts {
  /** Decisions of which it is known what the set that is tried would have answered. */
  decisions: number;
  newlyBlocked: number;
  newlyAllowed: number;
  /** Decisions to allow that policies in shadow mode would have made a block. */
  simulated: number;
  /** The oldest decision that was looked at; undefined where all that are stored were. */
  since: Date | undefined;
}

/** Decisions of a tenant that are looked at: the newest. */
const DECISIONS_MAX = 50_000;

/** Counts among the newest decisions of the tenant's own agents. `policySet`: hash of the set that is tried; undefined: none. */
export async function countShadowed(
  tx: TenantTransaction,
  tenantId: string,
  policySet: string | undefined,
  decisionsMax = DECISIONS_MAX,
): Promise<ShadowCounts> {
  const since = await oldestOf(tx, tenantId, decisionsMax);
  const looked = sql`tenant_id = ${tenantId}::uuid ${since === undefined ? sql`` : sql`and id >= ${since}::uuid`}`;
  const [row] = await tx.execute<Record<'decisions' | 'newlyBlocked' | 'newlyAllowed' | 'simulated', number>>(sql`
    select count(*)::int as decisions,
      (count(*) filter (where shadow_action = 'block' and action = 'allow'))::int as "newlyBlocked",
      (count(*) filter (where shadow_action = 'allow' and action = 'block'))::int as "newlyAllowed",
      (select count(*) from decisions where ${looked} and simulated_action is not null)::int as simulated
    from decisions where ${looked} and shadow_set = ${policySet ?? null} and shadow_action is not null`);
  const counts = row ?? { decisions: 0, newlyBlocked: 0, newlyAllowed: 0, simulated: 0 };
  return { ...counts, since: since === undefined ? undefined : new Date(eventIdTimeMs(since)) };
}

/** The last of the tenant's newest `count` decisions; undefined where there are no more than those. */
async function oldestOf(tx: TenantTransaction, tenantId: string, count: number): Promise<EventId | undefined> {
  const rows = await tx.execute<{ id: EventId }>(sql`
    select id from decisions where tenant_id = ${tenantId}::uuid order by id desc offset ${count - 1} limit 2`);
  return rows.length === 2 ? rows[0]?.id : undefined;
}
