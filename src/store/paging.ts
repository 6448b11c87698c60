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
  if (place === undefined) return undefined;
  const columns = sql.join([millis(at), ...keys.map((key) => sql`${key}`)], sql`, `);
  const values = sql.join(
    [sql`${place.at.toISOString()}::timestamptz`, ...place.keys.map((key) => sql`${key}`)],
    sql`, `,
  );
  return sql`(${columns}) < (${values})`;
}

/** The order of `behind`. */
export function newestFirst(at: AnyColumn, keys: readonly AnyColumn[]): SQL[] {
  return [sql`${millis(at)} desc`, ...keys.map((key) => sql`${key} desc`)];
}
