import { graphql, type ResultOf } from '../api/graphql.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useViewer } from '../api/viewer.ts';
import { AskedButton } from '../ui/asked-button.tsx';
import { Plain } from '../ui/plain.tsx';
import { Outdated } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const EVERY_MS = 60_000;

const InvitationsQuery = graphql(`
  query Invitations {
    viewer {
      invitations {
        tenantId
        tenantName
        roles
        invitedAt
        linkExpiresAt
      }
    }
  }
`);

const DeclineMutation = graphql(`
  mutation DeclineInvitation($input: DeclineInvitationInput!) {
    declineInvitation(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

type Invitation = ResultOf<typeof InvitationsQuery>['viewer']['invitations'][number];

interface Props {
  /** Whether the page has nothing else to say, so that it says when they cannot be asked for. */
  isAlone?: boolean;
}

/** What the viewer is invited to. To be signed in accepts nothing: the link in the mail alone shows that the mail reached them. */
export function Invitations({ isAlone = false }: Props) {
  const { data, failure, reload } = useLoaded(InvitationsQuery, () => ({}), 'invitations', { everyMs: EVERY_MS });
  return (
    <>
      {isAlone && <Outdated failure={failure} retry={reload} />}
      {data?.viewer.invitations.map((invitation) => (
        <InvitationNotice key={invitation.tenantId} invitation={invitation} onDeclined={reload} />
      ))}
    </>
  );
}

function InvitationNotice({ invitation, onDeclined }: { invitation: Invitation; onDeclined: () => void }) {
  const { tenantId, tenantName, roles, linkExpiresAt } = invitation;
  const { email } = useViewer();
  return (
    <div className="notice" role="status">
      You are invited to{' '}
      <strong>
        <Plain text={tenantName} />
      </strong>{' '}
      as {roles.join(' and ')}.{' '}
      {linkExpiresAt === null ? (
        'The link that was mailed to you works no more: ask for another invitation.'
      ) : (
        <>
          Accept by the link in the mail to {email}. It works until <Time at={linkExpiresAt} />.
        </>
      )}{' '}
      <AskedButton
        label="Decline"
        target={`the invitation to ${tenantName}`}
        title="Decline the invitation?"
        document={DeclineMutation}
        pick={(data) => data.declineInvitation}
        variables={{ input: { tenantId } }}
        onDone={onDeclined}
      >
        <p>The link in the mail works no more. You can be invited again.</p>
      </AskedButton>
    </div>
  );
}
