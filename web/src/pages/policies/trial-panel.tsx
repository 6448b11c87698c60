import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { BacktestView } from './backtest-view.tsx';
import { StartBacktest } from './queries.ts';
import type { StartSet } from './use-start-set.ts';

const DAY_MS = 86_400_000;
const DAYS = [1, 7, 30];

/** Tries the files on what agents did, before they decide about what agents do. */
export function TrialPanel({ files, version }: Pick<StartSet, 'files' | 'version'>) {
  const { tenant } = useTenant();
  const [days, setDays] = useState(7);
  const [id, setId] = useState<string>();
  const start = useChange(StartBacktest, ({ startBacktest }) => startBacktest);
  const run = async () => {
    const now = Date.now();
    const since = new Date(now - days * DAY_MS).toISOString();
    const tried = version === null ? { files: [...files] } : { version };
    const input = { tenantId: tenant.id, since, until: new Date(now).toISOString(), ...tried };
    const done = await start.run({ input });
    setId(done?.backtest?.id);
  };
  return (
    <section aria-label="Backtest">
      <div className="section-head">
        <h2>Backtest</h2>
        <label className="field">
          <span>Sessions of the last</span>
          <select value={days} onChange={({ target }) => setDays(Number(target.value))}>
            {DAYS.map((n) => (
              <option key={n} value={n}>
                {n === 1 ? 'day' : `${n} days`}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={start.isRunning} onClick={() => void run()}>
          Try on stored sessions
        </button>
      </div>
      <p className="muted">
        Each session is lived through twice: under the policies that decide now, and under these. Nothing changes for
        the agents.
      </p>
      {start.failure !== undefined && (
        <p className="notice" role="alert">
          Not started: {start.failure.message}
        </p>
      )}
      {id !== undefined && <BacktestView key={id} id={id} />}
    </section>
  );
}
