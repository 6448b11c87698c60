import type postgres from 'postgres';
import { type EventId, eventIdFloor, eventIdTimeMs } from '../domain/ids.ts';
import { DAY_MS, dayAt, dropPartitions, PARTITIONED_TABLES } from './partitions.ts';

/** What one call removed, and whether it left something to the next one. */
export interface Removed {
  count: number;
  more: boolean;
}

/** Something that retention removes, by itself and a bounded amount per call. */
export interface Removal {
  /** The table; `partitions` for whole days. */
  what: string;
  /** @param cutoffs in Unix milliseconds. */
  remove(sql: postgres.Sql, cutoffs: Cutoffs): Promise<Removed>;
}

interface Cutoffs {
  nowMs: number;
  /** What is older is not kept. */
  beforeMs: number;
  /** The beginning of the last day that is not dropped: what is about its events is kept as long as they are. */
  beforeDayMs: number;
}

/** Rows removed in one statement. */
const DELETED_ROWS_MAX = 10_000;
/** Of tables whose rows are many and small. */
const DELETED_SMALL_ROWS_MAX = 100_000;
/** How far back somebody who was away can go on with what they watched. */
const FEED_MS = DAY_MS;

/** What is about an event, and the column that names it: its id tells when it was. */
const OF_EVENTS = { ...PARTITIONED_TABLES, releases: 'id', finding_triage: 'event_id' } as const;

/**
 * Removes what tenants keep for fewer than `retentionDays`, row by row, since it lies in partitions beside the rows of others: a
 * bounded amount per call. Returns how many rows.
 */
export async function deleteExpiredOfTenants(sql: postgres.Sql, nowMs: number, retentionDays: number): Promise<number> {
  const tenants = await sql<{ id: string; retention_days: number }[]>`
    select id, retention_days from tenants where retention_days < ${retentionDays} order by id`;
  let rows = 0;
  for (const { id, retention_days: days } of tenants)
    rows += await deleteOfTenant(sql, id, Math.max(0, nowMs - days * DAY_MS));
  return rows;
}

async function deleteOfTenant(sql: postgres.Sql, tenantId: string, beforeMs: number): Promise<number> {
  const before = eventIdFloor(beforeMs);
  let rows = 0;
  for (const [table, id] of Object.entries(OF_EVENTS)) {
    const deleted = await sql`
      delete from ${sql(table)} where tenant_id = ${tenantId} and ${sql(id)} in (
        select ${sql(id)} from ${sql(table)} where tenant_id = ${tenantId} and ${sql(id)} < ${before}::uuid
        limit ${DELETED_ROWS_MAX})`;
    rows += deleted.count;
  }
  const tables = { ...ROLLUPS, agent_sessions: 'last_at' };
  for (const [table, column] of Object.entries(tables)) {
    const condition = sql`tenant_id = ${tenantId} and ${sql(column)} < ${at(sql, beforeMs)}`;
    rows += (await deleteSome(sql, table, condition)).count;
  }
  return rows;
}

/** When the newest stored event came, in Unix milliseconds; undefined where there is none. */
export async function newestEventMs(sql: postgres.Sql): Promise<number | undefined> {
  const [row] = await sql<{ id: EventId }[]>`select id from events order by id desc limit 1`;
  return row === undefined ? undefined : eventIdTimeMs(row.id);
}

/** Tables of counts, and the column that says of when they are. */
const ROLLUPS = {
  activity_minutes: 'minute',
  agent_hours: 'hour',
  policy_hits: 'hour',
  finding_hours: 'hour',
} as const;

/** All that retention removes. */
export const REMOVALS: readonly Removal[] = [
  { what: 'partitions', remove: dropDays },
  ...Object.entries(PARTITIONED_TABLES).map(([table, id]): Removal => {
    const what = `${table}_default`;
    return { what, remove: (sql, { beforeMs }) => deleteSome(sql, what, sql`${sql(id)} < ${idAt(sql, beforeMs)}`) };
  }),
  {
    what: 'agent_sessions',
    remove: (sql, { beforeDayMs }) => deleteSome(sql, 'agent_sessions', sql`last_at < ${at(sql, beforeDayMs)}`),
  },
  // Of a session whose events are gone they explain nothing any more.
  {
    what: 'releases',
    remove: (sql, { beforeDayMs }) => deleteSome(sql, 'releases', sql`id < ${idAt(sql, beforeDayMs)}`),
  },
  {
    what: 'finding_triage',
    remove: (sql, { beforeDayMs }) => deleteSome(sql, 'finding_triage', sql`event_id < ${idAt(sql, beforeDayMs)}`),
  },
  ...Object.entries(ROLLUPS).map(
    ([what, column]): Removal => ({
      what,
      remove: (sql, { beforeDayMs }) =>
        deleteSome(sql, what, sql`${sql(column)} < ${at(sql, beforeDayMs)}`, DELETED_SMALL_ROWS_MAX),
    }),
  ),
  // A token that expired needs no revocation; a day covers clocks that differ.
  {
    what: 'token_revocations',
    remove: (sql, { nowMs }) => deleteSome(sql, 'token_revocations', sql`expires_at < ${at(sql, nowMs - DAY_MS)}`),
  },
  // The oldest first: a feed has no gaps but at its beginning.
  {
    what: 'feed_batches',
    remove: (sql, { nowMs }) =>
      deleteSome(
        sql,
        'feed_batches',
        sql`stored_at < ${at(sql, nowMs - FEED_MS)} order by stored_at`,
        DELETED_SMALL_ROWS_MAX,
      ),
  },
];

/** Removes of what `removal` is about what is wholly older than `retentionDays` before `nowMs` (Unix milliseconds). */
export function removeExpired(
  sql: postgres.Sql,
  removal: Removal,
  { nowMs, retentionDays }: { nowMs: number; retentionDays: number },
): Promise<Removed> {
  const beforeMs = nowMs - retentionDays * DAY_MS;
  return removal.remove(sql, { nowMs, beforeMs, beforeDayMs: dayAt(beforeMs) * DAY_MS });
}

async function dropDays(sql: postgres.Sql, { beforeMs }: Cutoffs): Promise<Removed> {
  return { count: (await dropPartitions(sql, beforeMs)).length, more: false };
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

function at(sql: postgres.Sql, ms: number): Fragment {
  return sql`to_timestamp(${ms / 1000}::float8)`;
}

function idAt(sql: postgres.Sql, ms: number): Fragment {
  return sql`${eventIdFloor(Math.max(0, ms))}::uuid`;
}

/** Rows of a table without partitions: a place in it tells nothing of theirs. One that is changed meanwhile stays. */
async function deleteSome(
  sql: postgres.Sql,
  table: string,
  condition: Fragment,
  rowsMax = DELETED_ROWS_MAX,
): Promise<Removed> {
  const { count } = await sql`
    delete from ${sql(table)} where ctid in (select ctid from ${sql(table)} where ${condition} limit ${rowsMax})`;
  return { count, more: count === rowsMax };
}
