import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { GraphQLError } from 'graphql';
import { MOMENT_MS_MAX } from '../domain/formats.ts';
import type { Permission } from '../domain/roles.ts';
import type { Admission } from '../platform/admission.ts';
import type { Releases } from '../platform/agent-sessions.ts';
import { type Caller, may } from '../platform/caller.ts';
import type { PlatformOptions } from '../platform/platform.ts';
import type { PolicyContext } from '../platform/policy-context.ts';
import type { TenantTransaction } from '../store/tenant-database.ts';
import type { LiveFeeds } from './live/live-feeds.ts';

/** What resolvers are given: who asks, and the database as they may see it. */
export interface GraphqlContext {
  caller: Caller;
  /** The network address of whoever asks. */
  address: string;
  /** Runs `work` in a transaction of the tenant, which the caller must belong to: the types that lead here have checked it. */
  inTenant: <T>(tenantId: string, work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;
  /** The caller with the means to act in the tenant, for mutations. @throws {GraphQLError} without the permission there. */
  admit: (tenantId: string, permission: Permission) => Admission;
  policies: PolicyContext;
  /** What can be watched: over sockets only. */
  live?: LiveFeeds;
  /** Absent where no agents are watched. */
  releases?: Releases;
  /** What operations need beside an admission. */
  services: PlatformOptions;
}

/** Bytes of an operation with its variables, and lexical tokens of its document: what parsing and validating it may cost. */
export const MESSAGE_BYTES_MAX = 128 * 1024;
export const TOKENS_MAX = 2_000;
/** What one operation may ask for. */
export const LIMITS = { depth: 14, breadth: 400, complexity: 5_000 };
/**
 * What a field costs that is more than a value of a row: one that adds up what is stored, of which a handful fits into an operation,
 * one that reads a list of at most some hundred rows, and one that finds an object by its global id.
 */
export const COST = { sum: 500, list: 50, node: 10 };
/** Of one page of a connection. */
export const PAGE_SIZE = 50;
export const PAGE_SIZE_MAX = 200;

export const builder = new SchemaBuilder<{
  Context: GraphqlContext;
  AuthScopes: { permission: { tenantId: string; permission: Permission } };
  Scalars: { DateTime: { Input: Date; Output: Date }; ID: { Input: string; Output: string } };
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
}>({
  // The order matters: what is not allowed is refused before anything else looks at it.
  plugins: [ScopeAuthPlugin, RelayPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ caller }) => ({ permission: ({ tenantId, permission }) => may(caller, tenantId, permission) }),
    unauthorizedError: (_parent, _context, info) =>
      forbidden(`your roles in this tenant do not allow ${info.parentType.name}.${info.fieldName}`),
  },
  relay: {
    nodesFieldOptions: { nullable: false },
    edgesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    clientMutationId: 'omit',
  },
  complexity: { limit: LIMITS, defaultComplexity: 1, defaultListMultiplier: 10 },
});

builder.queryType({});
builder.mutationType({});
builder.subscriptionType({});

builder.scalarType('DateTime', {
  description: 'A moment, as RFC 3339 writes it.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    const at = typeof value === 'string' && RFC_3339.test(value) ? new Date(value) : undefined;
    if (at === undefined || !(at.getTime() >= 0 && at.getTime() <= MOMENT_MS_MAX))
      throw badInput('a DateTime is written as 2026-01-31T12:00:00Z, from 1970 to 9999');
    return at;
  },
});

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** An error that its reader can mend: it is shown as it is. */
export function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_INPUT' } });
}

/** An error for who may not do it. */
export function forbidden(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } });
}

/** An error for who asks for more than can be read in the time that there is. */
export function tookTooLong(): GraphQLError {
  return new GraphQLError('the operation takes too long: ask for less at once, or for a shorter time', {
    extensions: { code: 'TIMEOUT' },
  });
}
