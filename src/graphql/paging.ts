import { asEventId } from '../store/activity.ts';
import { COST, PAGE_SIZE, PAGE_SIZE_MAX } from './builder.ts';
import { fail } from './keys.ts';

/** Pages of connections that are read both ways. */

export interface PageSize {
  first?: number | null | undefined;
  last?: number | null | undefined;
}

/** @throws {GraphQLError} for a page that is too large. */
export function paging<Args extends PageSize>(args: Args) {
  if (Math.max(args.first ?? 0, args.last ?? 0) > PAGE_SIZE_MAX) fail(`a page has at most ${PAGE_SIZE_MAX}`);
  return { args, defaultSize: PAGE_SIZE, maxSize: PAGE_SIZE_MAX };
}

export function pageComplexity({ first, last }: PageSize) {
  return { field: COST.list, multiplier: Math.min(PAGE_SIZE_MAX, first ?? last ?? PAGE_SIZE) / 10 };
}

export interface CursorPage {
  before?: string;
  after?: string;
  limit: number;
  inverted: boolean;
}

/** A page of what is in the order of its ids, which are the cursors. */
export function idPage({ before, after, limit, inverted }: CursorPage) {
  return { limit, inverted, before: readIdCursor(before), after: readIdCursor(after) };
}

function readIdCursor(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : (asEventId(cursor) ?? failCursor());
}

export function failCursor(): never {
  return fail('a cursor is what pageInfo or an edge gave');
}
