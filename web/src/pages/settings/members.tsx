import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { usePages } from '../../api/use-pages.ts';
import { useLock, useTenant, useViewer } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Plain } from '../../ui/plain.tsx';
import { Locked } from '../../ui/refused.tsx';
import { ShowOlder } from '../../ui/show-older.tsx';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { InviteForm } from './invite-form.tsx';
import { MemberActions } from './member-actions.tsx';
import { type Member, MembersQuery } from './members-query.ts';
import { rolesToGive } from './roles.ts';

const ChangeMutation = graphql(`
  mutation ChangeMember($input: ChangeMemberInput!) {
    changeMember(input: $input) {
      roles
      userErrors {
        code
        message
      }
    }
  }
`);

export function MembersTab() {
  const lock = useLock('members', 'seeing or changing its members');
  return lock === undefined ? <Members /> : <Locked reason={lock} />;
}

function Members() {
  const { tenant } = useTenant();
  const { rows, failure, reload, readOn } = usePages(
    MembersQuery,
    (after) => ({ tenant: tenant.id, after }),
    tenant.id,
    (data) => data.tenant?.members,
  );
  return (
    <>
      <InviteForm onDone={reload} />
      <Answered what="the members" answer={rows} failure={failure} retry={reload}>
        {(rows) => <MemberTable members={rows} reload={reload} />}
      </Answered>
      <ShowOlder read={readOn}>Show more</ShowOlder>
    </>
  );
}

function MemberTable({ members, reload }: { members: readonly Member[]; reload: () => void }) {
  return (
    <table className="list">
      <caption>Members</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">E-mail address</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.userId}>
            <td>
              <Plain text={member.name} />
            </td>
            <td>
              <Plain text={member.email} />
            </td>
            <td>
              <RoleChoice key={member.roles.join()} member={member} reload={reload} />
            </td>
            <td>
              <State member={member} />
            </td>
            <td className="nowrap" data-label="Since">
              <Time at={member.createdAt} />
            </td>
            <td className="actions">
              <MemberActions member={member} onDone={reload} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function State({ member: { accepted, disabled } }: { member: Member }) {
  if (!accepted) return <span className="badge calm">Invited</span>;
  return disabled ? <span className="badge warn">Disabled</span> : <span className="badge good">Active</span>;
}

/** Several roles of one person, which programs may give, are shown and left as they are. */
function RoleChoice({ member, reload }: { member: Member; reload: () => void }) {
  const { tenant, permissions } = useTenant();
  const { userId: own } = useViewer();
  const { userId, email, roles } = member;
  const [role] = roles;
  // A closed select goes through all between by arrow keys: what is chosen counts once it is confirmed.
  const [chosen, setChosen] = useState(role);
  const choices = rolesToGive(permissions);
  if (role === undefined || roles.length > 1 || !choices.includes(role)) return <>{roles.join(', ')}</>;
  return (
    <>
      <select aria-label={`Role of ${email}`} value={chosen} onChange={({ target }) => setChosen(target.value)}>
        {choices.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      {chosen !== undefined && chosen !== role && (
        <AskedButton
          label="Change"
          target={`the role of ${email}`}
          title={`Make ${email} ${chosen} instead of ${role}?`}
          document={ChangeMutation}
          pick={(data) => data.changeMember}
          variables={{ input: { tenantId: tenant.id, userId, roles: [chosen] } }}
          onDone={reload}
        >
          <p>Platform tokens that they minted here end.</p>
          {userId === own && <p>This is your own role. You may not be able to take it back.</p>}
        </AskedButton>
      )}
    </>
  );
}
