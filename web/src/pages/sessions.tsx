import { useState } from 'react';
import { pieceOf, useNewest } from '../api/use-newest.ts';
import { useTenant } from '../api/viewer.ts';
import { PageHead } from '../ui/shell.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { SessionTable } from './session-table.tsx';
import { SessionsQuery } from './sessions-query.ts';

const EVERY_MS = 5_000;

const STATES = { all: undefined, open: 'OPEN', ended: 'ENDED' } as const;
type StateName = keyof typeof STATES;

/** Runs of agents, newest first. */
export function SessionsPage() {
  const [state, setState] = useState<StateName>('all');
  return (
    <>
      <PageHead title="Sessions">
        <label className="field">
          <span>Show</span>
          <select value={state} onChange={({ target }) => setState(target.value as StateName)}>
            <option value="all">All</option>
            <option value="open">Open</option>
            <option value="ended">Ended</option>
          </select>
        </label>
      </PageHead>
      <SessionList key={state} state={state} />
    </>
  );
}

function SessionList({ state }: { state: StateName }) {
  const { tenant } = useTenant();
  const wanted = STATES[state];
  const { rows, failure, reload, readOlder } = useNewest(SessionsQuery, {
    variables: (after) => ({ tenant: tenant.id, after, ...(wanted === undefined ? {} : { state: wanted }) }),
    key: `${tenant.id} ${state}`,
    pick: ({ tenant }) => pieceOf(tenant?.agentSessions),
    keyOf: ({ key }) => key,
    everyMs: EVERY_MS,
  });
  return (
    <Answered what="sessions" answer={rows} failure={failure} retry={reload}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="No sessions">
            <p>
              {wanted === undefined ? 'A session appears with the first event that names it.' : `None is ${state} now.`}
            </p>
          </Empty>
        ) : (
          <>
            <SessionTable rows={rows} />
            <ShowOlder read={readOlder} />
          </>
        )
      }
    </Answered>
  );
}
