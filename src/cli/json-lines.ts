import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { MendableError } from '../lib/mendable-error.ts';

/** A line is longer than anything that is read here. */
export class LineTooLong extends MendableError {
  override readonly name = 'LineTooLong';
}

/** UTF-16 code units of one line: a session of many events, and far less than memory. */
export const LINE_CHARS_MAX = 64 * 1024 * 1024;

const GZIP_MAGIC = 0x1f;

/**
 * The lines of a stream that may be gzip.
 *
 * @throws {MendableError} where a line is too long, or the gzip damaged or cut off.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, charsMax = LINE_CHARS_MAX): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let pieces: string[] = [];
  let chars = 0;
  for await (const chunk of unzipped(stream)) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(first);
    chars += first.length;
    if (chars > charsMax) throw new LineTooLong(`a line is longer than ${charsMax} characters; split the row`);
    if (others.length === 0) continue;
    const rest = others.pop() as string;
    yield pieces.join('');
    yield* others;
    pieces = [rest];
    chars = rest.length;
  }
  pieces.push(decoder.decode());
  const last = pieces.join('');
  if (last !== '') yield last;
}

async function* unzipped(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  })();
  if (first.value[0] !== GZIP_MAGIC) yield* all;
  else yield* gunzipped(all);
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feeding = (async () => {
    for await (const chunk of chunks) if (!gunzip.write(chunk)) await once(gunzip, 'drain');
    gunzip.end();
  })();
  // Ends the loop below with the same error.
  feeding.catch((error: Error) => gunzip.destroy(error));
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new MendableError(`the gzip input is damaged or cut off: ${(error as Error).message}`);
  }
}
