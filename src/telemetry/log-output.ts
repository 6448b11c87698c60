import { constants, type NoParamCallback, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Patience } from '../lib/patience.ts';

/** Lines that wait for a slow reader, in bytes; what comes beyond that is lost. */
const WAITING_BYTES_MAX = 1024 * 1024;
/** A write that takes longer waits for somebody who does not read. */
const STALLED_MS = 1000;
/** What a write under way may still take when the process ends. */
const LAST_WRITE_MS = 50;

/**
 * Standard error, of which no write waits: a process cannot end while one of its threads does. Node.js makes pipes and sockets so
 * once it is asked for the stream; a terminal, which others share, is opened once more.
 */
export function standardError(): LogOutput {
  process.stderr.on('error', () => {});
  return new LogOutput(isatty(STDERR) ? ownTerminal() : STDERR);
}

const STDERR = 2;

function ownTerminal(): number {
  try {
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch {
    // Another user's: as it is, then.
    return STDERR;
  }
}

/**
 * Where log lines go. A full disk or a reader who stalls costs lines, which are counted, and neither the process nor an answer: pino's own
 * destination writes in the thread that answers, or else waits for ever for a full disk when the process ends.
 */
export class LogOutput {
  readonly #fd: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  /** Since when a write is under way. */
  #writingSinceMs: number | undefined;
  #lost = 0;
  #whenIdle: (() => void)[] = [];

  /** @param fd a file, a pipe or a terminal, open for the life of the process. */
  constructor(fd: number) {
    this.#fd = fd;
    process.once('exit', () => this.#writeLast());
  }

  /** Lines that could not be written. */
  get lostLines(): number {
    return this.#lost;
  }

  /** Takes one line, with its end. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#writingSinceMs === undefined) this.#writeNext();
  }

  /** Resolves once all is written or lost, or `msMax` are over. */
  async flushed(msMax: number): Promise<void> {
    if (this.#writingSinceMs === undefined) return;
    await new Patience(msMax).outlasts(new Promise<void>((resolve) => this.#whenIdle.push(resolve)));
  }

  #writeNext(): void {
    const lines = this.#take();
    if (lines.length === 0) {
      for (const resolve of this.#whenIdle.splice(0)) resolve();
      return;
    }
    this.#writingSinceMs = performance.now();
    this.#writeAll(Buffer.from(lines.join('')), (error) => {
      if (error !== null) this.#lost += lines.length;
      this.#writingSinceMs = undefined;
      this.#writeNext();
    });
  }

  #writeAll(bytes: Buffer, done: NoParamCallback): void {
    write(this.#fd, bytes, (error, written) => {
      if (error === null && written < bytes.length) this.#writeAll(bytes.subarray(written), done);
      // Its reader is slow.
      else if (error?.code === 'EAGAIN') setTimeout(() => this.#writeAll(bytes, done), LAST_WRITE_MS).unref();
      else done(error);
    });
  }

  #take(): string[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return lines;
  }

  /** The event loop is over: what waits is written in place, unless that would wait for somebody who does not read. */
  #writeLast(): void {
    const sinceMs = this.#writingSinceMs;
    if (sinceMs !== undefined && performance.now() - sinceMs >= STALLED_MS) return;
    if (sinceMs !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    try {
      for (const line of this.#take()) writeSync(this.#fd, line);
    } catch {
      // As before: what cannot be written is lost.
    }
  }
}
