import { useState } from 'react';
import { Link } from 'wouter';
import { useLoaded } from '../../api/use-loaded.ts';
import { useTenant } from '../../api/viewer.ts';
import { count } from '../../text/format.ts';
import { SeverityBadge } from '../../ui/outcome.tsx';
import { Plain } from '../../ui/plain.tsx';
import { onRowKeys } from '../../ui/row-keys.ts';
import { PageHead } from '../../ui/shell.tsx';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { PoliciesInForceQuery, PoliciesQuery, type PolicyUse } from './queries.ts';
import { SetProblem } from './set-problem.tsx';
import { StateBar } from './state-bar.tsx';
import { TriedResults } from './tried-results.tsx';

const EVERY_MS = 60_000;

const SHOWN = {
  all: () => true,
  enforce: ({ policy }: PolicyUse) => policy.mode === 'ENFORCE',
  shadow: ({ policy }: PolicyUse) => policy.mode === 'SHADOW',
  off: ({ policy }: PolicyUse) => policy.mode === 'OFF',
  dormant: ({ isDormant }: PolicyUse) => isDormant,
};
type ShownName = keyof typeof SHOWN;

/** The policies that count, and what each of them did. */
export function PolicyListPage() {
  const { tenant } = useTenant();
  const [shown, setShown] = useState<ShownName>('all');
  const { data, failure, reload } = useLoaded(PoliciesInForceQuery, () => ({ tenant: tenant.id }), tenant.id, {
    everyMs: EVERY_MS,
  });
  return (
    <>
      <PageHead title="Policies">
        <label className="field">
          <span>Show</span>
          <select value={shown} onChange={({ target }) => setShown(target.value as ShownName)}>
            <option value="all">All</option>
            <option value="enforce">Enforced</option>
            <option value="shadow">Shadow</option>
            <option value="off">Off</option>
            <option value="dormant">Dormant</option>
          </select>
        </label>
        <Link className="button" href="/policies/edit">
          Open the editor
        </Link>
        <Link href="/policies/history">Versions and history</Link>
      </PageHead>
      <Answered what="what counts" answer={data?.tenant} failure={failure} retry={reload}>
        {(found) => (
          <>
            <StateBar state={found.policyState} onChanged={reload} />
            {found.policyState.refused.map(({ policySet, why }) => (
              <p key={policySet} className="notice" role="alert">
                A version that was chosen cannot be used, and what decided before goes on deciding: <Plain text={why} />
              </p>
            ))}
            <TriedResults version={found.policyState.shadowVersion} />
            {found.policyState.problem === null ? (
              // Another set that counts is another list.
              <PolicyUses key={found.policyState.activeVersion} shown={shown} />
            ) : (
              <SetProblem version={found.policyState.activeVersion} problem={found.policyState.problem} />
            )}
          </>
        )}
      </Answered>
    </>
  );
}

function PolicyUses({ shown }: { shown: ShownName }) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(PoliciesQuery, () => ({ tenant: tenant.id }), tenant.id, {
    everyMs: EVERY_MS,
  });
  return (
    <Answered what="policies" answer={data?.tenant?.policies} failure={failure} retry={reload}>
      {(uses) => <PolicyTable rows={uses.filter(SHOWN[shown])} />}
    </Answered>
  );
}

const MODES = { ENFORCE: 'enforced', SHADOW: 'shadow', OFF: 'off' };

function PolicyTable({ rows }: { rows: readonly PolicyUse[] }) {
  if (rows.length === 0) return <p className="state">No policy is like that.</p>;
  return (
    <table className="list" onKeyDown={onRowKeys}>
      <caption>Policies that count, {count(rows.length)}</caption>
      <thead>
        <tr>
          <th scope="col">Policy</th>
          <th scope="col">Mode</th>
          <th scope="col">Severity</th>
          <th scope="col">Effect</th>
          <th scope="col" className="number">
            Hits, 7 days
          </th>
          <th scope="col" className="number">
            30 days
          </th>
          <th scope="col" className="number">
            False positives, 30 days
          </th>
          <th scope="col">Last hit</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ policy, hitsLast7Days, hitsLast30Days, lastHitAt, isDormant, judged, falsePositives }) => (
          <tr key={policy.id}>
            <td>
              <Link href={`/policies/edit?file=${encodeURIComponent(policy.file)}&line=${policy.line}`} data-row>
                <code>{policy.id}</code>
              </Link>
              {policy.title !== null && (
                <div className="muted">
                  <Plain text={policy.title} />
                </div>
              )}
            </td>
            <td>
              <span className={policy.mode === 'ENFORCE' ? 'badge good' : 'badge'}>{MODES[policy.mode]}</span>
            </td>
            <td>
              <SeverityBadge severity={policy.severity} />
            </td>
            <td>{policy.effect}</td>
            <td className="number" data-label="Hits, 7 days">
              {count(hitsLast7Days)}
            </td>
            <td className="number" data-label="Hits, 30 days">
              {count(hitsLast30Days)}
            </td>
            <td className="number" data-label="False positives, 30 days">
              {judged === 0 ? (
                <span className="muted">none judged</span>
              ) : (
                <Link href={`/findings?status=all&policy=${encodeURIComponent(policy.id)}`}>
                  {count(falsePositives)} of {count(judged)} judged
                </Link>
              )}
            </td>
            <td className="nowrap" data-label="Last hit">
              {lastHitAt !== null ? <Time at={lastHitAt} /> : isDormant ? 'dormant' : 'never in 30 days'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
