import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

/** Documents whose types come from the schema: what a query asks for is what its answer has. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; ID: string };
}>();

export { type FragmentOf, type ResultOf, readFragment } from 'gql.tada';
