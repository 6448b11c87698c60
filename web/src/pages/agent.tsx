import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { nodesOf } from '../api/nodes-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { agentLabel } from '../text/agent-label.ts';
import { count, share } from '../text/format.ts';
import { hourOf } from '../text/statistics.ts';
import { Chart } from '../ui/chart.tsx';
import { Plain } from '../ui/plain.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Answered, Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { AgentShares, GiveBack } from './agent-shares.tsx';
import { Owner } from './agents.tsx';
import { type Agent, type AgentAnswer, AgentQuery } from './agents-query.ts';
import { Choice } from './finding-filters.tsx';
import { PolicyHitsTable } from './policy-hits-table.tsx';
import { SessionTable } from './session-table.tsx';

const HOUR_MS = 3_600_000;
const RANGES = {
  day: { label: 'day', hours: 24, bucketHours: 1, bucketLabel: 'hour' },
  week: { label: '7 days', hours: 168, bucketHours: 6, bucketLabel: '6 hours' },
  month: { label: '30 days', hours: 720, bucketHours: 24, bucketLabel: 'day' },
};
type RangeName = keyof typeof RANGES;

/** One agent: what it does, with which tools, and what policies make of it. */
export function AgentPage({ agentKey }: { agentKey: string }) {
  const { tenant, permissions } = useTenant();
  const [name, setName] = useState<RangeName>('week');
  const range = RANGES[name];
  const { data, variables, failure, reload } = useLoaded(
    AgentQuery,
    () => ({
      tenant: tenant.id,
      key: agentKey,
      since: hourOf(new Date(Date.now() - range.hours * HOUR_MS).toISOString()),
      until: new Date().toISOString(),
      bucketHours: range.bucketHours,
      withGuests: permissions.includes('shares'),
    }),
    `${tenant.id} ${agentKey} ${name}`,
    { everyMs: 30_000 },
  );
  const found = data?.tenant;
  return (
    <>
      <PageHead title="Agent">
        <Link href="/agents">All agents</Link>
        <Choice
          label="Last"
          value={name}
          options={Object.entries(RANGES).map(([name, { label }]) => [name, label])}
          choose={(chosen) => setName(chosen as RangeName)}
        />
      </PageHead>
      <Answered
        what="the agent"
        answer={found?.agent}
        failure={failure}
        retry={reload}
        none={
          <Empty title="No such agent">
            <p>It may belong to another tenant that does not share it.</p>
          </Empty>
        }
      >
        {(agent) =>
          found &&
          variables && (
            <AgentView agent={agent} answer={found} range={range} since={variables.since} onShared={reload} />
          )
        }
      </Answered>
    </>
  );
}

type Range = (typeof RANGES)[RangeName];

interface ViewProps {
  agent: Agent;
  answer: AgentAnswer;
  range: Range;
  since: string;
  onShared: () => void;
}

function AgentView({ agent, answer, range, since, onShared }: ViewProps) {
  return (
    <>
      <Heading agent={agent} />
      <Activity agent={agent} range={range} />
      <div className="charts">
        <section>
          <UsesTable agent={agent} />
          <Coverage agent={agent} />
        </section>
        <section>
          {agent.policyHits.length === 0 ? (
            <p>No policy matched in the last {range.label}.</p>
          ) : (
            <PolicyHitsTable hits={agent.policyHits} since={since} narrow={`&agent=${agent.key}`} />
          )}
          <p>
            <Link href={`/findings?status=all&agent=${agent.key}`}>Its findings</Link>
          </p>
        </section>
      </div>
      <section>
        {answer.agentSessions.edges.length === 0 ? (
          <p className="state">No session of it is kept any more.</p>
        ) : (
          <SessionTable rows={nodesOf(answer.agentSessions)} />
        )}
      </section>
      {agent.permission === 'OWNER' ? <AgentShares agent={agent} onChanged={onShared} /> : <GiveBack agent={agent} />}
    </>
  );
}

function Heading({ agent }: { agent: Agent }) {
  return (
    <section className="summary">
      <p className="lead">
        <Plain text={agentLabel(agent.name, agent.agentId)} />
      </p>
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <Plain text={agent.agentId} />
        </dd>
        <dt>Belongs to</dt>
        <dd>
          <Owner agent={agent} />
        </dd>
        <dt>Seen</dt>
        <dd>
          <Time at={agent.firstSeenAt} /> to <Time at={agent.lastSeenAt} />, {count(agent.eventsCount)} events
        </dd>
      </dl>
    </section>
  );
}

function Activity({ agent: { activity }, range }: { agent: Agent; range: Range }) {
  const times = useMemo(() => activity.map(({ from }) => Date.parse(from) / 1000), [activity]);
  const series = useMemo(
    () => [
      { label: 'Events', color: '--accent', isFilled: true, values: activity.map(({ events }) => events) },
      { label: 'Blocked', color: '--bad', isFilled: true, values: activity.map(({ blocked }) => blocked) },
    ],
    [activity],
  );
  const total = activity.reduce((sum, { events }) => sum + events, 0);
  const blocked = activity.reduce((sum, bucket) => sum + bucket.blocked, 0);
  return (
    <div className="charts">
      <section aria-labelledby="agent-activity">
        <h2 id="agent-activity">Events per {range.bucketLabel}</h2>
        <Chart
          summary={`${count(total)} events in the last ${range.label}, ${count(blocked)} of them blocked`}
          times={times}
          series={series}
          format={count}
        />
      </section>
    </div>
  );
}

function UsesTable({ agent: { uses } }: { agent: Agent }) {
  if (uses.length === 0) return <p>It did nothing in this time.</p>;
  return (
    <div className="scrolls">
      <table className="list">
        <caption>What it did</caption>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Kind of tool</th>
            <th scope="col" className="number">
              Events
            </th>
            <th scope="col" className="number">
              Blocked
            </th>
          </tr>
        </thead>
        <tbody>
          {uses.map(({ eventType, toolKind, events, blocked }) => (
            <tr key={`${eventType} ${toolKind}`}>
              <td>{eventType}</td>
              <td>{toolKind ?? '–'}</td>
              <td className="number">{count(events)}</td>
              <td className="number">{count(blocked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Coverage({ agent: { coverage } }: { agent: Agent }) {
  const { results, unannouncedResults } = coverage;
  if (results === 0) return <p className="muted">No results of tools were reported: coverage is not known.</p>;
  if (unannouncedResults === 0) return <p>Every result belongs to a call that was asked about.</p>;
  return (
    <p className="notice">
      {count(unannouncedResults)} of {count(results)} results ({share(unannouncedResults, results)}) belong to calls
      that were never asked about: they went around the gate.
    </p>
  );
}
