import { MOMENT_MS_MAX } from '../domain/formats.ts';
import { isTenantSlug, isTokenId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';

/**
 * What an access token says (RFC 9068, and our `tenant`). The signature, `iss`, `aud` and the times against the clock
 * are jose's; here is what it leaves open: the exact type and range of each claim.
 */

export const LIFETIME_DAYS_MAX = 3650;
/** A revocation is kept until its token would have expired, so that no token may outlive this. */
export const LIFETIME_SECONDS_MAX = LIFETIME_DAYS_MAX * 86_400;
/** How far the clocks of issuer and verifier may be apart, in seconds. */
export const LEEWAY_SECONDS = 5;

export const REQUIRED_CLAIMS = ['iss', 'aud', 'sub', 'jti', 'exp', 'nbf', 'iat', 'tenant', 'scope'];

const SUBJECT_CHARS_MAX = 128;
const SCOPE_CHARS_MAX = 1024;
// RFC 6749 §3.3
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const NUMERIC_DATE_MAX = Math.floor(MOMENT_MS_MAX / 1000);

/** Whether `value` can name who holds a token: printable, since it is stored, logged and shown. */
export function isSubject(value: unknown): value is string {
  return typeof value === 'string' && value.length <= SUBJECT_CHARS_MAX && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value);
}

/** Whether `value` is a time of RFC 7519 that a date can show: whole Unix seconds. */
export function isNumericDate(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= NUMERIC_DATE_MAX;
}

interface Claims {
  sub: string;
  jti: string;
  tenant: Principal['tenant'];
  scope: string;
  exp: number;
  nbf: number;
  iat: number;
}

const SHAPES: Record<keyof Claims | 'aud', { holds(value: unknown): boolean; expected: string }> = {
  aud: { holds: (value) => typeof value === 'string', expected: 'one text' },
  sub: { holds: isSubject, expected: `1 to ${SUBJECT_CHARS_MAX} printable characters` },
  jti: { holds: isTokenId, expected: '1 to 64 letters, digits, "-" or "_"' },
  tenant: { holds: (value) => typeof value === 'string' && isTenantSlug(value), expected: "a tenant's short name" },
  scope: {
    holds: (value) => typeof value === 'string' && value.length <= SCOPE_CHARS_MAX && SCOPE.test(value),
    expected: 'scope names with one space between them',
  },
  exp: { holds: isNumericDate, expected: 'whole Unix seconds' },
  nbf: { holds: isNumericDate, expected: 'whole Unix seconds' },
  iat: { holds: isNumericDate, expected: 'whole Unix seconds' },
};

/** `notBefore`: Unix seconds. */
export type ReadClaims = { ok: true; principal: Principal; notBefore: number } | { ok: false; detail: string };

/** Reads the claims of a token whose signature, issuer and audience were verified. */
export function readClaims(claims: Readonly<Record<string, unknown>>): ReadClaims {
  for (const [name, shape] of Object.entries(SHAPES)) {
    if (shape.holds(claims[name])) continue;
    return { ok: false, detail: `the claim "${name}" of the token must be ${shape.expected}` };
  }
  const { sub, jti, tenant, scope, exp, nbf, iat } = claims as unknown as Claims;
  if (exp <= iat || exp - iat > LIFETIME_SECONDS_MAX) {
    return { ok: false, detail: `the claim "exp" of the token must be within ${LIFETIME_DAYS_MAX} days after "iat"` };
  }
  const principal = { tenant, subject: sub, tokenId: jti, scopes: Object.freeze(scope.split(' ')), expiresAt: exp };
  // INVARIANT: a token in use was issued in the past, so that it ends within LIFETIME_SECONDS_MAX from now.
  return { ok: true, principal: Object.freeze(principal), notBefore: Math.max(nbf, iat) };
}
