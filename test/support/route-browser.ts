import type { Method, PlatformAnswer, PlatformRequest, Route } from '../../src/platform/http.ts';
import { readCookies } from '../../src/platform/http.ts';

/** What an address answered, from the service's routes or from elsewhere. */
export interface Visit {
  url: string;
  status: number;
  location: string | null;
  setCookies: string[];
  body: string;
  /** Of a refusal. */
  slug?: string;
}

interface Cookie {
  name: string;
  value: string;
  origin: string;
  path: string;
  /** Whether forms of other sites bring it. */
  isForAll: boolean;
}

const REDIRECTS_MAX = 20;

/** A browser with cookies, for which the service is its routes and everything else is fetched. */
export class Browser {
  readonly #routes: readonly Route[];
  readonly #baseUrl: string;
  #cookies: Cookie[] = [];

  constructor(routes: readonly Route[], baseUrl: string) {
    this.#routes = routes;
    this.#baseUrl = baseUrl;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  get cookieNames(): string[] {
    return this.#cookies.map(({ name }) => name);
  }

  /** One request, no redirects followed. A form is one of the provider's: to the service it brings no cookies but those for all sites. */
  async visit(address: string, init: { method?: Method; form?: Record<string, string> } = {}): Promise<Visit> {
    const url = new URL(address, this.#baseUrl);
    const { method = init.form === undefined ? 'GET' : 'POST', form } = init;
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const headers: Record<string, string> = { cookie: this.#cookieHeader(url, method) };
    if (body !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
    const visit =
      url.origin === new URL(this.#baseUrl).origin
        ? await this.#ask(url, { method, headers, body })
        : await fetchOnce(url, { method, headers, ...(body === undefined ? {} : { body }) });
    for (const cookie of visit.setCookies) this.#keep(url, cookie);
    return visit;
  }

  /** Follows redirects until `stop` says so, or an address answers with something else. */
  async follow(address: string, stop: (url: URL) => boolean = () => false): Promise<Visit> {
    let visit = await this.visit(address);
    for (let count = 0; visit.location !== null && count < REDIRECTS_MAX; count++) {
      const next = new URL(visit.location, visit.url);
      if (stop(next)) return { ...visit, location: next.href };
      visit = await this.visit(next.href);
    }
    return visit;
  }

  #cookieHeader(url: URL, method: Method): string {
    const isOurs = method === 'GET' || url.origin !== new URL(this.#baseUrl).origin;
    const sent = this.#cookies.filter(
      ({ origin, path, isForAll }) => origin === url.origin && url.pathname.startsWith(path) && (isOurs || isForAll),
    );
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(url: URL, text: string): void {
    const [pair = '', ...rest] = text.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    const path = rest.find((part) => /^path=/i.test(part))?.slice(5) ?? '/';
    const gone = rest.some((part) => /^max-age=0$/i.test(part) || /^expires=thu, 01 jan 1970/i.test(part));
    this.#cookies = this.#cookies.filter((one) => one.name !== name || one.origin !== url.origin || one.path !== path);
    const isForAll = rest.some((part) => /^samesite=none$/i.test(part));
    if (!gone) this.#cookies.push({ name, value: pair.slice(at + 1), origin: url.origin, path, isForAll });
  }

  async #ask(
    url: URL,
    { method, headers, body }: { method: Method; headers: Record<string, string>; body: string | undefined },
  ): Promise<Visit> {
    const answer = await ask(this.#routes, { method, url: url.href, headers, ...(body === undefined ? {} : { body }) });
    return visitOf(url.href, answer);
  }
}

export interface Asked {
  method: Method;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Asks the route that `url` leads to, as the gateway would. */
export async function ask(
  routes: readonly Route[],
  { method, url, headers = {}, body = '' }: Asked,
): Promise<PlatformAnswer> {
  const { pathname, search, searchParams } = new URL(url);
  for (const route of routes) {
    const params = route.method === method ? match(route.path, pathname) : undefined;
    if (params === undefined) continue;
    const request: PlatformRequest = {
      method,
      path: pathname,
      params,
      query: searchParams,
      queryText: search.slice(1),
      headers: new Map(Object.entries(headers)),
      cookies: readCookies(headers['cookie'] ?? ''),
      body: Buffer.from(body),
      address: '192.0.2.1',
      correlationId: 'test',
    };
    return route.handle(request);
  }
  return { kind: 'refusal', slug: 'not-found', detail: `no route for ${method} ${pathname}`, headers: [] };
}

function match(path: string, pathname: string): Record<string, string> | undefined {
  const parts = path.split('/');
  const given = pathname.split('/');
  if (parts.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function visitOf(url: string, answer: PlatformAnswer): Visit {
  const header = (name: string) => answer.headers.filter(([key]) => key === name).map(([, value]) => value);
  const common = { url, location: header('location')[0] ?? null, setCookies: header('set-cookie') };
  if (answer.kind === 'answer') return { ...common, status: answer.status, body: answer.body };
  return { ...common, status: 400, body: answer.detail, slug: answer.slug };
}

async function fetchOnce(url: URL, init: RequestInit): Promise<Visit> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  return {
    url: url.href,
    status: response.status,
    location: response.headers.get('location'),
    setCookies: response.headers.getSetCookie(),
    body: await response.text(),
  };
}
