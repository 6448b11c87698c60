import { GraphQLError } from 'graphql';

/** Told of what failed inside: its sender sees only that something did. */
export type ErrorSink = (error: unknown, correlationId: string) => void;

/** Errors that the query brought about are shown; what failed inside is logged and told as such. */
export function shownError(error: GraphQLError, correlationId: string, onError: ErrorSink): GraphQLError {
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return error;
  onError(originalError, correlationId);
  return new GraphQLError('the request could not be served; its correlation id finds the cause in the logs', {
    ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
    ...(error.path === undefined ? {} : { path: error.path }),
    extensions: { code: 'INTERNAL', correlationId },
  });
}
