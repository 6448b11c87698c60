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

export function Failed({ failure, retry }: { failure: Failure; retry?: () => void }) {
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

/** Above content that could not be brought up to date. */
export function Outdated({ failure }: { failure: Failure | undefined }) {
  if (failure === undefined) return null;
  return (
    <p className="notice" role="status">
      Not up to date: {failure.message} Trying again.
    </p>
  );
}
