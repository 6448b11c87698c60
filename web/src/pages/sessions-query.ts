import { graphql, type ResultOf } from '../api/graphql.ts';

/** What a session is shown with, in a list and on its own page. */
export const SessionRowFragment = graphql(`
  fragment SessionRow on AgentSession @_unmask {
    key
    sessionId
    agentKey
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
`);
export type SessionRow = ResultOf<typeof SessionRowFragment>;

export const SessionsQuery = graphql(
  `
  query Sessions($tenant: ID!, $state: AgentSessionState, $after: String) {
    tenant(id: $tenant) {
      agentSessions(first: 50, state: $state, after: $after) {
        edges {
          node {
            ...SessionRow
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
  [SessionRowFragment],
);
