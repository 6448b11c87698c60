import { type SQL, sql } from 'drizzle-orm';
import { eventIdFloor } from '../domain/ids.ts';
import { BUCKETS, quantileUs } from '../lib/log-histogram.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What a tenant's own agents did, counted. */

/** What happened in one stretch of time. */
export interface StatisticsBucket {
  from: Date;
  events: number;
  decisions: number;
  /** The sender was told to stop. */
  blocked: number;
  undecided: number;
  /** The sender was told nothing in time, and went on. */
  failedOpen: number;
  /** Of those, answered 408. */
  timeouts: number;
  /** Microseconds to a decision; null where there was none. From counts a minute or longer, at most a tenth off. */
  p50Us: number | null;
  p99Us: number | null;
}

/** From `since` (inclusive) to `until` (exclusive). */
export interface TimeSpan {
  since: Date;
  until: Date;
}

const MINUTE_SECONDS = 60;

/**
 * Counted in stretches of `bucketSeconds`, oldest first; stretches in which nothing happened are there, too. Stretches of whole
 * minutes are answered from `activity_minutes` (the minute that holds `since` counts as a whole), others from the events.
 */
export async function decisionStatistics(
  tx: TenantTransaction,
  tenantId: string,
  span: TimeSpan & { bucketSeconds: number },
): Promise<StatisticsBucket[]> {
  const { since, until, bucketSeconds } = span;
  const counted =
    bucketSeconds % MINUTE_SECONDS === 0
      ? await countMinutes(tx, tenantId, span)
      : await countEvents(tx, tenantId, span);
  const first = Math.floor(since.getTime() / 1000 / bucketSeconds);
  const last = Math.ceil(until.getTime() / 1000 / bucketSeconds) - 1;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const from = new Date((first + index) * bucketSeconds * 1000);
    return { from, ...(counted.get(first + index) ?? NOTHING) };
  });
}

type Counts = Omit<StatisticsBucket, 'from'>;

const NOTHING: Counts = {
  events: 0,
  decisions: 0,
  blocked: 0,
  undecided: 0,
  failedOpen: 0,
  timeouts: 0,
  p50Us: null,
  p99Us: null,
};

/** All of it in one sum. */
export async function summarizeActivity(tx: TenantTransaction, tenantId: string, span: TimeSpan): Promise<Counts> {
  const counted = await countMinutes(tx, tenantId, { ...span, bucketSeconds: undefined });
  return counted.get(0) ?? NOTHING;
}

/** As the database counts them: by stretch, whose number is the time divided by its length. */
type CountRow = {
  bucket: string;
  events: number;
  decisions: number;
  blocked: number;
  undecided: number;
  failedOpen: number;
  timeouts: number;
};

const bucketOf = (at: SQL, bucketSeconds: number | undefined): SQL =>
  bucketSeconds === undefined ? sql`0::bigint` : sql`floor(extract(epoch from ${at}) / ${bucketSeconds}::int)::bigint`;

/** `bucketSeconds` undefined: everything is one stretch, of number 0. */
async function countMinutes(
  tx: TenantTransaction,
  tenantId: string,
  { since, until, bucketSeconds }: TimeSpan & { bucketSeconds: number | undefined },
): Promise<Map<number, Counts>> {
  const bucket = bucketOf(sql`minute`, bucketSeconds);
  const within = sql`tenant_id = ${tenantId}::uuid
    and minute >= date_trunc('minute', ${since.toISOString()}::timestamptz, 'UTC') and minute < ${until.toISOString()}::timestamptz`;
  const sums = await tx.execute<CountRow>(sql`
    select ${bucket} as bucket, sum(events)::float8 as events, sum(decisions)::float8 as decisions,
      sum(blocked)::float8 as blocked, sum(undecided)::float8 as undecided, sum(failed_open)::float8 as "failedOpen",
      sum(timeouts)::float8 as timeouts
    from activity_minutes where ${within} group by 1`);
  const latencies = await tx.execute<{ bucket: string; step: number; count: number }>(sql`
    select ${bucket} as bucket, step::int - 1 as step, sum(taken)::float8 as count
    from activity_minutes cross join lateral unnest(latency) with ordinality as counted(taken, step)
    where ${within} and taken > 0 group by 1, 2`);
  const histograms = new Map<number, number[]>();
  for (const { bucket, step, count } of latencies) {
    const histogram = histograms.get(Number(bucket)) ?? Array.from({ length: BUCKETS }, () => 0);
    histogram[step] = count;
    histograms.set(Number(bucket), histogram);
  }
  return new Map(
    sums.map(({ bucket, ...counts }) => {
      const histogram = histograms.get(Number(bucket)) ?? [];
      const p50Us = quantileUs(histogram, 0.5) ?? null;
      return [Number(bucket), { ...counts, p50Us, p99Us: quantileUs(histogram, 0.99) ?? null }];
    }),
  );
}

async function countEvents(
  tx: TenantTransaction,
  tenantId: string,
  { since, until, bucketSeconds }: TimeSpan & { bucketSeconds: number },
): Promise<Map<number, Counts>> {
  const within = (id: SQL) =>
    sql`${id} >= ${eventIdFloor(since.getTime())}::uuid and ${id} < ${eventIdFloor(until.getTime())}::uuid`;
  const openInstead = sql`(d.unanswered_at is not null and coalesce(d.answered_instead, 'fail_open') = 'fail_open')`;
  const rows = await tx.execute<CountRow & Pick<Counts, 'p50Us' | 'p99Us'>>(sql`
    select ${bucketOf(sql`e.received_at`, bucketSeconds)} as bucket, count(*)::float8 as events,
      count(d.id)::float8 as decisions,
      (count(*) filter (where d.action = 'block' or d.answered = 'block'))::float8 as blocked,
      (count(*) filter (where d.kind = 'undecided' or d.unanswered_at is not null))::float8 as undecided,
      (count(*) filter (where d.answered = 'fail_open' or ${openInstead}))::float8 as "failedOpen",
      (count(*) filter (where (d.answered = 'fail_open' and d.cause = 'deadline')
        or (${openInstead} and d.unanswered_cause = 'deadline')))::float8 as timeouts,
      percentile_disc(0.5) within group (order by d.took_us)::float8 as "p50Us",
      percentile_disc(0.99) within group (order by d.took_us)::float8 as "p99Us"
    from events e left join decisions d on d.id = e.id and d.tenant_id = e.tenant_id and ${within(sql`d.id`)}
    where e.tenant_id = ${tenantId}::uuid and ${within(sql`e.id`)}
    group by 1`);
  return new Map(rows.map(({ bucket, ...counts }) => [Number(bucket), counts]));
}
