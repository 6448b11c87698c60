import { graphql, type ResultOf } from '../api/graphql.ts';

export const SessionsQuery = graphql(`
  query Sessions($tenant: ID!, $state: AgentSessionState, $after: String) {
    tenant(id: $tenant) {
      agentSessions(first: 50, state: $state, after: $after) {
        edges {
          node {
            key
            sessionId
            agentId
            agentName
            userEmail
            startedAt
            lastAt
            state
            eventsCount
            blockedCount
            undecidedCount
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export type SessionPage = NonNullable<ResultOf<typeof SessionsQuery>['tenant']>['agentSessions'];
export type SessionRow = SessionPage['edges'][number]['node'];
