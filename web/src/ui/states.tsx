import type { ReactNode } from 'react';
import { loginAddress } from '../api/authorized-fetch.ts';
import type { Failure } from '../api/failure.ts';

/** What is shown in place of what should be there. */

export function Loading({ what }: { what: string }) {
  return (
    <p className="state" role="status">
      Loading {what}…
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const TITLES: Record<Failure['kind'], string> = {
  'signed-out': 'You are signed out',
  forbidden: 'Not allowed',
  unreachable: 'The service cannot be reached',
  failed: 'This could not be loaded',
};

export function Failed({ failure, retry }: { failure: Failure; retry?: (() => void) | undefined }) {
  return (
    <div className="state" role="alert">
      <h2>{TITLES[failure.kind]}</h2>
      {failure.kind === 'forbidden' ? (
        <p>Your roles in this tenant do not allow it. Ask an owner of the tenant for the role.</p>
      ) : (
        <p>{failure.message}</p>
      )}
      {failure.kind === 'signed-out' && <a href={loginAddress()}>Sign in</a>}
      {retry !== undefined && failure.kind !== 'forbidden' && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface OutdatedProps {
  failure: Failure | undefined;
  /** Absent where it is tried again within seconds. */
  retry?: (() => void) | undefined;
}

/** Above content that could not be brought up to date. */
export function Outdated({ failure, retry }: OutdatedProps) {
  if (failure === undefined) return null;
  return (
    <p className="notice" role="status">
      Not up to date: {failure.message}{' '}
      {retry === undefined ? (
        'Trying again.'
      ) : (
        <button type="button" className="quiet" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}

interface AnsweredProps<Answer> extends OutdatedProps {
  /** What is asked for, as in: Loading the members. */
  what: string;
  /** Undefined until there is one; null where there is no such thing. */
  answer: Answer | null | undefined;
  /** Shown where there is no such thing. */
  none?: ReactNode;
  children: (answer: Answer) => ReactNode;
}

/** What was asked for, or why it is not there; and above the last answer, why there is no newer one. */
export function Answered<Answer>({ what, answer, failure, retry, none, children }: AnsweredProps<Answer>) {
  if (answer !== undefined && answer !== null)
    return (
      <>
        <Outdated failure={failure} retry={retry} />
        {children(answer)}
      </>
    );
  if (failure !== undefined) return <Failed failure={failure} retry={retry} />;
  return answer === null && none !== undefined ? none : <Loading what={what} />;
}
