/** Types of expressions. There is no `dyn`: every expression has one type that is known before it runs. */
export type CelType =
  | { kind: 'bool' | 'int' | 'double' | 'timestamp' | 'duration' }
  | { kind: 'string'; oneOf?: KnownValues }
  | { kind: 'list'; of: CelType }
  | { kind: 'object'; fields: Readonly<Record<string, Field>> };

/** All that a text can be, beside empty: these, or the taints that the policies of the set can set. */
export type KnownValues = readonly string[] | 'labels';

/** One declared fact: its type, what it says, and whether it is content of the event. */
export interface Field<Value = unknown> {
  type: CelType;
  /** Its meaning, for the documentation. */
  about: string;
  /** Content of the event, which reasons must not show. */
  raw: boolean;
  /** Only there so that TypeScript's type of the fact follows from its declaration. */
  readonly value?: Value;
}

/** TypeScript's type of a declared fact. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never;

export const BOOL: CelType = { kind: 'bool' };
export const INT: CelType = { kind: 'int' };
export const DOUBLE: CelType = { kind: 'double' };
export const STRING: CelType = { kind: 'string' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const STRINGS: CelType = { kind: 'list', of: STRING };

export const listOf = (of: CelType): CelType => ({ kind: 'list', of });

/** The type as a person reads it: `list of string`. */
export function typeName(type: CelType): string {
  return type.kind === 'list' ? `list of ${typeName(type.of)}` : type.kind;
}

export function sameType(left: CelType, right: CelType): boolean {
  if (left.kind === 'list' && right.kind === 'list') return sameType(left.of, right.of);
  if (left.kind === 'object' && right.kind === 'object') return left.fields === right.fields;
  return left.kind === right.kind;
}

export function isNumeric(type: CelType): boolean {
  return type.kind === 'int' || type.kind === 'double';
}

/** Types whose values only the library computes with. */
export function isForeign(type: CelType): boolean {
  return type.kind === 'timestamp' || type.kind === 'duration';
}

const fact = <Value>(type: CelType, about: string, raw = false): Field<Value> => ({ type, about, raw });

/** Declarations of facts. */
export const text = (about: string, oneOf?: KnownValues): Field<string> =>
  fact(oneOf === undefined ? STRING : { kind: 'string', oneOf }, about);
export const content = (about: string): Field<string> => fact(STRING, about, true);
export const count = (about: string): Field<number> => fact(INT, about);
export const decimal = (about: string): Field<number> => fact(DOUBLE, about);
export const contentDecimal = (about: string): Field<number> => fact(DOUBLE, about, true);
export const flag = (about: string): Field<boolean> => fact(BOOL, about);
export const texts = (about: string, oneOf?: KnownValues): Field<readonly string[]> =>
  fact(oneOf === undefined ? STRINGS : listOf({ kind: 'string', oneOf }), about);
export const contents = (about: string): Field<readonly string[]> => fact(STRINGS, about, true);

type Fields = Readonly<Record<string, Field>>;
type ObjectOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

export function object<F extends Fields>(about: string, fields: F): Field<ObjectOf<F>> {
  return fact({ kind: 'object', fields }, about);
}

export function objects<F extends Fields>(about: string, fields: F): Field<readonly ObjectOf<F>[]> {
  return fact(listOf({ kind: 'object', fields }), about);
}
