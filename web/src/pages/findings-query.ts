import { graphql, type ResultOf } from '../api/graphql.ts';

export const FindingRowFragment = graphql(`
  fragment FindingRow on StoredFinding @_unmask {
    id
    eventId
    eventType
    sessionKey
    agentKey
    agentName
    kind
    severity
    confidence
    pointer
    policies
    foundAt
    toolName
    userEmail
    isOwn
    ownerSlug
    isManaged
    triage {
      status
      verdict
      note
      assigneeName
      changedAt
    }
  }
`);

export type FindingRow = ResultOf<typeof FindingRowFragment>;

export const FindingsQuery = graphql(
  `
    query Findings(
      $tenant: ID!
      $after: String
      $severities: [Severity!]
      $status: FindingStatus
      $verdict: Verdict
      $since: DateTime
      $search: String
      $kind: String
      $policy: String
      $assignee: ID
      $agentKey: ID
      $sessionKey: ID
    ) {
      tenant(id: $tenant) {
        findings(
          first: 50
          after: $after
          severities: $severities
          status: $status
          verdict: $verdict
          since: $since
          search: $search
          kind: $kind
          policy: $policy
          assignee: $assignee
          agentKey: $agentKey
          sessionKey: $sessionKey
        ) {
          edges {
            node {
              ...FindingRow
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
  [FindingRowFragment],
);

export type FindingPage = NonNullable<ResultOf<typeof FindingsQuery>['tenant']>['findings'];

/** That new ones came: the list itself is asked for, since it is searched and judged. */
export const FindingsSubscription = graphql(`
  subscription FindingsOf($tenant: ID!, $filter: FindingsFilter, $after: String) {
    findings(tenantId: $tenant, filter: $filter, after: $after) {
      items {
        id
      }
      cursor
      hasGap
    }
  }
`);

/** What stands around the list. */
export const FindingsHeadQuery = graphql(`
  query FindingsHead($tenant: ID!, $since: DateTime!, $until: DateTime!) {
    tenant(id: $tenant) {
      findingCounts(since: $since, until: $until) {
        severity
        open
        closed
      }
      assignees {
        id
        name
      }
    }
  }
`);

export type Assignee = NonNullable<ResultOf<typeof FindingsHeadQuery>['tenant']>['assignees'][number];
export type SeverityCount = NonNullable<ResultOf<typeof FindingsHeadQuery>['tenant']>['findingCounts'][number];

export const TriageMutation = graphql(`
  mutation TriageFindings($input: TriageFindingsInput!) {
    triageFindings(input: $input) {
      findings {
        id
      }
      userErrors {
        code
        message
      }
    }
  }
`);
