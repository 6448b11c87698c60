import type { Cursor } from '../platform/input.ts';
import type { Place } from '../store/paging.ts';
import { badInput, PAGE_SIZE, PAGE_SIZE_MAX } from './builder.ts';

interface ConnectionArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/**
 * A page of a list that is read from its newest row on, with the same cursors as over REST.
 *
 * @throws {GraphQLError} for `last`, `before`, and a cursor that is none.
 */
export async function forwardPage<R>(
  { first, after, last, before }: ConnectionArgs,
  cursor: Cursor<R>,
  load: (after: Place | undefined, limit: number) => Promise<R[]>,
) {
  if (typeof last === 'number' || typeof before === 'string')
    throw badInput('this list is read with first and after alone');
  const size = first ?? PAGE_SIZE;
  if (size < 1 || size > PAGE_SIZE_MAX) throw badInput(`first must be 1 to ${PAGE_SIZE_MAX}`);
  const place = typeof after === 'string' ? cursor.decode(after) : undefined;
  if (typeof after === 'string' && place === undefined) throw badInput('a cursor is what pageInfo or an edge gave');
  const found = await load(place, size + 1);
  const edges = found.slice(0, size).map((node) => ({ node, cursor: cursor.of(node) }));
  const pageInfo = {
    hasNextPage: found.length > size,
    hasPreviousPage: place !== undefined,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, pageInfo };
}
