import { graphql, type ResultOf } from '../api/graphql.ts';
import { type Loaded, useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { comparedWith, hourOf, stretchOf, type TimeRange } from '../text/statistics.ts';

const EVERY_MS = 15_000;

const InsightQuery = graphql(`
  query OverviewInsight(
    $tenant: ID!
    $since: DateTime!
    $until: DateTime!
    $sinceBefore: DateTime!
    $untilBefore: DateTime!
    $hour: DateTime!
  ) {
    tenant(id: $tenant) {
      now: activity(since: $since, until: $until) {
        decisions
        blocked
        failedOpen
        timeouts
        p50Us
        p99Us
        failedOpenShare
        failOpenBudget
      }
      before: activity(since: $sinceBefore, until: $untilBefore) {
        decisions
        blocked
        failedOpen
        timeouts
        p50Us
        p99Us
      }
      topAgents(since: $hour, until: $until, first: 5) {
        agentKey
        agentName
        events
        blocked
      }
      policyHits(since: $hour, until: $until, first: 5) {
        policyId
        enforced
        simulated
        lastAt
        judged
        falsePositives
      }
      topFindings(since: $hour, until: $until, first: 5) {
        kind
        severity
        count
      }
    }
  }
`);

export type Insight = NonNullable<ResultOf<typeof InsightQuery>['tenant']>;

/** What stands out in `range`. Tables are counted by the hour: they begin with `variables.hour`. */
export function useInsight(range: TimeRange): Loaded<ResultOf<typeof InsightQuery>, { hour: string }> {
  const { tenant } = useTenant();
  return useLoaded(
    InsightQuery,
    () => {
      const now = Date.now();
      const stretch = stretchOf(range, now);
      const before = stretchOf(range, now - comparedWith(range).seconds * 1000);
      const hour = hourOf(stretch.since);
      return { tenant: tenant.id, ...stretch, sinceBefore: before.since, untilBefore: before.until, hour };
    },
    `${tenant.id} ${range.name}`,
    { everyMs: EVERY_MS },
  );
}
