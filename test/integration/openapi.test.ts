import t from 'tap';
import { openApiDocument } from '../../src/gateway/openapi.ts';
import { startTestPlatform } from '../support/platform.ts';
import { startTestPostgres } from '../support/postgres.ts';

/** `/openapi.json` says what is there: every route, with the schema that checks its body. */

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security: object[];
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: object }> };
}

const postgres = await startTestPostgres(t);
const platform = await startTestPlatform(t, postgres);
const { routes } = platform.platform;
const served = (await (await fetch(`${platform.url}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
};

t.test('every route of the platform interface is described', async (t) => {
  t.ok(routes.length > 50);
  for (const route of routes) {
    const { method, path, summary, permission, body, needs } = route;
    const name = `${method} ${path}`;
    const operation = served.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) {
      t.fail(name);
      continue;
    }
    t.ok(summary !== undefined && operation.summary === summary, `${name} says what it is for`);
    const named = operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => parameter.name);
    t.same(
      named,
      [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter),
      name,
    );
    t.equal(operation.security.length > 0, needs !== undefined, `${name} says who may ask`);
    if (permission !== undefined) t.match(operation.description, `"${permission}"`);
    const schema = operation.requestBody?.content['application/json']?.schema;
    t.same(schema, body === undefined ? undefined : JSON.parse(JSON.stringify(body)), `${name} has its own schema`);
  }
});

t.test('nothing is described twice, and nothing refers to what is not there', async (t) => {
  const operations = Object.values(served.paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  t.equal(new Set(ids).size, ids.length);
  const document = JSON.stringify(openApiDocument(platform.url, routes));
  const { components } = JSON.parse(document) as { components: { schemas: Record<string, object> } };
  for (const [, name = ''] of document.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    t.ok(name in components.schemas, name);
  for (const path of ['/v1/generic-webhook/hooks/events', '/v1/sessions/release']) t.ok(path in served.paths, path);
});
