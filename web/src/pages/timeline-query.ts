import { graphql, type ResultOf } from '../api/graphql.ts';
import { DecisionRowFragment } from '../ui/decision-table.tsx';
import { ExplanationFragment } from '../ui/explanation.tsx';

const EntryFragment = graphql(
  `
    fragment Entry on TimelineEntry @_unmask {
      id
      eventType
      eventAt
      receivedAt
      toolName
      correlationId
      body
      decision {
        ...DecisionRow
        explanation {
          ...Explanation
          flows {
            eventId
            toolName
            label
            encoding
            coverage
          }
        }
      }
      explanation {
        ...Explanation
      }
    }
  `,
  [DecisionRowFragment, ExplanationFragment],
);

export type TimelineNode = ResultOf<typeof EntryFragment>;

export const TimelineQuery = graphql(
  `
    query Timeline($tenant: ID!, $key: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      tenant(id: $tenant) {
        agentSession(key: $key) {
          timeline(first: $first, after: $after, last: $last, before: $before) {
            edges {
              node {
                ...Entry
              }
            }
            pageInfo {
              hasNextPage
              hasPreviousPage
              startCursor
              endCursor
            }
          }
        }
      }
    }
  `,
  [EntryFragment],
);

export const TimelineSubscription = graphql(
  `
    subscription TimelineOf($tenant: ID!, $key: ID!) {
      events(tenantId: $tenant, sessionKey: $key) {
        items {
          ...Entry
        }
        missed
      }
    }
  `,
  [EntryFragment],
);
