import { Link } from 'wouter';
import { graphql, type ResultOf, readFragment } from '../api/graphql.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { duration } from '../text/format.ts';
import { tellsHold } from '../text/holds.ts';
import { DecisionRowFragment } from '../ui/decision-table.tsx';
import { EventBody } from '../ui/event-body.tsx';
import {
  ExplanationFragment,
  ExplanationView,
  Provenance,
  saysSomething,
  spansOf,
  TriedBeside,
  WayOutOfHold,
} from '../ui/explanation.tsx';
import { OutcomeBadge } from '../ui/outcome.tsx';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

const DecisionQuery = graphql(
  `
    query Decision($tenant: ID!, $id: ID!) {
      tenant(id: $tenant) {
        decision(id: $id) {
          ...DecisionRow
          body
          lateAction
          explanation {
            ...Explanation
          }
          lateExplanation {
            ...Explanation
          }
        }
      }
    }
  `,
  [DecisionRowFragment, ExplanationFragment],
);

type Decision = NonNullable<NonNullable<ResultOf<typeof DecisionQuery>['tenant']>['decision']>;

/** One decision: what was asked, what was answered, why, and how to compute it again. */
export function DecisionPage({ id }: { id: string }) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(DecisionQuery, () => ({ tenant: tenant.id, id }), `${tenant.id} ${id}`);
  return (
    <>
      <PageHead title="Decision">
        <Link href="/live">All decisions</Link>
      </PageHead>
      <Answered
        what="the decision"
        answer={data?.tenant?.decision}
        failure={failure}
        retry={reload}
        none={
          <Empty title="No such decision">
            <p>It may have been removed after the time for which decisions are kept.</p>
          </Empty>
        }
      >
        {(decision) => <DecisionView decision={decision} />}
      </Answered>
    </>
  );
}

function DecisionView({ decision }: { decision: Decision }) {
  const { sessionKey, reason } = readFragment(DecisionRowFragment, decision);
  const hrefOfSession = `/sessions/${sessionKey}`;
  const { explanation, lateExplanation, lateAction, body } = decision;
  const spans = [...spansOf(explanation), ...spansOf(lateExplanation)];
  return (
    <>
      <Heading decision={decision} />
      <section>
        <h2>Why</h2>
        {explanation === null && reason !== null && tellsHold(reason) ? (
          <WayOutOfHold hrefOfSession={hrefOfSession} />
        ) : explanation === null ? (
          <p>No inspection was done in time, so there is no explanation.</p>
        ) : saysSomething(explanation) ? (
          <ExplanationView explanation={explanation} hrefOfSession={hrefOfSession} />
        ) : (
          <p>No policy matched, and nothing was found.</p>
        )}
      </section>
      {explanation !== null && <TriedBeside explanation={explanation} />}
      {lateAction !== null && (
        <section>
          <h2>Late inspection</h2>
          <p>
            An inspection that finished after the answer said{' '}
            <OutcomeBadge outcome={{ kind: 'DECIDED', action: lateAction, answered: null }} />.
          </p>
          {lateExplanation !== null && <ExplanationView explanation={lateExplanation} hrefOfSession={hrefOfSession} />}
        </section>
      )}
      {body !== null && (
        <section>
          <h2>The event</h2>
          <EventBody body={body} spans={spans} />
        </section>
      )}
      {(explanation ?? lateExplanation) !== null && (
        <section>
          <h2>Decided with</h2>
          <Provenance explanation={(explanation ?? lateExplanation) as NonNullable<typeof explanation>} />
        </section>
      )}
    </>
  );
}

function Heading({ decision }: { decision: Decision }) {
  const row = readFragment(DecisionRowFragment, decision);
  return (
    <section className="summary">
      <p className="lead">
        <OutcomeBadge outcome={row} />{' '}
        {row.toolName === null ? (row.eventType ?? 'an event') : <Plain text={row.toolName} />}
      </p>
      {row.reason !== null && (
        <p>
          <Plain text={row.reason} />
        </p>
      )}
      <dl className="facts">
        <dt>Decided</dt>
        <dd>
          <Time at={row.decidedAt} />, after {duration(row.tookUs)}
        </dd>
        {row.cause !== null && (
          <>
            <dt>No decision because of</dt>
            <dd>
              <code>{row.cause}</code>, answered <code>{row.answered}</code>
            </dd>
          </>
        )}
        {row.userEmail !== null && (
          <>
            <dt>User</dt>
            <dd>
              <Plain text={row.userEmail} />
            </dd>
          </>
        )}
        <dt>Session</dt>
        <dd>
          <Link href={`/sessions/${row.sessionKey}`}>the session it belongs to</Link>
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{row.id}</code>
        </dd>
      </dl>
    </section>
  );
}
