import { useState } from 'react';
import { Link } from 'wouter';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { SavePolicySet } from './queries.ts';
import { type StateChange, StateDialog } from './state-dialog.tsx';
import type { PolicyFile } from './use-start-set.ts';

interface Props {
  files: readonly PolicyFile[];
  /** The newest version that was there when they were begun. */
  newestSeen: number;
  /** Why they cannot be saved. */
  reason: string | undefined;
  onSaved: (version: number) => void;
}

/** Keeps the files as a version, which can be activated or tried then. */
export function SavePanel({ files, newestSeen, reason, onSaved }: Props) {
  const { tenant } = useTenant();
  const [note, setNote] = useState('');
  const [version, setVersion] = useState<number>();
  const [asked, setAsked] = useState<StateChange>();
  const [told, setTold] = useState<string>();
  const save = useChange(SavePolicySet, ({ savePolicySet }) => savePolicySet);
  const keep = async (follows: { newestSeen?: number }) => {
    const done = await save.run({ input: { tenantId: tenant.id, files: [...files], note, ...follows } });
    const kept = done?.policySet?.version;
    if (kept === undefined) return;
    setVersion(kept);
    setTold(undefined);
    setNote('');
    onSaved(kept);
  };
  const tell = (change: StateChange) =>
    setTold(
      change.kind === 'activate' ? `Version ${change.version} decides now.` : `Version ${change.version} is tried now.`,
    );
  return (
    <section aria-label="Save">
      <h2>Save</h2>
      <div className="actions">
        <label className="field wide">
          <span>Note</span>
          <input
            value={note}
            maxLength={1_000}
            placeholder="What it changes, and why"
            onChange={({ target }) => setNote(target.value)}
          />
        </label>
        <button
          type="button"
          className="primary"
          disabled={reason !== undefined || save.isRunning}
          onClick={() => void keep({ newestSeen })}
        >
          Save as a new version
        </button>
        {reason !== undefined && <span className="muted">{reason}</span>}
      </div>
      {save.failure !== undefined && (
        <p className="notice" role="alert">
          Not saved: {save.failure.message}
          {save.failure.code === 'conflict' && (
            <>
              {'. '}
              <Link href="/policies/history">See what it changes</Link>{' '}
              <button type="button" onClick={() => void keep({})}>
                Save all the same
              </button>
            </>
          )}
        </p>
      )}
      {version !== undefined && (
        <div className="actions" role="status">
          <span>{told ?? `Saved as version ${version}. It changes nothing until it is activated.`}</span>
          <button type="button" onClick={() => setAsked({ kind: 'activate', version })}>
            Activate version {version}
          </button>
          <button type="button" onClick={() => setAsked({ kind: 'shadow', version })}>
            Try version {version} in shadow
          </button>
          <Link href="/policies/history">All versions</Link>
        </div>
      )}
      {asked !== undefined && (
        <StateDialog change={asked} onClose={() => setAsked(undefined)} onChanged={() => tell(asked)} />
      )}
    </section>
  );
}
