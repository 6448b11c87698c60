import type { SentMessage } from '../identity/saml-messages.ts';
import { readRedirect } from '../identity/saml-redirect.ts';
import { TokenBuckets } from '../lib/token-buckets.ts';
import { type PlatformAnswer, type PlatformRequest, type Refusal, type Route, redirect, refuse } from './http.ts';
import { limitedByNetwork } from './limited.ts';
import { forPeople } from './pages.ts';
import { endedBy } from './provider-sessions.ts';
import { loadConnection, SSO_PATH } from './sso-connection.ts';
import type { SsoOptions } from './sso-flow.ts';
import { endForProvider } from './sso-logout.ts';
import { noSuchConnection, oidcOf, spOf } from './sso-routes.ts';

const BODY_BYTES_MAX = 64 * 1024;
/** It comes back to the provider in an address. */
const RELAY_STATE_CHARS_MAX = 2048;
/** Of one network, over all connections. */
const LOGOUTS = { burst: 60, everyMs: 1000 };

/** Tokens come from the provider's own servers, for all of its people. */
const TOKENS = { burst: 600, everyMs: 20 };
const TOKEN_CHARS_MAX = 16_384;

/** Logout that begins at an identity provider. */
export function ssoLogoutRoutes(options: SsoOptions): Route[] {
  const buckets = new TokenBuckets(LOGOUTS);
  const limited = (handle: Route['handle']) => limitedByNetwork(options.clock, { buckets, what: 'logouts' }, handle);
  const path = (end: string) => `${SSO_PATH}/:connection/${end}`;
  const ofPeople: Route[] = [
    {
      method: 'GET',
      path: path('slo'),
      summary: 'Where a SAML provider ends sessions, and sends people after a logout',
      handle: limited((request) => fromQuery(options, request)),
    },
    {
      method: 'POST',
      path: path('slo'),
      summary: 'The same, by a form',
      bodyBytesMax: BODY_BYTES_MAX,
      handle: limited((request) => fromForm(options, request)),
    },
  ];
  const ofPrograms: Route = {
    method: 'POST',
    path: path('backchannel-logout'),
    summary: 'Where an OpenID Connect provider ends sessions',
    bodyBytesMax: BODY_BYTES_MAX,
    handle: limitedByNetwork(options.clock, { buckets: new TokenBuckets(TOKENS), what: 'logouts' }, (request) =>
      takeToken(options, request),
    ),
  };
  return [...ofPeople.map((route) => forPeople(options.site, route)), ofPrograms];
}

/** What asks nothing answers our own logout: that session is over, and there is nothing left to do. */
const isQuestion = (parameters: URLSearchParams) => parameters.has('SAMLRequest');
const nothingLeft = () => redirect('/');

function fromQuery(options: SsoOptions, request: PlatformRequest): PlatformAnswer | Promise<PlatformAnswer> {
  if (!isQuestion(request.query)) return nothingLeft();
  const sent = readRedirect(request.queryText);
  if (sent === undefined) return refuse('invalid-request', ONE_OF_EACH);
  return takeLogout(options, request, { sent, relayState: sent.parameters.RelayState ?? '' });
}

function fromForm(options: SsoOptions, request: PlatformRequest): PlatformAnswer | Promise<PlatformAnswer> {
  const form = new URLSearchParams(request.body.toString('latin1'));
  if (!isQuestion(form)) return nothingLeft();
  const [message = '', ...others] = form.getAll('SAMLRequest');
  const [relayState = '', ...otherStates] = form.getAll('RelayState');
  if (others.length + otherStates.length > 0) return refuse('invalid-request', ONE_OF_EACH);
  return takeLogout(options, request, { sent: { binding: 'post', message }, relayState });
}

const ONE_OF_EACH = 'there must be one SAMLRequest, and RelayState, SigAlg and Signature at most once';

async function takeLogout(
  options: SsoOptions,
  request: PlatformRequest,
  { sent, relayState }: { sent: SentMessage; relayState: string },
): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection?.kind !== 'saml') return noSuchConnection();
  if (relayState.length > RELAY_STATE_CHARS_MAX)
    return refuse('invalid-request', `RelayState has more than ${RELAY_STATE_CHARS_MAX} characters`);
  const { id: connectionId, settings } = connection;
  const sp = spOf(options, connectionId);
  const outcome = await options.saml.readLogout(settings, sp, sent);
  if (!outcome.ok) return refuseLogout(outcome.fault);
  const { id: messageId, expiresAtMs, nameId, sessions } = outcome.logout;
  const ended = endedBy(options.seal, connectionId, { subject: nameId, sessions });
  const { address } = request;
  if (!(await endForProvider(options, connection, { messageId, expiresAtMs, ended, address })))
    return refuseLogout('it was used before');
  const answer = await options.saml.logoutAnswerUrl(settings, sp, { requestId: messageId, relayState });
  return answer === undefined ? nothingLeft() : redirect(answer);
}

/** OpenID Connect Back-Channel Logout 1.0, §2.5 to §2.8. The provider's server asks: no browser, no cookie. */
async function takeToken(options: SsoOptions, request: PlatformRequest): Promise<PlatformAnswer> {
  const connection = await loadConnection(options.ownerDatabase, options.seal, request.params['connection']);
  if (connection?.kind !== 'oidc') return noSuchConnection();
  const [token = '', ...others] = new URLSearchParams(request.body.toString('latin1')).getAll('logout_token');
  if (token === '' || token.length > TOKEN_CHARS_MAX || others.length > 0)
    return refuse('invalid-request', `there must be one logout_token of at most ${TOKEN_CHARS_MAX} characters`);
  const outcome = await options.oidc.readLogout(oidcOf(connection), token, options.clock.now());
  if (!outcome.ok) return refuseToken(outcome.fault);
  const { id: messageId, expiresAtMs, subject, session } = outcome.logout;
  const ended = endedBy(options.seal, connection.id, { subject, sessions: session === undefined ? [] : [session] });
  const { address } = request;
  if (!(await endForProvider(options, connection, { messageId, expiresAtMs, ended, address })))
    return refuseToken('it was used before');
  return { kind: 'answer', status: 200, body: '', headers: [['cache-control', 'no-store']] };
}

/** With the status 400 of the standard. */
function refuseToken(fault: string): Refusal {
  return refuse('invalid-request', `the logout token is not accepted, and no session ended: ${fault}`);
}

/** Not in the audit log: anybody can send such a request, as often as they like. */
function refuseLogout(fault: string): Refusal {
  return refuse('unauthorized', `the logout request is not accepted, and no session ended: ${fault}`);
}
