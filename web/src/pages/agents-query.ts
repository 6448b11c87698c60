import { graphql, type ResultOf } from '../api/graphql.ts';
import { SessionRowFragment } from './sessions-query.ts';

export const AgentsQuery = graphql(`
  query Agents($tenant: ID!, $name: String, $activeSince: DateTime, $after: String) {
    tenant(id: $tenant) {
      agents(first: 50, name: $name, activeSince: $activeSince, after: $after) {
        edges {
          node {
            key
            agentId
            name
            firstSeenAt
            lastSeenAt
            eventsCount
            permission
            ownerSlug
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

export type AgentRow = NonNullable<ResultOf<typeof AgentsQuery>['tenant']>['agents']['edges'][number]['node'];

export const AgentQuery = graphql(
  `
  query Agent(
    $tenant: ID!
    $key: ID!
    $since: DateTime!
    $until: DateTime!
    $bucketHours: Int!
    $withGuests: Boolean!
  ) {
    tenant(id: $tenant) {
      agent(key: $key) {
        key
        agentId
        name
        firstSeenAt
        lastSeenAt
        eventsCount
        permission
        ownerSlug
        activity(since: $since, until: $until, bucketHours: $bucketHours) {
          from
          events
          blocked
          undecided
        }
        uses(since: $since, until: $until) {
          eventType
          toolKind
          events
          blocked
        }
        coverage(since: $since, until: $until) {
          calls
          results
          unannouncedResults
          coveredShare
        }
        policyHits(since: $since, until: $until, first: 20) {
          policyId
          enforced
          simulated
          lastAt
          judged
          falsePositives
        }
        guests @include(if: $withGuests) {
          tenantId
          slug
          permission
          createdAt
        }
      }
      agentSessions(first: 10, agentKey: $key) {
        edges {
          node {
            ...SessionRow
          }
        }
      }
    }
  }
`,
  [SessionRowFragment],
);

export type AgentAnswer = NonNullable<ResultOf<typeof AgentQuery>['tenant']>;
export type Agent = NonNullable<AgentAnswer['agent']>;
export type PolicyHits = Agent['policyHits'][number];
