import { EVENT_SCHEMAS } from '../domain/event.ts';
import { EVENT_TYPES, isBlocking } from '../domain/event-types.ts';
import { PROBLEMS, ProblemSchema } from '../domain/problem.ts';
import { ReleaseSchema } from '../domain/release.ts';
import { SESSION_COOKIE } from '../identity/login-sessions.ts';
import { PLATFORM_PATH } from '../platform/addresses.ts';
import type { Route } from '../platform/http.ts';
import { EVENTS_PATH } from './events-route.ts';
import { platformPaths } from './openapi-platform.ts';
import { RELEASE_PATH } from './release-route.ts';

const BLOCKING_RESPONSE = {
  type: 'object',
  required: ['apiVersion', 'response'],
  properties: {
    apiVersion: { const: '1' },
    response: {
      type: 'object',
      required: ['action'],
      properties: {
        action: { enum: ['allow', 'block'] },
        reason: { type: 'string', description: 'Reason for blocking; present exactly when the action is block.' },
      },
    },
  },
};

const RELEASED = {
  type: 'object',
  required: ['released'],
  properties: {
    released: {
      type: 'object',
      required: ['hold', 'taints'],
      properties: { hold: { type: 'boolean' }, taints: { type: 'array', items: { type: 'string' } } },
    },
  },
};

/** The OpenAPI 3.1 document of both interfaces, made from the schemas that validate requests. */
export function openApiDocument(baseUrl: string, routes: readonly Route[]): object {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const answer = (description: string, schema?: object, type = 'application/json') =>
    schema === undefined ? { description } : { description, content: { [type]: { schema } } };
  const problems = Object.values(PROBLEMS).filter(({ status }) => [400, 401, 408, 500].includes(status));
  return {
    openapi: '3.1.0',
    info: { title: 'Gatehouse', version: '1.0.0' },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    paths: {
      ...platformPaths(routes.filter(({ path }) => path.startsWith(`${PLATFORM_PATH}/`))),
      [EVENTS_PATH]: {
        post: {
          operationId: 'sendEvent',
          summary: 'Send a lifecycle event of an AI agent',
          parameters: [{ name: 'x-correlation-id', in: 'header', required: false, schema: { type: 'string' } }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  oneOf: EVENT_TYPES.map(ref),
                  discriminator: {
                    propertyName: 'event_type',
                    mapping: Object.fromEntries(EVENT_TYPES.map((name) => [name, ref(name).$ref])),
                  },
                },
              },
            },
          },
          responses: {
            200: answer(`The decision on ${EVENT_TYPES.filter(isBlocking).join(' or ')}.`, ref('BlockingResponse')),
            202: answer('Any other event: it is stored.'),
            ...Object.fromEntries(
              problems.map(({ status, help }) => [status, answer(help, ref('Problem'), 'application/problem+json')]),
            ),
          },
        },
      },
      [RELEASE_PATH]: {
        post: {
          operationId: 'releaseSession',
          summary: 'End a hold or taints of a session; for tokens of the scope sessions:release',
          requestBody: { required: true, content: { 'application/json': { schema: ref('Release') } } },
          responses: {
            200: answer('What was there and ended.', RELEASED),
            ...Object.fromEntries(
              [...problems.filter(({ status }) => status !== 408), PROBLEMS['unknown-session']].map(
                ({ status, help }) => [status, answer(help, ref('Problem'), 'application/problem+json')],
              ),
            ),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
      },
      schemas: {
        ...EVENT_SCHEMAS,
        BlockingResponse: BLOCKING_RESPONSE,
        Release: ReleaseSchema,
        Problem: ProblemSchema,
      },
    },
  };
}
