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

/** What went wrong, in one line. Of a failed query, what the database said of it: the query's own message has its values. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('query' in error && error.cause !== undefined) return errorLine(error.cause);
  // Where none of a host's addresses answers, there is no message but those of each.
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0)
    return errorLine(error.errors[0]);
  return error.message.split('\n', 1)[0] || error.name;
}

/** What was thrown and where, in at most `framesMax` lines: without the message, which may quote what was being read. */
export function errorPlace(error: unknown, framesMax = 10): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  // The stack begins with the message, which may have lines that look like places.
  const lines = (error.stack ?? '')
    .replace(error.message, () => '')
    .split('\n')
    .map((line) => line.trim());
  const frames = lines.filter((line) => line.startsWith('at ')).slice(0, framesMax);
  return `${error.name} ${frames.join('\n')}`;
}
