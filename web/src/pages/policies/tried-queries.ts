import { graphql, type ResultOf } from '../../api/graphql.ts';

/** What pages ask for of policies that are only tried. */

export const ShadowCountsQuery = graphql(`
  query ShadowCounts($tenant: ID!) {
    tenant(id: $tenant) {
      shadowCounts {
        policySet
        decisions
        newlyBlocked
        newlyAllowed
        simulated
        countedSince
      }
    }
  }
`);
export type ShadowCounts = NonNullable<ResultOf<typeof ShadowCountsQuery>['tenant']>['shadowCounts'];

const TriedDecisionFragment = graphql(`
  fragment TriedDecision on Decision @_unmask {
    id
    sessionKey
    decidedAt
    eventType
    toolName
    reason
    shadowAction
    explanation {
      shadow {
        reason
      }
      simulated {
        id
        effect
        reason
      }
    }
  }
`);
export type TriedDecision = ResultOf<typeof TriedDecisionFragment>;

export const ShadowDifferencesQuery = graphql(
  `
    query ShadowDifferences($tenant: ID!, $policySet: String!, $first: Int!, $after: String) {
      tenant(id: $tenant) {
        shadowDifferences(policySet: $policySet, first: $first, after: $after) {
          edges {
            node {
              ...TriedDecision
            }
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  `,
  [TriedDecisionFragment],
);

export const SimulatedDecisionsQuery = graphql(
  `
    query SimulatedDecisions($tenant: ID!, $first: Int!, $after: String) {
      tenant(id: $tenant) {
        simulatedDecisions(first: $first, after: $after) {
          edges {
            node {
              ...TriedDecision
            }
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  `,
  [TriedDecisionFragment],
);
