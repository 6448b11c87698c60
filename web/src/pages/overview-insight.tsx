import { Link } from 'wouter';
import { agentLabel } from '../text/agent-label.ts';
import { change, count, duration, share } from '../text/format.ts';
import { comparedWith, type TimeRange } from '../text/statistics.ts';
import { SeverityBadge } from '../ui/outcome.tsx';
import { Plain } from '../ui/plain.tsx';
import { Time } from '../ui/time.tsx';
import type { Insight } from './insight-query.ts';
import { PolicyHitsTable } from './policy-hits-table.tsx';

interface Props {
  found: Insight;
  /** The hour with which the tables begin. */
  hour: string;
  range: TimeRange;
}

/** What stands out: what changed, who was blocked most, what was found most, and whether too much fails open. */
export function OverviewInsight({ found, hour, range }: Props) {
  return (
    <>
      <Budget now={found.now} />
      <div className="charts">
        <section>
          <Comparison now={found.now} before={found.before} label={comparedWith(range).label} />
        </section>
        <section>
          <TopAgents agents={found.topAgents} hour={hour} />
        </section>
        <section>
          {found.policyHits.length === 0 ? (
            <p>No policy matched.</p>
          ) : (
            <PolicyHitsTable hits={found.policyHits} since={hour} />
          )}
        </section>
        <section>
          <TopFindings findings={found.topFindings} hour={hour} />
        </section>
      </div>
    </>
  );
}

function Budget({ now }: { now: Insight['now'] }) {
  const { failedOpenShare, failOpenBudget, failedOpen, decisions, timeouts } = now;
  if (failedOpenShare === null) return null;
  const isOver = failedOpenShare > failOpenBudget;
  return (
    <p className={isOver ? 'notice' : 'light on'}>
      <strong>Fail-open budget {isOver ? 'exceeded' : 'kept'}.</strong> {share(failedOpen, decisions)} of decisions
      failed open ({count(failedOpen)}, of which {count(timeouts)} were answered 408); the budget is{' '}
      {share(failOpenBudget * 1_000, 1_000)}.
    </p>
  );
}

interface ComparisonProps {
  now: Insight['now'];
  before: Insight['before'];
  label: string;
}

function Comparison({ now, before, label }: ComparisonProps) {
  const us = (value: number | null) => (value === null ? '–' : duration(value));
  const rows = [
    ['Decisions', count(now.decisions), count(before.decisions), change(now.decisions, before.decisions)],
    ['Blocked', count(now.blocked), count(before.blocked), change(now.blocked, before.blocked)],
    [
      'Blocked, of decisions',
      share(now.blocked, now.decisions),
      share(before.blocked, before.decisions),
      change(now.blocked / now.decisions, before.blocked / before.decisions),
    ],
    ['Failed open', count(now.failedOpen), count(before.failedOpen), change(now.failedOpen, before.failedOpen)],
    ['Answered 408', count(now.timeouts), count(before.timeouts), change(now.timeouts, before.timeouts)],
    ['p50', us(now.p50Us), us(before.p50Us), change(now.p50Us, before.p50Us)],
    ['p99', us(now.p99Us), us(before.p99Us), change(now.p99Us, before.p99Us)],
  ];
  return (
    <div className="scrolls">
      <table className="list">
        <caption>Compared with {label}</caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            {['Now', 'Then', 'Change'].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, current, previous, difference]) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td className="number">{current}</td>
              <td className="number">{previous}</td>
              <td className="number nowrap">{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TopAgents({ agents, hour }: { agents: Insight['topAgents']; hour: string }) {
  if (agents.length === 0) return <p>No agent did anything.</p>;
  return (
    <div className="scrolls">
      <table className="list">
        <caption>
          Agents that were blocked most, since <Time at={hour} />
        </caption>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col" className="number">
              Events
            </th>
            <th scope="col" className="number">
              Blocked
            </th>
          </tr>
        </thead>
        <tbody>
          {agents.map(({ agentKey, agentName, events, blocked }) => (
            <tr key={agentKey}>
              <td className="one-line">
                <Link href={`/agents/${agentKey}`}>
                  <Plain text={agentLabel(agentName)} />
                </Link>
              </td>
              <td className="number">{count(events)}</td>
              <td className="number">{count(blocked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TopFindings({ findings, hour }: { findings: Insight['topFindings']; hour: string }) {
  if (findings.length === 0) return <p>Nothing was found.</p>;
  return (
    <div className="scrolls">
      <table className="list">
        <caption>
          What was found most, since <Time at={hour} />
        </caption>
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Severity</th>
            <th scope="col" className="number">
              Findings
            </th>
          </tr>
        </thead>
        <tbody>
          {findings.map(({ kind, severity, count: found }) => (
            <tr key={`${kind} ${severity}`}>
              <td className="one-line">
                <Link href={`/findings?status=all&kind=${encodeURIComponent(kind)}`}>
                  <Plain text={kind} />
                </Link>
              </td>
              <td>
                <SeverityBadge severity={severity} />
              </td>
              <td className="number">{count(found)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
