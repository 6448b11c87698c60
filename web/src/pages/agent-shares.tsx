import { type FormEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { graphql } from '../api/graphql.ts';
import { useChange } from '../api/use-change.ts';
import { useLock, useTenant } from '../api/viewer.ts';
import { AskedButton } from '../ui/asked-button.tsx';
import { Refused } from '../ui/refused.tsx';
import { TextField } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import type { Agent } from './agents-query.ts';

const ShareMutation = graphql(`
  mutation ShareAgent($input: ShareAgentInput!) {
    shareAgent(input: $input) {
      guestId
      userErrors {
        code
        message
      }
    }
  }
`);

const UnshareMutation = graphql(`
  mutation UnshareAgent($input: UnshareAgentInput!) {
    unshareAgent(input: $input) {
      guestId
      userErrors {
        code
        message
      }
    }
  }
`);

const PERMISSIONS = ['VIEW', 'MANAGE'] as const;
type SharePermission = (typeof PERMISSIONS)[number];

/** The service tells of no more guests than this. */
const GUESTS_MAX = 100;

type Guest = NonNullable<Agent['guests']>[number];

interface Props {
  agent: Agent;
  onChanged: () => void;
}

/** With which other tenants one of the tenant's own agents is shared, and the control of it. */
export function AgentShares({ agent, onChanged }: Props) {
  const lock = useLock('shares', 'seeing or changing with whom it is shared');
  const { guests } = agent;
  return (
    <section aria-labelledby="agent-shares">
      <h2 id="agent-shares">Shared with other tenants</h2>
      {lock !== undefined || guests === undefined ? (
        <p className="muted">{lock}</p>
      ) : (
        <>
          {guests.length === 0 ? (
            <p>It is shared with nobody.</p>
          ) : (
            <GuestTable agentKey={agent.key} guests={guests} onChanged={onChanged} />
          )}
          {guests.length >= GUESTS_MAX && <p className="muted">The newest {GUESTS_MAX} are shown.</p>}
          <ShareForm agentKey={agent.key} onChanged={onChanged} />
        </>
      )}
    </section>
  );
}

/** A guest gives the agent back. */
export function GiveBack({ agent }: { agent: Agent }) {
  const { tenant } = useTenant();
  const [, navigate] = useLocation();
  const lock = useLock('shares', 'giving it back');
  if (lock !== undefined) return <p className="muted">{lock}</p>;
  return (
    <AskedButton
      label="Give back"
      target={agent.name}
      title="See this agent no longer?"
      document={UnshareMutation}
      pick={(data) => data.unshareAgent}
      variables={{ input: { tenantId: tenant.id, agentKey: agent.key, guest: tenant.id } }}
      onDone={() => navigate('/agents')}
    >
      <p>This tenant sees nothing of it any more, until its owner shares it again.</p>
    </AskedButton>
  );
}

interface GuestsProps {
  agentKey: string;
  guests: readonly Guest[];
  onChanged: () => void;
}

function GuestTable({ agentKey, guests, onChanged }: GuestsProps) {
  const { tenant } = useTenant();
  return (
    <table className="list">
      <caption>Tenants that see it, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Tenant</th>
          <th scope="col">May</th>
          <th scope="col">Since</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {guests.map((guest) => (
          <tr key={guest.tenantId}>
            <td>
              <code>{nameOf(guest)}</code>
            </td>
            <td data-label="May">
              <PermissionChoice key={guest.permission} agentKey={agentKey} guest={guest} onChanged={onChanged} />
            </td>
            <td className="nowrap" data-label="Since">
              <Time at={guest.createdAt} />
            </td>
            <td className="actions">
              <AskedButton
                label="Take back"
                target={`from ${nameOf(guest)}`}
                title={`Share it with ${nameOf(guest)} no longer?`}
                document={UnshareMutation}
                pick={(data) => data.unshareAgent}
                variables={{ input: { tenantId: tenant.id, agentKey, guest: guest.tenantId } }}
                onDone={onChanged}
              >
                <p>Its people and programs see nothing of the agent any more, from its past neither.</p>
              </AskedButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A tenant's short name; its id where it has none that is known here. */
function nameOf({ slug, tenantId }: Guest): string {
  return slug ?? tenantId;
}

function PermissionChoice({
  agentKey,
  guest,
  onChanged,
}: Pick<Props, 'onChanged'> & { agentKey: string; guest: Guest }) {
  const { tenant } = useTenant();
  const name = nameOf(guest);
  // As a role: what is chosen counts once it is confirmed.
  const [permission, setPermission] = useState(guest.permission as SharePermission);
  return (
    <>
      <select
        aria-label={`What ${name} may do`}
        value={permission}
        onChange={({ target }) => setPermission(target.value as SharePermission)}
      >
        <PermissionOptions />
      </select>
      {permission !== guest.permission && (
        <AskedButton
          label="Change"
          target={`what ${name} may do`}
          title={`Let ${name} ${permission.toLowerCase()} it?`}
          document={ShareMutation}
          pick={(data) => data.shareAgent}
          variables={{ input: { tenantId: tenant.id, agentKey, guest: guest.tenantId, permission } }}
          onDone={onChanged}
        >
          <p>
            {permission === 'MANAGE'
              ? 'Its people with the role for it may also judge the findings of the agent and release its sessions.'
              : 'Its people may judge the findings of the agent and release its sessions no more.'}
          </p>
        </AskedButton>
      )}
    </>
  );
}

function PermissionOptions() {
  return PERMISSIONS.map((permission) => (
    <option key={permission} value={permission}>
      {permission.toLowerCase()}
    </option>
  ));
}

function ShareForm({ agentKey, onChanged }: Pick<GuestsProps, 'agentKey' | 'onChanged'>) {
  const { tenant } = useTenant();
  const id = useId();
  const { run, isRunning, failure } = useChange(ShareMutation, (data) => data.shareAgent);
  const [guest, setGuest] = useState('');
  const [permission, setPermission] = useState<SharePermission>('VIEW');
  const [outcome, setOutcome] = useState('');
  const share = async (event: FormEvent) => {
    event.preventDefault();
    setOutcome('');
    const named = guest.trim();
    if ((await run({ input: { tenantId: tenant.id, agentKey, guest: named, permission } })) === undefined) return;
    setOutcome(`It is shared with ${named}.`);
    setGuest('');
    onChanged();
  };
  return (
    <form className="form" aria-labelledby={`${id}-title`} onSubmit={(event) => void share(event)}>
      <h3 id={`${id}-title`}>Share it</h3>
      <TextField label="Short name of the tenant" value={guest} onChange={setGuest} />
      <div className="form-line">
        <label htmlFor={id}>What it may do</label>
        <select
          id={id}
          value={permission}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => setPermission(target.value as SharePermission)}
        >
          <PermissionOptions />
        </select>
        <p id={`${id}-hint`} className="muted">
          To view is to see the agent, its sessions, events, decisions and findings. To manage is also to judge its
          findings and to release its sessions.
        </p>
      </div>
      <Refused failure={failure} />
      <div className="actions">
        <button type="submit" className="primary" disabled={isRunning || guest.trim() === ''}>
          Share
        </button>
        <span role="status">{outcome}</span>
      </div>
    </form>
  );
}
