import { type DocumentNode, GraphQLError, type ParseOptions, parse, type Source } from 'graphql';
import { createHandler, type Handler } from 'graphql-http';
import { PLATFORM_PATH } from '../platform/addresses.ts';
import type { Authenticate } from '../platform/caller.ts';
import type { PlainAnswer, PlatformAnswer, PlatformRequest, Route } from '../platform/http.ts';
import { badInput, type GraphqlContext, MESSAGE_BYTES_MAX, TOKENS_MAX } from './builder.ts';
import { contextOf, type GraphqlServices } from './context.ts';
import { schema } from './schema.ts';
import { codedError, type ErrorSink, shownError } from './shown-error.ts';

export interface GraphqlRoutesOptions extends GraphqlServices {
  authenticate: Authenticate;
  onError: ErrorSink;
  /** In place of the usual time that one operation may read. */
  readMsMax?: number;
}

/** What one operation may read in: what it asks for beyond is refused, and the statement under way is ended. */
const READ_MS_MAX = 10_000;

/** The files of a whole policy set, as JSON. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;
/** UTF-16 units of a document: what is long belongs into its variables. */
const DOCUMENT_CHARS_MAX = MESSAGE_BYTES_MAX;

interface Carried {
  context: GraphqlContext;
  correlationId: string;
}

/** `POST {platform_url}/graphql`, and GET for queries, as GraphQL over HTTP has it. */
export function graphqlRoutes(options: GraphqlRoutesOptions): Route[] {
  const handler = createHandler<undefined, Carried, Record<PropertyKey, unknown>>({
    schema,
    context: ({ context }) => ({ ...context.context }),
    parse: parseBounded,
    formatError: (error) => (error instanceof GraphQLError ? codedError(error) : error),
    onOperation: ({ context }, _args, result) => ({
      ...result,
      ...(result.errors === undefined
        ? {}
        : { errors: result.errors.map((error) => shownError(error, context.correlationId, options.onError)) }),
    }),
  });
  const handle = (request: PlatformRequest) => answer(request, handler, options);
  const path = `${PLATFORM_PATH}/graphql`;
  return [
    { method: 'POST', path, needs: 'caller', summary: 'Ask the graph', bodyBytesMax: BODY_BYTES_MAX, handle },
    { method: 'GET', path, needs: 'caller', summary: 'Ask the graph, queries alone', handle },
  ];
}

function parseBounded(source: string | Source, settings?: ParseOptions): DocumentNode {
  const { length } = typeof source === 'string' ? source : source.body;
  if (length > DOCUMENT_CHARS_MAX) throw badInput(`a document has at most ${DOCUMENT_CHARS_MAX} characters`);
  return parse(source, { ...settings, maxTokens: TOKENS_MAX });
}

async function answer(
  request: PlatformRequest,
  handler: Handler<undefined, Carried>,
  { authenticate, readMsMax = READ_MS_MAX, ...services }: GraphqlRoutesOptions,
): Promise<PlatformAnswer> {
  const caller = await authenticate(request);
  if (caller.kind === 'refusal') return caller;
  const context = contextOf(caller, request.address, services, performance.now() + readMsMax);
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
