import { CSRF_HEADER } from '../platform/authenticate.ts';
import type { Route } from '../platform/http.ts';

/** The paths of the platform interface for the OpenAPI document, made from its routes. */

const PARAMETER = /:(\w+)/g;

const SECURITY: Record<NonNullable<Route['needs']> | 'nothing', object[]> = {
  caller: [{ bearer: [] }, { session: [] }],
  session: [{ session: [] }],
  nothing: [],
};

/** What a refusal is, whatever its status. */
const REFUSED = {
  description: 'Refused; its detail says why.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

export function platformPaths(routes: readonly Route[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(PARAMETER, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

function operationOf(route: Route): object {
  const { summary, permission, body, needs } = route;
  return {
    operationId: operationIdOf(route),
    ...(summary === undefined ? {} : { summary }),
    ...(permission === undefined ? {} : { description: `Needs the permission "${permission}" in the tenant.` }),
    security: SECURITY[needs ?? 'nothing'],
    parameters: parametersOf(route),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { '2XX': { description: 'Done.' }, '4XX': REFUSED, '5XX': REFUSED },
  };
}

/** Of method and path: there are no two routes with both alike. */
function operationIdOf({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z]+/).filter((word) => word !== '' && word !== 'api' && word !== 'v');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf({ method, path, needs, query }: Route): object[] {
  const text = { type: 'string' };
  const inPath = [...path.matchAll(PARAMETER)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));
  const inQuery = Object.entries(query ?? {}).map(([name, description]) => {
    return { name, in: 'query', description, schema: text };
  });
  const proof = { name: CSRF_HEADER, in: 'header', description: 'With a login session alone.', schema: text };
  return [...inPath, ...inQuery, ...(needs === undefined || method === 'GET' ? [] : [proof])];
}
