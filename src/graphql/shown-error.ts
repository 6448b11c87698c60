import { GraphQLError } from 'graphql';

/** Told of what failed inside: its sender sees only that something did. */
export type ErrorSink = (error: unknown, correlationId: string) => void;

/** Errors that the query brought about are shown; what failed inside is logged and told as such. */
export function shownError(error: GraphQLError, correlationId: string, onError: ErrorSink): GraphQLError {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return codedError(error);
  onError(originalError, correlationId);
  return new GraphQLError('the request could not be served; its correlation id finds the cause in the logs', {
    ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions: { code: 'INTERNAL', correlationId },
  });
}

/** What a query brought about can be mended by who sent it, whoever found it: the parser and the rules of GraphQL give no code. */
export function codedError(error: GraphQLError): GraphQLError {
  if (error.extensions['code'] !== undefined) return error;
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    originalError: error.originalError ?? null,
    extensions: { ...error.extensions, code: 'BAD_INPUT' },
  });
}
