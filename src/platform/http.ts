import type { TSchema } from 'typebox';
import type { ProblemSlug } from '../domain/problem.ts';
import type { Permission } from '../domain/roles.ts';

/** A request of the platform interface, whole and copied, apart from the server that took it. */
export interface PlatformRequest {
  method: Method;
  /** Without the query. */
  path: string;
  /** What `:name` in the route's path stands for, decoded. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The query as it was sent, without the `?`: what a signature over it is about. */
  queryText: string;
  /** By lower-case name. */
  headers: ReadonlyMap<string, string>;
  cookies: ReadonlyMap<string, string>;
  body: Buffer;
  /** The network address it came from. */
  address: string;
  correlationId: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type PlatformAnswer = PlainAnswer | Refusal;

export interface PlainAnswer {
  kind: 'answer';
  /** GraphQL over HTTP answers its own errors, with 400 and beyond; all others are refusals. */
  status: 200 | 201 | 202 | 204 | 302 | 303 | 400 | 405 | 406 | 415 | 500;
  contentType?: string;
  body: string;
  headers: readonly [name: string, value: string][];
}

/** Answered as a Problem. `detail` says what to mend and holds no secret. */
export interface Refusal {
  kind: 'refusal';
  slug: ProblemSlug;
  detail: string;
  headers: readonly [name: string, value: string][];
  /** HTML to show a person in place of the Problem, with the same status. */
  page?: string;
}

/** One address of the platform interface. Rejecting means that the service failed: it is answered with 500 and logged. */
export interface Route {
  method: Method;
  /** As `/api/v1/tenants/:tenant/tokens`. */
  path: string;
  /** What it is for, in a few words. */
  summary?: string;
  /** Who may ask: whoever is signed in, or programs, too. Without it, anybody. */
  needs?: 'session' | 'caller';
  /** What the caller needs in the tenant that the request is about. */
  permission?: Permission;
  /** Parameters of the query, with what they mean. */
  query?: Readonly<Record<string, string>>;
  /** What its JSON body must be. */
  body?: TSchema;
  /** Largest request body, in bytes; `BODY_BYTES_MAX` unless given. */
  bodyBytesMax?: number;
  handle(request: PlatformRequest): PlatformAnswer | Promise<PlatformAnswer>;
}

export const BODY_BYTES_MAX = 64 * 1024;

type Headers = readonly [name: string, value: string][];

export function json(value: unknown, status: 200 | 201 = 200, headers: Headers = []): PlainAnswer {
  return { kind: 'answer', status, contentType: 'application/json', body: JSON.stringify(value), headers };
}

export function noContent(headers: Headers = []): PlainAnswer {
  return { kind: 'answer', status: 204, body: '', headers };
}

/** 303: the browser gets `location` next, whatever the method was. */
export function redirect(location: string, headers: Headers = []): PlainAnswer {
  return { kind: 'answer', status: 303, body: '', headers: [['location', location], ...headers] };
}

export function html(body: string, headers: Headers = []): PlainAnswer {
  return { kind: 'answer', status: 200, contentType: 'text/html; charset=utf-8', body, headers };
}

/** Whether `value` is a refusal, and no answer or result. */
export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal';
}

/** `route` where `whyNot` says nothing; else it is refused with what that says. */
export function heldBack(route: Route, whyNot: () => Refusal | undefined): Route {
  return { ...route, handle: (request) => whyNot() ?? route.handle(request) };
}

export function refuse(slug: ProblemSlug, detail: string, headers: Headers = []): Refusal {
  return { kind: 'refusal', slug, detail, headers };
}

/** The cookies of a `Cookie` header (RFC 6265 §5.4). Of two with one name neither counts: who set which cannot be told. */
export function readCookies(header: string): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  const seenTwice = new Set<string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    if (cookies.has(name)) seenTwice.add(name);
    cookies.set(name, pair.slice(at + 1).trim());
  }
  for (const name of seenTwice) cookies.delete(name);
  return cookies;
}
