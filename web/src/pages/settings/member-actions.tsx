import { graphql } from '../../api/graphql.ts';
import { useTenant, useViewer } from '../../api/viewer.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import type { Member } from './members-query.ts';
import { rolesToGive } from './roles.ts';

const RemoveMutation = graphql(`
  mutation RemoveMember($input: RemoveMemberInput!) {
    removeMember(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const DisableMutation = graphql(`
  mutation DisableMember($input: DisableMemberInput!) {
    disableMember(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const EndMutation = graphql(`
  mutation EndMemberSessions($input: EndMemberSessionsInput!) {
    endMemberSessions(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

/** What the viewer may do to a member; nothing that the service would refuse for their roles. */
export function MemberActions({ member, onDone }: { member: Member; onDone: () => void }) {
  const { tenant, permissions } = useTenant();
  const { userId: own } = useViewer();
  const { userId, email, roles, accepted, disabled } = member;
  const given = rolesToGive(permissions);
  if (!roles.every((role) => given.includes(role))) return <span className="muted">Owners alone change owners</span>;
  const input = { tenantId: tenant.id, userId };
  const isOther = userId !== own;
  return (
    <>
      {accepted && isOther && (
        <AskedButton
          label="Sign out"
          target={email}
          title={`Sign ${email} out?`}
          document={EndMutation}
          pick={(data) => data.endMemberSessions}
          variables={{ input }}
          onDone={onDone}
        >
          <p>Every browser in which they are signed in is signed out at once. They can sign in again.</p>
        </AskedButton>
      )}
      {accepted && isOther && permissions.includes('owners') && (
        <AskedButton
          label={disabled ? 'Enable' : 'Disable'}
          target={email}
          title={disabled ? `Let ${email} sign in again?` : `Disable ${email}?`}
          document={DisableMutation}
          pick={(data) => data.disableMember}
          variables={{ input: { ...input, disabled: !disabled } }}
          onDone={onDone}
        >
          <p>
            {disabled
              ? 'Their roles are as before. Tokens that ended stay ended.'
              : 'They are signed out everywhere and cannot sign in. Platform tokens that they minted end; those of sensors go on.'}
          </p>
        </AskedButton>
      )}
      <AskedButton
        label="Remove"
        target={email}
        title={`Remove ${email} from this tenant?`}
        document={RemoveMutation}
        pick={(data) => data.removeMember}
        variables={{ input }}
        onDone={onDone}
      >
        <p>They see nothing of this tenant any more. Platform tokens that they minted here end.</p>
      </AskedButton>
    </>
  );
}
