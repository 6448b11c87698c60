import type { TimeSpan } from '../store/statistics.ts';
import { badInput } from './builder.ts';

const SPAN_DAYS_MAX = 400;

/** @throws {GraphQLError} unless it is a stretch of time that counts are kept of. */
export function spanOf({ since, until }: TimeSpan): TimeSpan {
  const days = (until.getTime() - since.getTime()) / 86_400_000;
  if (!(days > 0 && days <= SPAN_DAYS_MAX))
    throw badInput(`since must lie before until, at most ${SPAN_DAYS_MAX} days`);
  return { since, until };
}

const ROWS_MAX = 100;

/** How many of a list that has no pages. */
export function limitOf(first: number | null | undefined): number {
  const limit = first ?? 10;
  if (!(limit >= 1 && limit <= ROWS_MAX)) throw badInput(`first must be 1 to ${ROWS_MAX}`);
  return limit;
}
