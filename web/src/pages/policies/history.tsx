import { Link, useSearch } from 'wouter';
import { numberedPiece, useNewest } from '../../api/use-newest.ts';
import { useTenant } from '../../api/viewer.ts';
import { Plain } from '../../ui/plain.tsx';
import { PageHead } from '../../ui/shell.tsx';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { BacktestTable } from './backtest-table.tsx';
import { DiffPanel } from './diff-panel.tsx';
import { PolicyHistoryQuery, type PolicyState } from './queries.ts';
import { StateBar } from './state-bar.tsx';
import { VersionTable } from './version-table.tsx';
import { readSides, versionName } from './versions.ts';

/** Every version that was saved, what counted when, and what backtests found. */
export function PolicyHistoryPage() {
  const { tenant } = useTenant();
  const search = useSearch();
  const { data, rows, failure, reload, readOlder, isReading } = useNewest(PolicyHistoryQuery, {
    variables: (before) => ({ tenant: tenant.id, before: before === null ? null : Number(before) }),
    key: tenant.id,
    pick: ({ tenant }) => numberedPiece(tenant?.policySets, ({ version }) => version),
    keyOf: ({ version }) => version,
  });
  const found = data?.tenant;
  const versions = rows ?? [];
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
          {failure !== undefined && <Failed failure={failure} />}
          <ShowOlder readOlder={readOlder} isReading={isReading} what="older versions" />
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
