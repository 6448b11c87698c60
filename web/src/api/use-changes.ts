import { useEffect, useRef } from 'react';
import { graphql } from './graphql.ts';
import { useLive } from './live.ts';

const ChangesSubscription = graphql(`
  subscription Changes($tenant: ID!) {
    decisions(tenantId: $tenant) {
      cursor
    }
  }
`);

/** However much changes, what is shown is read anew no more often. */
const EVERY_MS = 1_000;

/** Calls `onChange` soon after something was decided in the tenant. Returns whether it is told at all. */
export function useChanges(tenantId: string, onChange: () => void): boolean {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useLive(ChangesSubscription, { tenant: tenantId }, tenantId, {
    onData: () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        latest.current();
      }, EVERY_MS);
    },
  });
}
