import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { PUBLIC_KEY_ALGORITHMS } from './external-token.ts';
import { IssuerKeysUnavailable } from './remote-keys.ts';

/** Logout tokens of OpenID Connect Back-Channel Logout 1.0. */

export type LogoutTokenOutcome =
  | { ok: true; logout: LogoutToken }
  /** `fault` is one line without anything of the token. */
  | { ok: false; fault: string };

/** Whose sessions end: of the person, of one session, or of both where both are there. One is. */
export interface LogoutToken {
  id: string;
  /** When it would be refused as too old, in Unix milliseconds. */
  expiresAtMs: number;
  subject?: string;
  session?: string;
}

/** What a logout token must fit. */
export interface LogoutTokenCheck {
  keys: JWTVerifyGetKey;
  issuer: string;
  clientId: string;
  nowMs: number;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TYPES = new Set<unknown>([undefined, 'JWT', 'logout+jwt', 'application/logout+jwt']);
const AGE_SECONDS_MAX = 300;
const LEEWAY_SECONDS = 60;
const NAME_CHARS_MAX = 1024;

/** Checks a logout token (§2.6): jose its signature, issuer, audience and times; the rest here. */
export async function readLogoutToken(token: string, check: LogoutTokenCheck): Promise<LogoutTokenOutcome> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, check.keys, {
      algorithms: PUBLIC_KEY_ALGORITHMS,
      issuer: check.issuer,
      audience: check.clientId,
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: AGE_SECONDS_MAX,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(check.nowMs),
    });
    return TYPES.has(protectedHeader.typ)
      ? accept(payload)
      : { ok: false, fault: 'its "typ" is not of a logout token' };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

function accept({ jti, iat = 0, sub, sid, events, nonce }: JWTPayload): LogoutTokenOutcome {
  const event = typeof events === 'object' && events !== null && Object.hasOwn(events, EVENT);
  if (!event) return { ok: false, fault: 'its "events" tell of no logout' };
  // An ID token has one: it must not pass for a logout, nor the other way round.
  if (nonce !== undefined) return { ok: false, fault: 'it has a "nonce", which a logout token must not have' };
  if (!isName(jti)) return { ok: false, fault: 'its "jti" is no usable text' };
  if ((sub !== undefined && !isName(sub)) || (sid !== undefined && !isName(sid)))
    return { ok: false, fault: 'its "sub" or "sid" is no usable text' };
  if (sub === undefined && sid === undefined) return { ok: false, fault: 'it names neither "sub" nor "sid"' };
  const named = { ...(sub === undefined ? {} : { subject: sub }), ...(sid === undefined ? {} : { session: sid }) };
  return { ok: true, logout: { id: jti, expiresAtMs: (iat + AGE_SECONDS_MAX + LEEWAY_SECONDS + 1) * 1000, ...named } };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= NAME_CHARS_MAX;
}

function faultOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired, or is too old; compare the clocks';
  if (error instanceof errors.JWTClaimValidationFailed) return `its "${error.claim}" is missing or not as it must be`;
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
    return 'no key of the provider signed it';
  if (error instanceof IssuerKeysUnavailable || error instanceof errors.JWKSTimeout)
    return 'the keys of the provider cannot be fetched now';
  if (error instanceof errors.JOSEError) return 'it is no token that can be read';
  return 'the keys of the provider cannot be used';
}
