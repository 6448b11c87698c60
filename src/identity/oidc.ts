import type { JWTVerifyGetKey } from 'jose';
import * as client from 'openid-client';
import { type Claims, claimsOfJson } from '../domain/claim-mapping.ts';
import type { OidcSettings } from '../domain/sso.ts';
import { systemClock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { type GuardedFetch, OutboundRefused } from './guarded-fetch.ts';
import { type LogoutTokenOutcome, readLogoutToken } from './oidc-logout.ts';
import { remoteKeys, textBy } from './remote-keys.ts';

/** A connection as this file needs it, its client secret opened. */
export interface OidcConnection {
  id: string;
  /** Changes with the settings, so that what was discovered for older ones is not used. */
  version: string;
  settings: OidcSettings;
}

/** What must be there again when the person comes back. Secret until then. */
export interface OidcChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export type OidcOutcome =
  | { ok: true; claims: Claims; idToken: string }
  /** `fault` is one line without secrets. */
  | { ok: false; fault: string };

/** The provider cannot be used as it is set up, or does not answer. The message is one line without secrets. */
export class ProviderUnusable extends Error {
  override readonly name = 'ProviderUnusable';
}

/** What a provider says of itself. */
interface Discovered {
  config: client.Configuration;
  /** By which it signs; undefined where it names no place for them. */
  keys: JWTVerifyGetKey | undefined;
}

const DISCOVERED_MS = 10 * 60_000;
const DISCOVERED_MAX = 256;
const SCOPES = ['openid', 'email', 'profile'];
const TIMEOUT_SECONDS = 5;

/** Sign-in with OpenID Connect: authorization code with PKCE, state and nonce (RFC 9700). */
export class OidcProviders {
  readonly #fetch: GuardedFetch;
  readonly #discovered = new Lru<Discovered & { atMs: number }>({
    entriesMax: DISCOVERED_MAX,
    bytesMax: DISCOVERED_MAX * 64 * 1024,
  });

  constructor(fetch: GuardedFetch) {
    this.#fetch = fetch;
  }

  /** Fresh checks for a sign-in. */
  checks(): OidcChecks {
    return { state: client.randomState(), nonce: client.randomNonce(), codeVerifier: client.randomPKCECodeVerifier() };
  }

  /**
   * Where to send the person.
   *
   * @throws {ProviderUnusable}
   */
  async authorizeUrl(connection: OidcConnection, redirectUri: string, checks: OidcChecks): Promise<string> {
    const { config } = await this.#discover(connection);
    const scopes = new Set(['openid', ...(connection.settings.scopes ?? SCOPES)]);
    const url = client.buildAuthorizationUrl(config, {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: [...scopes].join(' '),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** What came back at `callback`, the redirect URI with its query: the claims of the ID token, all checks passed. */
  async finish(connection: OidcConnection, callback: URL, checks: OidcChecks): Promise<OidcOutcome> {
    try {
      const { config } = await this.#discover(connection);
      const tokens = await client.authorizationCodeGrant(config, callback, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (idToken === undefined || tokens.id_token === undefined) return { ok: false, fault: 'no ID token came' };
      if (!isMeantFor(idToken, connection.settings.clientId))
        return { ok: false, fault: 'the ID token was issued to another client ("aud" or "azp")' };
      const more = connection.settings.userInfo === true ? await userInfo(config, tokens, idToken.sub) : {};
      // Those of the ID token win: they are signed.
      return { ok: true, claims: claimsOfJson({ ...more, ...idToken }), idToken: tokens.id_token };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  /** Where the person ends the session at the provider, too; undefined where it has no such place, or cannot be asked. */
  async endSessionUrl(connection: OidcConnection, idToken: string, returnTo: string): Promise<string | undefined> {
    try {
      const { config } = await this.#discover(connection);
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: returnTo }).href;
    } catch {
      return undefined;
    }
  }

  /** Checks a token by which the provider ends sessions. */
  async readLogout(connection: OidcConnection, token: string, nowMs: number): Promise<LogoutTokenOutcome> {
    try {
      const { config, keys } = await this.#discover(connection);
      if (keys === undefined) return { ok: false, fault: 'the provider publishes no keys' };
      const { issuer } = config.serverMetadata();
      return await readLogoutToken(token, { keys, issuer, clientId: connection.settings.clientId, nowMs });
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  /** The provider's endpoints and keys, from its metadata, remembered for some minutes. */
  async #discover({ id, version, settings }: OidcConnection): Promise<Discovered> {
    const key = `${id} ${version}`;
    const known = this.#discovered.get(key);
    if (known !== undefined && performance.now() - known.atMs < DISCOVERED_MS) return known;
    try {
      const config = await this.#discoverAnew(settings);
      const { issuer, jwks_uri: keysUrl, authorization_endpoint: signInUrl } = config.serverMetadata();
      // openid-client would take the token of any directory at Microsoft, and metadata of anybody at its full address.
      if (issuer.includes('{'))
        throw new ProviderUnusable('its issuer names no directory: whoever has one could sign in');
      if (settings.issuer.includes('/.well-known/'))
        throw new ProviderUnusable('issuer must be the issuer itself, not the address of its metadata');
      if (signInUrl === undefined || !/^https?:$/.test(new URL(signInUrl).protocol))
        throw new ProviderUnusable('its authorization_endpoint is no address of the web');
      const keys = keysUrl === undefined ? undefined : remoteKeys(keysUrl, systemClock, textBy(this.#fetch));
      const found = { config, keys, atMs: performance.now() };
      this.#discovered.set(key, found, 64 * 1024);
      return found;
    } catch (error) {
      throw new ProviderUnusable(`the provider's metadata could not be used: ${faultOf(error)}`);
    }
  }

  async #discoverAnew({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
    const server = new URL(issuer);
    const config = await client.discovery(
      server,
      clientId,
      {},
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
      {
        [client.customFetch]: (url, { method, headers, body, signal }) =>
          this.#fetch(url, { method, headers, body, signal }),
        timeout: TIMEOUT_SECONDS,
        // Only ever on this machine: `isProviderUrl` refuses http elsewhere, for each request.
        execute: server.protocol === 'http:' ? [client.allowInsecureRequests] : [],
      },
    );
    // The signature is checked even though the token came over TLS: who sits between cannot make one up.
    client.enableNonRepudiationChecks(config);
    return config;
  }
}

/** openid-client leaves out `azp` where there is a single audience. */
function isMeantFor(idToken: client.IDToken, clientId: string): boolean {
  const audiences = [idToken.aud].flat();
  return audiences.includes(clientId) && (idToken.azp === undefined || idToken.azp === clientId);
}

async function userInfo(
  config: client.Configuration,
  tokens: client.TokenEndpointResponse,
  subject: string,
): Promise<object> {
  return client.fetchUserInfo(config, tokens.access_token, subject);
}

const CODE = /^[\w.-]{1,64}$/;

/** One line for the person at the other end: codes of the standard, and messages of the library, which name no values. */
function faultOf(error: unknown): string {
  const cause = rootOf(error);
  if (cause instanceof OutboundRefused || cause instanceof ProviderUnusable) return cause.message;
  if (cause instanceof client.AuthorizationResponseError || cause instanceof client.ResponseBodyError)
    return `the provider answered ${CODE.test(cause.error) ? cause.error : 'with an error'}`;
  if (cause instanceof Error && /abort|timeout/i.test(cause.name)) return 'the provider did not answer in time';
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (code.startsWith('OAUTH_') && cause instanceof Error) return cause.message;
  return `the provider could not be reached or understood${code === '' ? '' : ` (${code})`}`;
}

function rootOf(error: unknown): unknown {
  if (error instanceof OutboundRefused || error instanceof ProviderUnusable) return error;
  if (error instanceof client.ClientError && error.cause instanceof Error) return rootOf(error.cause);
  return error;
}
