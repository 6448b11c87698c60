import { createHash, randomBytes } from 'node:crypto';
import { browserName } from '../domain/browser-name.ts';
import { type Claims, isAllowedEmail, type MappedPerson, mapClaims } from '../domain/claim-mapping.ts';
import { mappingOf, type SsoConnection } from '../domain/sso.ts';
import { ConnectionChanged, type LoginSessions, SESSION_COOKIE } from '../identity/login-sessions.ts';
import type { OidcProviders } from '../identity/oidc.ts';
import type { SamlProviders } from '../identity/saml.ts';
import type { Seal } from '../identity/sealed.ts';
import type { Clock } from '../lib/clock.ts';
import { audit } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { insertPending, type PendingSignIn, takePending } from '../store/pending-sign-ins.ts';
import { type Provisioned, provision } from '../store/provisioning.ts';
import { html, type PlatformAnswer, type PlatformRequest, type Refusal, redirect, refuse } from './http.ts';
import { marksOf, type ProviderNames } from './provider-sessions.ts';
import { connectionPath, withKind } from './sso-connection.ts';
import { claimsPage, PAGE_HEADERS } from './sso-pages.ts';

export interface SsoOptions {
  /** `baseUrl` may change until the service listens. */
  site: { readonly baseUrl: string };
  /** Of the service: sign-in begins before anybody's tenant is known. */
  ownerDatabase: Database;
  seal: Seal;
  oidc: OidcProviders;
  saml: SamlProviders;
  loginSessions: Pick<LoginSessions, 'begin' | 'tellEnded' | 'rightsChanged'>;
  clock: Clock;
}

/** Who is expected back, with what is needed to check what they bring. */
export interface Arrival {
  connection: SsoConnection;
  pending: PendingSignIn;
  /** What was kept secret meanwhile. */
  secrets: Record<string, string>;
  /** Ends the cookie that bound the sign-in to the browser. */
  clearCookie: [string, string];
}

const PENDING_MS = 10 * 60_000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const pendingPurpose = (stateHash: Uint8Array) => `pending ${Buffer.from(stateHash).toString('hex')}`;
const sessionPurpose = (connectionId: string) => `provider session ${connectionId}`;

/**
 * Remembers that a sign-in went to the provider. Answers with the redirect there, and the cookie that binds it to this browser.
 */
export async function sendToProvider(
  { ownerDatabase, seal, clock, site }: SsoOptions,
  connection: SsoConnection,
  trip: {
    state: string;
    secrets: Record<string, string>;
    returnTo: string;
    purpose: 'sign_in' | 'test';
    url: string;
  },
): Promise<PlatformAnswer> {
  const browser = randomBytes(32).toString('base64url');
  const stateHash = sha256(trip.state);
  await insertPending(ownerDatabase, {
    stateHash,
    tenantId: connection.tenantId,
    connectionId: connection.id,
    browserHash: sha256(browser),
    secrets: seal.seal(pendingPurpose(stateHash), JSON.stringify(trip.secrets)),
    returnTo: trip.returnTo,
    purpose: trip.purpose,
    expiresAt: new Date(clock.now() + PENDING_MS),
  });
  const cookie = `${cookieName(stateHash)}=${browser}; Max-Age=${PENDING_MS / 1000}${cookieRest(connection, site)}`;
  return redirect(trip.url, [['set-cookie', cookie]]);
}

/** One for each sign-in under way, so that two tabs do not undo each other. */
function cookieName(stateHash: Uint8Array): string {
  return `sso_${Buffer.from(stateHash).toString('hex').slice(0, 16)}`;
}

/** SAML comes back as a POST from the provider's site, to which browsers bring SameSite=None cookies alone. */
function cookieRest({ id, kind }: SsoConnection, { baseUrl }: SsoOptions['site']): string {
  const sameSite = kind === 'saml' ? '; SameSite=None; Secure' : '; SameSite=Lax';
  const secure = kind === 'oidc' && baseUrl.startsWith('https:') ? '; Secure' : '';
  return `; Path=${connectionPath(id)}; HttpOnly${sameSite}${secure}`;
}

/**
 * Takes the sign-in that `state` stands for out of those under way; undefined where there is none that began at this
 * connection, in this browser, and not too long ago. It is gone afterwards, whatever becomes of it, unless `askAgain`
 * puts it back.
 */
export async function arrive(
  { ownerDatabase, seal, clock, site }: SsoOptions,
  connection: SsoConnection,
  request: PlatformRequest,
  state: string | null,
): Promise<Arrival | undefined> {
  if (state === null || state.length > 256) return undefined;
  const stateHash = sha256(state);
  const name = cookieName(stateHash);
  const browser = request.cookies.get(name);
  if (browser === undefined) return undefined;
  const key = { stateHash, connectionId: connection.id, browserHash: sha256(browser) };
  const pending = await takePending(ownerDatabase, key, new Date(clock.now()));
  const opened = pending === undefined ? undefined : seal.open(pendingPurpose(stateHash), pending.secrets);
  if (pending === undefined || opened === undefined) return undefined;
  const clearCookie: [string, string] = ['set-cookie', `${name}=; Max-Age=0${cookieRest(connection, site)}`];
  return { connection, pending, secrets: JSON.parse(opened) as Record<string, string>, clearCookie };
}

/** Refuses what could not be looked at, and leaves the sign-in under way: it may come again. */
export async function askAgain({ ownerDatabase }: SsoOptions, { pending }: Arrival): Promise<Refusal> {
  await insertPending(ownerDatabase, pending);
  const detail = 'too many sign-ins are being checked; load this page again in a moment';
  return refuse('too-many-requests', detail, [['retry-after', '5']]);
}

export const NOT_UNDER_WAY =
  'this sign-in is not under way in this browser: it was finished before, took longer than ten minutes, or began elsewhere; start again';

/** Refuses a sign-in that came back, and says so in the tenant's audit log. `fault` is one line without secrets. */
export async function refuseSignIn(
  options: SsoOptions,
  { connection, pending, clearCookie }: Arrival,
  { fault, address }: { fault: string; address: string },
): Promise<PlatformAnswer> {
  if (pending.purpose === 'test') {
    await recordTest(options, connection, address, false);
    return html(claimsPage(connection.name, { fault }), [clearCookie, ...PAGE_HEADERS]);
  }
  await recordFailure(options, connection, { fault, address });
  return refuse('unauthorized', `the sign-in was refused: ${fault}`, [clearCookie]);
}

/** What the provider said, all checks of the protocol passed. */
export interface Vouched {
  claims: Claims;
  /** By which the provider ends the session. */
  names: ProviderNames;
  /** What ends the session at the provider. */
  providerSession: Record<string, string>;
  /** When that is over, where the provider says so: ours is then, too. */
  overAt?: Date;
}

/** Signs in whom the provider vouched for, or shows what came where it was a try-out. */
export async function welcome(
  options: SsoOptions,
  arrival: Arrival,
  vouched: Vouched,
  request: PlatformRequest,
): Promise<PlatformAnswer> {
  const { connection, pending, clearCookie } = arrival;
  const { address } = request;
  const mapped = mapClaims(vouched.claims, mappingOf(withKind(connection)));
  if (pending.purpose === 'test') {
    await recordTest(options, connection, address, mapped.ok);
    return html(claimsPage(connection.name, { claims: vouched.claims, mapped }), [clearCookie, ...PAGE_HEADERS]);
  }
  if (!mapped.ok) return refuseSignIn(options, arrival, { fault: mapped.fault, address });
  if (!mayComeIn(connection, mapped.person, vouched.claims))
    return refuseSignIn(options, arrival, { fault: 'addresses of this domain may not sign in here', address });
  const { id: connectionId, updatedAt: connectionAsOf, tenantId, kind } = connection;
  const signIn = { tenantId, connectionId, connectionAsOf, kind, person: mapped.person, address };
  const provisioned = await provision(options.ownerDatabase, signIn);
  // Their roles may be others now, whatever becomes of this sign-in.
  if (provisioned.userId !== undefined) options.loginSessions.rightsChanged(provisioned.userId);
  if (provisioned.kind === 'refused') return refuse('forbidden', REFUSALS[provisioned.cause], [clearCookie]);
  const previousToken = request.cookies.get(SESSION_COOKIE) ?? arrival.secrets['previousToken'];
  const session = {
    address,
    browser: browserName(request.headers.get('user-agent')),
    userId: provisioned.userId,
    method: kind,
    connectionId,
    connectionAsOf,
    providerSession: options.seal.seal(sessionPurpose(connectionId), JSON.stringify(vouched.providerSession)),
    providerMarks: marksOf(options.seal, connectionId, vouched.names),
    ...(vouched.overAt === undefined ? {} : { overAt: vouched.overAt }),
    ...(previousToken === undefined ? {} : { previousToken }),
  };
  try {
    const { setCookie } = await options.loginSessions.begin(session);
    return redirect(pending.returnTo, [clearCookie, ['set-cookie', setCookie]]);
  } catch (error) {
    if (!(error instanceof ConnectionChanged)) throw error;
    return refuseSignIn(options, arrival, { fault: error.message, address });
  }
}

type RefusalCause = Extract<Provisioned, { kind: 'refused' }>['cause'];

const REFUSALS: Record<RefusalCause, string> = {
  connection_not_enabled: 'this connection is not enabled; ask an administrator of the tenant',
  connection_changed: 'the connection was changed meanwhile; sign in again',
  account_disabled: 'this account is disabled; ask an administrator of the tenant',
  no_role: 'no role is mapped to you in this tenant; ask an administrator for the group or a default role',
  removed: 'you were removed from this tenant; ask an administrator of it',
};

/** An address that its provider calls unverified, however it writes that, proves no domain. */
function mayComeIn({ settings }: SsoConnection, { email }: MappedPerson, claims: Claims): boolean {
  if (settings.emailDomains === undefined || settings.emailDomains.length === 0) return true;
  const isVerified = (claims.get('email_verified') ?? []).every((value) => /^(?:true|1)$/i.test(value));
  return isVerified && isAllowedEmail(email, settings.emailDomains);
}

function recordFailure(
  { ownerDatabase }: SsoOptions,
  { tenantId, id, kind }: SsoConnection,
  { fault, address }: { fault: string; address: string },
): Promise<void> {
  const detail = { method: kind, cause: fault };
  return ownerDatabase.db.transaction((tx) =>
    audit(tx, { tenantId, actor: 'nobody', action: 'sign_in.failed', target: id, detail, address }),
  );
}

function recordTest(
  { ownerDatabase }: SsoOptions,
  { tenantId, id }: SsoConnection,
  address: string,
  good: boolean,
): Promise<void> {
  return ownerDatabase.db.transaction((tx) =>
    audit(tx, { tenantId, actor: 'nobody', action: 'sso.tested', target: id, detail: { good }, address }),
  );
}

/** What `welcome` sealed for the login session. */
export function openProviderSession(
  { seal }: SsoOptions,
  connectionId: string,
  sealed: string,
): Record<string, string> | undefined {
  const opened = seal.open(sessionPurpose(connectionId), sealed);
  return opened === undefined ? undefined : (JSON.parse(opened) as Record<string, string>);
}
