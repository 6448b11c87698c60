import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../api/failure.ts';
import { graphql, type ResultOf, readFragment } from '../api/graphql.ts';
import { useLive } from '../api/live.ts';
import { nodesOf } from '../api/nodes-of.ts';
import { leavesGap, mergeRows, ROWS_MAX } from '../text/merge-decisions.ts';
import { DecisionRowFragment } from '../ui/decision-table.tsx';

const EVERY_MS = 2_000;
const PAGE_ROWS = 100;
/** Decisions are stored in batches, so that one may appear after another that is newer: so far back is read again. */
const OVERLAP_MS = 15_000;

const StreamQuery = graphql(
  `
    query Stream($tenant: ID!, $rows: Int!, $action: Action, $kind: DecisionKind, $since: DateTime, $after: String) {
      tenant(id: $tenant) {
        decisions(first: $rows, action: $action, kind: $kind, since: $since, after: $after) {
          edges {
            node {
              id
              decidedAt
              ...DecisionRow
            }
          }
          pageInfo {
            hasNextPage
          }
        }
      }
    }
  `,
  [DecisionRowFragment],
);

const StreamSubscription = graphql(
  `
    subscription StreamOf($tenant: ID!, $filter: DecisionsFilter, $after: String) {
      decisions(tenantId: $tenant, filter: $filter, after: $after) {
        items {
          id
          decidedAt
          ...DecisionRow
        }
        cursor
        missed
        hasGap
      }
    }
  `,
  [DecisionRowFragment],
);

type StreamRow = NonNullable<ResultOf<typeof StreamQuery>['tenant']>['decisions']['edges'][number]['node'];

export const FILTERS = {
  all: {},
  blocked: { action: 'BLOCK' },
  allowed: { action: 'ALLOW' },
  undecided: { kind: 'UNDECIDED' },
} as const;
export type FilterName = keyof typeof FILTERS;

interface StreamState {
  rows: StreamRow[];
  isLoaded: boolean;
  hasOlder: boolean;
  /** Decisions came faster than they were read, so that some are not in the list. */
  hasGap: boolean;
  failure: Failure | undefined;
}

const NOTHING: StreamState = { rows: [], isLoaded: false, hasOlder: false, hasGap: false, failure: undefined };

export interface Stream extends Omit<StreamState, 'hasOlder'> {
  /** Whether decisions come by themselves; else they are asked for. */
  isLive: boolean;
  /** Resolves to why it failed; undefined where nothing is older, or no more are held. */
  readOlder: (() => Promise<Failure | undefined>) | undefined;
}

/** The decisions of a tenant as they come. `filter` and `tenantId` stay what they are: a change takes a new component. */
export function useStream(tenantId: string, filter: FilterName, isPaused: boolean): Stream {
  const client = useClient();
  const [state, setState] = useState(NOTHING);
  const rows = useRef<StreamRow[]>([]);
  rows.current = state.rows;
  const isLive = useLive(StreamSubscription, { tenant: tenantId, filter: FILTERS[filter] }, `${tenantId} ${filter}`, {
    isPaused,
    onData: ({ decisions: { items, missed, hasGap } }) =>
      setState((old) => ({
        ...old,
        rows: mergeRows(old.rows, items),
        hasGap: old.hasGap || hasGap || missed > 0,
        failure: undefined,
      })),
    resume: ({ decisions: { cursor } }) => ({ after: cursor }),
  });

  useEffect(() => {
    if (isPaused) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const variables = { tenant: tenantId, rows: PAGE_ROWS, ...FILTERS[filter], ...newerThan(rows.current) };
      const { data, error } = await client.query(StreamQuery, variables).toPromise();
      if (isOver) return;
      const page = data?.tenant?.decisions;
      setState((old) => ({
        ...(page === undefined ? old : withNewer(old, page)),
        failure: error === undefined ? undefined : failureOf(error),
      }));
      if (!isLive || error !== undefined) timer = setTimeout(() => void ask(), EVERY_MS);
    };
    // Once more when it has become live: for what was decided until then.
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, tenantId, filter, isPaused, isLive]);

  const readOlder = async () => {
    const after = rows.current.at(-1)?.id ?? null;
    const variables = { tenant: tenantId, rows: PAGE_ROWS, ...FILTERS[filter], after };
    const { data, error } = await client.query(StreamQuery, variables).toPromise();
    const page = data?.tenant?.decisions;
    if (page !== undefined)
      setState((old) => ({
        ...old,
        rows: mergeRows(old.rows, nodesOf(page)),
        hasOlder: page.pageInfo.hasNextPage,
      }));
    return error === undefined ? undefined : failureOf(error);
  };
  const { hasOlder, ...shown } = state;
  return { ...shown, isLive, readOlder: hasOlder && shown.rows.length < ROWS_MAX ? readOlder : undefined };
}

interface StreamPage {
  edges: { node: StreamRow }[];
  pageInfo: { hasNextPage: boolean };
}

function withNewer(old: StreamState, page: StreamPage): StreamState {
  const { pageInfo } = page;
  const nodes = nodesOf(page);
  return {
    rows: mergeRows(old.rows, nodes),
    isLoaded: true,
    hasOlder: old.rows.length === 0 ? pageInfo.hasNextPage : old.hasOlder,
    hasGap: old.hasGap || leavesGap(old.rows, nodes, pageInfo.hasNextPage),
    failure: undefined,
  };
}

function newerThan([newest]: readonly StreamRow[]): { since?: string } {
  if (newest === undefined) return {};
  const { decidedAt } = readFragment(DecisionRowFragment, newest);
  return { since: new Date(Date.parse(decidedAt) - OVERLAP_MS).toISOString() };
}
