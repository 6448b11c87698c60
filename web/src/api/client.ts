import { Client, createRequest, type DocumentInput, fetchExchange } from '@urql/core';
import { makeFetchBody, makeFetchURL } from '@urql/core/internal';
import { authorizedFetch } from './authorized-fetch.ts';

/** No cache: what is shown is as old as the last answer, and says how old that is. */
export const client = new Client({
  url: '/api/v1/graphql',
  exchanges: [fetchExchange],
  requestPolicy: 'network-only',
  preferGetMethod: false,
  fetch: authorizedFetch,
});

/** For a query that the page may have asked before its script ran: its address says all of it. */
export const BY_ADDRESS = { preferGetMethod: 'force' } as const;

/** Where a query without variables is asked for with `BY_ADDRESS`. */
export function addressOf(query: DocumentInput<unknown, object>): string {
  const operation = client.createRequestOperation('query', createRequest(query, {}), BY_ADDRESS);
  return makeFetchURL(operation, makeFetchBody(operation));
}
