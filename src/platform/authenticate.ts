import { isJsonType } from '../domain/content-type.ts';
import type { Person } from '../domain/sign-in.ts';
import { type LoginSessions, SESSION_COOKIE } from '../identity/login-sessions.ts';
import type { CsrfTokens } from '../identity/secrets.ts';
import type { Authenticate, PersonCaller } from './caller.ts';
import { type PlatformRequest, type Refusal, refuse } from './http.ts';
import { isSameOrigin } from './same-origin.ts';
import type { Site } from './site.ts';

/** In which a page of ours sends the proof that it is one; `GET /api/v1/auth/session` hands it out under the same name. */
export const CSRF_HEADER = 'x-csrf-token';

export interface AuthenticateOptions {
  site: Site;
  sessions: Pick<LoginSessions, 'use'>;
  csrf: CsrfTokens;
  /** Undefined for somebody who is not there (any more) or disabled. */
  findPerson: (userId: string) => Promise<Person | undefined>;
  /** For requests with an Authorization header; without it they are refused. */
  bearer?: Authenticate | undefined;
}

export const NO_LOGIN_SESSION = refuse('unauthorized', 'there is no login session; sign in at /api/v1/auth/login');

/** Whether a request says at all who sends it; whether that is true is for an `Authenticate` to find out. */
export function saysWho({ headers, cookies }: Pick<PlatformRequest, 'headers' | 'cookies'>): boolean {
  return headers.has('authorization') || cookies.has(SESSION_COOKIE);
}

/**
 * Who asks: by the Authorization header where there is one, else by the session cookie. With a cookie, a request that changes
 * something must come from a page of ours, as JSON, and with the session's own CSRF token.
 */
export function authenticator(options: AuthenticateOptions): Authenticate {
  return async (request) => {
    if (request.headers.has('authorization'))
      return options.bearer?.(request) ?? refuse('unauthorized', 'bearer tokens are not accepted here');
    const caller = await personOf(options, request);
    if (caller === undefined) return NO_LOGIN_SESSION;
    return forgeryIn(options, request) ?? caller;
  };
}

async function personOf(options: AuthenticateOptions, request: PlatformRequest): Promise<PersonCaller | undefined> {
  const session = await options.sessions.use(request.cookies.get(SESSION_COOKIE));
  const person = session === undefined ? undefined : await options.findPerson(session.userId);
  return session === undefined || person === undefined
    ? undefined
    : { kind: 'person', loginSessionId: session.id, ...person };
}

/** Why a request with a cookie may have been made by somebody else's page. */
function forgeryIn({ site, csrf }: AuthenticateOptions, request: PlatformRequest): Refusal | undefined {
  const { method, headers, body, cookies } = request;
  if (method === 'GET') return undefined;
  if (!isSameOrigin(headers, site)) return refuse('forbidden', 'the request comes from a page of another site');
  if (body.length > 0 && !isJsonType(headers.get('content-type')))
    return refuse('forbidden', 'send the body with content-type: application/json');
  if (csrf.matches(cookies.get(SESSION_COOKIE) ?? '', headers.get(CSRF_HEADER))) return undefined;
  return refuse('forbidden', `send the header ${CSRF_HEADER} that GET /api/v1/auth/session answers with`);
}
