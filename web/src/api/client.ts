import { Client, fetchExchange } from '@urql/core';
import { authorizedFetch } from './authorized-fetch.ts';

/** No cache: what is shown is as old as the last answer, and says how old that is. */
export const client = new Client({
  url: '/api/v1/graphql',
  exchanges: [fetchExchange],
  requestPolicy: 'network-only',
  preferGetMethod: false,
  fetch: authorizedFetch,
});
