import type { ReactNode } from 'react';
import type { Failure } from '../api/failure.ts';

/** Why what was asked for was not done. */
export function Refused({ failure }: { failure: Failure | undefined }) {
  if (failure === undefined) return null;
  return (
    <p className="notice" role="alert">
      {failure.message}
    </p>
  );
}

/** Why something is only to be looked at, or not even that. */
export function Locked({ reason, children }: { reason: string | undefined; children?: ReactNode }) {
  if (reason === undefined) return null;
  return (
    <p className="notice">
      {reason}
      {children}
    </p>
  );
}
