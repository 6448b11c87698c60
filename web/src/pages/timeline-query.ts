import { graphql, type ResultOf } from '../api/graphql.ts';
import { DecisionRowFragment } from '../ui/decision-table.tsx';
import { ExplanationFragment } from '../ui/explanation.tsx';

export const TimelineQuery = graphql(
  `
    query Timeline($tenant: ID!, $key: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      tenant(id: $tenant) {
        agentSession(key: $key) {
          timeline(first: $first, after: $after, last: $last, before: $before) {
            edges {
              node {
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
                  }
                }
                explanation {
                  ...Explanation
                }
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
  [DecisionRowFragment, ExplanationFragment],
);

type Session = NonNullable<NonNullable<ResultOf<typeof TimelineQuery>['tenant']>['agentSession']>;
export type TimelineNode = Session['timeline']['edges'][number]['node'];
