import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../../api/failure.ts';
import { CheckQuery, type Fault } from './queries.ts';
import type { PolicyFile } from './use-start-set.ts';

export interface Check {
  /** Of the newest check that was finished. */
  faults: readonly Fault[];
  /** What is right, and hardly meant. */
  warnings: readonly Fault[];
  /** The texts changed since. */
  isChecking: boolean;
  /** Why the texts could not be checked. */
  failure: Failure | undefined;
}

/** After the last stroke of a key. */
const PAUSE_MS = 500;

interface Found {
  of?: readonly PolicyFile[];
  faults: readonly Fault[];
  warnings: readonly Fault[];
  failure?: Failure;
}

const NOTHING: Found = { faults: [], warnings: [] };

/** What is wrong with `files`, found out whenever they change. */
export function useCheck(tenantId: string, files: readonly PolicyFile[], isOff: boolean): Check {
  const client = useClient();
  const [state, setState] = useState<Found>();
  useEffect(() => {
    if (isOff) return undefined;
    let isOver = false;
    const check = async () => {
      const { data, error } = await client.query(CheckQuery, { tenant: tenantId, files: [...files] }).toPromise();
      if (isOver) return;
      const { faults, warnings } = data?.tenant?.checkPolicies ?? NOTHING;
      setState({
        of: files,
        ...(error === undefined ? { faults, warnings } : { ...NOTHING, failure: failureOf(error) }),
      });
    };
    const timer = setTimeout(() => void check(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, tenantId, files, isOff]);
  const { faults, warnings, failure } = state ?? NOTHING;
  return { faults, warnings, isChecking: !isOff && state?.of !== files, failure };
}
