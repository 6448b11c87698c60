import type postgres from 'postgres';
import { type EventId, eventIdFloor, eventIdTimeMs } from '../domain/ids.ts';
import { DAY_MS, dayAt, dropPartitions, PARTITIONED_TABLES } from './partitions.ts';

/** What retention removed. */
export interface Expired {
  partitions: string[];
  /** Rows of the default partitions, which cannot be dropped. */
  rows: number;
  sessions: number;
  releases: number;
  /** Verdicts on findings that are gone. */
  triage: number;
  /** Rows of the tables of counts. */
  counts: number;
  revocations: number;
  feedBatches: number;
}

/** Rows removed in one statement; what is left waits for the next call. */
const DELETED_ROWS_MAX = 10_000;
/** They are many and small. */
const DELETED_COUNTS_MAX = 100_000;
/** How far back somebody who was away can go on with what they watched. */
const FEED_MS = DAY_MS;
/** Statements that remove batches of feeds in one call: there may be ten a second of each tenant. */
const FEED_STATEMENTS_MAX = 100;

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
  for (const [table, at] of Object.entries(ROLLUPS)) rows += await deleteCounts(sql, { table, at, tenantId }, beforeMs);
  const sessions = await sql`
    delete from agent_sessions where (tenant_id, session_key) in (
      select tenant_id, session_key from agent_sessions
      where tenant_id = ${tenantId} and last_at < to_timestamp(${beforeMs / 1000}::float8) limit ${DELETED_ROWS_MAX})`;
  return rows + sessions.count;
}

/** When the newest stored event came, in Unix milliseconds; undefined where there is none. */
export async function newestEventMs(sql: postgres.Sql): Promise<number | undefined> {
  const [row] = await sql<{ id: EventId }[]>`select id from events order by id desc limit 1`;
  return row === undefined ? undefined : eventIdTimeMs(row.id);
}

/** Removes what is wholly older than `retentionDays` before `nowMs` (Unix milliseconds), a bounded amount per call. */
export async function dropExpired(sql: postgres.Sql, nowMs: number, retentionDays: number): Promise<Expired> {
  const beforeMs = nowMs - retentionDays * DAY_MS;
  const partitions = await dropPartitions(sql, beforeMs);
  let rows = 0;
  for (const [table, id] of Object.entries(PARTITIONED_TABLES))
    rows += await deleteFromDefault(sql, { table: `${table}_default`, id }, beforeMs);
  // Not before the day of their newest event is dropped.
  const sessions = await sql`
    delete from agent_sessions where (tenant_id, session_key) in (
      select tenant_id, session_key from agent_sessions
      where last_at < to_timestamp(${(dayAt(beforeMs) * DAY_MS) / 1000}::float8) limit ${DELETED_ROWS_MAX})`;
  // Of a session whose events are gone they explain nothing any more.
  const releases = await sql`
    delete from releases where id in (
      select id from releases where id < ${eventIdFloor(Math.max(0, dayAt(beforeMs) * DAY_MS))}::uuid limit ${DELETED_ROWS_MAX})`;
  const triage = await sql`
    delete from finding_triage where (tenant_id, event_id, n) in (
      select tenant_id, event_id, n from finding_triage
      where event_id < ${eventIdFloor(Math.max(0, dayAt(beforeMs) * DAY_MS))}::uuid limit ${DELETED_ROWS_MAX})`;
  let counts = 0;
  for (const [table, at] of Object.entries(ROLLUPS))
    counts += await deleteCounts(sql, { table, at }, dayAt(beforeMs) * DAY_MS);
  // A token that expired needs no revocation; a day covers clocks that differ.
  const revocations = await sql`
    delete from token_revocations where expires_at < to_timestamp(${(nowMs - DAY_MS) / 1000}::float8)`;
  return {
    partitions,
    rows,
    sessions: sessions.count,
    releases: releases.count,
    triage: triage.count,
    counts,
    revocations: revocations.count,
    feedBatches: await deleteFeedBatches(sql, nowMs - FEED_MS),
  };
}

async function deleteFeedBatches(sql: postgres.Sql, beforeMs: number): Promise<number> {
  let total = 0;
  for (let statements = 0; statements < FEED_STATEMENTS_MAX; statements++) {
    const { count } = await sql`
      delete from feed_batches where (tenant_id, seq) in (
        select tenant_id, seq from feed_batches
        where stored_at < to_timestamp(${beforeMs / 1000}::float8) order by stored_at limit ${DELETED_ROWS_MAX})`;
    total += count;
    if (count < DELETED_ROWS_MAX) break;
  }
  return total;
}

/** Tables of counts, and the column that says of when they are. */
const ROLLUPS = {
  activity_minutes: 'minute',
  agent_hours: 'hour',
  policy_hits: 'hour',
  finding_hours: 'hour',
} as const;

/** Those of one tenant, or of all. */
async function deleteCounts(
  sql: postgres.Sql,
  { table, at, tenantId }: { table: string; at: string; tenantId?: string },
  beforeMs: number,
): Promise<number> {
  const ofTenant = tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`;
  const deleted = await sql`
    delete from ${sql(table)} where ctid in (
      select ctid from ${sql(table)} where ${ofTenant} and ${sql(at)} < to_timestamp(${beforeMs / 1000}::float8)
      limit ${DELETED_COUNTS_MAX})`;
  return deleted.count;
}

async function deleteFromDefault(
  sql: postgres.Sql,
  { table, id }: { table: string; id: string },
  beforeMs: number,
): Promise<number> {
  const deleted = await sql`
    delete from ${sql(table)} where ${sql(id)} in (
      select ${sql(id)} from ${sql(table)} where ${sql(id)} < ${eventIdFloor(Math.max(0, beforeMs))}::uuid
      limit ${DELETED_ROWS_MAX})`;
  return deleted.count;
}
