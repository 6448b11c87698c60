import uWS, { type HttpRequest, type HttpResponse, type us_listen_socket } from 'uWebSockets.js';
import { PROBLEMS, type ProblemSlug } from '../domain/problem.ts';
import type { Method, Route } from '../platform/http.ts';
import type { LiveEndpoint } from '../platform/live.ts';
import type { Site } from '../platform/site.ts';
import { allSent, Exchange, type Status } from './answers.ts';
import { boundConnections, connectionsAllowed } from './connections.ts';
import type { Dashboard } from './dashboard.ts';
import { EVENTS_PATH, type EventsRoute } from './events-route.ts';
import { correlationIdOf, readHead } from './head.ts';
import { LiveSockets } from './live-sockets.ts';
import { openApiDocument } from './openapi.ts';
import { PlatformRoute, type PlatformRouteOptions } from './platform-route.ts';

/** A page made at the time of the request. */
export interface Page {
  status: Status;
  contentType: string;
  body: string;
}

export interface GatewayOptions {
  site: Site;
  events: EventsRoute;
  /** Pages by path, answered to GET: `/metrics`, `/healthz` … */
  pages: Record<string, () => Page | Promise<Page>>;
  platform: { routes: readonly Route[] } & Omit<PlatformRouteOptions, 'site'>;
  /** Absent where nothing can be watched. */
  live?: LiveEndpoint;
  /** Absent where only the interfaces are served. */
  dashboard?: Dashboard;
  /** Connections that may be open at once, and who is told of each beyond it. Absent: any number. */
  connections?: { max: number; onRefused: () => void };
  /** How long `stop` waits for what is under way: longer than the longest request. */
  stopMsMax?: number;
}

const STOP_POLL_MS = 5;
/** Longer than people's requests take: a sign-in asks its identity provider four times, for five seconds each. */
export const STOP_MS_MAX = 25_000;

/** Without it two servers share a port without a word (SO_REUSEPORT), and each gets some of the events. */
const LISTEN_EXCLUSIVE_PORT = 1;

/** The overload with host and options is there, but not in the package's types. */
interface ExclusiveListen {
  listen(host: string, port: number, options: number, listening: (socket: us_listen_socket | false) => void): unknown;
}

/** The HTTP server. The only place that knows uWebSockets.js beside the routes. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #app = uWS.App();
  readonly #platform: PlatformRoute;
  readonly #live: LiveSockets | undefined;
  #socket: us_listen_socket | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { site, events, pages, connections } = options;
    const onSocketGone =
      connections === undefined
        ? () => {}
        : boundConnections(this.#app, connectionsAllowed(connections.max), connections.onRefused);
    this.#app.post(EVENTS_PATH, events.handle);
    this.#app.any(EVENTS_PATH, (res, req) => this.#notAllowed(res, req, 'POST'));
    this.#serve('/openapi.json', () => {
      return {
        status: 200,
        contentType: 'application/json',
        body: JSON.stringify(openApiDocument(site.baseUrl, options.platform.routes), null, 2),
      };
    });
    for (const [slug, { title, help }] of Object.entries(PROBLEMS)) {
      this.#serve(`/problems/${slug as ProblemSlug}`, () => problemPage(title, help));
    }
    for (const [path, page] of Object.entries(pages)) this.#serve(path, page);
    this.#platform = new PlatformRoute({ site, ...options.platform });
    if (options.live !== undefined)
      this.#live = new LiveSockets({ site, ...options.platform, endpoint: options.live, onGone: onSocketGone });
    this.#live?.register(this.#app);
    this.#servePlatform(options.platform.routes);
    if (options.dashboard !== undefined) this.#serveDashboard(options.dashboard);
    this.#app.any('/*', (res, req) => {
      const exchange = begin(res, req, this.#options.site);
      exchange?.sendProblem(site.baseUrl, 'not-found', `nothing is at ${req.getUrl().slice(0, 200)}`, {
        headers: PAGE_HEADERS,
      });
    });
  }

  /** Listens, and resolves to the port (which one, where 0 was asked for). */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      (this.#app as unknown as ExclusiveListen).listen(host, port, LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${host} port ${port}: it is in use or not allowed`));
          return;
        }
        this.#socket = socket;
        resolve(uWS.us_socket_local_port(socket));
      });
    });
  }

  /** Takes no new connections, refuses new events, closes live sockets. The first thing of a stop. */
  refuseNew(): void {
    if (this.#socket !== undefined) uWS.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
    for (const part of this.#served) part.stop();
  }

  /** Refuses what is new, waits for the answers under way, closes. Whatever is under way for too long is closed on: the service must be able to stop. */
  async stop(): Promise<void> {
    this.refuseNew();
    const untilMs = performance.now() + (this.#options.stopMsMax ?? STOP_MS_MAX);
    while (this.#served.some(({ underWay }) => underWay > 0) && performance.now() < untilMs)
      await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
    await allSent();
    this.#app.close();
  }

  get #served() {
    return [this.#options.events, this.#platform, ...(this.#live === undefined ? [] : [this.#live])];
  }

  #servePlatform(routes: readonly Route[]): void {
    const methodsOf = new Map<string, Method[]>();
    for (const route of routes) {
      methodsOf.set(route.path, [...(methodsOf.get(route.path) ?? []), route.method]);
      this.#app[UWS_METHODS[route.method]](route.path, this.#platform.handler(route));
    }
    for (const [path, methods] of methodsOf) {
      this.#app.any(path, (res, req) => this.#notAllowed(res, req, methods.join(', ')));
    }
  }

  #serve(path: string, page: () => Page | Promise<Page>): void {
    this.#getOrHead(path, (res, req) => {
      const exchange = begin(res, req, this.#options.site);
      if (exchange === undefined) return;
      void (async () => {
        const { status, contentType, body } = await page();
        exchange.send(status, contentType, body, { headers: PAGE_HEADERS });
      })().catch(() =>
        exchange.sendProblem(this.#options.site.baseUrl, 'internal-error', 'the page could not be made'),
      );
    });
  }

  #serveDashboard(dashboard: Dashboard): void {
    for (const address of dashboard.addresses) {
      this.#getOrHead(address, (res, req) => {
        const exchange = begin(res, req, this.#options.site);
        if (exchange === undefined) return;
        const asked = { acceptEncoding: req.getHeader('accept-encoding'), ifNoneMatch: req.getHeader('if-none-match') };
        const { status, contentType, body, headers } = dashboard.answer(address, asked);
        exchange.send(status, contentType, body, { headers });
      });
    }
  }

  /** HEAD is answered as GET but for the body; the platform's routes are not: a look at a sign-in link must not use it up. */
  #getOrHead(path: string, handler: (res: HttpResponse, req: HttpRequest) => void): void {
    this.#app.get(path, handler);
    this.#app.head(path, handler);
    this.#app.any(path, (res, req) => this.#notAllowed(res, req, 'GET, HEAD'));
  }

  #notAllowed(res: HttpResponse, req: HttpRequest, allow: string): void {
    begin(res, req, this.#options.site)?.sendProblem(
      this.#options.site.baseUrl,
      'method-not-allowed',
      `use ${allow} here`,
      {
        headers: [['allow', allow], ...PAGE_HEADERS],
      },
    );
  }
}

const UWS_METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'del' } as const;

const PAGE_HEADERS: [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
];

/** The exchange of a request without a body that counts; undefined where its framing is refused. */
function begin(res: HttpResponse, req: HttpRequest, site: Site): Exchange | undefined {
  const head = readHead(req);
  const id = correlationIdOf(head.correlationId);
  const exchange = new Exchange(res, id, req.getMethod() === 'head');
  if (head.framingFault === undefined) return exchange;
  exchange.sendProblem(site.baseUrl, 'invalid-request', head.framingFault, { closes: true });
  return undefined;
}

function problemPage(title: string, help: string): Page {
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>${title}</h1><p>${help}</p></html>
`;
  return { status: 200, contentType: 'text/html; charset=utf-8', body };
}
