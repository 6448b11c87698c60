import { useState } from 'react';
import { useClient } from 'urql';
import { nodesOf } from '../api/nodes-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { PageHead } from '../ui/shell.tsx';
import { Empty, Failed, Loading, Outdated } from '../ui/states.tsx';
import { SessionTable } from './session-table.tsx';
import { type SessionPage, SessionsQuery } from './sessions-query.ts';

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
  const client = useClient();
  const wanted = STATES[state];
  const variables = { tenant: tenant.id, ...(wanted === undefined ? {} : { state: wanted }) };
  const { data, failure, reload } = useLoaded(SessionsQuery, () => variables, `${tenant.id} ${state}`, {
    everyMs: EVERY_MS,
  });
  const [older, setOlder] = useState<SessionPage>();
  const newest = data?.tenant?.agentSessions;
  if (newest === undefined)
    return failure === undefined ? <Loading what="sessions" /> : <Failed failure={failure} retry={reload} />;
  if (newest.edges.length === 0)
    return (
      <Empty title="No sessions">
        <p>A session appears with the first event that names it.</p>
      </Empty>
    );
  const { hasNextPage, endCursor } = (older ?? newest).pageInfo;
  const readOlder = async () => {
    const { data } = await client.query(SessionsQuery, { ...variables, after: endCursor }).toPromise();
    const page = data?.tenant?.agentSessions;
    if (page !== undefined) setOlder({ ...page, edges: [...(older?.edges ?? []), ...page.edges] });
  };
  const rows = nodesOf(newest);
  const known = new Set(rows.map(({ key }) => key));
  if (older !== undefined) rows.push(...nodesOf(older).filter(({ key }) => !known.has(key)));
  return (
    <>
      <Outdated failure={failure} />
      <SessionTable rows={rows} />
      {hasNextPage && (
        <button type="button" onClick={() => void readOlder()}>
          Show older
        </button>
      )}
    </>
  );
}
