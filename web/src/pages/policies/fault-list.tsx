import { Plain } from '../../ui/plain.tsx';
import type { Fault } from './queries.ts';
import type { Check } from './use-check.ts';

interface Props {
  check: Check;
  onOpen: (fault: Fault) => void;
}

/** What is wrong with the files; each fault leads to where it is. */
export function FaultList({ check: { faults, isChecking, failure }, onOpen }: Props) {
  return (
    <section aria-label="Faults">
      <p role="status">
        {isChecking
          ? 'Checking…'
          : failure !== undefined
            ? `Not checked: ${failure.message}`
            : faults.length === 0
              ? 'No faults.'
              : `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}:`}
      </p>
      {faults.length > 0 && (
        <ul className="plain-list">
          {faults.map((fault) => (
            <li key={`${fault.file}:${fault.line}:${fault.column} ${fault.message}`}>
              <button type="button" className="quiet" onClick={() => onOpen(fault)}>
                {fault.file}, line {fault.line}, column {fault.column}
              </button>{' '}
              <Plain text={fault.message} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
