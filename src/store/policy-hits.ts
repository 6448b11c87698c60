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

export interface CountedHits {
  hits: PolicyHits[];
  /** From when on they are counted: 30 days back, or later where there is more than is looked into. */
  since: Date;
}

const DAY_MS = 86_400_000;
/** Decisions, and inspections, that are looked into: the newest. */
const ROWS_MAX = 50_000;

/**
 * What the tenant's policies matched in the 30 days before `now`, from the explanations of decisions and inspections.
 *
 * They are searched as text: PostgreSQL cannot read every JSON text that holds what a sensor sent. Ids need no escapes, and
 * inside of a JSON string the quotes of the pattern would be escaped, so that only a policy that matched is found.
 */
export async function policyHits(tx: TenantTransaction, tenantId: string, now: Date): Promise<CountedHits> {
  const month = eventIdFloor(now.getTime() - 30 * DAY_MS);
  const since = await countedFrom(tx, tenantId, month);
  const week = eventIdFloor(now.getTime() - 7 * DAY_MS);
  const from = (table: Table) => sql`
    select id, explanation from ${sql.identifier(table)}
    where tenant_id = ${tenantId} and id >= ${since}::uuid and explanation like '%"severity":"%'`;
  const rows = await tx.execute<{ policy: string; week: number; month: number; last: EventId }>(sql`
    with found as (
      select distinct e.id, m[1] as policy
      from (${from('decisions')} union all ${from('inspections')}) e,
        regexp_matches(e.explanation, '[{]"id":"([a-z0-9][a-z0-9_.-]{0,127})","severity":"', 'g') m
    )
    select policy, (count(*) filter (where id >= ${week}::uuid))::int as week, count(*)::int as month,
      (array_agg(id order by id desc))[1] as last
    from found group by policy`);
  const hits = rows.map(({ policy, week, month, last }) => ({
    id: policy,
    last7Days: week,
    last30Days: month,
    lastAt: new Date(eventIdTimeMs(last)),
  }));
  return { hits, since: new Date(eventIdTimeMs(since)) };
}

type Table = 'decisions' | 'inspections';

/** `wanted`, or the id behind which each table has only so many rows. */
async function countedFrom(tx: TenantTransaction, tenantId: string, wanted: EventId): Promise<EventId> {
  const bound = (table: Table) => sql`
    (select id from ${sql.identifier(table)} where tenant_id = ${tenantId} and id >= ${wanted}::uuid
     order by id desc offset ${ROWS_MAX} limit 1)`;
  const [row] = await tx.execute<{ id: EventId | null }>(
    sql`select greatest(${bound('decisions')}, ${bound('inspections')}) as id`,
  );
  return row?.id ?? wanted;
}
