import type { HttpResponse } from 'uWebSockets.js';
import { PROBLEMS, type ProblemSlug, problem } from '../domain/problem.ts';

const STATUS_LINES = {
  200: '200 OK',
  202: '202 Accepted',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  408: '408 Request Timeout',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
} as const;
export type Status = keyof typeof STATUS_LINES;

/** One request's way back: writes at most one answer, and none once the sender is gone. */
export class Exchange {
  readonly correlationId: string;
  readonly #res: HttpResponse;
  #over = false;
  #status = 0;

  constructor(res: HttpResponse, correlationId: string) {
    this.#res = res;
    this.correlationId = correlationId;
    res.onAborted(() => {
      this.#over = true;
    });
  }

  /** Whether it was answered or the sender is gone. */
  get over(): boolean {
    return this.#over;
  }

  /** What was answered; 0 while nothing was, and where the sender went away first. */
  get status(): number {
    return this.#status;
  }

  /** `closes` ends the connection with the answer: for requests whose rest cannot be trusted or is not wanted. */
  send(
    status: Status,
    contentType: string | undefined,
    body: string,
    options: { closes?: boolean; headers?: [string, string][] } = {},
  ): void {
    if (this.#over) return;
    this.#over = true;
    this.#status = status;
    this.#res.cork(() => {
      this.#res.writeStatus(STATUS_LINES[status]);
      if (contentType !== undefined) this.#res.writeHeader('content-type', contentType);
      this.#res.writeHeader('x-correlation-id', this.correlationId);
      for (const [name, value] of options.headers ?? []) this.#res.writeHeader(name, value);
      this.#res.end(body, options.closes ?? false);
    });
  }

  sendProblem(
    baseUrl: string,
    slug: ProblemSlug,
    detail: string,
    options: { closes?: boolean; headers?: [string, string][] } = {},
  ): void {
    const body = problem(baseUrl, slug, detail, `urn:gatehouse:request:${encodeURIComponent(this.correlationId)}`);
    const headers: [string, string][] = slug === 'unauthorized' ? [['www-authenticate', 'Bearer']] : [];
    this.send(PROBLEMS[slug].status, 'application/problem+json', JSON.stringify(body), {
      ...options,
      headers: [...headers, ...(options.headers ?? [])],
    });
  }
}
