import { sql } from 'drizzle-orm';
import { type EventId, eventIdFloor, eventIdTimeMs } from '../domain/ids.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** How often a policy matched, enforced or in shadow mode. */
export interface PolicyHits {
  id: string;
  last7Days: number;
  last30Days: number;
  lastAt: Date;
}

const DAY_MS = 86_400_000;
/** Explanations that are looked into, the newest first: of more, the counts are of these. */
const ROWS_MAX = 50_000;

/**
 * What the tenant's policies matched in the 30 days before `now`, from the explanations of decisions and inspections.
 *
 * They are searched as text: PostgreSQL cannot read every JSON text that holds what a sensor sent. Ids need no escapes, and
 * inside of a JSON string the quotes of the pattern would be escaped, so that only a policy that matched is found.
 */
export async function policyHits(tx: TenantTransaction, tenantId: string, now: Date): Promise<PolicyHits[]> {
  const since = eventIdFloor(now.getTime() - 30 * DAY_MS);
  const sinceWeek = eventIdFloor(now.getTime() - 7 * DAY_MS);
  const newest = (table: 'decisions' | 'inspections') => sql`
    (select id, explanation from ${sql.identifier(table)}
     where tenant_id = ${tenantId} and id >= ${since}::uuid and explanation like '%"severity":"%'
     order by id desc limit ${ROWS_MAX})`;
  const rows = await tx.execute<{ policy: string; week: number; month: number; last: EventId }>(sql`
    with found as (
      select distinct e.id, m[1] as policy
      from (${newest('decisions')} union all ${newest('inspections')}) e,
        regexp_matches(e.explanation, '[{]"id":"([a-z0-9][a-z0-9_.-]{0,127})","severity":"', 'g') m
    )
    select policy, (count(*) filter (where id >= ${sinceWeek}::uuid))::int as week, count(*)::int as month,
      (array_agg(id order by id desc))[1] as last
    from found group by policy`);
  return rows.map(({ policy, week, month, last }) => ({
    id: policy,
    last7Days: week,
    last30Days: month,
    lastAt: new Date(eventIdTimeMs(last)),
  }));
}
