import type postgres from 'postgres';
import { type EventId, eventIdFloor, eventIdTimeMs } from '../domain/ids.ts';
import { assert } from '../lib/assert.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';

/**
 * The days of `events`, `decisions`, `inspections` and `findings`: one partition each for a UTC day of event ids, made before its
 * first row, dropped when its last row is too old. What no day takes is in the default partition.
 */

/** Each is partitioned by the id of the event, which is in the column named here. */
export const PARTITIONED_TABLES = { events: 'id', decisions: 'id', inspections: 'id', findings: 'event_id' } as const;
export const DAY_MS = 86_400_000;
/** Days since 1970-01-01 UTC. */
export type Day = number;

/** The day of an event id, which is the day it was received. */
export function dayOf(id: EventId): Day {
  return Math.floor(eventIdTimeMs(id) / DAY_MS);
}

export function dayAt(atMs: number): Day {
  return Math.floor(atMs / DAY_MS);
}

/**
 * Makes the partitions of `day`. False if they cannot be made any more, since the default partition holds rows of that
 * day; further ones go there too.
 */
export async function ensurePartitions(sql: postgres.Sql, day: Day): Promise<boolean> {
  assert(Number.isInteger(day) && day >= 0, 'a partition is of a day');
  const name = new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
  const [from, to] = [eventIdFloor(day * DAY_MS), eventIdFloor((day + 1) * DAY_MS)];
  const statements = Object.keys(PARTITIONED_TABLES).map(
    (table) =>
      `create table if not exists ${table}_p${name} partition of ${table} for values from ('${from}') to ('${to}')`,
  );
  try {
    await sql.begin(async (transaction) => {
      // "if not exists" does not help two who make the same table at the same moment.
      await transaction`select pg_advisory_xact_lock(${ADVISORY_LOCKS.partitions})`;
      for (const statement of statements) await transaction.unsafe(statement);
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === CHECK_VIOLATION) return false;
    throw error;
  }
}

const CHECK_VIOLATION = '23514';

/** Drops partitions that hold nothing of `beforeMs` (Unix milliseconds) or later. Returns their names. */
export async function dropPartitions(sql: postgres.Sql, beforeMs: number): Promise<string[]> {
  const old = (await listPartitions(sql)).filter(({ day }) => (day + 1) * DAY_MS <= beforeMs);
  for (const { name } of old) await sql`drop table if exists ${sql(name)}`;
  return old.map(({ name }) => name);
}

async function listPartitions(sql: postgres.Sql): Promise<{ name: string; day: Day }[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
    where parent.relname in ${sql(Object.keys(PARTITIONED_TABLES))} and parent.relkind = 'p'`;
  return rows.flatMap(({ name }) => {
    const date = /_p(\d{4})(\d\d)(\d\d)$/.exec(name);
    if (date === null) return [];
    return [{ name, day: Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])) / DAY_MS }];
  });
}
