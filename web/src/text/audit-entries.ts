/** The audit log as it is read: newest first, by the numbers 1, 2, … that its entries have without a gap. */

interface Numbered {
  seq: number;
}

/** `known` with `newest` in front of it. Where entries between the two were not read, `known` goes: a log has no holes. */
export function withNewest<T extends Numbered>(known: readonly T[], newest: readonly T[]): readonly T[] {
  const oldest = newest.at(-1);
  const first = known[0];
  if (oldest === undefined || first === undefined || oldest.seq > first.seq + 1) return newest;
  return [...newest, ...known.filter(({ seq }) => seq < oldest.seq)];
}

/** `known` with the entries that come before it. What was read for another list than this is left out. */
export function withOlder<T extends Numbered>(known: readonly T[], older: readonly T[]): readonly T[] {
  const last = known.at(-1);
  return last !== undefined && older[0]?.seq === last.seq - 1 ? [...known, ...older] : known;
}

/** Whether there is anything before the entries that were read. */
export function hasOlder(known: readonly Numbered[]): boolean {
  return (known.at(-1)?.seq ?? 1) > 1;
}
