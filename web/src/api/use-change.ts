import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { useCallback, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from './failure.ts';

/** What a mutation answers: what came of it, or what its reader can mend. */
interface Payload {
  userErrors: readonly { code: string; message: string }[];
}

export interface Change<Result, Variables> {
  /** Asks for the change. Resolves to its payload if it was made, else to undefined; why not is in `failure` then. */
  run: (variables: Variables) => Promise<Result | undefined>;
  isRunning: boolean;
  /** Why the last one was not made. */
  failure: Failure | undefined;
  /** Forgets the failure, as when a form is closed. */
  clear: () => void;
}

/** The mutation of `document`, whose payload `pick` takes from the answer. */
export function useChange<Data, Variables extends AnyVariables, Result extends Payload>(
  document: TypedDocumentNode<Data, Variables>,
  pick: (data: Data) => Result,
): Change<Result, Variables> {
  const client = useClient();
  const [state, setState] = useState<{ isRunning: boolean; failure?: Failure }>({ isRunning: false });
  const run = async (variables: Variables): Promise<Result | undefined> => {
    setState({ isRunning: true });
    const { data, error } = await client.mutation(document, variables).toPromise();
    const result = data === undefined || data === null ? undefined : pick(data);
    const failure = error === undefined ? failureIn(result) : failureOf(error);
    setState(failure === undefined ? { isRunning: false } : { isRunning: false, failure });
    return failure === undefined ? result : undefined;
  };
  const clear = useCallback(() => setState({ isRunning: false }), []);
  return { run, isRunning: state.isRunning, failure: state.failure, clear };
}

function failureIn(result: Payload | undefined): Failure | undefined {
  if (result === undefined) return { kind: 'failed', message: 'The service did not say what came of it.' };
  const [first] = result.userErrors;
  if (first === undefined) return undefined;
  return { kind: 'failed', message: result.userErrors.map(({ message }) => message).join('; '), code: first.code };
}
