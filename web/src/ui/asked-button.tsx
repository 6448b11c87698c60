import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../api/use-change.ts';
import { Confirm } from './confirm.tsx';

interface Props<Data, Variables, Result> {
  /** What the button says. */
  label: string;
  /** What it is done to, for who cannot see the row it stands in. */
  target: string;
  title: string;
  children: ReactNode;
  document: TypedDocumentNode<Data, Variables>;
  pick: (data: Data) => Result;
  variables: Variables;
  onDone: () => void;
}

/** A button that asks before it makes a change that is not easily taken back. */
export function AskedButton<
  Data,
  Variables extends AnyVariables,
  Result extends { userErrors: readonly { code: string; message: string }[] },
>({ label, target, title, children, document, pick, variables, onDone }: Props<Data, Variables, Result>) {
  const [isAsking, setAsking] = useState(false);
  const { run, isRunning, failure, clear } = useChange(document, pick);
  const close = () => {
    setAsking(false);
    clear();
  };
  const confirm = async () => {
    if ((await run(variables)) === undefined) return;
    close();
    onDone();
  };
  return (
    <>
      <button type="button" className="quiet" aria-label={`${label} ${target}`} onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Confirm
          title={title}
          action={label}
          isRunning={isRunning}
          failure={failure}
          onConfirm={() => void confirm()}
          onClose={close}
        >
          {children}
        </Confirm>
      )}
    </>
  );
}
