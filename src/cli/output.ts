import { once } from 'node:events';

/** Whoever read the output went away (`| head`) and has what they wanted: a command with more to say ends, without an error. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** Why the output is not taken any more. */
let ended: Error | undefined;

/**
 * To be called before anything is printed. A reader that goes away is then no error of the process; an output that cannot be
 * written, as to a full disk, is told to `onLost`, once.
 */
export function watchOutput(onLost: (error: Error) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (ended !== undefined) return;
    ended = error.code === 'EPIPE' ? new ReaderGone() : error;
    if (ended === error) onLost(error);
  });
}

/**
 * Writes to standard output as fast as it is read.
 *
 * @throws {ReaderGone} where nobody reads any more.
 * @throws what made the output fail.
 */
export async function print(text: string): Promise<void> {
  if (ended === undefined && !process.stdout.write(text)) await once(process.stdout, 'drain').catch(() => {});
  // That it failed is told after the write.
  await new Promise(setImmediate);
  if (ended !== undefined) throw ended;
}
