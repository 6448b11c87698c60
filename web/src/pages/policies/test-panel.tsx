import { useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../../api/failure.ts';
import { useTenant } from '../../api/viewer.ts';
import { count } from '../../text/format.ts';
import { Plain } from '../../ui/plain.tsx';
import { Failed } from '../../ui/states.tsx';
import { type TestOutcome, TestQuery } from './queries.ts';
import type { PolicyFile } from './use-start-set.ts';

type Outcome = { tests: readonly TestOutcome[] } | { problem: string } | { failure: Failure };

/** The tests that stand beside the policies: run with real events, through the whole inspection. */
export function TestPanel({ files }: { files: readonly PolicyFile[] }) {
  const { tenant } = useTenant();
  const client = useClient();
  const [isRunning, setRunning] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async () => {
    setRunning(true);
    const { data, error } = await client.query(TestQuery, { tenant: tenant.id, files: [...files] }).toPromise();
    setRunning(false);
    const result = data?.tenant?.testPolicies;
    if (error !== undefined) setOutcome({ failure: failureOf(error) });
    else if (result === undefined || result.faults.length > 0)
      setOutcome({ problem: 'The files have faults: mend them first.' });
    else setOutcome({ tests: result.tests });
  };
  return (
    <section aria-label="Tests">
      <div className="section-head">
        <h2>Tests</h2>
        <button type="button" disabled={isRunning} onClick={() => void run()}>
          {isRunning ? 'Running…' : 'Run the tests'}
        </button>
      </div>
      {outcome !== undefined && 'failure' in outcome && <Failed failure={outcome.failure} />}
      {outcome !== undefined && 'problem' in outcome && <p role="status">{outcome.problem}</p>}
      {outcome !== undefined && 'tests' in outcome && <Results tests={outcome.tests} />}
    </section>
  );
}

function Results({ tests }: { tests: readonly TestOutcome[] }) {
  const failed = tests.filter(({ isPassed }) => !isPassed);
  const passed = tests.filter(({ isPassed }) => isPassed);
  return (
    <>
      <p role="status">
        {count(passed.length)} passed, {count(failed.length)} failed
      </p>
      <TestList tests={failed} />
      {passed.length > 0 && (
        <details>
          <summary>Those that passed</summary>
          <TestList tests={passed} />
        </details>
      )}
    </>
  );
}

function TestList({ tests }: { tests: readonly TestOutcome[] }) {
  if (tests.length === 0) return null;
  return (
    <ul className="plain-list">
      {tests.map(({ policy, name, file, isPassed, problem }) => (
        <li key={`${file} ${policy} ${name}`}>
          <span className={isPassed ? 'badge good' : 'badge bad'}>{isPassed ? 'passed' : 'failed'}</span>{' '}
          <code>{policy}</code>: <Plain text={name} />
          {problem !== null && (
            <p className="muted">
              <Plain text={problem} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
