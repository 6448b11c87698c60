import { useState } from 'react';
import { Link } from 'wouter';
import { useLive } from '../../api/live.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { useLock, useTenant } from '../../api/viewer.ts';
import { count } from '../../text/format.ts';
import { Plain } from '../../ui/plain.tsx';
import { Refused } from '../../ui/refused.tsx';
import { Answered, Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { type Backtest, BacktestQuery, BacktestSubscription, CancelBacktest } from './queries.ts';
import { versionName } from './versions.ts';

export const BACKTEST_STATES: Record<Backtest['state'], string> = {
  RUNNING: 'running',
  DONE: 'done',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
  INTERRUPTED: 'interrupted: the service stopped',
};

const EVERY_MS = 1_000;
const DIFFERENCES_MAX = 200;

/** How far a backtest is, and what it found. */
export function BacktestView({ id }: { id: string }) {
  const { tenant } = useTenant();
  const key = `${tenant.id} ${id}`;
  const [told, setTold] = useState<{ key: string; backtest: Backtest | null }>();
  const now = told?.key === key ? told.backtest : undefined;
  const isOver = now !== undefined && now?.state !== 'RUNNING';
  const isLive = useLive(BacktestSubscription, { tenant: tenant.id, id }, key, {
    isPaused: isOver,
    onData: ({ backtest }) => setTold({ key, backtest }),
  });
  const { data, failure, reload } = useLoaded(BacktestQuery, () => ({ tenant: tenant.id, id }), key, {
    everyMs: isLive || isOver ? undefined : EVERY_MS,
  });
  const backtest = furthest(now, data?.tenant?.backtest);
  return (
    <Answered
      what="the backtest"
      answer={backtest}
      failure={failure}
      retry={reload}
      none={
        <Empty title="No such backtest">
          <p>Only the newest ones are kept.</p>
        </Empty>
      }
    >
      {(backtest) => (
        <>
          <Progress id={id} backtest={backtest} onCancelled={reload} />
          <Differences backtest={backtest} />
        </>
      )}
    </Answered>
  );
}

/** Of what was told and what was asked for, whichever is newer. */
function furthest(told: Backtest | null | undefined, asked: Backtest | null | undefined) {
  if (told === undefined || told === null || asked === undefined || asked === null) return told ?? asked;
  return asked.state !== 'RUNNING' || (told.state === 'RUNNING' && asked.sessionsDone > told.sessionsDone)
    ? asked
    : told;
}

function Progress({ id, backtest, onCancelled }: { id: string; backtest: Backtest; onCancelled: () => void }) {
  const { tenant } = useTenant();
  const lock = useLock('policies', 'changing policies');
  const cancel = useChange(CancelBacktest, ({ cancelBacktest }) => cancelBacktest);
  const { state, version, since, until, sessionsDone, sessionsCount, sessionsLeftOut } = backtest;
  const stop = async () => {
    if ((await cancel.run({ input: { tenantId: tenant.id, id } })) !== undefined) onCancelled();
  };
  return (
    <section className="summary" aria-label="Backtest">
      <p role="status">
        {version === null ? 'Files not saved' : versionName(version)}, tried on sessions from <Time at={since} /> to{' '}
        <Time at={until} />: <strong>{BACKTEST_STATES[state]}</strong>
      </p>
      <progress max={Math.max(1, sessionsCount)} value={sessionsCount === 0 ? 1 : sessionsDone} aria-label="Sessions" />
      <dl className="facts">
        <dt>Sessions</dt>
        <dd>
          {count(sessionsDone)} of {count(sessionsCount)}
          {sessionsLeftOut > 0 && <>, {count(sessionsLeftOut)} left out: too large, or not inspected in time</>}
        </dd>
        <dt>Events</dt>
        <dd>
          {count(backtest.eventsDone)}, of them {count(backtest.decisionsDone)} decisions
        </dd>
        <dt>Newly blocked</dt>
        <dd>{count(backtest.newlyBlocked)}</dd>
        <dt>Newly allowed</dt>
        <dd>{count(backtest.newlyAllowed)}</dd>
      </dl>
      {state === 'RUNNING' && lock === undefined && (
        <button type="button" disabled={cancel.isRunning} onClick={() => void stop()}>
          Cancel
        </button>
      )}
      <Refused failure={cancel.failure} />
    </section>
  );
}

function Differences({ backtest: { differences, state, newlyBlocked, newlyAllowed } }: { backtest: Backtest }) {
  if (differences.length === 0)
    return state === 'RUNNING' ? null : <p className="state">Every decision stays as it is.</p>;
  const all = newlyBlocked + newlyAllowed;
  return (
    <table className="list">
      <caption>
        Decisions that change
        {all > DIFFERENCES_MAX && `, the first ${DIFFERENCES_MAX} of ${count(all)}`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Would be</th>
          <th scope="col">Tool</th>
          <th scope="col">Reason</th>
          <th scope="col">Event</th>
          <th scope="col">Session</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ eventId, sessionKey, toolName, now, reason }) => (
          <tr key={eventId}>
            <td>
              <span className={now === 'BLOCKED' ? 'badge bad' : 'badge good'}>
                {now === 'BLOCKED' ? 'Blocked' : 'Allowed'}
              </span>
            </td>
            <td className="one-line">{toolName === null ? 'message' : <Plain text={toolName} />}</td>
            <td>
              <Plain text={reason} />
            </td>
            <td>
              <Link href={`/decisions/${eventId}`}>Decision</Link>
            </td>
            <td>
              <Link href={`/sessions/${sessionKey}`}>Session</Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
