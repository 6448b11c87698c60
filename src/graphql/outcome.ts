import { isRefusal, type Refusal } from '../platform/http.ts';
import { builder } from './builder.ts';

/**
 * How mutations answer: a payload with what came of it, or with what the person can mend. A mutation that the caller may not do
 * at all, or that fails inside, is an error of GraphQL's own.
 */

/** What came of a mutation: its value, or why there is none. */
export interface Outcome<T> {
  value: T | undefined;
  userErrors: UserError[];
}

export interface UserError {
  /** The slug of a Problem: `invalid-request`, `not-found`, `conflict`. */
  code: string;
  message: string;
}

/** Builds the fields of a payload that several mutations share. */
export type PayloadFields<T> = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Outcome<T>>;

export const UserErrorType = builder.objectRef<UserError>('UserError').implement({
  description: 'What keeps a mutation from being done, and what to mend.',
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
});

/** The outcome of an operation of the platform interface. */
export async function outcomeOf<T extends object>(done: Promise<T | Refusal>): Promise<Outcome<T>> {
  const result = await done;
  if (isRefusal(result)) return { value: undefined, userErrors: [{ code: result.slug, message: result.detail }] };
  return { value: result, userErrors: [] };
}

/** The outcome of an operation that takes what `check` accepts. */
export function checkedOutcome<Given extends object, T extends object>(
  checked: Given | Refusal,
  operation: (given: Given) => Promise<T | Refusal>,
): Promise<Outcome<T>> {
  return outcomeOf(isRefusal(checked) ? Promise.resolve(checked) : operation(checked));
}

/** What came of a mutation in the tenant, as it is seen from there. */
export async function outcomeIn<Done extends Outcome<object>>(tenantId: string, done: Promise<Done>) {
  const outcome = await done;
  const value = outcome.value as Done['value'];
  return { ...outcome, value: value === undefined ? undefined : { ...value, tenantId } };
}

/** Arguments with null, which GraphQL allows for every optional one, taken for none. */
export function given<T extends object>(args: T): { [K in keyof T]?: Exclude<T[K], null | undefined> } {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined)) as never;
}
