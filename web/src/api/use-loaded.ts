import type { AnyVariables, CombinedError, OperationContext, TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from './failure.ts';

export interface Loaded<Data, Variables> {
  /** The newest answer; it stays while a later request is under way or has failed. */
  data: Data | undefined;
  /** What that answer was asked with. */
  variables: Variables | undefined;
  failure: Failure | undefined;
  reload: () => void;
}

interface State<Data, Variables> {
  key: string;
  answer?: { data: Data; variables: Variables } | undefined;
  failure?: Failure | undefined;
}

interface Options {
  /** Asks again so often, while the page is looked at. */
  everyMs?: number | undefined;
  isPaused?: boolean;
  context?: Partial<OperationContext>;
}

/**
 * What `document` asks for. `makeVariables` is called for every request, so that a stretch of time may end now; a change
 * of `key` means that something else is asked for, and drops the old answer.
 */
export function useLoaded<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  makeVariables: () => Variables,
  key: string,
  { everyMs, isPaused = false, context }: Options = {},
): Loaded<Data, Variables> {
  const client = useClient();
  const [state, setState] = useState<State<Data, Variables>>({ key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(makeVariables);
  latest.current = makeVariables;

  useEffect(() => {
    // `turn` is not read here: a new one asks again.
    void turn;
    let isOver = false;
    let isFirst = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leave = () => {};
    const take = (variables: Variables, data: Data | undefined, error: CombinedError | undefined) =>
      setState((old) => ({
        key,
        answer: data === undefined ? (old.key === key ? old.answer : undefined) : { data, variables },
        failure: error === undefined ? undefined : failureOf(error),
      }));
    const askLater = () => {
      if (everyMs !== undefined) timer = setTimeout(ask, everyMs);
    };
    const ask = () => {
      // The first request is not put off: a page opened in the background is there when it is looked at.
      if (!isFirst && isHidden()) return askLater();
      isFirst = false;
      const variables = latest.current();
      let isAnswered = false;
      const asked = client.query(document, variables, context).subscribe(({ data, error }) => {
        if (isOver || isAnswered) return;
        isAnswered = true;
        queueMicrotask(leave);
        take(variables, data ?? undefined, error);
        askLater();
      });
      leave = () => asked.unsubscribe();
    };
    if (!isPaused) ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
      // The client gives the same question the answer that is under way: what was changed since must not be told by that one.
      leave();
    };
  }, [client, document, key, everyMs, isPaused, turn, context]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.answer?.data : undefined,
    variables: isCurrent ? state.answer?.variables : undefined,
    failure: isCurrent ? state.failure : undefined,
    reload,
  };
}

function isHidden(): boolean {
  return window.document.hidden;
}
