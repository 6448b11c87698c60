import { createHash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { isTokenId } from '../domain/ids.ts';
import { isScope } from '../domain/scopes.ts';
import type { TrustedIssuer } from '../domain/trusted-issuer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Candidate, Checked } from './access-token-verifier.ts';
import { isNumericDate, isSubject, LEEWAY_SECONDS } from './claims.ts';
import { describeFailure, lasting } from './refusal.ts';
import { IssuerKeysUnavailable, UNKNOWN_KEY_COOLDOWN_MS } from './remote-keys.ts';

/** The tokens of other issuers: what they must look like, and what they amount to here. */

/** Signatures by a private key only: none that whoever knows the public key could make (RFC 8725 §3.1). */
export const PUBLIC_KEY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Parameters by which a token could bring its own key or its own rules along. */
const REFUSED_BY_NAME = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip', 'cty'];
const TYPES = new Set<unknown>([undefined, 'JWT', 'at+jwt', 'application/at+jwt']);
/** How long a verified token is taken without asking its issuer's keys again. */
const RECHECK_MS = 600_000;

export const NOT_TRUSTED = 'the issuer of the token is not trusted here any more; ask an admin of the tenant';

/** An issuer as the process knows it. */
export interface LiveIssuer extends TrustedIssuer {
  keys: JWTVerifyGetKey;
  /** Turns true when it is no longer trusted, also for tokens that were verified before. */
  retired: boolean;
}

/** What a token says of itself. Nothing of it is proven. */
export interface UnprovenToken {
  text: string;
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
}

/** Reads a JWT of three parts without believing any of it; undefined where it is none. */
export function readUnproven(text: string): UnprovenToken | undefined {
  const [header, payload, signature, ...rest] = text.split('.');
  if (!isSegment(header) || !isSegment(payload) || !isSegment(signature) || rest.length > 0) return undefined;
  const read = { header: parseObject(header), claims: parseObject(payload) };
  return read.header === undefined || read.claims === undefined
    ? undefined
    : { text, header: read.header, claims: read.claims };
}

function isSegment(value: string | undefined): value is string {
  return value !== undefined && /^[\w-]+$/.test(value);
}

function parseObject(segment: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with the header of a token, before any key is looked for. */
export function headerFault({ header }: UnprovenToken): string | undefined {
  const refused = REFUSED_BY_NAME.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) return `the token header must not have "${refused}"`;
  if (!PUBLIC_KEY_ALGORITHMS.includes(header['alg'] as string))
    return `the token must be signed with one of ${PUBLIC_KEY_ALGORITHMS.join(', ')}`;
  if (!TYPES.has(header['typ'])) return 'the token must be an access token ("typ": "at+jwt" or "JWT")';
  const kid = header['kid'];
  return kid === undefined || (typeof kid === 'string' && kid.length <= 512)
    ? undefined
    : 'the token header "kid" must be a text of at most 512 characters';
}

/** Whether the token says that it is for the tenant of `issuer`. Its signature then shows whether that is so. */
export function isFor({ claims }: UnprovenToken, issuer: TrustedIssuer): boolean {
  const { aud } = claims;
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (claims['iss'] !== issuer.issuer || !audiences.includes(issuer.audience)) return false;
  return issuer.tenantClaim === null || ownText(claims, issuer.tenantClaim) === issuer.tenantClaimValue;
}

function ownText(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The check of a token against the keys of `issuer`, whose turn comes in `turns`. */
export function externalCandidate(
  token: UnprovenToken,
  issuer: LiveIssuer,
  clock: Clock,
  turns: Candidate['turns'],
): Candidate {
  return { text: token.text, turns, check: () => check(token.text, issuer, clock) };
}

async function check(text: string, issuer: LiveIssuer, clock: Clock): Promise<Checked> {
  try {
    const { payload } = await jwtVerify(text, issuer.keys, {
      algorithms: PUBLIC_KEY_ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(clock.now()),
    });
    return accept(payload, issuer, text, clock);
  } catch (error) {
    return describe(error, clock);
  }
}

function describe(error: unknown, clock: Clock): Checked {
  if (error instanceof IssuerKeysUnavailable || error instanceof errors.JWKSTimeout) {
    const detail = 'the keys of the issuer of the token cannot be fetched now; send the request again';
    return { ok: false, cause: 'busy', refusal: lasting(detail) };
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    const detail =
      'the key that signed the token is not among the published keys of its issuer, or not told apart there';
    return { ok: false, refusal: { detail, untilMs: clock.now() + UNKNOWN_KEY_COOLDOWN_MS } };
  }
  if (error instanceof errors.JOSEError) return { ok: false, refusal: describeFailure(error) };
  // What they publish is theirs to break: a key that cannot be read must not pass for a defect of ours.
  const detail = 'the published keys of the issuer of the token cannot be used';
  return { ok: false, refusal: { detail, untilMs: clock.now() + UNKNOWN_KEY_COOLDOWN_MS } };
}

function accept(claims: JWTPayload, issuer: LiveIssuer, text: string, clock: Clock): Checked {
  const { sub, exp, nbf } = claims;
  if (!isSubject(sub)) return refused('the claim "sub" of the token must be 1 to 128 printable characters');
  if (!isNumericDate(exp)) return refused('the claim "exp" of the token must be whole Unix seconds');
  if (nbf !== undefined && !isNumericDate(nbf))
    return refused('the claim "nbf" of the token must be whole Unix seconds');
  const scopes = Object.freeze(scopesOf(claims, issuer));
  const tokenId = `external:${issuer.id}:${fingerprint(claims.jti, text)}`;
  const principal = Object.freeze({ tenant: issuer.tenant, subject: sub, tokenId, scopes, expiresAt: exp });
  return {
    ok: true,
    token: {
      accepted: Object.freeze({ ok: true, principal }),
      source: issuer,
      whenRetired: NOT_TRUSTED,
      validFromMs: ((nbf ?? 0) - LEEWAY_SECONDS) * 1000,
      validUntilMs: (exp + LEEWAY_SECONDS) * 1000,
      recheckAtMs: clock.now() + RECHECK_MS,
    },
  };
}

function refused(detail: string): Checked {
  return { ok: false, refusal: lasting(detail) };
}

/** Those of the issuer; if the token itself names scopes of ours ("scope", RFC 9068, or "scp"), those of both. */
function scopesOf(claims: JWTPayload, { scopes }: TrustedIssuer): readonly string[] {
  const given = [claims['scope'], claims['scp']].flatMap(wordsOf).filter(isScope);
  return given.length === 0 ? [...scopes] : scopes.filter((scope) => given.includes(scope));
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
}

function fingerprint(jti: unknown, text: string): string {
  if (isTokenId(jti)) return jti;
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
