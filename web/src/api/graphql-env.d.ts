/* eslint-disable */
/* prettier-ignore */

export type introspection_types = {
  Action: { name: 'Action'; enumValues: 'ALLOW' | 'BLOCK' };
  AgentSession: {
    kind: 'OBJECT';
    name: 'AgentSession';
    fields: {
      agentId: {
        name: 'agentId';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      agentKey: {
        name: 'agentKey';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } };
      };
      agentName: {
        name: 'agentName';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      blockedCount: {
        name: 'blockedCount';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      endedAt: { name: 'endedAt'; type: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      eventsCount: {
        name: 'eventsCount';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      key: {
        name: 'key';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } };
      };
      lastAt: {
        name: 'lastAt';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      sessionId: {
        name: 'sessionId';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      startedAt: {
        name: 'startedAt';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      state: {
        name: 'state';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'ENUM'; name: 'AgentSessionState'; ofType: null } };
      };
      timeline: {
        name: 'timeline';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: { kind: 'OBJECT'; name: 'AgentSessionTimelineConnection'; ofType: null };
        };
      };
      undecidedCount: {
        name: 'undecidedCount';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      userEmail: {
        name: 'userEmail';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
    };
  };
  AgentSessionState: { name: 'AgentSessionState'; enumValues: 'ENDED' | 'OPEN' };
  AgentSessionTimelineConnection: {
    kind: 'OBJECT';
    name: 'AgentSessionTimelineConnection';
    fields: {
      edges: {
        name: 'edges';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: {
              kind: 'NON_NULL';
              name: never;
              ofType: { kind: 'OBJECT'; name: 'AgentSessionTimelineConnectionEdge'; ofType: null };
            };
          };
        };
      };
      pageInfo: {
        name: 'pageInfo';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'PageInfo'; ofType: null } };
      };
    };
  };
  AgentSessionTimelineConnectionEdge: {
    kind: 'OBJECT';
    name: 'AgentSessionTimelineConnectionEdge';
    fields: {
      cursor: {
        name: 'cursor';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      node: {
        name: 'node';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'TimelineEntry'; ofType: null } };
      };
    };
  };
  AuditEntry: {
    kind: 'OBJECT';
    name: 'AuditEntry';
    fields: {
      action: {
        name: 'action';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      actor: {
        name: 'actor';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      address: { name: 'address'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      at: {
        name: 'at';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      detail: {
        name: 'detail';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      seq: {
        name: 'seq';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      target: { name: 'target'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
    };
  };
  Boolean: unknown;
  Cut: {
    kind: 'OBJECT';
    name: 'Cut';
    fields: {
      bound: {
        name: 'bound';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      what: {
        name: 'what';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
    };
  };
  DateTime: unknown;
  Decision: {
    kind: 'OBJECT';
    name: 'Decision';
    fields: {
      action: { name: 'action'; type: { kind: 'ENUM'; name: 'Action'; ofType: null } };
      answered: { name: 'answered'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      body: { name: 'body'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      cause: { name: 'cause'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      decidedAt: {
        name: 'decidedAt';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      eventType: { name: 'eventType'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      explanation: { name: 'explanation'; type: { kind: 'OBJECT'; name: 'Explanation'; ofType: null } };
      id: { name: 'id'; type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } } };
      kind: {
        name: 'kind';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'ENUM'; name: 'DecisionKind'; ofType: null } };
      };
      lateAction: { name: 'lateAction'; type: { kind: 'ENUM'; name: 'Action'; ofType: null } };
      lateExplanation: { name: 'lateExplanation'; type: { kind: 'OBJECT'; name: 'Explanation'; ofType: null } };
      reason: { name: 'reason'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      sessionKey: {
        name: 'sessionKey';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } };
      };
      tookUs: {
        name: 'tookUs';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      toolName: { name: 'toolName'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      userEmail: { name: 'userEmail'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
    };
  };
  DecisionKind: { name: 'DecisionKind'; enumValues: 'DECIDED' | 'UNDECIDED' };
  Explanation: {
    kind: 'OBJECT';
    name: 'Explanation';
    fields: {
      cuts: {
        name: 'cuts';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Cut'; ofType: null } };
          };
        };
      };
      engine: {
        name: 'engine';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      findings: {
        name: 'findings';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Finding'; ofType: null } };
          };
        };
      };
      policies: {
        name: 'policies';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'PolicyMatch'; ofType: null } };
          };
        };
      };
      policySet: {
        name: 'policySet';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      sessionFacts: { name: 'sessionFacts'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      simulated: {
        name: 'simulated';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'PolicyMatch'; ofType: null } };
          };
        };
      };
      tookUs: {
        name: 'tookUs';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
    };
  };
  Finding: {
    kind: 'OBJECT';
    name: 'Finding';
    fields: {
      confidence: {
        name: 'confidence';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Float'; ofType: null } };
      };
      kind: {
        name: 'kind';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      severity: {
        name: 'severity';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      span: { name: 'span'; type: { kind: 'OBJECT'; name: 'Span'; ofType: null } };
    };
  };
  Float: unknown;
  ID: unknown;
  Int: unknown;
  Membership: {
    kind: 'OBJECT';
    name: 'Membership';
    fields: {
      roles: {
        name: 'roles';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
          };
        };
      };
      tenant: {
        name: 'tenant';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Tenant'; ofType: null } };
      };
    };
  };
  Organization: {
    kind: 'OBJECT';
    name: 'Organization';
    fields: {
      id: { name: 'id'; type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } } };
      name: {
        name: 'name';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
    };
  };
  PageInfo: {
    kind: 'OBJECT';
    name: 'PageInfo';
    fields: {
      endCursor: { name: 'endCursor'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      hasNextPage: {
        name: 'hasNextPage';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Boolean'; ofType: null } };
      };
      hasPreviousPage: {
        name: 'hasPreviousPage';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Boolean'; ofType: null } };
      };
      startCursor: { name: 'startCursor'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
    };
  };
  PolicyMatch: {
    kind: 'OBJECT';
    name: 'PolicyMatch';
    fields: {
      agentHint: { name: 'agentHint'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      effect: {
        name: 'effect';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      id: {
        name: 'id';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      reason: {
        name: 'reason';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      severity: {
        name: 'severity';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      tags: {
        name: 'tags';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
          };
        };
      };
    };
  };
  Query: {
    kind: 'OBJECT';
    name: 'Query';
    fields: {
      tenant: { name: 'tenant'; type: { kind: 'OBJECT'; name: 'Tenant'; ofType: null } };
      viewer: {
        name: 'viewer';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Viewer'; ofType: null } };
      };
    };
  };
  Span: {
    kind: 'OBJECT';
    name: 'Span';
    fields: {
      end: {
        name: 'end';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      pointer: {
        name: 'pointer';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      start: {
        name: 'start';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
    };
  };
  StatisticsBucket: {
    kind: 'OBJECT';
    name: 'StatisticsBucket';
    fields: {
      blocked: {
        name: 'blocked';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      decisions: {
        name: 'decisions';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      failedOpen: {
        name: 'failedOpen';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
      from: {
        name: 'from';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      p50Us: { name: 'p50Us'; type: { kind: 'SCALAR'; name: 'Float'; ofType: null } };
      p99Us: { name: 'p99Us'; type: { kind: 'SCALAR'; name: 'Float'; ofType: null } };
      undecided: {
        name: 'undecided';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'Int'; ofType: null } };
      };
    };
  };
  String: unknown;
  Tenant: {
    kind: 'OBJECT';
    name: 'Tenant';
    fields: {
      agentSession: { name: 'agentSession'; type: { kind: 'OBJECT'; name: 'AgentSession'; ofType: null } };
      agentSessions: {
        name: 'agentSessions';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: { kind: 'OBJECT'; name: 'TenantAgentSessionsConnection'; ofType: null };
        };
      };
      auditLog: {
        name: 'auditLog';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'AuditEntry'; ofType: null } };
          };
        };
      };
      decision: { name: 'decision'; type: { kind: 'OBJECT'; name: 'Decision'; ofType: null } };
      decisions: {
        name: 'decisions';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: { kind: 'OBJECT'; name: 'TenantDecisionsConnection'; ofType: null };
        };
      };
      id: { name: 'id'; type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } } };
      name: {
        name: 'name';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      onFailure: {
        name: 'onFailure';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      slug: {
        name: 'slug';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      statistics: {
        name: 'statistics';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: {
              kind: 'NON_NULL';
              name: never;
              ofType: { kind: 'OBJECT'; name: 'StatisticsBucket'; ofType: null };
            };
          };
        };
      };
    };
  };
  TenantAgentSessionsConnection: {
    kind: 'OBJECT';
    name: 'TenantAgentSessionsConnection';
    fields: {
      edges: {
        name: 'edges';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: {
              kind: 'NON_NULL';
              name: never;
              ofType: { kind: 'OBJECT'; name: 'TenantAgentSessionsConnectionEdge'; ofType: null };
            };
          };
        };
      };
      pageInfo: {
        name: 'pageInfo';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'PageInfo'; ofType: null } };
      };
    };
  };
  TenantAgentSessionsConnectionEdge: {
    kind: 'OBJECT';
    name: 'TenantAgentSessionsConnectionEdge';
    fields: {
      cursor: {
        name: 'cursor';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      node: {
        name: 'node';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'AgentSession'; ofType: null } };
      };
    };
  };
  TenantDecisionsConnection: {
    kind: 'OBJECT';
    name: 'TenantDecisionsConnection';
    fields: {
      edges: {
        name: 'edges';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: {
              kind: 'NON_NULL';
              name: never;
              ofType: { kind: 'OBJECT'; name: 'TenantDecisionsConnectionEdge'; ofType: null };
            };
          };
        };
      };
      pageInfo: {
        name: 'pageInfo';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'PageInfo'; ofType: null } };
      };
    };
  };
  TenantDecisionsConnectionEdge: {
    kind: 'OBJECT';
    name: 'TenantDecisionsConnectionEdge';
    fields: {
      cursor: {
        name: 'cursor';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      node: {
        name: 'node';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Decision'; ofType: null } };
      };
    };
  };
  TimelineEntry: {
    kind: 'OBJECT';
    name: 'TimelineEntry';
    fields: {
      body: {
        name: 'body';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      correlationId: {
        name: 'correlationId';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      decision: { name: 'decision'; type: { kind: 'OBJECT'; name: 'Decision'; ofType: null } };
      eventAt: {
        name: 'eventAt';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      eventType: {
        name: 'eventType';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      explanation: { name: 'explanation'; type: { kind: 'OBJECT'; name: 'Explanation'; ofType: null } };
      id: { name: 'id'; type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'ID'; ofType: null } } };
      receivedAt: {
        name: 'receivedAt';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'DateTime'; ofType: null } };
      };
      toolName: { name: 'toolName'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
    };
  };
  Viewer: {
    kind: 'OBJECT';
    name: 'Viewer';
    fields: {
      email: { name: 'email'; type: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      memberships: {
        name: 'memberships';
        type: {
          kind: 'NON_NULL';
          name: never;
          ofType: {
            kind: 'LIST';
            name: never;
            ofType: { kind: 'NON_NULL'; name: never; ofType: { kind: 'OBJECT'; name: 'Membership'; ofType: null } };
          };
        };
      };
      name: {
        name: 'name';
        type: { kind: 'NON_NULL'; name: never; ofType: { kind: 'SCALAR'; name: 'String'; ofType: null } };
      };
      organization: { name: 'organization'; type: { kind: 'OBJECT'; name: 'Organization'; ofType: null } };
      userId: { name: 'userId'; type: { kind: 'SCALAR'; name: 'ID'; ofType: null } };
    };
  };
};

/** An IntrospectionQuery representation of your schema.
 *
 * @remarks
 * This is an introspection of your schema saved as a file by GraphQLSP.
 * It will automatically be used by `gql.tada` to infer the types of your GraphQL documents.
 * If you need to reuse this data or update your `scalars`, update `tadaOutputLocation` to
 * instead save to a .ts instead of a .d.ts file.
 */
export type introspection = {
  name: never;
  query: 'Query';
  mutation: never;
  subscription: never;
  types: introspection_types;
};

import * as gqlTada from 'gql.tada';

declare module 'gql.tada' {
  interface setupSchema {
    introspection: introspection;
  }
}
