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
  return 'query' in error && error.cause !== undefined
    ? errorLine(error.cause)
    : (error.message.split('\n', 1)[0] ?? '');
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
