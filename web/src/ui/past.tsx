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
      since
    }
    hold {
      policy
      eventId
      since
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

interface PastProps {
  past: FragmentOf<typeof PastFragment>;
  /** Whether the events of the session are on this page, so that they can be gone to. */
  isOnTimeline: boolean;
}

/** What the session had been through, as far as the policies that matched asked. */
export function PastView({ past: masked, isOnTimeline }: PastProps) {
  const { events, blocked, taints, hold, privateData, untrusted } = readFragment(PastFragment, masked);
  return (
    <div>
      <h3>What it rests on of the session’s past</h3>
      <ul className="plain-list">
        {privateData !== null && (
          <li>
            Private data was first seen in <Sight {...privateData} isOnTimeline={isOnTimeline} />
          </li>
        )}
        {untrusted !== null && (
          <li>
            Content from outside was first seen in <Sight {...untrusted} isOnTimeline={isOnTimeline} />
          </li>
        )}
        {taints.map(({ label, policy, eventId, since }) => (
          <li key={label}>
            It was labelled{' '}
            <strong>
              <Plain text={label ?? ''} />
            </strong>{' '}
            by <code>{policy}</code>, <Since eventId={eventId} at={since} isOnTimeline={isOnTimeline} />
          </li>
        ))}
        {hold !== null && (
          <li>
            It was on hold by <code>{hold.policy}</code>,{' '}
            <Since eventId={hold.eventId} at={hold.since} isOnTimeline={isOnTimeline} />
          </li>
        )}
        {events !== null && <li>Events before: {events}</li>}
        {blocked !== null && <li>Of them blocked: {blocked}</li>}
      </ul>
    </div>
  );
}

function Sight({ eventId, toolName, isOnTimeline }: { eventId: string; toolName: string; isOnTimeline: boolean }) {
  const what =
    toolName === '' ? (
      'a message'
    ) : (
      <>
        a result of{' '}
        <code>
          <Plain text={toolName} />
        </code>
      </>
    );
  return isOnTimeline ? <a href={`#entry-${eventId}`}>{what}</a> : what;
}

function Since({ eventId, at, isOnTimeline }: { eventId: string | null; at: string; isOnTimeline: boolean }) {
  const since = (
    <>
      since <Time at={at} />
    </>
  );
  return isOnTimeline && eventId !== null ? <a href={`#entry-${eventId}`}>{since}</a> : since;
}
