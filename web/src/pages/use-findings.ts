import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../api/failure.ts';
import { useLive } from '../api/live.ts';
import { nodesOf } from '../api/nodes-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { type FindingFilter, variablesOf, writeFilter } from '../text/finding-filter.ts';
import { type HeldList, holdPage, showWaiting, waiting, withNewest, withOlder } from '../text/held-list.ts';
import { type FindingPage, type FindingRow, FindingsQuery, FindingsSubscription } from './findings-query.ts';

/** What people say of findings is asked for so often; new ones are told. */
const EVERY_MS = 10_000;
/** Of many that come at once, the list is read once. */
const GATHER_MS = 1_500;

export interface Findings {
  /** Undefined until they were read. */
  rows: readonly FindingRow[] | undefined;
  failure: Failure | undefined;
  /** How many came since and are not shown yet. */
  waiting: { count: number; isMore: boolean };
  showWaiting: () => void;
  /** Resolves to why it failed; undefined where nothing is older. */
  readOlder: (() => Promise<Failure | undefined>) | undefined;
  reload: () => void;
  /** Reads the list anew, as it is now. */
  renew: () => void;
}

/** The findings of a tenant. `filter` and `tenantId` stay what they are: a change takes a new component. */
export function useFindings(tenantId: string, filter: FindingFilter): Findings {
  const client = useClient();
  const key = `${tenantId} ${writeFilter(filter)}`;
  const variables = () => ({ tenant: tenantId, ...variablesOf(filter, Date.now()) });
  const { data, failure, reload } = useLoaded(FindingsQuery, variables, key, { everyMs: EVERY_MS });
  const [held, setHeld] = useState<HeldList<FindingRow>>();
  const isRenewed = useRef(false);
  const newest = data?.tenant?.findings;

  useEffect(() => {
    if (newest === undefined) return;
    const page = pageOf(newest);
    const isWhole = isRenewed.current;
    isRenewed.current = false;
    setHeld((old) => (old === undefined || isWhole ? holdPage(page) : withNewest(old, page)));
  }, [newest]);

  const gathering = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(gathering.current), []);
  const { severities, kind, policy, agentKey, sessionKey } = variables();
  useLive(FindingsSubscription, { tenant: tenantId, filter: { severities, kind, policy, agentKey, sessionKey } }, key, {
    onData: ({ findings: { items, hasGap } }) => {
      if (items.length === 0 && !hasGap) return;
      gathering.current ??= setTimeout(() => {
        gathering.current = undefined;
        reload();
      }, GATHER_MS);
    },
    resume: ({ findings: { cursor } }) => ({ after: cursor }),
  });

  const readOlder = async () => {
    const after = held?.endCursor ?? null;
    const { data, error } = await client.query(FindingsQuery, { ...variables(), after }).toPromise();
    const page = data?.tenant?.findings;
    if (page !== undefined) setHeld((old) => old && withOlder(old, pageOf(page)));
    return error === undefined ? undefined : failureOf(error);
  };
  return {
    rows: held?.shown,
    failure,
    waiting: held === undefined ? { count: 0, isMore: false } : waiting(held),
    showWaiting: () => setHeld((old) => old && showWaiting(old)),
    readOlder: held?.hasOlder === true ? readOlder : undefined,
    reload,
    renew: () => {
      isRenewed.current = true;
      reload();
    },
  };
}

function pageOf(page: FindingPage) {
  return { rows: nodesOf(page), hasNextPage: page.pageInfo.hasNextPage, endCursor: page.pageInfo.endCursor };
}
