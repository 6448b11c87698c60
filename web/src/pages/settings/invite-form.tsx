import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { Refused } from '../../ui/refused.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { rolesToGive } from './roles.ts';

const InviteMutation = graphql(`
  mutation Invite($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      member {
        email
        invitationSent
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export function InviteForm({ onDone }: { onDone: () => void }) {
  const { tenant, permissions } = useTenant();
  const { run, isRunning, failure } = useChange(InviteMutation, (data) => data.inviteMember);
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState('viewer');
  const [outcome, setOutcome] = useState('');
  const invite = async (event: FormEvent) => {
    event.preventDefault();
    setOutcome('');
    const member = (await run({ input: { tenantId: tenant.id, email, name, roles: [role] } }))?.member;
    if (member === undefined || member === null) return;
    setOutcome(
      member.invitationSent
        ? `An invitation is on its way to ${member.email}.`
        : `${member.email} is invited, but the mail could not be sent. Invite them again to send another one.`,
    );
    setEmail('');
    setName('');
    onDone();
  };
  return (
    <form className="form" onSubmit={(event) => void invite(event)}>
      <h2>Invite somebody</h2>
      <TextField label="E-mail address" type="email" value={email} onChange={setEmail} />
      <TextField label="Name" value={name} onChange={setName} />
      <div className="form-line">
        <label htmlFor="invited-role">Role</label>
        <select id="invited-role" value={role} onChange={({ target }) => setRole(target.value)}>
          {rolesToGive(permissions).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <Refused failure={failure} />
      <div className="actions">
        <button type="submit" className="primary" disabled={isRunning}>
          Invite
        </button>
        <span role="status">{outcome}</span>
      </div>
    </form>
  );
}
