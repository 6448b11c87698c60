import { useState } from 'react';
import { useTenant } from '../api/viewer.ts';
import { ROWS_MAX } from '../text/merge-decisions.ts';
import { Connection } from '../ui/connection.tsx';
import { DecisionTable } from '../ui/decision-table.tsx';
import { PageHead } from '../ui/shell.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { FILTERS, type FilterName, useStream } from './use-stream.ts';

const LABELS: Record<FilterName, string> = {
  all: 'All',
  blocked: 'Blocked',
  allowed: 'Allowed',
  undecided: 'Undecided',
};

/** Decisions as they are made. */
export function LivePage() {
  const { tenant } = useTenant();
  const [filter, setFilter] = useState<FilterName>('all');
  const [isPaused, setPaused] = useState(false);
  return (
    <>
      <PageHead title="Live">
        <label className="field">
          <span>Show</span>
          <select value={filter} onChange={({ target }) => setFilter(target.value as FilterName)}>
            {(Object.keys(FILTERS) as FilterName[]).map((name) => (
              <option key={name} value={name}>
                {LABELS[name]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      </PageHead>
      <StreamList key={`${tenant.id} ${filter}`} filter={filter} isPaused={isPaused} />
    </>
  );
}

function StreamList({ filter, isPaused }: { filter: FilterName; isPaused: boolean }) {
  const { tenant } = useTenant();
  const { rows, isLive, isLoaded, hasGap, failure, readOlder } = useStream(tenant.id, filter, isPaused);
  return (
    <Answered what="decisions" answer={isLoaded ? rows : undefined} failure={failure}>
      {(rows) => (
        <>
          <Connection isLive={isLive} isPaused={isPaused} />
          {hasGap && <p className="notice">Decisions come faster than they can be listed: some are left out here.</p>}
          {rows.length === 0 ? (
            <Empty title="No decisions">
              <p>They appear here as soon as an agent asks for one.</p>
            </Empty>
          ) : (
            <DecisionTable caption={isPaused ? 'Decisions, paused' : 'Decisions, newest first'} rows={rows} />
          )}
          <ShowOlder read={readOlder} />
          {rows.length >= ROWS_MAX && <p className="muted">The list holds the newest {ROWS_MAX}.</p>}
        </>
      )}
    </Answered>
  );
}
