/** What was read of a list that new rows come in front of: a piece from its newest row on, without holes. */
export interface ReadList<Row> {
  rows: readonly Row[];
  /** Where reading goes on, behind the last row; null where nothing is. */
  next: string | null;
}

/**
 * `read` with the newest part of the list in front of it, asked for anew. As far as that reaches, it counts: what is not in it any more, goes.
 * Where it does not reach what was read, all of that goes, since there may be a hole between.
 */
export function withNewest<Row>(
  read: ReadList<Row>,
  newest: ReadList<Row>,
  keyOf: (row: Row) => string | number,
): ReadList<Row> {
  const last = newest.rows.at(-1);
  if (last === undefined || newest.next === null) return newest;
  const reached = read.rows.findIndex((row) => keyOf(row) === keyOf(last));
  return reached < 0 ? newest : { rows: [...newest.rows, ...read.rows.slice(reached + 1)], next: read.next };
}

/** `read` with what was asked for behind `from`; without it where the list that it was asked for is no more. */
export function withOlder<Row>(read: ReadList<Row>, older: ReadList<Row>, from: string): ReadList<Row> {
  return read.next === from ? { rows: [...read.rows, ...older.rows], next: older.next } : read;
}
