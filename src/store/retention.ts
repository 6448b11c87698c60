import type postgres from 'postgres';
import { eventIdFloor } from '../domain/ids.ts';
import { DAY_MS, dayAt, dropPartitions, PARTITIONED_TABLES } from './partitions.ts';

/** What retention removed. */
export interface Expired {
  partitions: string[];
  /** Rows of the default partitions, which cannot be dropped. */
  rows: number;
  sessions: number;
  releases: number;
  revocations: number;
}

/** Rows removed in one statement; what is left waits for the next call. */
const DELETED_ROWS_MAX = 10_000;

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
  for (const table of [...PARTITIONED_TABLES, 'releases'] as const) {
    const deleted = await sql`
      delete from ${sql(table)} where (tenant_id, id) in (
        select tenant_id, id from ${sql(table)} where tenant_id = ${tenantId} and id < ${before}::uuid
        limit ${DELETED_ROWS_MAX})`;
    rows += deleted.count;
  }
  const sessions = await sql`
    delete from agent_sessions where (tenant_id, session_key) in (
      select tenant_id, session_key from agent_sessions
      where tenant_id = ${tenantId} and last_at < to_timestamp(${beforeMs / 1000}::float8) limit ${DELETED_ROWS_MAX})`;
  return rows + sessions.count;
}

/** Removes what is wholly older than `retentionDays` before `nowMs` (Unix milliseconds), a bounded amount per call. */
export async function dropExpired(sql: postgres.Sql, nowMs: number, retentionDays: number): Promise<Expired> {
  const beforeMs = nowMs - retentionDays * DAY_MS;
  const partitions = await dropPartitions(sql, beforeMs);
  let rows = 0;
  for (const table of PARTITIONED_TABLES) rows += await deleteFromDefault(sql, sql(`${table}_default`), beforeMs);
  // Not before the day of their newest event is dropped.
  const sessions = await sql`
    delete from agent_sessions where (tenant_id, session_key) in (
      select tenant_id, session_key from agent_sessions
      where last_at < to_timestamp(${(dayAt(beforeMs) * DAY_MS) / 1000}::float8) limit ${DELETED_ROWS_MAX})`;
  // Of a session whose events are gone they explain nothing any more.
  const releases = await sql`
    delete from releases where id in (
      select id from releases where id < ${eventIdFloor(Math.max(0, dayAt(beforeMs) * DAY_MS))}::uuid limit ${DELETED_ROWS_MAX})`;
  // A token that expired needs no revocation; a day covers clocks that differ.
  const revocations = await sql`
    delete from token_revocations where expires_at < to_timestamp(${(nowMs - DAY_MS) / 1000}::float8)`;
  return { partitions, rows, sessions: sessions.count, releases: releases.count, revocations: revocations.count };
}

async function deleteFromDefault(sql: postgres.Sql, table: postgres.Helper<string>, beforeMs: number): Promise<number> {
  const deleted = await sql`
    delete from ${table} where id in (
      select id from ${table} where id < ${eventIdFloor(Math.max(0, beforeMs))}::uuid limit ${DELETED_ROWS_MAX})`;
  return deleted.count;
}
