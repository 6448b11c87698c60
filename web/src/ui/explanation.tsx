import { Link } from 'wouter';
import { type FragmentOf, graphql, readFragment } from '../api/graphql.ts';
import { duration } from '../text/format.ts';
import { tellsHold } from '../text/holds.ts';
import { OutcomeBadge, SeverityBadge } from './outcome.tsx';
import { PastFragment, PastView, type PlaceOfEvent } from './past.tsx';
import { Plain } from './plain.tsx';

export const ExplanationFragment = graphql(
  `
  fragment Explanation on Explanation {
    policies {
      id
      severity
      effect
      reason
      agentHint
      tags
    }
    simulated {
      id
      severity
      effect
      reason
      agentHint
      tags
    }
    findings {
      kind
      severity
      confidence
      span {
        pointer
        start
        end
      }
    }
    past {
      ...Past
    }
    excepted {
      policy
      owner
    }
    cuts {
      what
      bound
    }
    shadow {
      policySet
      action
      reason
    }
    policySet
    engine
    sessionFacts
    tookUs
  }
`,
  [PastFragment],
);

type Masked = FragmentOf<typeof ExplanationFragment>;

/** Where the findings of an explanation stand in its event. */
export function spansOf(masked: Masked | null): { pointer: string; start: number; end: number }[] {
  if (masked === null) return [];
  return readFragment(ExplanationFragment, masked).findings.flatMap(({ span }) => (span === null ? [] : [span]));
}

/** Whether there is anything in it that a person would want to read. */
export function saysSomething(masked: Masked): boolean {
  const { policies, simulated, findings, cuts } = readFragment(ExplanationFragment, masked);
  return policies.length + simulated.length + findings.length + cuts.length > 0;
}

interface ViewProps {
  explanation: Masked;
  /** Where the session is to be found; undefined on its own page. */
  hrefOfSession?: string;
  /** Where other events of the session are on this page; left out where none is. */
  placeOfEvent?: PlaceOfEvent;
}

const NOWHERE: PlaceOfEvent = () => undefined;

/** Why: policies, findings, and what was not looked at. */
export function ExplanationView({ explanation: masked, hrefOfSession, placeOfEvent = NOWHERE }: ViewProps) {
  const { policies, simulated, findings, past, excepted, cuts } = readFragment(ExplanationFragment, masked);
  return (
    <div className="explanation">
      <Policies title="Policies that matched" policies={policies} />
      <WaysThrough policies={policies} hrefOfSession={hrefOfSession} />
      <Policies title="In shadow mode, without effect" policies={simulated} />
      {findings.length > 0 && (
        <div>
          <h3>Findings</h3>
          <ul className="plain-list">
            {findings.map(({ kind, severity, confidence, span }) => (
              <li key={`${kind} ${severity} ${confidence} ${span?.pointer} ${span?.start} ${span?.end}`}>
                <SeverityBadge severity={severity} /> <code>{kind}</code>{' '}
                <span className="muted">{Math.round(confidence * 100)} % sure</span>{' '}
                {span !== null && (
                  <span className="muted">
                    in{' '}
                    <code>
                      <Plain text={span.pointer} />
                    </code>
                    , {span.start}–{span.end}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {past !== null && <PastView past={past} placeOfEvent={placeOfEvent} />}
      {excepted.length > 0 && (
        <div>
          <h3>Excepted</h3>
          <ul className="plain-list">
            {excepted.map(({ policy, owner }) => (
              <li key={`${policy} ${owner}`}>
                <code>{policy}</code> would have matched; <Plain text={owner} /> answers for the exception
              </li>
            ))}
          </ul>
        </div>
      )}
      {cuts.length > 0 && (
        <div>
          <h3>Not looked at</h3>
          <ul className="plain-list">
            {cuts.map(({ what, bound }) => (
              <li key={`${what} ${bound}`}>
                <Plain text={what} /> <span className="muted">({bound})</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

type Policy = ReturnType<typeof readPolicies>[number];

function readPolicies(masked: Masked) {
  return readFragment(ExplanationFragment, masked).policies;
}

function Policies({ title, policies }: { title: string; policies: readonly Policy[] }) {
  if (policies.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="plain-list">
        {policies.map(({ id, severity, effect, reason, agentHint, tags }) => (
          <li key={id}>
            <SeverityBadge severity={severity} /> <code>{id}</code> <span className="muted">asks to {effect}</span>{' '}
            <span>
              <Plain text={reason} />
            </span>
            {agentHint !== null && (
              <p className="muted">
                What the agent may do instead: <Plain text={agentHint} />
              </p>
            )}
            {tags.length > 0 && <p className="muted">{tags.join(', ')}</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What would have let a blocked call through. */
function WaysThrough({ policies, hrefOfSession }: { policies: readonly Policy[]; hrefOfSession: string | undefined }) {
  const blocking = policies.filter(({ effect }) => effect === 'block');
  if (blocking.length === 0) return null;
  if (blocking.some(({ id, reason }) => tellsHold(reason, id))) return <WayOutOfHold hrefOfSession={hrefOfSession} />;
  return (
    <div>
      <h3>What would let it through</h3>
      <ul className="plain-list">
        {blocking.map(({ id, agentHint }) => (
          <li key={id}>
            {agentHint !== null && (
              <>
                Doing it another way: <Plain text={agentHint} />{' '}
              </>
            )}
            An exception from <code>{id}</code> for this agent, with somebody who answers for it; or that policy in
            shadow mode.
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What lets the calls of a session on hold through. No exception does: no policy is asked about them. */
export function WayOutOfHold({ hrefOfSession }: { hrefOfSession: string | undefined }) {
  return (
    <div>
      <h3>What would let it through</h3>
      <p>
        The end of the hold: everything else that the session asks for is blocked, too.{' '}
        {hrefOfSession === undefined ? (
          'While it lasts, it is ended with “Release…” at the top of this page.'
        ) : (
          <>
            While it lasts, it is ended with “Release…” on the page of <Link href={hrefOfSession}>the session</Link>.
          </>
        )}
      </p>
    </div>
  );
}

/** What the set that was tried beside would have answered; nothing where none was. */
export function TriedBeside({ explanation: masked }: { explanation: Masked }) {
  const { shadow } = readFragment(ExplanationFragment, masked);
  if (shadow === null) return null;
  return (
    <section>
      <h2>Tried beside</h2>
      <p>
        {shadow.action === null ? (
          'What the set that was tried would have answered was not found out in time.'
        ) : (
          <>
            The set that was tried would have answered{' '}
            <OutcomeBadge outcome={{ kind: 'DECIDED', action: shadow.action, answered: null }} />
            {shadow.reason !== null && (
              <>
                : <Plain text={shadow.reason} />
              </>
            )}
          </>
        )}
      </p>
      <p className="muted">
        Set <code>{shadow.policySet}</code>
      </p>
    </section>
  );
}

/** What is needed to compute it again. */
export function Provenance({ explanation: masked }: { explanation: Masked }) {
  const { policySet, engine, sessionFacts, tookUs } = readFragment(ExplanationFragment, masked);
  return (
    <dl className="facts">
      <dt>Policy set</dt>
      <dd>
        <code>{policySet}</code>
      </dd>
      <dt>Engine</dt>
      <dd>
        <code>{engine}</code>
      </dd>
      {sessionFacts !== null && (
        <>
          <dt>Facts of the session</dt>
          <dd>
            <code>{sessionFacts}</code>
          </dd>
        </>
      )}
      <dt>Inspected in</dt>
      <dd>{duration(tookUs)}</dd>
    </dl>
  );
}
