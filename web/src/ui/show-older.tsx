import { type ReactNode, useState } from 'react';
import type { Failure } from '../api/failure.ts';
import { Refused } from './refused.tsx';

interface Props {
  /** Resolves to why it failed. Undefined where there is nothing older. */
  read: (() => Promise<Failure | undefined>) | undefined;
  children?: ReactNode;
}

/** Reads on behind the last row of a list, and says where that failed. */
export function ShowOlder({ read, children = 'Show older' }: Props) {
  const [isReading, setReading] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  if (read === undefined) return null;
  const readOn = async () => {
    setReading(true);
    setFailure(await read());
    setReading(false);
  };
  return (
    <>
      <Refused failure={failure} />
      <button type="button" disabled={isReading} onClick={() => void readOn()}>
        {children}
      </button>
    </>
  );
}
