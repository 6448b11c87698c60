import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isProviderUrl } from '../domain/sso.ts';
import type { Clock } from '../lib/clock.ts';
import { type GuardedFetch, type GuardedFetchOptions, guardedFetch } from './guarded-fetch.ts';

/** The public keys of another issuer, fetched from its JWK Set when they are needed and kept for a while. */

const FETCH_TIMEOUT_MS = 3000;
const KEY_SET_BYTES_MAX = 256 * 1024;
const KEYS_MAX = 100;
/** A key that is not in the set is looked for again after this long at the earliest. */
export const UNKNOWN_KEY_COOLDOWN_MS = 30_000;
const KEYS_AGE_MS_MAX = 600_000;
/** After a failure the issuer is left alone for this long: nobody makes us knock at a door that is shut. */
const FAILURE_COOLDOWN_MS = 5000;
const URL_CHARS_MAX = 1024;

/** The keys cannot be had now, which says nothing about the token that asked for them. */
export class IssuerKeysUnavailable extends Error {
  override readonly name = 'IssuerKeysUnavailable';
}

/** Whether `text` is an address that keys may be fetched from. */
export function isKeySetUrl(text: string): boolean {
  return text.length <= URL_CHARS_MAX && isProviderUrl(text);
}

export type FetchText = (url: string, signal: AbortSignal) => Promise<string>;

/**
 * The keys at `url`, as jose asks for them. Rejects with `IssuerKeysUnavailable` while they cannot be fetched.
 *
 * @param fetchText resolves to the text of the key set: `guardedText`.
 */
export function remoteKeys(url: string, clock: Clock, fetchText: FetchText): JWTVerifyGetKey {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  const fetchBounded = async (address: string, { signal }: { signal: AbortSignal }) => {
    if (clock.monotonic() < quietUntilMs) throw new IssuerKeysUnavailable('it failed a moment ago');
    try {
      const text = await fetchText(address, signal);
      assertKeySet(text);
      return new Response(text);
    } catch (error) {
      quietUntilMs = clock.monotonic() + FAILURE_COOLDOWN_MS;
      throw new IssuerKeysUnavailable((error as Error).message);
    }
  };
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: UNKNOWN_KEY_COOLDOWN_MS,
    cacheMaxAge: KEYS_AGE_MS_MAX,
    [customFetch]: fetchBounded,
  });
}

/** Key sets from where the service may ask (see `guardedFetch`); a redirect is not followed. */
export function guardedText(options: GuardedFetchOptions): FetchText {
  return textBy(guardedFetch({ ...options, answerBytesMax: KEY_SET_BYTES_MAX }));
}

/** The same by a fetch that is there already, with its own bounds. */
export function textBy(fetch: GuardedFetch): FetchText {
  return async (url, signal) => {
    const response = await fetch(url, { headers: { accept: 'application/json, application/jwk-set+json' }, signal });
    if (response.status !== 200) throw new Error(`it answered with status ${response.status}`);
    return response.text();
  };
}

function assertKeySet(text: string): void {
  const value = JSON.parse(text) as { keys?: unknown } | null;
  const keys = value?.keys;
  if (!Array.isArray(keys) || keys.length > KEYS_MAX || !keys.every((key) => typeof key === 'object' && key !== null))
    throw new Error(`it is no JWK Set of at most ${KEYS_MAX} keys`);
}
