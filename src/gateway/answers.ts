import type { HttpResponse } from 'uWebSockets.js';
import { PROBLEMS, type ProblemSlug, problem } from '../domain/problem.ts';

const STATUS_LINES = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  204: '204 No Content',
  302: '302 Found',
  303: '303 See Other',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  406: '406 Not Acceptable',
  408: '408 Request Timeout',
  409: '409 Conflict',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
} as const;
export type Status = keyof typeof STATUS_LINES;

/**
 * Sends answers between the calls of request handlers, not inside one: uWebSockets.js gathers what is written ("corks")
 * for one connection at a time, which inside a handler is that handler's own, and an answer to another request is then
 * sent in sixteen system calls instead of one.
 */
class Outbox {
  #waiting: (() => void)[] = [];

  add(send: () => void): void {
    if (this.#waiting.push(send) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const due = this.#waiting;
    this.#waiting = [];
    for (const send of due) send();
  };
}

const outbox = new Outbox();

/** Settled once every answer given so far has been handed to its connection. */
export function allSent(): Promise<void> {
  return new Promise((resolve) => outbox.add(resolve));
}

/** One request's way back: writes at most one answer, and none once the sender is gone. */
export class Exchange {
  readonly correlationId: string;
  readonly #res: HttpResponse;
  readonly #toHead: boolean;
  #aborted = false;
  #status = 0;
  #onGone: (() => void) | undefined;

  /** @param toHead answers a HEAD request: a body after it would be read as the next answer. */
  constructor(res: HttpResponse, correlationId: string, toHead = false) {
    this.#res = res;
    this.#toHead = toHead;
    this.correlationId = correlationId;
    res.onAborted(() => {
      this.#aborted = true;
      this.#onGone?.();
    });
  }

  /** Calls `listener`, the only one, where the sender goes away without having got an answer. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  /** Whether it was answered or the sender is gone. */
  get over(): boolean {
    return this.#aborted || this.#status !== 0;
  }

  /** What was answered; 0 while nothing was, and where the sender went away first. */
  get status(): number {
    return this.#status;
  }

  /**
   * Answers, in the next turn of the event loop. `closes` ends the connection with the answer: for requests whose rest
   * cannot be trusted or is not wanted.
   */
  send(
    status: Status,
    contentType: string | undefined,
    body: string | Uint8Array,
    options: { closes?: boolean; headers?: readonly [string, string][] } = {},
  ): void {
    if (this.over) return;
    this.#status = status;
    outbox.add(() => {
      if (!this.#aborted) this.#res.cork(() => this.#write(status, contentType, body, options));
    });
  }

  #write(
    status: Status,
    contentType: string | undefined,
    body: string | Uint8Array,
    { closes, headers }: { closes?: boolean; headers?: readonly [string, string][] },
  ): void {
    this.#res.writeStatus(STATUS_LINES[status]);
    if (contentType !== undefined) this.#res.writeHeader('content-type', contentType);
    this.#res.writeHeader('x-correlation-id', this.correlationId);
    for (const [name, value] of headers ?? []) this.#res.writeHeader(name, value);
    // What a 304 would announce as its length is that of the answer it stands for.
    if (status === 304) this.#res.endWithoutBody();
    else if (!this.#toHead) this.#res.end(body, closes ?? false);
    else if (closes === true) this.#res.endWithoutBody(Buffer.byteLength(body), true);
    else {
      // Given the length, `endWithoutBody` waits for a body that never comes, and takes the next request for a fault.
      this.#res.writeHeader('content-length', String(Buffer.byteLength(body)));
      this.#res.endWithoutBody();
    }
  }

  sendProblem(
    baseUrl: string,
    slug: ProblemSlug,
    detail: string,
    options: { closes?: boolean; headers?: readonly [string, string][] } = {},
  ): void {
    const body = problem(baseUrl, slug, detail, `urn:gatehouse:request:${encodeURIComponent(this.correlationId)}`);
    const headers: [string, string][] = slug === 'unauthorized' ? [['www-authenticate', 'Bearer']] : [];
    this.send(PROBLEMS[slug].status, 'application/problem+json', JSON.stringify(body), {
      ...options,
      headers: [...headers, ...(options.headers ?? [])],
    });
  }
}
