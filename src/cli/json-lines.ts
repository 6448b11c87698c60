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

interface LinesOptions {
  charsMax?: number;
  /** What stands for a line that is longer, which is passed over. Without it such a line is an error. */
  insteadOfLong?: string;
}

/**
 * The lines of a stream that may be gzip.
 *
 * @throws {MendableError} where a line is too long, or the gzip damaged or cut off.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>, options: LinesOptions = {}): AsyncGenerator<string> {
  const { charsMax = LINE_CHARS_MAX, insteadOfLong } = options;
  const decoder = new TextDecoder('utf-8');
  const line = new LineBuffer(charsMax, insteadOfLong);
  for await (const chunk of unzipped(stream)) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    line.add(first);
    for (const next of others) {
      yield line.take();
      line.add(next);
    }
  }
  line.add(decoder.decode());
  const last = line.take();
  if (last !== '') yield last;
}

/** A line as its pieces come, up to a bound. */
class LineBuffer {
  readonly #charsMax: number;
  readonly #insteadOfLong: string | undefined;
  #pieces: string[] = [];
  #chars = 0;

  constructor(charsMax: number, insteadOfLong: string | undefined) {
    this.#charsMax = charsMax;
    this.#insteadOfLong = insteadOfLong;
  }

  add(piece: string): void {
    this.#chars += piece.length;
    if (this.#chars <= this.#charsMax) {
      this.#pieces.push(piece);
      return;
    }
    if (this.#insteadOfLong === undefined)
      throw new LineTooLong(`a line is longer than ${this.#charsMax} characters; split the row`);
    this.#pieces = [this.#insteadOfLong];
  }

  take(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#chars = 0;
    return line;
  }
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
