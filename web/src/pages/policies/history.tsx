import { Link, useSearch } from 'wouter';
import { numberedPiece, useNewest } from '../../api/use-newest.ts';
import { useTenant } from '../../api/viewer.ts';
import { PageHead } from '../../ui/shell.tsx';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Who } from '../../ui/who.tsx';
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
  const { data, rows, failure, reload, readOlder } = useNewest(PolicyHistoryQuery, {
    variables: (before) => ({ tenant: tenant.id, before: before === null ? null : Number(before) }),
    key: tenant.id,
    pick: ({ tenant }) => numberedPiece(tenant?.policySets, ({ version }) => version),
    keyOf: ({ version }) => version,
  });
  const versions = rows ?? [];
  return (
    <>
      <PageHead title="Versions of policies">
        <Link href="/policies">Policies that count</Link>
        <Link className="button" href="/policies/edit">
          Open the editor
        </Link>
      </PageHead>
      <Answered what="versions" answer={data?.tenant} failure={failure} retry={reload}>
        {(found) => (
          <>
            <StateBar state={found.policyState} onChanged={reload} />
            <VersionTable versions={versions} state={found.policyState} onChanged={reload} />
            <ShowOlder read={readOlder}>Show older versions</ShowOlder>
            {versions.length > 0 && (
              <DiffPanel key={search} versions={versions.map(({ version }) => version)} asked={readSides(search)} />
            )}
            <Activations state={found.policyState} />
            <BacktestTable backtests={found.backtests} />
          </>
        )}
      </Answered>
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
          {history.map(({ seq, activeVersion, shadowVersion, changedBy, changedByName, changedAt }) => (
            <tr key={seq}>
              <td className="nowrap">
                <Time at={changedAt} />
              </td>
              <td data-label="Decided">{versionName(activeVersion)}</td>
              <td data-label="Tried beside it">{shadowVersion === null ? 'none' : versionName(shadowVersion)}</td>
              <td className="one-line" data-label="By">
                <Who id={changedBy} name={changedByName} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
