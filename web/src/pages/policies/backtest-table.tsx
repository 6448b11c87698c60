import { Link } from 'wouter';
import { count } from '../../text/format.ts';
import { Time } from '../../ui/time.tsx';
import { BACKTEST_STATES } from './backtest-view.tsx';
import type { PastBacktest } from './queries.ts';
import { versionName } from './versions.ts';

export function BacktestTable({ backtests }: { backtests: readonly PastBacktest[] }) {
  if (backtests.length === 0) return null;
  return (
    <section>
      <table className="list">
        <caption>Backtests, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">What was tried</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Newly blocked
            </th>
            <th scope="col" className="number">
              Newly allowed
            </th>
          </tr>
        </thead>
        <tbody>
          {backtests.map(({ id, version, state, startedAt, newlyBlocked, newlyAllowed }) => (
            <tr key={id}>
              <td className="nowrap">
                <Link href={`/policies/backtests/${id}`}>
                  <Time at={startedAt} />
                </Link>
              </td>
              <td>{version === null ? 'Files not saved' : versionName(version)}</td>
              <td>{BACKTEST_STATES[state]}</td>
              <td className="number" data-label="Newly blocked">
                {count(newlyBlocked)}
              </td>
              <td className="number" data-label="Newly allowed">
                {count(newlyAllowed)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
