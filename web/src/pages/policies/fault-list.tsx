import { Plain } from '../../ui/plain.tsx';
import type { Fault } from './queries.ts';
import type { Check } from './use-check.ts';

interface Props {
  check: Check;
  onOpen: (fault: Fault) => void;
}

/** What is wrong with the files; each fault leads to where it is. */
export function FaultList({ check: { faults, warnings, isChecking, failure }, onOpen }: Props) {
  return (
    <section aria-label="Faults">
      <p role="status">
        {isChecking
          ? 'Checking…'
          : failure !== undefined
            ? `Not checked: ${failure.message}`
            : toldOf(faults.length, warnings.length)}
      </p>
      <Places faults={faults} onOpen={onOpen} />
      <Places faults={warnings} onOpen={onOpen} />
    </section>
  );
}

function toldOf(faults: number, warnings: number): string {
  if (faults > 0) return `${faults} ${faults === 1 ? 'fault' : 'faults'}:`;
  return warnings === 0 ? 'No faults.' : `No faults. ${warnings === 1 ? 'One warning' : `${warnings} warnings`}:`;
}

function Places({ faults, onOpen }: { faults: readonly Fault[]; onOpen: Props['onOpen'] }) {
  if (faults.length === 0) return null;
  return (
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
  );
}
