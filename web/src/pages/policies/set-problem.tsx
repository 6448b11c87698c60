import { Link } from 'wouter';
import { Plain } from '../../ui/plain.tsx';
import type { PolicySetProblem } from './queries.ts';
import { versionName } from './versions.ts';

interface Props {
  /** Null: the installation's policies. */
  version: number | null;
  problem: PolicySetProblem;
}

/** What is wrong with the set that is to decide, and the ways out. Saved when it was right, it may be wrong for a newer service. */
export function SetProblem({ version, problem: { message, faults } }: Props) {
  return (
    <section className="standing held" role="alert" aria-labelledby="set-problem">
      <h2 id="set-problem">{versionName(version)} cannot be used</h2>
      <p>
        It was right when it was saved, and this version of the service does not understand it. What decided before goes
        on deciding; after a restart, that is the installation’s policies.
      </p>
      {faults.length === 0 ? (
        <p>
          <Plain text={message} />
        </p>
      ) : (
        <ul className="plain-list" aria-label="Faults">
          {faults.map((fault) => (
            <li key={`${fault.file}:${fault.line}:${fault.column} ${fault.message}`}>
              <Link href={`/policies/edit?file=${encodeURIComponent(fault.file)}&line=${fault.line}`}>
                <Plain text={fault.file} />, line {fault.line}, column {fault.column}
              </Link>{' '}
              <Plain text={fault.message} />
            </li>
          ))}
        </ul>
      )}
      <p className="actions">
        <Link className="button" href="/policies/edit">
          Mend it in the editor
        </Link>
        <Link className="button" href="/policies/history">
          Go back to another version
        </Link>
      </p>
    </section>
  );
}
