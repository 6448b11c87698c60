import { MendableError } from '../lib/mendable-error.ts';

/** One command of the `gatehouse` program. */
export interface Command {
  /** The help page: how it is called, its options, an example. */
  usage: string;
  /** Runs with the words after the name; resolves to the exit code. Throws `UsageError` for wrong words. */
  run(args: string[]): Promise<number>;
}

/** The command was called with words it does not take. The message says what to mend. */
export class UsageError extends MendableError {
  override readonly name = 'UsageError';
}

/** What `parseArgs` found wrong with the words of `command`, without its advice on how to quote them. */
export function unreadableWords(command: string, error: unknown): UsageError {
  const [fault] = (error as Error).message.split(/\. |\n/, 1);
  return new UsageError(`${fault}; see: gatehouse ${command} --help`);
}
