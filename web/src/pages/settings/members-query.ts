import { graphql, type ResultOf } from '../../api/graphql.ts';

export const MembersQuery = graphql(`
  query Members($tenant: ID!, $after: String) {
    tenant(id: $tenant) {
      members(first: 50, after: $after) {
        edges {
          node {
            userId
            email
            name
            roles
            createdAt
            accepted
            disabled
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

export type Member = NonNullable<ResultOf<typeof MembersQuery>['tenant']>['members']['edges'][number]['node'];
