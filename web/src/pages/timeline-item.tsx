import { useState } from 'react';
import { Link } from 'wouter';
import { readFragment } from '../api/graphql.ts';
import { summaryOf } from '../text/event-text.ts';
import { duration } from '../text/format.ts';
import { DecisionRowFragment } from '../ui/decision-table.tsx';
import { EventBody } from '../ui/event-body.tsx';
import { ExplanationView, saysSomething, spansOf } from '../ui/explanation.tsx';
import { OutcomeBadge } from '../ui/outcome.tsx';
import type { PlaceOfEvent } from '../ui/past.tsx';
import { Plain } from '../ui/plain.tsx';
import { Time } from '../ui/time.tsx';
import type { TimelineNode } from './timeline-query.ts';

const TITLES: Record<string, string> = {
  session_start: 'The session starts',
  user_message: 'The user says',
  agent_message: 'The agent says',
  tool_invocation: 'The agent wants to use',
  tool_result: 'Result of',
  session_end: 'The session ends',
};

/** One event of the story, and what became of it. What was blocked is open from the start. */
export function TimelineItem({ entry, placeOfEvent }: { entry: TimelineNode; placeOfEvent: PlaceOfEvent }) {
  const { eventType, toolName, body, eventAt, decision, explanation } = entry;
  const row = decision === null ? undefined : readFragment(DecisionRowFragment, decision);
  const isBlocked = row?.action === 'BLOCK' || row?.answered === 'block';
  const [isOpen, setOpen] = useState(isBlocked);
  const reasons = decision?.explanation ?? explanation;
  return (
    <li id={`entry-${entry.id}`} className={`entry ${eventType}${isBlocked ? ' blocked' : ''}`}>
      <p className="entry-head">
        <Time at={eventAt} />
        <span className="entry-title">
          {TITLES[eventType] ?? eventType}
          {toolName !== null && (
            <>
              {' '}
              <code>
                <Plain text={toolName} />
              </code>
            </>
          )}
        </span>
        {row !== undefined && <OutcomeBadge outcome={row} />}
        {row === undefined && explanation !== null && saysSomething(explanation) && (
          <span className="badge warn">Findings</span>
        )}
      </p>
      {row?.reason != null && (
        <p>
          <Plain text={row.reason} />
        </p>
      )}
      {!isOpen && (
        <p className="muted one-line">
          <Plain text={summaryOf(body)} />
        </p>
      )}
      <p className="entry-links">
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide details' : 'Details'}
        </button>
        {row !== undefined && <Link href={`/decisions/${row.id}`}>Decision, after {duration(row.tookUs)}</Link>}
      </p>
      {isOpen && (
        <>
          {reasons !== null && saysSomething(reasons) && (
            <ExplanationView explanation={reasons} placeOfEvent={placeOfEvent} />
          )}
          <EventBody body={body} spans={spansOf(reasons)} />
        </>
      )}
    </li>
  );
}
