/** The story of a session: entries in the order of receipt or the other way round, each once. */

interface Entry {
  id: string;
}

/** `known` with what `fresh` says of the same entries, and with those of `fresh` that belong behind the end it knows. */
export function mergeEntries<T extends Entry>(
  known: readonly T[],
  fresh: readonly T[],
  order: 'first' | 'newest',
  hasMore: boolean,
): T[] {
  const ofId = new Map(known.map((entry) => [entry.id, entry]));
  const newest = order === 'first' ? known.at(-1) : known[0];
  for (const entry of fresh) {
    const isKnown = ofId.has(entry.id);
    // From the beginning, what lies behind a gap is left until somebody asks for what comes next.
    const isNext = order === 'newest' ? newest === undefined || entry.id > newest.id : !hasMore;
    if (isKnown || isNext) ofId.set(entry.id, entry);
  }
  const sign = order === 'first' ? 1 : -1;
  return [...ofId.values()].sort((one, other) => (one.id < other.id ? -sign : sign));
}
