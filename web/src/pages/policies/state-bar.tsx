import { useState } from 'react';
import { useLock } from '../../api/viewer.ts';
import { type StateChange, StateDialog } from './state-dialog.tsx';

interface Props {
  state: { activeVersion: number | null; shadowVersion: number | null; problem: { message: string } | null };
  onChanged: () => void;
}

/** Which set decides and which is tried beside it, with the ways back. */
export function StateBar({ state, onChanged }: Props) {
  const lock = useLock('policies', 'changing policies');
  const [asked, setAsked] = useState<StateChange>();
  const { activeVersion, shadowVersion, problem } = state;
  return (
    <section className="summary" aria-label="What counts">
      <p>
        {activeVersion === null ? (
          <>
            <strong>The installation’s policies</strong> decide.
          </>
        ) : (
          <>
            <strong>Version {activeVersion}</strong>{' '}
            {problem === null ? 'decides.' : 'was chosen to decide, and cannot be used.'}
          </>
        )}{' '}
        {shadowVersion === null ? 'No other version is tried beside it.' : null}
        {shadowVersion !== null && (
          <>
            <strong>Version {shadowVersion}</strong> is tried beside it, without consequences.
          </>
        )}
      </p>
      {lock !== undefined && <p className="muted">{lock}</p>}
      {lock === undefined && (activeVersion !== null || shadowVersion !== null) && (
        <div className="actions">
          {shadowVersion !== null && (
            <button type="button" onClick={() => setAsked({ kind: 'shadow', version: null })}>
              Stop trying version {shadowVersion}
            </button>
          )}
          {activeVersion !== null && (
            <button type="button" onClick={() => setAsked({ kind: 'activate', version: null })}>
              Back to the installation’s policies
            </button>
          )}
        </div>
      )}
      {asked !== undefined && <StateDialog change={asked} onClose={() => setAsked(undefined)} onChanged={onChanged} />}
    </section>
  );
}
