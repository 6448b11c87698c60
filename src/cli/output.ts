import { once } from 'node:events';

/** Whoever read the output went away (`| head`) and has what they wanted: a command with more to say ends, without an error. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

let isGone = false;

/** To be called before anything is printed: a reader that goes away is then no error of the process. */
export function watchReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isGone = true;
  });
}

/**
 * Writes to standard output as fast as it is read.
 *
 * @throws {ReaderGone} where nobody reads any more.
 */
export async function print(text: string): Promise<void> {
  if (!isGone && !process.stdout.write(text)) await once(process.stdout, 'drain').catch(() => {});
  // That the reader is gone is told after the write.
  await new Promise(setImmediate);
  if (isGone) throw new ReaderGone();
}
