import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Refused } from '../../ui/refused.tsx';
import { Answered } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const SessionsQuery = graphql(`
  query LoginSessions {
    viewer {
      loginSessions {
        id
        method
        createdAt
        lastUsedAt
        address
        browser
        isCurrent
      }
    }
  }
`);

const EndMutation = graphql(`
  mutation EndLoginSession($input: EndLoginSessionInput!) {
    endLoginSession(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const EndOthersMutation = graphql(`
  mutation EndOtherLoginSessions {
    endOtherLoginSessions {
      count
      userErrors {
        code
        message
      }
    }
  }
`);

type LoginSession = ResultOf<typeof SessionsQuery>['viewer']['loginSessions'][number];

const METHODS: Record<LoginSession['method'], string> = {
  MAGIC_LINK: 'a link by mail',
  OIDC: 'OpenID Connect',
  SAML: 'SAML',
};

/** Where the viewer is signed in. */
export function LoginSessionsTab() {
  const { data, failure, reload } = useLoaded(SessionsQuery, () => ({}), 'login-sessions');
  const endOthers = useChange(EndOthersMutation, (answer) => answer.endOtherLoginSessions);
  const leaveOthers = async () => {
    if ((await endOthers.run({})) !== undefined) reload();
  };
  return (
    <Answered what="your sessions" answer={data?.viewer.loginSessions} failure={failure} retry={reload}>
      {(loginSessions) => (
        <>
          <SessionTable sessions={loginSessions} reload={reload} />
          <Refused failure={endOthers.failure} />
          {loginSessions.some(({ isCurrent }) => !isCurrent) ? (
            <button type="button" disabled={endOthers.isRunning} onClick={() => void leaveOthers()}>
              Sign out everywhere else
            </button>
          ) : (
            <p className="muted">You are signed in nowhere else.</p>
          )}
        </>
      )}
    </Answered>
  );
}

function SessionTable({ sessions, reload }: { sessions: readonly LoginSession[]; reload: () => void }) {
  return (
    <table className="list">
      <caption>Where you are signed in</caption>
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Network address</th>
          <th scope="col">Signed in by</th>
          <th scope="col">Since</th>
          <th scope="col">Last used</th>
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map(({ id, browser, address, method, createdAt, lastUsedAt, isCurrent }) => (
          <tr key={id}>
            <td>{browser ?? 'Unknown'}</td>
            <td>{address ?? 'Unknown'}</td>
            <td data-label="Signed in by">{METHODS[method]}</td>
            <td className="nowrap" data-label="Since">
              <Time at={createdAt} />
            </td>
            <td className="nowrap" data-label="Last used">
              <Time at={lastUsedAt} />
            </td>
            <td className="actions">
              {isCurrent ? (
                <span className="badge good">This one</span>
              ) : (
                <AskedButton
                  label="Sign out"
                  target={`${browser ?? 'the browser'} at ${address ?? 'an unknown address'}`}
                  title="Sign this browser out?"
                  document={EndMutation}
                  pick={(data) => data.endLoginSession}
                  variables={{ input: { id } }}
                  onDone={reload}
                >
                  <p>Whoever uses it has to sign in again.</p>
                </AskedButton>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
