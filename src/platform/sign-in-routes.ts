import { canonicalEmail } from '../domain/email-address.ts';
import { localPath } from '../domain/local-path.ts';
import type { FirstOwner } from '../domain/sign-in.ts';
import { SESSION_COOKIE } from '../identity/login-sessions.ts';
import { isToken, randomToken } from '../identity/secrets.ts';
import { escapeHtml } from '../lib/escape-html.ts';
import { LOGIN_PATH, MAGIC_LINK_PATH, ssoStartPath } from './addresses.ts';
import { FORM_BYTES_MAX, isForm, readForm } from './forms.ts';
import { type PlatformAnswer, type PlatformRequest, type Refusal, type Route, redirect, refuse } from './http.ts';
import { forPeople, hidden, page, withPage } from './pages.ts';
import type { SignIn, SignInOutcome } from './sign-in.ts';
import { isPlainLoopback, type Site } from './site.ts';

export interface SignInRoutesOptions {
  site: Site;
  signIn: SignIn;
  /** The id of the SSO connection that signs in whoever has this canonical address; undefined where a link does. */
  ssoFor: (email: string) => Promise<string | undefined>;
}

/** Holds what a link is bound to: the browser that asked for it. */
const BROWSER_COOKIE = 'sign_in';
const BROWSER_COOKIE_SECONDS = 3600;
const NAME_CHARS_MAX = 200;
const RETURN_TO = { return_to: 'A path of this service to go to afterwards.' };

/** The sign-in page, and the links that it sends. */
export function signInRoutes(options: SignInRoutesOptions): Route[] {
  const { site, signIn } = options;
  const routes: Route[] = [
    {
      method: 'GET',
      path: LOGIN_PATH,
      summary: 'The sign-in page',
      query: RETURN_TO,
      handle: ({ query }) => page(site, loginContent(localPath(query.get('return_to')))),
    },
    {
      method: 'POST',
      path: LOGIN_PATH,
      summary: 'Ask for a sign-in link, by a form',
      bodyBytesMax: FORM_BYTES_MAX,
      handle: (request) => ask(options, request),
    },
    {
      method: 'GET',
      path: MAGIC_LINK_PATH,
      summary: 'The page behind a sign-in link',
      query: { token: 'As it was mailed.', ...RETURN_TO },
      handle: (request) => showLink(options, request),
    },
    {
      method: 'POST',
      path: MAGIC_LINK_PATH,
      summary: 'Use a sign-in link, by a form',
      bodyBytesMax: FORM_BYTES_MAX,
      handle: (request) => useLink(site, signIn, request),
    },
  ];
  return routes.map((route) => forPeople(site, route));
}

async function ask({ site, signIn, ssoFor }: SignInRoutesOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const form = readForm(request, site);
  if (!isForm(form)) return form;
  const returnTo = localPath(form.get('return_to'));
  const email = canonicalEmail(form.get('email') ?? '');
  if (email === undefined) {
    const refusal = refuse('invalid-request', 'that is no e-mail address');
    return withPage(site, refusal, request, loginContent(returnTo, 'That is no e-mail address.'));
  }
  const wait = signIn.limit(email, request.address);
  if (wait !== undefined) return tooMany(wait);
  const connectionId = await ssoFor(email);
  if (connectionId !== undefined) return redirect(ssoStartPath(connectionId, returnTo));
  const known = request.cookies.get(BROWSER_COOKIE);
  const browser = isToken(known) ? known : randomToken();
  signIn.ask({ email, browser, returnTo, address: request.address });
  return page(site, SENT, [['set-cookie', browserCookie(site, browser, BROWSER_COOKIE_SECONDS)]]);
}

async function showLink({ site, signIn }: SignInRoutesOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const token = request.query.get('token');
  const link = await signIn.look(token);
  if (token === null || link === undefined) return DEAD_LINK;
  const returnTo = localPath(request.query.get('return_to'));
  return page(site, linkContent({ token, returnTo, email: link.email }));
}

async function useLink(site: Site, signIn: SignIn, request: PlatformRequest): Promise<PlatformAnswer> {
  const form = readForm(request, site);
  if (!isForm(form)) return form;
  const token = form.get('token');
  const returnTo = localPath(form.get('return_to'));
  const outcome = await signIn.use({
    token,
    browser: request.cookies.get(BROWSER_COOKIE),
    previousToken: request.cookies.get(SESSION_COOKIE),
    address: request.address,
    userAgent: request.headers.get('user-agent'),
    owner: readOwner(form),
  });
  if (!outcome.ok) return refusalOf(outcome, { site, request, token, returnTo });
  return redirect(returnTo, [
    ['set-cookie', outcome.setCookie],
    ['set-cookie', browserCookie(site, '', 0)],
  ]);
}

function readOwner(form: URLSearchParams): FirstOwner | undefined {
  const email = canonicalEmail(form.get('email') ?? '');
  const name = (form.get('name') ?? '').trim();
  const fits = name !== '' && name.length <= NAME_CHARS_MAX && name.isWellFormed() && !/\p{Cc}/u.test(name);
  return email !== undefined && fits ? { email, name } : undefined;
}

const DEAD_LINK = refuse(
  'unauthorized',
  'this link was used already, is too old, or was never valid; ask for a new one',
);

interface Shown {
  site: Site;
  request: PlatformRequest;
  token: string | null;
  returnTo: string;
}

function refusalOf(outcome: SignInOutcome & { ok: false }, { site, request, token, returnTo }: Shown): Refusal {
  switch (outcome.cause) {
    case 'limited':
      return tooMany(outcome.retryAfterSeconds);
    case 'other_browser':
      return refuse('forbidden', 'this link works only in the browser in which it was asked for; open it there');
    case 'owner_wanted': {
      const refusal = refuse(
        'invalid-request',
        `say who you are: a name of 1 to ${NAME_CHARS_MAX} characters, an e-mail address`,
      );
      const wanted = { token: token ?? '', returnTo, email: undefined };
      return withPage(site, refusal, request, linkContent(wanted, 'Both a name and an e-mail address are needed.'));
    }
    default:
      return DEAD_LINK;
  }
}

function tooMany(seconds: number): Refusal {
  const detail = `this was asked too often; try again in ${seconds} seconds`;
  return refuse('too-many-requests', detail, [['retry-after', String(seconds)]]);
}

function browserCookie(site: Site, value: string, seconds: number): string {
  const secure = isPlainLoopback(site) ? '' : '; Secure';
  return `${BROWSER_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}; Max-Age=${seconds}`;
}

const SENT = {
  title: 'Check your mail',
  body: `<p>If this address can sign in here, a link is on its way to it. Open it in this browser; it works once, within 15 minutes.</p>
<p><a href="login">Use another address</a></p>`,
};

const EMAIL_FIELD =
  '<label for="email">E-mail address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="email">';

function loginContent(returnTo: string, problem?: string) {
  const body = `${alert(problem)}<form method="post" action="login">${hidden('return_to', returnTo)}${EMAIL_FIELD}
<button>Continue</button></form>`;
  return { title: 'Sign in', body };
}

/** The page behind a link. Opening it uses nothing up: mail programs open links, too. */
function linkContent(
  { token, returnTo, email }: { token: string; returnTo: string; email: string | undefined },
  problem?: string,
) {
  const fields = hidden('token', token) + hidden('return_to', returnTo);
  const form = (inner: string) => `${alert(problem)}<form method="post" action="magic-link">${fields}${inner}</form>`;
  if (email !== undefined) {
    const body = form(`<p>You are about to sign in as <b>${escapeHtml(email)}</b>.</p><button>Sign in</button>`);
    return { title: 'Sign in', body };
  }
  const name = `<label for="name">Your name</label><input id="name" name="name" required maxlength="${NAME_CHARS_MAX}" autocomplete="name">`;
  const body = form(
    `<p>Nobody can sign in here yet. You become the owner.</p>${name}${EMAIL_FIELD}<button>Begin</button>`,
  );
  return { title: 'Welcome to Gatehouse', body };
}

function alert(problem: string | undefined): string {
  return problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
}
