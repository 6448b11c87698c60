import { graphql, type ResultOf } from '../../api/graphql.ts';

/** What the pages of policies ask for. */

export const PoliciesInForceQuery = graphql(`
  query PoliciesInForce($tenant: ID!) {
    tenant(id: $tenant) {
      policyState {
        activeVersion
        shadowVersion
        refused {
          policySet
          why
        }
        problem {
          message
          faults {
            file
            line
            column
            path
            message
          }
        }
      }
    }
  }
`);
export type PolicySetProblem = NonNullable<
  NonNullable<ResultOf<typeof PoliciesInForceQuery>['tenant']>['policyState']['problem']
>;

export const PoliciesQuery = graphql(`
  query Policies($tenant: ID!) {
    tenant(id: $tenant) {
      policies {
        policy {
          id
          title
          severity
          mode
          effect
          file
          line
        }
        hitsLast7Days
        hitsLast30Days
        lastHitAt
        isDormant
        judged
        falsePositives
      }
    }
  }
`);
export type PolicyUse = NonNullable<ResultOf<typeof PoliciesQuery>['tenant']>['policies'][number];

export const PolicyHistoryQuery = graphql(`
  query PolicyHistory($tenant: ID!, $before: Int) {
    tenant(id: $tenant) {
      policySets(before: $before) {
        version
        note
        createdBy
        createdByName
        createdAt
      }
      policyState {
        activeVersion
        shadowVersion
        problem {
          message
        }
        history {
          seq
          activeVersion
          shadowVersion
          changedBy
          changedByName
          changedAt
        }
      }
      backtests {
        id
        version
        state
        startedAt
        newlyBlocked
        newlyAllowed
      }
    }
  }
`);
type History = NonNullable<ResultOf<typeof PolicyHistoryQuery>['tenant']>;
export type SavedVersion = History['policySets'][number];
export type PolicyState = History['policyState'];
export type PastBacktest = History['backtests'][number];

export const PolicyDiffQuery = graphql(`
  query PolicyDiff($tenant: ID!, $from: Int, $to: Int) {
    tenant(id: $tenant) {
      policySetDiff(from: $from, to: $to) {
        file
        before
        after
      }
    }
  }
`);

export const PolicyStateQuery = graphql(`
  query PolicyState($tenant: ID!) {
    tenant(id: $tenant) {
      policySets {
        version
      }
      policyState {
        activeVersion
        shadowVersion
      }
    }
  }
`);

export const PolicyFilesQuery = graphql(`
  query PolicyFiles($tenant: ID!, $version: Int!) {
    tenant(id: $tenant) {
      policySet(version: $version) {
        files {
          file
          text
        }
      }
    }
  }
`);

export const InstallationFilesQuery = graphql(`
  query InstallationFiles($tenant: ID!) {
    tenant(id: $tenant) {
      installationPolicySet {
        files {
          file
          text
        }
      }
    }
  }
`);

export const CheckQuery = graphql(`
  query CheckPolicies($tenant: ID!, $files: [PolicyFileInput!]!) {
    tenant(id: $tenant) {
      checkPolicies(files: $files) {
        faults {
          file
          line
          column
          message
        }
        warnings {
          file
          line
          column
          message
        }
        policies {
          id
        }
      }
    }
  }
`);
export type Fault = NonNullable<ResultOf<typeof CheckQuery>['tenant']>['checkPolicies']['faults'][number];

export const TestQuery = graphql(`
  query TestPolicies($tenant: ID!, $files: [PolicyFileInput!]!) {
    tenant(id: $tenant) {
      testPolicies(files: $files) {
        faults {
          line
        }
        tests {
          policy
          name
          file
          isPassed
          problem
        }
      }
    }
  }
`);
export type TestOutcome = NonNullable<ResultOf<typeof TestQuery>['tenant']>['testPolicies']['tests'][number];

export const SavePolicySet = graphql(`
  mutation SavePolicySet($input: SavePolicySetInput!) {
    savePolicySet(input: $input) {
      policySet {
        version
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const ActivatePolicySet = graphql(`
  mutation ActivatePolicySet($input: ActivatePolicySetInput!) {
    activatePolicySet(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const ShadowPolicySet = graphql(`
  mutation ShadowPolicySet($input: ShadowPolicySetInput!) {
    shadowPolicySet(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

export const StartBacktest = graphql(`
  mutation StartBacktest($input: StartBacktestInput!) {
    startBacktest(input: $input) {
      backtest {
        id
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const CancelBacktest = graphql(`
  mutation CancelBacktest($input: CancelBacktestInput!) {
    cancelBacktest(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const BacktestFragment = graphql(`
  fragment BacktestNow on Backtest @_unmask {
    version
    since
    until
    state
    startedAt
    endedAt
    sessionsCount
    sessionsDone
    sessionsLeftOut
    eventsDone
    decisionsDone
    newlyBlocked
    newlyAllowed
    differences {
      eventId
      sessionKey
      toolName
      now
      reason
    }
  }
`);
export type Backtest = ResultOf<typeof BacktestFragment>;

export const BacktestQuery = graphql(
  `
    query Backtest($tenant: ID!, $id: ID!) {
      tenant(id: $tenant) {
        backtest(id: $id) {
          ...BacktestNow
        }
      }
    }
  `,
  [BacktestFragment],
);

export const BacktestSubscription = graphql(
  `
    subscription BacktestProgress($tenant: ID!, $id: ID!) {
      backtest(tenantId: $tenant, id: $id) {
        ...BacktestNow
      }
    }
  `,
  [BacktestFragment],
);
