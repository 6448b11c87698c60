import type { Test } from 'tap';
import { WEB_DIR } from '../../src/bundles.ts';
import { Dashboard } from '../../src/gateway/dashboard.ts';
import { Gateway } from '../../src/gateway/server.ts';
import { graphqlRoutes } from '../../src/graphql/graphql-routes.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { type PlatformRequest, refuse } from '../../src/platform/http.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';
import { testPolicies } from './policy-context.ts';

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
  /** What failed inside. */
  failures: unknown[];
}

/**
 * The graph over real sockets and the database at `url`, with the built dashboard if wanted. Callers are told by a header or,
 * in a browser, by the cookie `who`, in place of their credentials.
 */
export async function startTestGraph(
  t: Test,
  url: string,
  callers: Record<string, Caller>,
  { withDashboard = false } = {},
): Promise<TestGraph> {
  const people = openTenantDatabase(url);
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const policies = await testPolicies(t, failures);
  const callerOf = ({ headers, cookies }: PlatformRequest) =>
    callers[headers.get('x-caller') ?? cookies.get('who') ?? ''] ?? refuse('unauthorized', 'who?');
  const gateway = new Gateway({
    site: { baseUrl: 'http://127.0.0.1' },
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    pages: {},
    ...(withDashboard ? { dashboard: Dashboard.read(WEB_DIR) } : {}),
    platform: {
      routes: [
        ...graphqlRoutes({ authenticate: async (request) => callerOf(request), database: people, policies, onError }),
        {
          method: 'GET',
          path: '/api/v1/auth/session',
          handle: () => ({ kind: 'answer', status: 204, body: '', headers: [['x-csrf-token', 'proof']] }),
        },
      ],
      onError,
      proxyHops: 0,
    },
  });
  const origin = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  t.teardown(async () => {
    await gateway.stop();
    await people.close();
  });
  const ask = async (query: string, caller: string, variables: object = {}) => {
    const answer = await fetch(`${origin}/api/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-caller': caller },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as GraphAnswer;
  };
  return { origin, ask, failures };
}
