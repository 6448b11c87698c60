import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useLoaded } from '../api/use-loaded.ts';
import { useLock, useTenant } from '../api/viewer.ts';
import { type FindingFilter, readFilter, writeFilter } from '../text/finding-filter.ts';
import { PageHead } from '../ui/shell.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { FindingCounts } from './finding-counts.tsx';
import { FindingFilters } from './finding-filters.tsx';
import { FindingTable } from './finding-table.tsx';
import { type Assignee, FindingsHeadQuery } from './findings-query.ts';
import { SavedFilters } from './saved-filters.tsx';
import { TriageBar } from './triage-bar.tsx';
import { useFindings } from './use-findings.ts';

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
  const { rows, failure, waiting, showWaiting, readOlder, reload, renew } = useFindings(tenant.id, filter);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const afterTriage = () => {
    setSelected(new Set());
    renew();
    judged();
  };
  const shown = rows?.filter(({ id }) => selected.has(id)).map(({ id }) => id) ?? [];
  return (
    <Answered what="findings" answer={rows} failure={failure} retry={reload}>
      {(rows) => (
        <>
          {lock === undefined ? (
            <TriageBar ids={shown} assignees={assignees} done={afterTriage} />
          ) : (
            <p className="notice">{lock}</p>
          )}
          <div role="status">
            {waiting.count > 0 && (
              <button type="button" onClick={showWaiting}>
                Show {waiting.count}
                {waiting.isMore && ' or more'} new
              </button>
            )}
          </div>
          {rows.length === 0 ? (
            <Empty title="No findings">
              <p>None is as the filters say. What detectors report from now on appears here.</p>
            </Empty>
          ) : (
            <FindingTable rows={rows} selected={selected} select={setSelected} canSelect={lock === undefined} />
          )}
          <ShowOlder read={readOlder} />
        </>
      )}
    </Answered>
  );
}
