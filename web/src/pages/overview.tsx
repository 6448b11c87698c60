import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { graphql } from '../api/graphql.ts';
import { nodesOf } from '../api/nodes-of.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useNewDecisions } from '../api/use-new-decisions.ts';
import { useTenant } from '../api/viewer.ts';
import { type Bucket, stretchOf, TIME_RANGES, type TimeRange, totals } from '../text/statistics.ts';
import { DecisionRowFragment, DecisionTable } from '../ui/decision-table.tsx';
import { PageHead } from '../ui/shell.tsx';
import { Answered } from '../ui/states.tsx';
import { type Insight, useInsight } from './insight-query.ts';
import { Invitations } from './invitations.tsx';
import { StatisticsCharts } from './overview-charts.tsx';
import { OverviewInsight } from './overview-insight.tsx';
import { StatisticsTiles } from './overview-tiles.tsx';

const EVERY_MS = 5_000;

const OverviewQuery = graphql(
  `
    query Overview($tenant: ID!, $since: DateTime!, $until: DateTime!, $bucketSeconds: Int!) {
      tenant(id: $tenant) {
        statistics(since: $since, until: $until, bucketSeconds: $bucketSeconds) {
          from
          decisions
          blocked
          undecided
          failedOpen
          p50Us
          p99Us
        }
        blocks: decisions(first: 8, action: BLOCK) {
          edges {
            node {
              ...DecisionRow
            }
          }
        }
      }
    }
  `,
  [DecisionRowFragment],
);

const [, HOUR] = TIME_RANGES;

/** How it stands: what was decided, how fast, and what was stopped last. */
export function OverviewPage() {
  const { tenant } = useTenant();
  const [range, setRange] = useState<TimeRange>(HOUR as TimeRange);
  const { data, failure, reload } = useLoaded(
    OverviewQuery,
    () => ({ tenant: tenant.id, bucketSeconds: range.bucketSeconds, ...stretchOf(range, Date.now()) }),
    `${tenant.id} ${range.name}`,
    { everyMs: EVERY_MS },
  );
  useNewDecisions(tenant.id, reload);
  const insight = useInsight(range);
  const found = data?.tenant;
  const standsOut = insight.data?.tenant;
  // A tenant that comes to life is not told for long that nothing happens, beside the numbers of what does.
  const isBehind = standsOut?.now.decisions === 0 && found?.statistics.some(({ decisions }) => decisions > 0) === true;
  const { reload: reloadInsight } = insight;
  useEffect(() => {
    void data;
    if (isBehind) reloadInsight();
  }, [data, isBehind, reloadInsight]);
  const reloadBoth = () => {
    reload();
    reloadInsight();
  };
  return (
    <>
      <PageHead title="Overview">
        <label className="field">
          <span>Last</span>
          <select
            value={range.name}
            onChange={({ target }) => setRange(TIME_RANGES.find(({ name }) => name === target.value) ?? range)}
          >
            {TIME_RANGES.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </PageHead>
      <Invitations />
      <Answered what="statistics" answer={found} failure={failure ?? insight.failure} retry={reloadBoth}>
        {(found) => (
          <>
            <Statistics buckets={found.statistics} percentiles={standsOut?.now} range={range} />
            {standsOut && insight.variables && (
              <OverviewInsight found={standsOut} hour={insight.variables.hour} range={range} />
            )}
            <section>
              {found.blocks.edges.length === 0 ? (
                <p className="state">Nothing was blocked yet.</p>
              ) : (
                <DecisionTable caption="Newest blocks" rows={nodesOf(found.blocks)} />
              )}
            </section>
          </>
        )}
      </Answered>
    </>
  );
}

interface StatisticsProps {
  buckets: readonly Bucket[];
  percentiles: Insight['now'] | undefined;
  range: TimeRange;
}

function Statistics({ buckets, percentiles, range }: StatisticsProps) {
  const sums = useMemo(() => totals(buckets), [buckets]);
  return (
    <>
      <StatisticsTiles sums={sums} percentiles={percentiles} range={range} />
      {sums.decisions === 0 ? (
        <p className="state">
          No decisions in the last {range.label}. <Link href="/get-started">Connect an agent</Link>
        </p>
      ) : (
        <StatisticsCharts buckets={buckets} range={range} />
      )}
    </>
  );
}
