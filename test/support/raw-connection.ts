import { connect, type Socket } from 'node:net';

/** What came of a request: the answer, or `broken` when the connection ended without one. */
export type Answer = { status: number; body: string } | 'broken';

/**
 * One HTTP/1.1 keep-alive connection with one request in flight, reduced to what a load needs: it costs a few
 * microseconds a request, where an HTTP library costs fifty. It reads answers that carry a Content-Length or no body.
 */
export class RawConnection {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket;
  #received = '';
  #onAnswer: ((answer: Answer) => void) | undefined;

  /** Connects to the origin `url`; plain http only. */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#socket = this.#open();
  }

  /** Sends one whole request, as Latin-1; not to be called again before its answer. Connects anew if need be. */
  send(request: string, onAnswer: (answer: Answer) => void): void {
    this.#onAnswer = onAnswer;
    if (this.#socket.destroyed) this.#socket = this.#open();
    this.#socket.write(request, 'latin1');
  }

  /** Ends the connection; a request in flight is `broken`. */
  close(): void {
    this.#socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (socket === this.#socket) this.#settle('broken');
    });
    return socket;
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const body = this.#received.slice(headEnd + 4);
    if (body.length >= length) this.#settle({ status: Number(head.slice(9, 12)), body: body.slice(0, length) });
  }

  #settle(answer: Answer): void {
    this.#received = '';
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(answer);
  }
}
