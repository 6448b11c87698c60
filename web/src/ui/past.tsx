import type { ReactNode } from 'react';
import { type FragmentOf, graphql, readFragment } from '../api/graphql.ts';
import { Plain } from './plain.tsx';
import { Time } from './time.tsx';

export const PastFragment = graphql(`
  fragment Past on Past {
    events
    blocked
    taints {
      label
      policy
      eventId
      at
    }
    hold {
      policy
      eventId
      at
    }
    privateData {
      eventId
      toolName
    }
    untrusted {
      eventId
      toolName
    }
  }
`);

/** Where an event stands on this page; undefined for one that is not on it. */
export type PlaceOfEvent = (eventId: string) => string | undefined;

interface PastProps {
  past: FragmentOf<typeof PastFragment>;
  placeOfEvent: PlaceOfEvent;
}

/** What the session had been through, as far as the policies that matched asked. */
export function PastView({ past: masked, placeOfEvent }: PastProps) {
  const { events, blocked, taints, hold, privateData, untrusted } = readFragment(PastFragment, masked);
  const linked = (eventId: string | null, text: ReactNode) => {
    const href = eventId === null ? undefined : placeOfEvent(eventId);
    return href === undefined ? text : <a href={href}>{text}</a>;
  };
  const result = ({ eventId, toolName }: { eventId: string; toolName: string }) =>
    linked(
      eventId,
      <>
        a result of{' '}
        <code>
          <Plain text={toolName} />
        </code>
      </>,
    );
  const cause = ({ policy, eventId, at }: { policy: string; eventId: string | null; at: string }) => (
    <>
      by <code>{policy}</code>,{' '}
      {linked(
        eventId,
        <>
          last at <Time at={at} />
        </>,
      )}
    </>
  );
  return (
    <div>
      <h3>What in the session’s past it rests on</h3>
      <ul className="plain-list">
        {privateData !== null && <li>Private data was first seen in {result(privateData)}</li>}
        {untrusted !== null && <li>Content from outside was first seen in {result(untrusted)}</li>}
        {taints.map(({ label, ...rest }) => (
          <li key={label}>
            The session was labelled{' '}
            <strong>
              <Plain text={label ?? ''} />
            </strong>{' '}
            {cause(rest)}
          </li>
        ))}
        {hold !== null && <li>The session was put on hold {cause(hold)}</li>}
        {events !== null && <li>Events before: {events}</li>}
        {blocked !== null && <li>Blocked events before: {blocked}</li>}
      </ul>
    </div>
  );
}
