import { Link } from 'wouter';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { agentLabel } from '../text/agent-label.ts';
import { count, span } from '../text/format.ts';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { StandingFragment, StandingView } from './session-release.tsx';
import { SessionRowFragment } from './sessions-query.ts';
import { Timeline } from './timeline.tsx';

const SessionQuery = graphql(
  `
  query AgentSession($tenant: ID!, $key: ID!) {
    tenant(id: $tenant) {
      agentSession(key: $key) {
        ...SessionRow
        isManaged
        standing {
          ...Standing
        }
      }
    }
  }
`,
  [SessionRowFragment, StandingFragment],
);

const SessionSubscription = graphql(`
  subscription AgentSessionUpdates($tenant: ID!, $key: ID!) {
    sessionUpdates(tenantId: $tenant, sessionKey: $key) {
      missed
    }
  }
`);

type AgentSession = NonNullable<NonNullable<ResultOf<typeof SessionQuery>['tenant']>['agentSession']>;

/** One run of an agent, told from its beginning. */
export function SessionPage({ sessionKey }: { sessionKey: string }) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(
    SessionQuery,
    () => ({ tenant: tenant.id, key: sessionKey }),
    `${tenant.id} ${sessionKey}`,
    { everyMs: 5_000 },
  );
  useLive(SessionSubscription, { tenant: tenant.id, key: sessionKey }, `${tenant.id} ${sessionKey}`, {
    onData: reload,
  });
  return (
    <>
      <PageHead title="Session">
        <Link href="/sessions">All sessions</Link>
      </PageHead>
      <Answered
        what="the session"
        answer={data?.tenant?.agentSession}
        failure={failure}
        retry={reload}
        none={
          <Empty title="No such session">
            <p>It may belong to another tenant, or have been removed after the time for which events are kept.</p>
          </Empty>
        }
      >
        {(session) => (
          <>
            <Heading session={session} />
            {session.standing !== null && (
              <StandingView
                sessionKey={session.key}
                isManaged={session.isManaged}
                standing={session.standing}
                onReleased={reload}
              />
            )}
            <Timeline sessionKey={session.key} />
          </>
        )}
      </Answered>
    </>
  );
}

function Heading({ session }: { session: AgentSession }) {
  const { agentKey, agentName, agentId, sessionId, userEmail, startedAt, lastAt, state } = session;
  const lasted = span(Date.parse(startedAt), Date.parse(lastAt));
  return (
    <section className="summary">
      <p className="lead">
        <Plain text={agentLabel(agentName, agentId)} />
      </p>
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          <Link href={`/agents/${agentKey}`}>
            <Plain text={agentId} />
          </Link>
        </dd>
        <dt>Session</dt>
        <dd>
          <Plain text={sessionId} />
        </dd>
        <dt>User</dt>
        <dd>
          <Plain text={userEmail} />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time at={startedAt} />, {state === 'OPEN' ? `open, last event after ${lasted}` : `ended after ${lasted}`}
        </dd>
        <dt>Events</dt>
        <dd>
          {count(session.eventsCount)}, {count(session.blockedCount)} blocked, {count(session.undecidedCount)} undecided
        </dd>
      </dl>
    </section>
  );
}
