import { join } from 'node:path';
import type { Test } from 'tap';
import { WEB_DIR } from '../../src/bundles.ts';
import { policySetJsonSchema } from '../../src/detection/policy/json-schema.ts';
import type { Role } from '../../src/domain/roles.ts';
import { Dashboard } from '../../src/gateway/dashboard.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { graphqlRoutes } from '../../src/graphql/graphql-routes.ts';
import { LiveFeeds } from '../../src/graphql/live/live-feeds.ts';
import { GraphqlSockets } from '../../src/graphql/live-endpoint.ts';
import { TenantDirectory } from '../../src/identity/tenant-directory.ts';
import type { Authenticate, Caller } from '../../src/platform/caller.ts';
import { json, type PlatformRequest, type Refusal, type Route, refuse } from '../../src/platform/http.ts';
import { openDatabase } from '../../src/store/database.ts';
import { readFeedHeads } from '../../src/store/feeds.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { listTenants } from '../../src/store/tenants.ts';
import { findWaitingInvitations } from '../../src/store/waiting-invitations.ts';
import { testPolicies } from './policy-context.ts';
import { temporaryDirectory } from './postgres.ts';

/** What is asked of the graph is looked into freely. */
export type Data = ReturnType<typeof JSON.parse>;

export interface GraphAnswer {
  data?: Data;
  errors?: { message: string; extensions?: { code?: string } }[];
}

export interface TestGraph {
  origin: string;
  /** Asks as the caller of this name. */
  ask: (query: string, caller: string, variables?: object) => Promise<GraphAnswer>;
  /** The browser's proof against CSRF: a test may change it, to see the dashboard ask again. */
  proof: { value: string; asked: number };
  /** What failed inside. */
  failures: unknown[];
}

/** Somebody who is signed in, with one role in each tenant (by id). */
export const signedIn = (tenants: Record<string, Role>): Caller => ({
  kind: 'person',
  userId: '22222222-2222-4222-8222-222222222222',
  email: 'ann@example.com',
  name: 'Ann',
  organization: { id: '33333333-3333-4333-8333-333333333333', name: 'Home' },
  loginSessionId: '44444444-4444-4444-8444-444444444444',
  tenants: new Map(Object.entries(tenants).map(([id, role]) => [id, [role]])),
});

/**
 * The graph with its sockets over the database at `url`, with the built dashboard if wanted. Callers are told by a header or,
 * in a browser, by the session cookie, in place of their credentials.
 */
export async function startTestGraph(
  t: Test,
  url: string,
  callers: Record<string, Caller>,
  { withDashboard = false, readMsMax }: { withDashboard?: boolean; readMsMax?: number } = {},
): Promise<TestGraph> {
  const service = openDatabase(url);
  const people = openTenantDatabase(url);
  const watched = openTenantDatabase(url, 2);
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const proof = { value: 'proof-1', asked: 0 };
  const callerOf = ({ headers, cookies }: PlatformRequest) =>
    callers[headers.get('authorization') ?? cookies.get('session') ?? ''] ?? refuse('unauthorized', 'sign in first');
  const authenticateSocket: Authenticate = async (request) => callerOf(request);
  const authenticate: Authenticate = async (request) => {
    const caller = callerOf(request);
    if (caller.kind === 'refusal' || request.method === 'GET' || request.headers.has('authorization')) return caller;
    return request.headers.get('x-csrf-token') === proof.value ? caller : refuse('forbidden', 'no proof');
  };
  const site = { baseUrl: 'http://127.0.0.1' };
  const readHeads = (tenantIds: readonly string[]) => readFeedHeads(service, tenantIds);
  const live = new LiveFeeds({ database: watched, readHeads, onError });
  // The tests of all else are those of the platform, over a service of its own.
  const findInvitations = (userId: string) => findWaitingInvitations(service, userId, new Date());
  const tenants = new TenantDirectory(
    { listTenants: () => listTenants(service) },
    join(temporaryDirectory(t, 'graph'), 'tenants.json'),
  );
  await tenants.refresh();
  const administration = {
    services: { people: { tenantDatabase: people, findInvitations }, administration: { tenants } } as never,
  };
  const services = { tenantDatabase: people, policies: await testPolicies(t, failures), live, ...administration };
  const gateway = new Gateway({
    site,
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    live: new GraphqlSockets({
      whyNot: () => undefined,
      site,
      authenticate: authenticateSocket,
      recheck: authenticateSocket,
      ...services,
      onError,
    }),
    pages: {
      '/policy-schema.json': () => {
        return { status: 200, contentType: 'application/json', body: JSON.stringify(policySetJsonSchema()) };
      },
    },
    ...(withDashboard ? { dashboard: Dashboard.read(WEB_DIR) } : {}),
    platform: {
      routes: [
        ...graphqlRoutes({ authenticate, ...services, onError, ...(readMsMax === undefined ? {} : { readMsMax }) }),
        ...standInSignIn(callerOf, proof),
      ],
      onError,
      proxyHops: 0,
    },
  });
  site.baseUrl = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  t.teardown(async () => {
    await gateway.stop();
    await live.stop();
    await watched.close();
    await people.close();
    await service.close();
  });
  const ask = async (query: string, caller: string, variables: object = {}) => {
    const answer = await fetch(`${site.baseUrl}/api/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json',
        authorization: caller,
      },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as GraphAnswer;
  };
  return { origin: site.baseUrl, ask, proof, failures };
}

/** What the dashboard asks of sign-in. */
function standInSignIn(
  callerOf: (request: PlatformRequest) => Caller | Refusal,
  proof: { value: string; asked: number },
): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/auth/session',
      handle: (request) => {
        proof.asked++;
        const caller = callerOf(request);
        if (caller.kind !== 'person') return refuse('unauthorized', 'sign in first');
        return json({ userId: caller.userId }, 200, [['x-csrf-token', proof.value]]);
      },
    },
    {
      method: 'POST',
      path: '/api/v1/auth/logout',
      handle: () => ({ kind: 'answer', status: 204, body: '', headers: [] }),
    },
  ];
}
