import { useState } from 'react';
import { useClient } from 'urql';
import { Link, useSearch } from 'wouter';
import { type Failure, failureOf } from '../../api/failure.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { useTenant } from '../../api/viewer.ts';
import { Plain } from '../../ui/plain.tsx';
import { PageHead } from '../../ui/shell.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { BacktestTable } from './backtest-table.tsx';
import { DiffPanel } from './diff-panel.tsx';
import { PolicyHistoryQuery, type PolicyState, type SavedVersion } from './queries.ts';
import { StateBar } from './state-bar.tsx';
import { VersionTable } from './version-table.tsx';
import { readSides, versionName } from './versions.ts';

const FIRST_VERSION = 1;

/** Every version that was saved, what counted when, and what backtests found. */
export function PolicyHistoryPage() {
  const { tenant } = useTenant();
  const client = useClient();
  const search = useSearch();
  const [read, setRead] = useState<SavedVersion[]>([]);
  const [olderFailure, setOlderFailure] = useState<Failure>();
  const { data, failure, reload } = useLoaded(PolicyHistoryQuery, () => ({ tenant: tenant.id }), tenant.id);
  const found = data?.tenant;
  const newest = found?.policySets ?? [];
  // What was read before somebody saved another version leaves a hole behind the newest by now: it is read again when it is wanted.
  const goesOn = newest.at(-1)?.version === (read[0]?.version ?? 0) + 1;
  const older = goesOn ? read : [];
  const versions = [...newest, ...older];
  const oldest = versions.at(-1)?.version ?? FIRST_VERSION;
  const readOlder = async () => {
    const variables = { tenant: tenant.id, before: oldest };
    const { data, error } = await client.query(PolicyHistoryQuery, variables).toPromise();
    setOlderFailure(error === undefined ? undefined : failureOf(error));
    setRead([...older, ...(data?.tenant?.policySets ?? [])]);
  };
  return (
    <>
      <PageHead title="Versions of policies">
        <Link href="/policies">Policies that count</Link>
        <Link className="button" href="/policies/edit">
          Open the editor
        </Link>
      </PageHead>
      {found === undefined || found === null ? (
        failure === undefined ? (
          <Loading what="versions" />
        ) : (
          <Failed failure={failure} retry={reload} />
        )
      ) : (
        <>
          <StateBar state={found.policyState} onChanged={reload} />
          <VersionTable versions={versions} state={found.policyState} onChanged={reload} />
          {olderFailure !== undefined && <Failed failure={olderFailure} />}
          {oldest > FIRST_VERSION && (
            <button type="button" onClick={() => void readOlder()}>
              Show older versions
            </button>
          )}
          {versions.length > 0 && (
            <DiffPanel key={search} versions={versions.map(({ version }) => version)} asked={readSides(search)} />
          )}
          <Activations state={found.policyState} />
          <BacktestTable backtests={found.backtests} />
        </>
      )}
    </>
  );
}

function Activations({ state: { history } }: { state: PolicyState }) {
  if (history.length === 0) return null;
  return (
    <section>
      <table className="list">
        <caption>What counted, newest first</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Decided</th>
            <th scope="col">Tried beside it</th>
            <th scope="col">Changed by</th>
          </tr>
        </thead>
        <tbody>
          {history.map(({ seq, activeVersion, shadowVersion, changedBy, changedAt }) => (
            <tr key={seq}>
              <td className="nowrap">
                <Time at={changedAt} />
              </td>
              <td>{versionName(activeVersion)}</td>
              <td>{shadowVersion === null ? 'none' : versionName(shadowVersion)}</td>
              <td className="one-line">
                <Plain text={changedBy} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
