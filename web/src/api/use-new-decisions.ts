import { useEffect, useRef } from 'react';
import { graphql } from './graphql.ts';
import { useLive } from './live.ts';

const NewDecisionsSubscription = graphql(`
  subscription NewDecisions($tenant: ID!) {
    decisions(tenantId: $tenant) {
      cursor
    }
  }
`);

/** However much changes, what is shown is read anew no more often. */
const EVERY_MS = 1_000;

/** Calls `onNew` soon after something was decided in the tenant. Returns whether it is told at all. */
export function useNewDecisions(tenantId: string, onNew: () => void): boolean {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(onNew);
  latest.current = onNew;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useLive(NewDecisionsSubscription, { tenant: tenantId }, tenantId, {
    onData: () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        latest.current();
      }, EVERY_MS);
    },
  });
}
