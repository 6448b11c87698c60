import { type FormEvent, useRef, useState } from 'react';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useChange } from '../api/use-change.ts';
import { useLock, useTenant } from '../api/viewer.ts';
import { Plain } from '../ui/plain.tsx';
import { Time } from '../ui/time.tsx';

export const StandingFragment = graphql(`
  fragment Standing on SessionStanding @_unmask {
    hold
    taints {
      label
      policy
      since
    }
  }
`);

export type Standing = ResultOf<typeof StandingFragment>;

const ReleaseSession = graphql(`
  mutation ReleaseSession($input: ReleaseSessionInput!) {
    releaseSession(input: $input) {
      released {
        hold
        taints
      }
      userErrors {
        code
        message
      }
    }
  }
`);

interface Props {
  sessionKey: string;
  /** Whether the tenant may end what holds, where the roles of who looks allow it. */
  isManaged: boolean;
  standing: Standing;
  onReleased: () => void;
}

/** What holds in the session, and the way to end it. */
export function StandingView({ sessionKey, isManaged, standing, onReleased }: Props) {
  const roleLock = useLock('triage', 'releasing sessions');
  const dialog = useRef<HTMLDialogElement>(null);
  const { hold, taints } = standing;
  if (hold === null && taints.length === 0) return null;
  const lock = roleLock ?? (isManaged ? undefined : 'Its agent is only shared with you to be looked at.');
  return (
    <section className={hold === null ? 'standing' : 'standing held'} aria-label="What holds in this session">
      {hold !== null && (
        <p>
          <strong>On hold.</strong> Its next call is blocked, whatever it is: <Plain text={hold} />
        </p>
      )}
      {taints.length > 0 && (
        <ul className="plain-list">
          {taints.map(({ label, policy, since }) => (
            <li key={label}>
              Marked{' '}
              <code>
                <Plain text={label} />
              </code>{' '}
              by <code>{policy}</code> since <Time at={since} />
            </li>
          ))}
        </ul>
      )}
      <button type="button" disabled={lock !== undefined} onClick={() => dialog.current?.showModal()}>
        Release…
      </button>
      {lock !== undefined && <span className="muted"> {lock}</span>}
      <dialog ref={dialog} aria-labelledby="release-title">
        <ReleaseForm
          sessionKey={sessionKey}
          standing={standing}
          onDone={(isReleased) => {
            dialog.current?.close();
            if (isReleased) onReleased();
          }}
        />
      </dialog>
    </section>
  );
}

function ReleaseForm({
  sessionKey,
  standing,
  onDone,
}: Pick<Props, 'sessionKey' | 'standing'> & { onDone: (isReleased: boolean) => void }) {
  const { tenant } = useTenant();
  const { run, isRunning, failure, clear } = useChange(ReleaseSession, (data) => data.releaseSession);
  const [endsHold, setEndsHold] = useState(true);
  const [labels, setLabels] = useState<readonly string[]>([]);
  const [reason, setReason] = useState('');
  const hold = standing.hold !== null && endsHold;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { tenantId: tenant.id, sessionKey, hold, taints: [...labels], reason };
    if ((await run({ input })) !== undefined) onDone(true);
  };
  const toggle = (label: string) =>
    setLabels((old) => (old.includes(label) ? old.filter((each) => each !== label) : [...old, label]));
  return (
    <form onSubmit={(event) => void submit(event)}>
      <h2 id="release-title">Release this session</h2>
      {standing.hold !== null && (
        <label className="check">
          <input type="checkbox" checked={endsHold} onChange={() => setEndsHold(!endsHold)} /> End the hold
        </label>
      )}
      {standing.taints.map(({ label }) => (
        <label key={label} className="check">
          <input type="checkbox" checked={labels.includes(label)} onChange={() => toggle(label)} /> Take off the mark{' '}
          <Plain text={label} />
        </label>
      ))}
      <label className="field">
        <span>Why, for whoever asks later</span>
        <textarea
          required
          maxLength={1024}
          rows={3}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      {failure !== undefined && <p role="alert">{failure.message}</p>}
      <p className="actions">
        <button type="submit" disabled={isRunning || reason.trim() === '' || (!hold && labels.length === 0)}>
          {isRunning ? 'Releasing…' : 'Release'}
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            clear();
            onDone(false);
          }}
        >
          Cancel
        </button>
      </p>
    </form>
  );
}
