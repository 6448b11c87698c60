import type { Test } from 'tap';
import { Gateway } from '../../src/gateway/server.ts';
import { graphqlRoutes } from '../../src/graphql/graphql-routes.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { refuse } from '../../src/platform/http.ts';
import { openTenantDatabase } from '../../src/store/tenant-database.ts';

/** What is asked of the graph is looked into freely. */
export type Data = ReturnType<typeof JSON.parse>;

export interface GraphAnswer {
  data?: Data;
  errors?: { message: string; extensions?: { code?: string } }[];
}

export interface TestGraph {
  /** Asks as the caller of this name. */
  ask: (query: string, caller: string, variables?: object) => Promise<GraphAnswer>;
  /** What failed inside. */
  failures: unknown[];
}

/** The graph over real sockets and the database at `url`. Callers are told by a header, in place of their credentials. */
export async function startTestGraph(t: Test, url: string, callers: Record<string, Caller>): Promise<TestGraph> {
  const people = openTenantDatabase(url);
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const gateway = new Gateway({
    site: { baseUrl: 'http://127.0.0.1' },
    events: { handle: () => {}, stop: () => {}, underWay: 0 } as never,
    pages: {},
    platform: {
      routes: graphqlRoutes({
        authenticate: async ({ headers }) => callers[headers.get('x-caller') ?? ''] ?? refuse('unauthorized', 'who?'),
        database: people,
        onError,
      }),
      onError,
      proxyHops: 0,
    },
  });
  const port = await gateway.listen('127.0.0.1', 0);
  t.teardown(async () => {
    await gateway.stop();
    await people.close();
  });
  const ask = async (query: string, caller: string, variables: object = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-caller': caller },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as GraphAnswer;
  };
  return { ask, failures };
}
