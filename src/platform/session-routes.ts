import type { EndedSession } from '../domain/sign-in.ts';
import { type LoginSessions, SESSION_COOKIE } from '../identity/login-sessions.ts';
import { type CsrfTokens, isToken } from '../identity/secrets.ts';
import { errorText } from '../lib/error-text.ts';
import type { Log } from '../lib/log.ts';
import {
  LOGIN_PATH,
  LOGOUT_PATH,
  REVOKE_ALL_PATH,
  REVOKE_OTHERS_PATH,
  SESSION_PATH,
  SESSIONS_PATH,
} from './addresses.ts';
import { CSRF_HEADER } from './authenticate.ts';
import type { Authenticate, PersonCaller } from './caller.ts';
import { FORM_BYTES_MAX, isForm, readForm } from './forms.ts';
import {
  isRefusal,
  json,
  type Method,
  noContent,
  type PlatformAnswer,
  type PlatformRequest,
  type Route,
  redirect,
  refuse,
} from './http.ts';
import { endAllSessions, endOtherSessions, endOwnSession, listOwnSessions, type Self, selfOf } from './own-sessions.ts';
import { forPeople, hidden, page } from './pages.ts';
import { isMeantHere, isSameOrigin } from './same-origin.ts';
import type { SignInAudit } from './sign-in-audit.ts';
import type { Site } from './site.ts';

export interface SessionRoutesOptions {
  site: Site;
  sessions: LoginSessions;
  csrf: CsrfTokens;
  authenticate: Authenticate;
  audit: SignInAudit;
  log: Log;
  /** Where to send the browser so that the identity provider's own session ends, too; undefined where there is no such place. */
  providerLogout: (ended: EndedSession) => Promise<string | undefined>;
}

/** A person's own login sessions: who they are, signing out. */
export function sessionRoutes(options: SessionRoutesOptions): Route[] {
  return [
    {
      method: 'GET',
      path: SESSION_PATH,
      needs: 'session',
      summary: 'Who is signed in',
      handle: (request) => showSession(options, request),
    },
    ...logoutRoutes(options).map((route) => forPeople(options.site, route)),
    ...ownSessionRoutes(options),
  ];
}

function logoutRoutes(options: SessionRoutesOptions): Route[] {
  return [
    { method: 'GET', path: LOGOUT_PATH, summary: 'Sign out', handle: (request) => openLogout(options, request) },
    {
      method: 'POST',
      path: LOGOUT_PATH,
      summary: 'Sign out, by a form',
      bodyBytesMax: FORM_BYTES_MAX,
      handle: (request) => postLogout(options, request),
    },
  ];
}

/** The fields of the contract, no others; the CSRF token travels beside them. */
async function showSession(
  { authenticate, csrf }: SessionRoutesOptions,
  request: PlatformRequest,
): Promise<PlatformAnswer> {
  const caller = await authenticate(request);
  if (caller.kind === 'refusal') return caller;
  if (caller.kind !== 'person') return refuse('unauthorized', 'a bearer token has no login session');
  return json(sessionOf(caller), 200, [[CSRF_HEADER, csrf.of(request.cookies.get(SESSION_COOKIE) ?? '')]]);
}

function sessionOf({ userId, email, name, tenants, organization }: PersonCaller) {
  return {
    userId,
    email,
    name,
    tenants: Object.fromEntries([...tenants].map(([id, roles]) => [id, { roles }])),
    tenantIds: [...tenants.keys()],
    organization: { id: organization.id, name: organization.name },
  };
}

/** Signs out where the person or a page of ours asks for it. Where another page may have led here, it asks first. */
function openLogout(options: SessionRoutesOptions, request: PlatformRequest): PlatformAnswer | Promise<PlatformAnswer> {
  const { site, csrf } = options;
  const token = request.cookies.get(SESSION_COOKIE);
  if (!isToken(token)) return redirect(LOGIN_PATH);
  if (isMeantHere(request.headers, site)) return signOut(options, request);
  const body = `<p>Do you want to sign out of Gatehouse?</p>
<form method="post" action="logout">${hidden('csrf', csrf.of(token))}<button>Sign out</button></form>`;
  return page(site, { title: 'Sign out', body });
}

async function postLogout(options: SessionRoutesOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const { site, csrf } = options;
  const token = request.cookies.get(SESSION_COOKIE);
  if (!isSameOrigin(request.headers, site)) return refuse('forbidden', 'the request comes from a page of another site');
  if (!isToken(token)) return redirect(LOGIN_PATH);
  const form = readForm(request, site);
  const proof = request.headers.get(CSRF_HEADER) ?? (isForm(form) ? form.get('csrf') : null);
  if (csrf.matches(token, proof)) return signOut(options, request);
  return refuse('forbidden', 'the CSRF token is missing or not of this session');
}

async function signOut(options: SessionRoutesOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const { sessions, audit } = options;
  const ended = await sessions.end(request.cookies.get(SESSION_COOKIE));
  if (ended !== undefined) {
    const { address } = request;
    await audit.record(ended.userId, { action: 'sign_out', actor: 'person', address });
  }
  const elsewhere = ended === undefined ? undefined : await providerLogoutOf(options, ended);
  return redirect(elsewhere ?? LOGIN_PATH, [['set-cookie', sessions.clearCookie()]]);
}

/** Here the session is over already: an identity provider that fails does not change that. */
async function providerLogoutOf({ providerLogout, log }: SessionRoutesOptions, ended: EndedSession) {
  try {
    return await providerLogout(ended);
  } catch (error) {
    log.warn({ error: errorText(error) }, "the identity provider's logout could not be followed");
    return undefined;
  }
}

/** A route for a person with a login session, about what is theirs. */
function ownRoute(
  { authenticate }: SessionRoutesOptions,
  [method, path, summary]: readonly [method: Method, path: string, summary: string],
  handle: (self: Self, request: PlatformRequest) => Promise<PlatformAnswer>,
): Route {
  return {
    method,
    path,
    needs: 'session',
    summary,
    async handle(request) {
      const caller = await authenticate(request);
      if (caller.kind === 'refusal') return caller;
      const self = selfOf(caller, request.address);
      return isRefusal(self) ? self : handle(self, request);
    },
  };
}

function ownSessionRoutes(options: SessionRoutesOptions): Route[] {
  return [
    ownRoute(options, ['GET', SESSIONS_PATH, 'List your login sessions'], async (self) =>
      json({ items: await listOwnSessions(options, self) }),
    ),
    ownRoute(options, ['DELETE', `${SESSIONS_PATH}/:id`, 'End one of your login sessions'], async (self, request) => {
      const ended = await endOwnSession(options, self, request.params['id'] ?? '');
      return isRefusal(ended) ? ended : noContent();
    }),
    ownRoute(options, ['POST', REVOKE_OTHERS_PATH, 'Sign out everywhere else'], async (self) =>
      json(await endOtherSessions(options, self)),
    ),
    ownRoute(options, ['POST', REVOKE_ALL_PATH, 'Sign out everywhere'], async (self) => {
      await endAllSessions(options, self);
      return noContent([['set-cookie', options.sessions.clearCookie()]]);
    }),
  ];
}
