import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { PROBLEMS } from '../domain/problem.ts';
import { NO_LOGIN_SESSION, saysWho } from '../platform/authenticate.ts';
import {
  BODY_BYTES_MAX,
  type Method,
  type PlatformAnswer,
  type PlatformRequest,
  type Refusal,
  type Route,
  readCookies,
  refuse,
} from '../platform/http.ts';
import type { Site } from '../platform/site.ts';
import { Exchange } from './answers.ts';
import { type BodyPlace, BodyRoom, type BodyRoomBounds, type GivenUp } from './body-room.ts';
import { clientAddress } from './client-address.ts';
import { correlationIdOf, readHead } from './head.ts';

export interface PlatformRouteOptions {
  site: Site;
  /** How many proxies in front add to X-Forwarded-For. */
  proxyHops: number;
  /** In place of the usual ones. */
  bodies?: BodyRoomBounds;
  /** Told of a route that failed. */
  onError(error: unknown, request: { method: string; path: string; correlationId: string }): void;
}

const BODIES: BodyRoomBounds = { bytesMax: 64 * 1024 * 1024, msMax: 30_000 };

const NO_ROOM = refuse('too-many-requests', 'too much is being sent here at once; try again in a moment', [
  ['retry-after', '1'],
]);
const GIVEN_UP: Record<GivenUp, Refusal> = {
  late: refuse('timeout', 'the request was not complete in time'),
  displaced: NO_ROOM,
};

/** On every answer of the platform interface. Pages bring a policy of their own where they need more. */
const SECURITY_HEADERS: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
];
const HSTS: readonly [string, string][] = [['strict-transport-security', 'max-age=31536000; includeSubDomains']];

/** Takes requests of the platform interface off uWebSockets.js, whole and bounded, and brings the answers back. */
export class PlatformRoute {
  readonly #options: PlatformRouteOptions;
  readonly #bodies: BodyRoom;
  #underWay = 0;
  #stopping = false;

  constructor(options: PlatformRouteOptions) {
    this.#options = options;
    this.#bodies = new BodyRoom(options.bodies ?? BODIES);
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** From here on every request is refused: the service is stopping. */
  stop(): void {
    this.#stopping = true;
  }

  /** The handler that uWebSockets.js calls for `route`. */
  handler(route: Route): (res: HttpResponse, req: HttpRequest) => void {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
    return (res, req) => {
      const head = readHead(req);
      const exchange = new Exchange(res, correlationIdOf(head.correlationId));
      const bytesMax = route.bodyBytesMax ?? BODY_BYTES_MAX;
      const fault =
        head.framingFault ?? (head.contentLength > bytesMax ? `the body is larger than ${bytesMax} bytes` : undefined);
      if (fault !== undefined) return this.#refuse(exchange, refuse('invalid-request', fault));
      if (this.#stopping) return this.#refuse(exchange, refuse('internal-error', 'the service is stopping'));
      const copied = copyRequest(res, req, {
        method: route.method,
        paramNames: names,
        proxyHops: this.#options.proxyHops,
      });
      if (copied === undefined)
        return this.#refuse(exchange, refuse('invalid-request', 'the address is not valid percent-encoding'));
      // What nobody answers for is not kept.
      if (route.needs !== undefined && head.contentLength > 0 && !saysWho(copied))
        return sendRefusal(exchange, NO_LOGIN_SESSION, this.#options);
      const place = this.#bodies.take(head.contentLength, (cause) => this.#refuse(exchange, GIVEN_UP[cause]));
      if (place === undefined) return this.#refuse(exchange, NO_ROOM);
      readBody(res, exchange, place, (body) => {
        const request = { ...copied, body, correlationId: exchange.correlationId };
        void this.#serve(route, request, exchange).finally(place.leave);
      });
    };
  }

  async #serve(route: Route, request: PlatformRequest, exchange: Exchange): Promise<void> {
    this.#underWay++;
    try {
      this.#answer(await route.handle(request), exchange);
    } catch (error) {
      const { method, path, correlationId } = request;
      this.#options.onError(error, { method, path, correlationId });
      const detail = 'the request could not be served; its correlation id finds the cause in the logs';
      this.#answer(refuse('internal-error', detail), exchange);
    } finally {
      this.#underWay--;
    }
  }

  #answer(answer: PlatformAnswer, exchange: Exchange): void {
    if (answer.kind === 'refusal') return sendRefusal(exchange, answer, this.#options);
    const headers = withSecurityHeaders(answer.headers, this.#options.site);
    exchange.send(answer.status, answer.contentType, answer.body, { headers });
  }

  /** Refuses a request whose rest is not wanted. */
  #refuse(exchange: Exchange, refusal: Refusal): void {
    sendRefusal(exchange, refusal, { site: this.#options.site, closes: true });
  }
}

export function sendRefusal(
  exchange: Exchange,
  { slug, detail, page, ...refusal }: Refusal,
  { site, closes = false }: { site: Site; closes?: boolean },
): void {
  const options = { closes, headers: withSecurityHeaders(refusal.headers, site) };
  if (page === undefined) exchange.sendProblem(site.baseUrl, slug, detail, options);
  else exchange.send(PROBLEMS[slug].status, 'text/html; charset=utf-8', page, options);
}

/** Those of the answer win. */
function withSecurityHeaders(own: readonly [string, string][], { baseUrl }: Site): [string, string][] {
  const names = new Set(own.map(([name]) => name));
  const general: [string, string][] = [...SECURITY_HEADERS, ...(baseUrl.startsWith('https:') ? HSTS : [])];
  return [...own, ...general.filter(([name]) => !names.has(name))];
}

/** uWebSockets.js reuses the request object after the handler; undefined where the path is no valid percent-encoding. */
export function copyRequest(
  res: HttpResponse,
  req: HttpRequest,
  { method, paramNames, proxyHops }: { method: Method; paramNames: readonly string[]; proxyHops: number },
): Omit<PlatformRequest, 'body' | 'correlationId'> | undefined {
  const headers = new Map<string, string>();
  req.forEach((name, value) => {
    // Lines of one name are one list (RFC 9110 §5.3), those of Cookie joined in their own way (RFC 9113 §8.2.3).
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  });
  const params: Record<string, string> = {};
  try {
    for (const [index, name] of paramNames.entries()) params[name] = decodeURIComponent(req.getParameter(index) ?? '');
  } catch {
    return undefined;
  }
  // Undefined where the address has no query, whatever its type says.
  const queryText = req.getQuery() ?? '';
  return {
    method,
    path: req.getUrl(),
    params,
    query: new URLSearchParams(queryText),
    queryText,
    headers,
    cookies: readCookies(headers.get('cookie') ?? ''),
    address: clientAddress(
      Buffer.from(res.getRemoteAddressAsText()).toString('latin1'),
      headers.get('x-forwarded-for'),
      proxyHops,
    ),
  };
}

/** Calls `done` once the whole body is here, which is as long as its head says; never where the exchange is over before. */
function readBody(res: HttpResponse, exchange: Exchange, place: BodyPlace, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let isHere = false;
  // Once it is here, whoever serves it has it, whether its sender waits or not.
  exchange.onGone(() => {
    if (!isHere) place.leave();
  });
  res.onData((chunk, isLast) => {
    if (exchange.over) return;
    // The chunk is only valid inside this callback: it is copied.
    chunks.push(Buffer.from(Buffer.from(chunk)));
    if (!isLast) return;
    isHere = true;
    place.arrived();
    done(Buffer.concat(chunks));
  });
}
