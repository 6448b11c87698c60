/** The list of the live page: newest first, bounded, each decision once. */

export const ROWS_MAX = 500;

interface Row {
  id: string;
}

/** Ids sort by time. Rows that came late stand in their place. */
export function mergeRows<T extends Row>(known: readonly T[], fresh: readonly T[]): T[] {
  const byId = new Map([...known, ...fresh].map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, ROWS_MAX);
}

/** Whether there may be decisions between what is known and a full page of newer ones. */
export function leavesGap(known: readonly Row[], fresh: readonly Row[], hasMore: boolean): boolean {
  const ids = new Set(known.map(({ id }) => id));
  return hasMore && known.length > 0 && !fresh.some(({ id }) => ids.has(id));
}
