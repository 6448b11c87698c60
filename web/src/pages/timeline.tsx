import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type Failure, failureOf } from '../api/failure.ts';
import { useLive } from '../api/live.ts';
import { nodesOf } from '../api/nodes-of.ts';
import { useTenant } from '../api/viewer.ts';
import { mergeEntries } from '../text/merge-entries.ts';
import { Connection } from '../ui/connection.tsx';
import { ShowOlder } from '../ui/show-older.tsx';
import { Answered } from '../ui/states.tsx';
import { Flows } from './session-flows.tsx';
import { TimelineItem } from './timeline-item.tsx';
import { type TimelineNode, TimelineQuery, TimelineSubscription } from './timeline-query.ts';

/** As many as one query may cost. */
const ENTRIES = 25;

type Order = 'first' | 'newest';

/** The events of a session as a story. They come from the service newest first; a story begins at the other end. */
export function Timeline({ sessionKey }: { sessionKey: string }) {
  const [order, setOrder] = useState<Order>('first');
  return (
    <section>
      <div className="section-head">
        <h2>Timeline</h2>
        <label className="field">
          <span>Order</span>
          <select value={order} onChange={({ target }) => setOrder(target.value as Order)}>
            <option value="first">From the beginning</option>
            <option value="newest">Newest first</option>
          </select>
        </label>
      </div>
      <Story key={order} sessionKey={sessionKey} order={order} />
    </section>
  );
}

function Story({ sessionKey, order }: { sessionKey: string; order: Order }) {
  const { entries, hasMore, isLoaded, isLive, failure, begin, readMore } = useStory(sessionKey, order);
  const loaded = new Set(entries.map(({ id }) => id));
  const placeOfEvent = (id: string) => (loaded.has(id) ? `#entry-${id}` : undefined);
  return (
    <Answered what="events" answer={isLoaded ? entries : undefined} failure={failure} retry={begin}>
      {(entries) => (
        <>
          <Connection isLive={isLive} />
          <Flows entries={entries} />
          {entries.length === 0 && <p className="state">No events of this session are kept.</p>}
          <ol className="timeline">
            {entries.map((entry) => (
              <TimelineItem key={entry.id} entry={entry} placeOfEvent={placeOfEvent} />
            ))}
          </ol>
          {hasMore ? (
            <ShowOlder read={readMore}>{order === 'first' ? 'Go on with the story' : 'Show older'}</ShowOlder>
          ) : (
            order === 'first' && !isLive && <ShowOlder read={readMore}>Look for newer events</ShowOlder>
          )}
        </>
      )}
    </Answered>
  );
}

interface StoryState {
  entries: TimelineNode[];
  cursor: string | null;
  hasMore: boolean;
  isLoaded: boolean;
}

function useStory(sessionKey: string, order: Order) {
  const { tenant } = useTenant();
  const client = useClient();
  const [state, setState] = useState<StoryState>({
    entries: [],
    cursor: null,
    hasMore: false,
    isLoaded: false,
  });
  const [failure, setFailure] = useState<Failure>();
  const readNewest = async () => {
    const variables = { tenant: tenant.id, key: sessionKey, first: ENTRIES };
    const { data } = await client.query(TimelineQuery, variables).toPromise();
    const found = data?.tenant?.agentSession?.timeline;
    if (found === undefined) return;
    setState((old) =>
      old.isLoaded ? { ...old, entries: mergeEntries(old.entries, nodesOf(found), order, old.hasMore) } : old,
    );
  };
  const read = async (cursor: string | null) => {
    const page = order === 'newest' ? { first: ENTRIES, after: cursor } : { last: ENTRIES, before: cursor };
    const { data, error } = await client
      .query(TimelineQuery, { tenant: tenant.id, key: sessionKey, ...page })
      .toPromise();
    const found = data?.tenant?.agentSession?.timeline;
    if (found !== undefined)
      setState((old) => {
        const { pageInfo } = found;
        const nodes = order === 'newest' ? nodesOf(found) : nodesOf(found).toReversed();
        const known = new Set(old.entries.map(({ id }) => id));
        return {
          entries: [...old.entries, ...nodes.filter(({ id }) => !known.has(id))],
          cursor: (order === 'newest' ? pageInfo.endCursor : pageInfo.startCursor) ?? old.cursor,
          hasMore: order === 'newest' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage,
          isLoaded: true,
        };
      });
    return error === undefined ? undefined : failureOf(error);
  };
  const begin = () => void read(null).then(setFailure);
  const isLive = useLive(TimelineSubscription, { tenant: tenant.id, key: sessionKey }, `${tenant.id} ${sessionKey}`, {
    onData: ({ events: { items, missed } }) => {
      setState((old) => ({ ...old, entries: mergeEntries(old.entries, items, order, old.hasMore) }));
      // The first batch is empty: what was stored before it is read once more.
      if ((items.length === 0 || missed > 0) && !state.hasMore) void readNewest();
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session or order is another component
  useEffect(begin, []);
  return { ...state, isLive, failure, begin, readMore: () => read(state.cursor) };
}
