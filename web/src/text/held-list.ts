/** A list that people work on, newest first: what is new waits until it is asked for, so that nothing moves under their hands. */

/** The id of a finding, or another that sorts by time before the dot and by number behind it. */
interface Row {
  id: string;
}

export interface ListPage<T extends Row> {
  rows: readonly T[];
  hasNextPage: boolean;
  endCursor: string | null;
}

export interface HeldList<T extends Row> {
  shown: readonly T[];
  hasOlder: boolean;
  /** Behind what is shown. */
  endCursor: string | null;
  /** The newest page, as it was read last. */
  newest: ListPage<T>;
}

export function holdPage<T extends Row>(page: ListPage<T>): HeldList<T> {
  return { shown: page.rows, hasOlder: page.hasNextPage, endCursor: page.endCursor, newest: page };
}

/** The newest page was read again: what is shown is as it is now, and what is new waits. An empty list takes it at once. */
export function withNewest<T extends Row>(held: HeldList<T>, page: ListPage<T>): HeldList<T> {
  if (held.shown.length === 0) return holdPage(page);
  const now = new Map(page.rows.map((row) => [row.id, row]));
  return { ...held, shown: held.shown.map((row) => now.get(row.id) ?? row), newest: page };
}

export function withOlder<T extends Row>(held: HeldList<T>, page: ListPage<T>): HeldList<T> {
  const shown = merged(held.shown, page.rows);
  return { ...held, shown, hasOlder: page.hasNextPage, endCursor: page.endCursor };
}

/** How many wait; `isMore`: at least so many. What is older than all that is shown is not new, but the next page. */
export function waiting<T extends Row>({ shown, hasOlder, newest }: HeldList<T>): { count: number; isMore: boolean } {
  const known = new Set(shown.map(({ id }) => id));
  const oldest = shown.at(-1);
  const fresh = newest.rows.filter(
    (row) => !known.has(row.id) && (!hasOlder || oldest === undefined || newestFirst(row, oldest) < 0),
  );
  return { count: fresh.length, isMore: newest.hasNextPage && fresh.length === newest.rows.length };
}

/** Shows what waits, and no longer what has left the newest page. Where there may be more between, the list begins anew. */
export function showWaiting<T extends Row>(held: HeldList<T>): HeldList<T> {
  const { shown, newest } = held;
  const last = newest.rows.at(-1);
  if (last === undefined || !newest.hasNextPage || waiting(held).isMore) return holdPage(newest);
  return {
    ...held,
    shown: merged(
      newest.rows,
      shown.filter((row) => newestFirst(row, last) > 0),
    ),
  };
}

function merged<T extends Row>(some: readonly T[], others: readonly T[]): T[] {
  return [...new Map([...others, ...some].map((row) => [row.id, row])).values()].sort(newestFirst);
}

function newestFirst(one: Row, other: Row): number {
  const [first = '', firstNumber] = one.id.split('.');
  const [second = '', secondNumber] = other.id.split('.');
  if (first !== second) return first < second ? 1 : -1;
  return Number(secondNumber) - Number(firstNumber);
}
