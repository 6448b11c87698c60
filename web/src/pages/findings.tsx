import { useState } from 'react';
import { useClient } from 'urql';
import { useSearchParams } from 'wouter';
import { type Failure, failureOf } from '../api/failure.ts';
import { nodesOf } from '../api/nodes-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useLock, useTenant } from '../api/viewer.ts';
import { type FindingFilter, readFilter, variablesOf, writeFilter } from '../text/finding-filter.ts';
import { PageHead } from '../ui/shell.tsx';
import { Empty, Failed, Loading, Outdated } from '../ui/states.tsx';
import { FindingCounts } from './finding-counts.tsx';
import { FindingFilters } from './finding-filters.tsx';
import { FindingTable } from './finding-table.tsx';
import { type Assignee, type FindingPage, FindingsHeadQuery, FindingsQuery } from './findings-query.ts';
import { SavedFilters } from './saved-filters.tsx';
import { TriageBar } from './triage-bar.tsx';

const EVERY_MS = 10_000;
const DAY_MS = 86_400_000;
const COUNTED_DAYS = 30;

/** What detectors reported, to be judged by people. What is looked at stands in the address. */
export function FindingsPage() {
  const { tenant } = useTenant();
  const [params, setParams] = useSearchParams();
  const filter = readFilter(params);
  const query = writeFilter(filter);
  const change = (changed: Partial<FindingFilter>) =>
    setParams(writeFilter({ ...filter, ...changed }), { replace: true });
  const days = filter.days === 0 ? COUNTED_DAYS : filter.days;
  const head = useLoaded(
    FindingsHeadQuery,
    () => ({
      tenant: tenant.id,
      since: new Date(Date.now() - days * DAY_MS).toISOString(),
      until: new Date().toISOString(),
    }),
    `${tenant.id} ${days}`,
    { everyMs: EVERY_MS },
  );
  const found = head.data?.tenant;
  return (
    <>
      <PageHead title="Findings" />
      <FindingCounts counts={found?.findingCounts} days={days} />
      <SavedFilters query={query} choose={(chosen) => setParams(chosen, { replace: true })} />
      <FindingFilters filter={filter} change={change} assignees={found?.assignees ?? []} />
      <FindingList key={query} filter={filter} assignees={found?.assignees ?? []} judged={head.reload} />
    </>
  );
}

interface ListProps {
  filter: FindingFilter;
  assignees: readonly Assignee[];
  /** Called when findings were judged. */
  judged: () => void;
}

function FindingList({ filter, assignees, judged }: ListProps) {
  const { tenant } = useTenant();
  const lock = useLock('triage', 'judging findings');
  const client = useClient();
  const variables = () => ({ tenant: tenant.id, ...variablesOf(filter, Date.now()) });
  const { data, failure, reload } = useLoaded(FindingsQuery, variables, `${tenant.id} ${writeFilter(filter)}`, {
    everyMs: EVERY_MS,
  });
  const [older, setOlder] = useState<FindingPage>();
  const [olderFailure, setOlderFailure] = useState<Failure>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const newest = data?.tenant?.findings;
  if (newest === undefined)
    return failure === undefined ? <Loading what="findings" /> : <Failed failure={failure} retry={reload} />;
  const rows = nodesOf(newest);
  const known = new Set(rows.map(({ id }) => id));
  if (older !== undefined) rows.push(...nodesOf(older).filter(({ id }) => !known.has(id)));
  const { hasNextPage, endCursor } = (older ?? newest).pageInfo;
  const readOlder = async () => {
    const { data, error } = await client.query(FindingsQuery, { ...variables(), after: endCursor }).toPromise();
    setOlderFailure(error === undefined ? undefined : failureOf(error));
    const page = data?.tenant?.findings;
    if (page !== undefined) setOlder({ ...page, edges: [...(older?.edges ?? []), ...page.edges] });
  };
  const afterTriage = () => {
    setSelected(new Set());
    setOlder(undefined);
    reload();
    judged();
  };
  const shown = rows.filter(({ id }) => selected.has(id)).map(({ id }) => id);
  return (
    <>
      <Outdated failure={failure ?? olderFailure} />
      {lock === undefined ? (
        <TriageBar ids={shown} assignees={assignees} done={afterTriage} />
      ) : (
        <p className="notice">{lock}</p>
      )}
      {rows.length === 0 ? (
        <Empty title="No findings">
          <p>None is as the filters say. What detectors report from now on appears here.</p>
        </Empty>
      ) : (
        <FindingTable rows={rows} selected={selected} select={setSelected} canSelect={lock === undefined} />
      )}
      {hasNextPage && (
        <button type="button" onClick={() => void readOlder()}>
          Show older
        </button>
      )}
    </>
  );
}
