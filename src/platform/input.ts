import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isJsonType } from '../domain/content-type.ts';
import { MOMENT_MS_MAX } from '../domain/formats.ts';
import { isUuid } from '../domain/ids.ts';
import type { Place } from '../store/paging.ts';
import { type PlatformRequest, type Refusal, refuse } from './http.ts';

/** What requests bring along, checked. A refusal names the parameter at fault and says what it must be. */

/** Whether `value` can be shown on one line: for names, which are stored, logged and shown. */
export function isPrintable(value: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value) && value.trim() === value;
}

/** A schema of one of `values`. */
export function oneOf<T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values] });
}

/** Checks values of one schema, wherever they came from. */
export function checker<T extends TSchema>(schema: T): (value: unknown) => Static<T> | Refusal {
  const validator = Compile(schema as TSchema);
  return (value) => {
    if (validator.Check(value)) return value as Static<T>;
    const [fault] = validator.Errors(value);
    const place = fault?.instancePath || 'the body';
    return refuse(
      'invalid-request',
      `${place} ${fault === undefined ? 'is not what is expected' : expectation(fault)}`,
    );
  };
}

export type ReadJson<T> = (request: PlatformRequest) => T | Refusal;

/** Reads JSON bodies of one schema. */
export function jsonReader<T extends TSchema>(schema: T): ReadJson<Static<T>> {
  const check = checker(schema);
  return ({ headers, body }) => {
    if (!isJsonType(headers.get('content-type')))
      return refuse('invalid-request', 'Content-Type must be application/json');
    const value = parseJson(body);
    return value === undefined ? refuse('invalid-request', 'the body must be JSON in UTF-8') : check(value);
  };
}

function expectation({ keyword, params, message }: { keyword: string; params: object; message: string }): string {
  if (keyword === 'boolean') return 'is no property that is known here';
  if ('allowedValues' in params) return `must be one of ${(params.allowedValues as string[]).join(', ')}`;
  return message;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const CURSOR_CHARS_MAX = 512;

/** Which part of a list is asked for. */
export interface PageOf<P> {
  first: number;
  after: P | undefined;
}

/** The parameters of a list. */
export const PAGED = {
  first: `How many at most: 1 to ${PAGE_MAX}, ${PAGE_DEFAULT} unless given.`,
  after: 'The "endCursor" of an earlier answer.',
};

/** Reads `first` and `after`, where `after` is what `decode` understands. */
export function readPage<P>(query: URLSearchParams, decode: (cursor: string) => P | undefined): PageOf<P> | Refusal {
  const first = query.get('first') ?? String(PAGE_DEFAULT);
  if (!/^[1-9]\d{0,2}$/.test(first) || Number(first) > PAGE_MAX)
    return refuse('invalid-request', `the parameter "first" must be a whole number from 1 to ${PAGE_MAX}`);
  const cursor = query.get('after');
  if (cursor === null) return { first: Number(first), after: undefined };
  const after = cursor.length > CURSOR_CHARS_MAX ? undefined : decode(cursor);
  if (after === undefined)
    return refuse('invalid-request', 'the parameter "after" must be an "endCursor" of an earlier answer');
  return { first: Number(first), after };
}

/**
 * One page of a list as it is answered.
 *
 * @param found up to `first` + 1 rows: one more than are shown, which tells whether there are more.
 */
export function pageOf<R>(
  found: readonly R[],
  first: number,
  cursorOf: (row: R) => string,
  show: (row: R) => object,
): object {
  const rows = found.slice(0, first);
  const last = rows.at(-1);
  const endCursor = last === undefined ? null : cursorOf(last);
  return { items: rows.map(show), pageInfo: { hasNextPage: found.length > first, endCursor } };
}

/** `ms` (Unix milliseconds), or the nearest moment from 1970 to 9999. */
export function storableMoment(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), MOMENT_MS_MAX));
}

/** A place as an opaque text. */
export function encodePlace({ at, keys }: Place): string {
  return Buffer.from(JSON.stringify([at.getTime(), ...keys])).toString('base64url');
}

/** The inverse of `encodePlace`, for places whose keys are what `areKeys` says. */
export function placeDecoder(areKeys: (keys: string[]) => boolean): (cursor: string) => Place | undefined {
  return (cursor) => {
    try {
      const [at, ...keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      const isPlace = Number.isSafeInteger(at) && keys.every(isText) && areKeys(keys);
      return isPlace ? { at: storableMoment(at as number), keys } : undefined;
    } catch {
      return undefined;
    }
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** How the rows of a list are named in cursors. */
export interface Cursor<R> {
  decode: (cursor: string) => Place | undefined;
  of: (row: R) => string;
}

/** Places in lists whose rows are told apart by so many UUIDs. */
export const uuidPlaces = (count: number) => placeDecoder((keys) => keys.length === count && keys.every(isUuid));
