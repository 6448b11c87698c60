/**
 * An error for the log, with its stack. Of a failed query there is the statement without its values, which are people's
 * addresses and the like.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { query, cause } = error as Error & { query?: unknown };
  if (typeof query === 'string' && 'params' in error) return `failed query: ${query}\n${errorText(cause)}`;
  return error.stack ?? error.message;
}
