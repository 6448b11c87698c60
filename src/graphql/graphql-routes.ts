import { GraphQLError, parse } from 'graphql';
import { createHandler, type Handler } from 'graphql-http';
import { PLATFORM_PATH } from '../platform/addresses.ts';
import { admissionOf } from '../platform/admission.ts';
import type { Authenticate, Caller } from '../platform/caller.ts';
import type { PlainAnswer, PlatformAnswer, PlatformRequest, Route } from '../platform/http.ts';
import type { PlatformOptions } from '../platform/platform.ts';
import type { TenantDatabase } from '../store/tenant-database.ts';
import { forbidden, type GraphqlContext } from './builder.ts';
import { schema } from './schema.ts';

export interface GraphqlRoutesOptions {
  authenticate: Authenticate;
  database: TenantDatabase;
  services: PlatformOptions;
  /** Told of what failed inside: its sender sees only that something did. */
  onError: (error: unknown, correlationId: string) => void;
}

const BODY_BYTES_MAX = 128 * 1024;
/** Lexical tokens of a document: what parsing and validating it may cost. */
const TOKENS_MAX = 2_000;

interface Carried {
  context: GraphqlContext;
  correlationId: string;
}

/** `POST {platform_url}/graphql`, and GET for queries, as GraphQL over HTTP has it. */
export function graphqlRoutes(options: GraphqlRoutesOptions): Route[] {
  const handler = createHandler<undefined, Carried, Record<PropertyKey, unknown>>({
    schema,
    context: ({ context }) => ({ ...context.context }),
    parse: (source, settings) => parse(source, { ...settings, maxTokens: TOKENS_MAX }),
    onOperation: ({ context }, _args, result) => ({
      ...result,
      ...(result.errors === undefined
        ? {}
        : { errors: result.errors.map((error) => shown(error, context.correlationId, options)) }),
    }),
  });
  const handle = (request: PlatformRequest) => answer(request, handler, options);
  const path = `${PLATFORM_PATH}/graphql`;
  return [
    { method: 'POST', path, needs: 'caller', summary: 'Ask the graph', bodyBytesMax: BODY_BYTES_MAX, handle },
    { method: 'GET', path, needs: 'caller', summary: 'Ask the graph, queries alone', handle },
  ];
}

async function answer(
  request: PlatformRequest,
  handler: Handler<undefined, Carried>,
  { authenticate, database, services }: GraphqlRoutesOptions,
): Promise<PlatformAnswer> {
  const caller = await authenticate(request);
  if (caller.kind === 'refusal') return caller;
  const context = contextOf({ caller, address: request.address }, database, services);
  const query = request.query.toString();
  const [body, { status, headers }] = await handler({
    method: request.method,
    url: query === '' ? request.path : `${request.path}?${query}`,
    headers: { get: (name) => request.headers.get(name.toLowerCase()) ?? null },
    body: () => request.body.toString('utf8'),
    raw: undefined,
    context: { context, correlationId: request.correlationId },
  });
  const { 'content-type': contentType, ...others } = headers ?? {};
  return {
    kind: 'answer',
    status: status as PlainAnswer['status'],
    ...(contentType === undefined ? {} : { contentType }),
    body: body ?? '',
    headers: Object.entries(others).filter((entry): entry is [string, string] => entry[1] !== undefined),
  };
}

function contextOf(
  { caller, address }: { caller: Caller; address: string },
  database: TenantDatabase,
  services: PlatformOptions,
): GraphqlContext {
  const admissionTo = (tenantId: string) => admissionOf(database, { caller, tenantId, address });
  return {
    caller,
    address,
    services,
    inTenant: (tenantId, work) => admissionTo(tenantId).inTenant(work),
    admit(tenantId, permission) {
      const admission = admissionTo(tenantId);
      if (!admission.may(permission)) throw forbidden(`this needs the permission "${permission}" in the tenant`);
      return admission;
    },
  };
}

/** Errors that the query brought about are shown; what failed inside is logged and told as such. */
function shown(error: GraphQLError, correlationId: string, { onError }: GraphqlRoutesOptions): GraphQLError {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error;
  onError(originalError, correlationId);
  return new GraphQLError('the request could not be served; its correlation id finds the cause in the logs', {
    ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions: { code: 'INTERNAL', correlationId },
  });
}
