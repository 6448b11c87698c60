/** One command of the `gatehouse` program. */
export interface Command {
  /** The words that call it: `token`, `keys rotate`. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** The help page: how it is called, its options, an example. */
  usage: string;
  /** Runs with the words after the name; resolves to the exit code. Throws `UsageError` for wrong words. */
  run(args: string[]): Promise<number>;
}

/** The command was called with words it does not take. The message says what to mend. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
