import { type AnyColumn, type SQL, sql } from 'drizzle-orm';

/** A place in a list that goes from the newest to the oldest: what is behind it stays the same when newer rows come. */
export interface Place {
  at: Date;
  /** What tells rows of one moment apart. */
  keys: readonly string[];
}

/** Moments as our own code sees them: PostgreSQL may hold microseconds, a `Date` does not. */
const millis = (column: AnyColumn): SQL => sql`date_trunc('milliseconds', ${column})`;

/** The rows that come after `place`; all of them where there is none. */
export function behind(at: AnyColumn, keys: readonly AnyColumn[], place: Place | undefined): SQL | undefined {
  return place === undefined ? undefined : sql`${placeOf(at, keys)} < ${placeValue(place)}`;
}

function placeOf(at: AnyColumn, keys: readonly AnyColumn[]): SQL {
  return sql`(${sql.join([millis(at), ...keys.map((key) => sql`${key}`)], sql`, `)})`;
}

function placeValue({ at, keys }: Place): SQL {
  return sql`(${sql.join([sql`${at.toISOString()}::timestamptz`, ...keys.map((key) => sql`${key}`)], sql`, `)})`;
}

/** The order of `behind`. */
export function newestFirst(at: AnyColumn, keys: readonly AnyColumn[]): SQL[] {
  return [sql`${millis(at)} desc`, ...keys.map((key) => sql`${key} desc`)];
}

/** The rows that come before `place`, and the order that begins with the nearest of them: for pages that are walked backwards. */
export function ahead(at: AnyColumn, keys: readonly AnyColumn[], place: Place | undefined): SQL | undefined {
  return place === undefined ? undefined : sql`${placeOf(at, keys)} > ${placeValue(place)}`;
}

export function oldestFirst(at: AnyColumn, keys: readonly AnyColumn[]): SQL[] {
  return [sql`${millis(at)}`, ...keys.map((key) => sql`${key}`)];
}
