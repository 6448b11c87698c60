import { domainOf } from '../domain/email-address.ts';
import { readLocalPath } from '../domain/local-path.ts';
import type { SsoConnection } from '../domain/sso.ts';
import { SESSION_COOKIE } from '../identity/login-sessions.ts';
import { ProviderUnusable } from '../identity/oidc.ts';
import type { ServiceProvider } from '../identity/saml.ts';
import { isToken } from '../identity/secrets.ts';
import { escapeHtml } from '../lib/escape-html.ts';
import { TokenBuckets } from '../lib/token-buckets.ts';
import { useMessage } from '../store/pending-sign-ins.ts';
import { connectionForDomain } from '../store/verified-domains.ts';
import { type PlatformAnswer, type PlatformRequest, type Refusal, type Route, refuse } from './http.ts';
import { limitedByNetwork } from './limited.ts';
import { forPeople, page } from './pages.ts';
import { connectionPath, loadConnection, SSO_PATH } from './sso-connection.ts';
import {
  arrive,
  askAgain,
  NOT_UNDER_WAY,
  openProviderSession,
  refuseSignIn,
  type SsoOptions,
  sendToProvider,
  welcome,
} from './sso-flow.ts';
import { isTestTicket } from './sso-test-ticket.ts';

const ACS_BODY_BYTES_MAX = 256 * 1024;
/** Of one network, over all connections. An office behind one address signs in together in the morning. */
const STARTS = { burst: 60, everyMs: 1000 };
const RETURNS = { burst: 60, everyMs: 1000 };

/** Sign-in through identity providers: what browsers come to. */
export function ssoRoutes(options: SsoOptions): Route[] {
  const starts = new TokenBuckets(STARTS);
  const returns = new TokenBuckets(RETURNS);
  const limited = (buckets: TokenBuckets, handle: Route['handle']) =>
    limitedByNetwork(options.clock, { buckets, what: 'sign-ins' }, handle);
  const path = (end: string) => `${SSO_PATH}/:connection/${end}`;
  const ofPeople: Route[] = [
    {
      method: 'GET',
      path: path('start'),
      summary: 'Begin a sign-in at an identity provider',
      handle: limited(starts, (request) => start(options, request)),
    },
    {
      method: 'GET',
      path: path('callback'),
      summary: 'Where an OpenID Connect provider sends people back to',
      handle: limited(returns, (request) => callback(options, request)),
    },
    {
      method: 'POST',
      path: path('acs'),
      summary: 'Where a SAML provider sends people back to',
      bodyBytesMax: ACS_BODY_BYTES_MAX,
      handle: limited(returns, (request) => consumeAssertion(options, request)),
    },
  ];
  const ofPrograms: Route = {
    method: 'GET',
    path: path('metadata'),
    summary: 'Our SAML metadata',
    handle: limited(starts, (request) => metadata(options, request)),
  };
  return [...ofPeople.map((route) => forPeople(options.site, route)), ofPrograms];
}

async function start(options: SsoOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection === undefined) return noSuchConnection();
  const returnTo = readLocalPath(request.query.get('return_to') || '/');
  if (returnTo === undefined)
    return refuse('invalid-request', 'return_to must be a path of this site, such as /t/<tenant>/agents');
  // A page of somebody else's must not sign anybody in as whom it likes, nor out of their own session (login CSRF).
  if (['cross-site', 'same-site'].includes(request.headers.get('sec-fetch-site') ?? ''))
    return askFirst(options, connection, request);
  const ticket = request.query.get('test');
  if (ticket !== null && !isTestTicket(options, connection.id, ticket))
    return refuse('forbidden', 'this test link is not good any more; an administrator can make a new one');
  if (ticket === null && connection.state !== 'enabled')
    return refuse('forbidden', 'this connection is not enabled; ask an administrator of the tenant');
  const purpose = ticket === null ? 'sign_in' : 'test';
  const previousToken = request.cookies.get(SESSION_COOKIE);
  try {
    const { secrets, ...trip } = await tripTo(options, connection);
    // A form of another site, as SAML comes back, does not bring the cookie.
    const kept = isToken(previousToken) ? { ...secrets, previousToken } : secrets;
    return await sendToProvider(options, connection, { ...trip, secrets: kept, returnTo, purpose });
  } catch (error) {
    if (error instanceof ProviderUnusable) return refuse('conflict', error.message);
    throw error;
  }
}

function askFirst({ site }: SsoOptions, { name }: SsoConnection, { path, query }: PlatformRequest): PlatformAnswer {
  const address = escapeHtml(`${path}?${query.toString()}`);
  const body = `<p>Another site brought you here. Sign in through ${escapeHtml(name)}?</p><p><a href="${address}">Sign in</a></p>`;
  return page(site, { title: 'Sign in', body });
}

/** Where the browser is sent, and what must be known when it comes back. */
async function tripTo(
  options: SsoOptions,
  connection: SsoConnection,
): Promise<{ url: string; state: string; secrets: Record<string, string> }> {
  const checks = options.oidc.checks();
  const { state, nonce, codeVerifier } = checks;
  if (connection.kind === 'oidc') {
    const url = await options.oidc.authorizeUrl(oidcOf(connection), callbackUrl(options, connection.id), checks);
    return { url, state, secrets: { nonce, codeVerifier } };
  }
  const requestId = options.saml.requestId();
  const url = await options.saml.authorizeUrl(connection.settings, spOf(options, connection.id), { state, requestId });
  return { url, state, secrets: { requestId } };
}

async function callback(options: SsoOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection?.kind !== 'oidc') return noSuchConnection();
  const state = request.query.get('state');
  const arrival = await arrive(options, connection, request, state);
  if (arrival === undefined || state === null) return refuse('unauthorized', NOT_UNDER_WAY);
  // From the configured base URL, not from what the request says of its host.
  const came = new URL(`${callbackUrl(options, connection.id)}?${request.query.toString()}`);
  const { nonce = '', codeVerifier = '' } = arrival.secrets;
  const outcome = await options.oidc.finish(oidcOf(connection), came, { state, nonce, codeVerifier });
  if (!outcome.ok) return refuseSignIn(options, arrival, { fault: outcome.fault, address: request.address });
  const { claims, idToken } = outcome;
  const names = { subject: claims.get('sub')?.[0] ?? '', session: claims.get('sid')?.[0] };
  const vouched = { claims, names, providerSession: { idToken } };
  return welcome(options, arrival, vouched, request);
}

async function consumeAssertion(options: SsoOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection?.kind !== 'saml') return noSuchConnection();
  const form = readForm(request);
  if ('kind' in form) return form;
  // Before any XML is looked at: only somebody who began a sign-in here may make us read some.
  const arrival = await arrive(options, connection, request, form.state);
  if (arrival === undefined) return refuse('unauthorized', NOT_UNDER_WAY);
  const { requestId = '' } = arrival.secrets;
  const { address } = request;
  const sp = spOf(options, connection.id);
  const outcome = await options.saml.finish(connection.settings, sp, { response: form.response, requestId });
  if (!outcome.ok && outcome.isUnread === true) return askAgain(options, arrival);
  if (!outcome.ok)
    return refuseSignIn(options, arrival, { fault: `the response is not accepted: ${outcome.fault}`, address });
  const { id, claims, expiresAtMs, overAtMs, ...session } = outcome.assertion;
  const used = { tenantId: connection.tenantId, connectionId: connection.id, messageId: id };
  const expiresAt = new Date(expiresAtMs);
  if (!(await options.ownerDatabase.db.transaction((tx) => useMessage(tx, { ...used, expiresAt }))))
    return refuseSignIn(options, arrival, { fault: 'the assertion was used before', address });
  const { nameId, nameIdFormat, nameQualifier, spNameQualifier, sessionIndex } = session;
  const providerSession = { nameId, nameIdFormat, nameQualifier, spNameQualifier, sessionIndex };
  const names = { subject: nameId, session: sessionIndex };
  const over = overAtMs === undefined ? {} : { overAt: new Date(overAtMs) };
  return welcome(options, arrival, { claims, names, providerSession, ...over }, request);
}

function readForm(request: PlatformRequest): { response: string; state: string } | Refusal {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    return refuse('invalid-request', 'a SAML response comes as application/x-www-form-urlencoded');
  const form = new URLSearchParams(request.body.toString('latin1'));
  const [response, ...others] = form.getAll('SAMLResponse');
  const [state, ...otherStates] = form.getAll('RelayState');
  if (response === undefined || others.length + otherStates.length > 0)
    return refuse('invalid-request', 'there must be one SAMLResponse and one RelayState');
  if (state === undefined)
    return refuse('invalid-request', 'there is no RelayState: sign-in must begin here, not at the identity provider');
  return { response, state };
}

async function metadata(options: SsoOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection?.kind !== 'saml') return noSuchConnection();
  const body = await options.saml.metadata(connection.settings, spOf(options, connection.id));
  return { kind: 'answer', status: 200, contentType: 'application/samlmetadata+xml', body, headers: [] };
}

/** The enabled connection that signs in people of this address, by its verified domain. For the sign-in page. */
export async function ssoFor(
  { ownerDatabase }: Pick<SsoOptions, 'ownerDatabase'>,
  email: string,
): Promise<string | undefined> {
  const domain = domainOf(email).toLowerCase();
  return domain === '' || domain.length > 253 ? undefined : connectionForDomain(ownerDatabase, domain);
}

/** Where a login session's person ends the session at the provider, too; undefined where that is not possible. */
export async function providerLogoutUrl(
  options: SsoOptions,
  session: { connectionId: string; providerSession: string },
): Promise<string | undefined> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, session.connectionId);
  const opened = openProviderSession(options, session.connectionId, session.providerSession);
  if (connection === undefined || opened === undefined) return undefined;
  if (connection.kind === 'saml')
    return options.saml.logoutUrl(connection.settings, spOf(options, connection.id), opened);
  return options.oidc.endSessionUrl(oidcOf(connection), opened['idToken'] ?? '', `${options.site.baseUrl}/`);
}

export function noSuchConnection(): Refusal {
  return refuse('not-found', 'no connection to an identity provider is at this address');
}

export function oidcOf({ id, updatedAt, settings }: Extract<SsoConnection, { kind: 'oidc' }>) {
  return { id, version: updatedAt.toISOString(), settings };
}

/** Each connection has one of its own, so that an answer of one provider is never taken for another's. */
export function callbackUrl({ site }: Pick<SsoOptions, 'site'>, id: string): string {
  return `${site.baseUrl}${connectionPath(id)}/callback`;
}

export function spOf({ site }: Pick<SsoOptions, 'site'>, id: string): ServiceProvider {
  const own = `${site.baseUrl}${connectionPath(id)}`;
  return { entityId: `${own}/metadata`, acsUrl: `${own}/acs`, sloUrl: `${own}/slo` };
}
