import { isUuid } from '../domain/ids.ts';
import { badInput } from './builder.ts';

/** Keys and ids as arguments name them. */

/** @throws {GraphQLError} unless it is one. */
export function keyOf(text: string): string {
  return isUuid(text) ? text : fail('a key is a UUID in lower case');
}

export function keyOrNone(text: string | null | undefined): string | undefined {
  return text === undefined || text === null ? undefined : keyOf(text);
}

export function fail(message: string): never {
  throw badInput(message);
}
