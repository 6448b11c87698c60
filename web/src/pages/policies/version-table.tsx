import { useState } from 'react';
import { Link } from 'wouter';
import { useLock } from '../../api/viewer.ts';
import { Plain } from '../../ui/plain.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Who } from '../../ui/who.tsx';
import type { PolicyState, SavedVersion } from './queries.ts';
import { type StateChange, StateDialog } from './state-dialog.tsx';

interface Props {
  versions: readonly SavedVersion[];
  state: PolicyState;
  onChanged: () => void;
}

export function VersionTable({ versions, state, onChanged }: Props) {
  const lock = useLock('policies', 'changing policies');
  const [asked, setAsked] = useState<StateChange>();
  if (versions.length === 0)
    return (
      <Empty title="No version was saved yet">
        <p>The editor starts with the installation’s policies. What you save there is version 1.</p>
      </Empty>
    );
  const { activeVersion, shadowVersion } = state;
  return (
    <section>
      <table className="list">
        <caption>Saved versions, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Note</th>
            <th scope="col">Saved</th>
            <th scope="col">By</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ version, note, createdAt, createdBy, createdByName }) => (
            <tr key={version}>
              <td className="nowrap">
                <Link href={`/policies/edit?version=${version}`}>Version {version}</Link>{' '}
                {version === activeVersion && <span className="badge good">decides</span>}
                {version === shadowVersion && <span className="badge warn">tried</span>}
              </td>
              <td className="one-line wide">
                <Plain text={note} />
              </td>
              <td className="nowrap" data-label="Saved">
                <Time at={createdAt} />
              </td>
              <td className="one-line" data-label="By">
                <Who id={createdBy} name={createdByName} />
              </td>
              <td>
                <div className="actions">
                  <button
                    type="button"
                    aria-label={`${isBehind(version, activeVersion) ? 'Roll back to' : 'Activate'} version ${version}`}
                    disabled={lock !== undefined || version === activeVersion}
                    onClick={() => setAsked({ kind: 'activate', version })}
                  >
                    {isBehind(version, activeVersion) ? 'Roll back' : 'Activate'}
                  </button>
                  <button
                    type="button"
                    aria-label={`Try version ${version} in shadow`}
                    disabled={lock !== undefined || version === activeVersion || version === shadowVersion}
                    onClick={() => setAsked({ kind: 'shadow', version })}
                  >
                    Try
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked !== undefined && <StateDialog change={asked} onClose={() => setAsked(undefined)} onChanged={onChanged} />}
    </section>
  );
}

function isBehind(version: number, activeVersion: number | null): boolean {
  return activeVersion !== null && version < activeVersion;
}
