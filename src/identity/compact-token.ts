import { TOKEN_ALGORITHM } from './signing-keys.ts';

/**
 * The form of an access token, checked before any cryptography: a JWT in compact serialization (RFC 7519, RFC 7515)
 * with exactly the header that we write.
 *
 * Only the one text that our issuer produces for a header and a set of claims is accepted: each segment must be the
 * base64url of what its value serialises to. That one rule refuses duplicate names, padding, white space, spare bits,
 * a byte order mark and every other second spelling of the same token.
 */

/** Longest `Authorization` header that is looked at, in characters. Our own tokens have about 450. */
export const AUTHORIZATION_CHARS_MAX = 8192;
/** The type of our tokens (RFC 9068 §2.1): no other JWT passes for an access token. */
export const TOKEN_TYPE = 'at+jwt';

const HEADER_NAMES = new Set(['alg', 'kid', 'typ']);
/** Parameters by which a token could bring its own key, its own rules or another format along (RFC 7515 §4.1, RFC 7797, RFC 7516). */
const REFUSED_BY_NAME = ['jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256', 'crit', 'b64', 'enc', 'zip', 'cty'];

// RFC 6750 §2.1: "Bearer" 1*SP b64token; the scheme is case-insensitive (RFC 9110 §11.1).
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;
/** 64 bytes in base64url: 86 characters, the last of which carries 2 bits. */
const ED25519_SIGNATURE = /^[\w-]{85}[AQgw]$/;

/** A token whose form is right. Nothing in it is proven yet. */
export interface CompactToken {
  text: string;
  kid: string;
  payload: string;
}

export type ReadToken = { ok: true; token: CompactToken } | { ok: false; detail: string };

const fault = (detail: string): { ok: false; detail: string } => ({ ok: false, detail });

export type ReadBearer = { ok: true; text: string } | { ok: false; detail: string };

/** Reads the value of an `Authorization` header as a token of our own; '' stands for a missing one. */
export function readAuthorization(value: string): ReadToken {
  const bearer = readBearer(value);
  return bearer.ok ? readCompactToken(bearer.text) : bearer;
}

/** The token that an `Authorization` header brings, whosever it is. */
export function readBearer(value: string): ReadBearer {
  if (value === '') return fault('there is no access token; send the header "Authorization: Bearer <token>"');
  if (value.length > AUTHORIZATION_CHARS_MAX) {
    return fault(`the Authorization header is longer than ${AUTHORIZATION_CHARS_MAX} characters; send only the token`);
  }
  const text = BEARER.exec(value)?.[1];
  if (text === undefined)
    return fault('the Authorization header must be "Bearer", a space and the token, nothing else');
  return { ok: true, text };
}

/** Reads a token of our own. */
export function readCompactToken(text: string): ReadToken {
  const segments = text.split('.');
  if (segments.length === 5) return fault('the token is encrypted (JWE); send one minted with: gatehouse token');
  const [header, payload, signature] = segments;
  if (segments.length !== 3 || !header || !payload || signature === undefined) {
    return fault('the token must have three parts joined by dots; send it whole');
  }
  const read = readHeader(header);
  if (!read.ok) return read;
  if (!ED25519_SIGNATURE.test(signature)) return fault('the token must end in an Ed25519 signature; send it whole');
  return { ok: true, token: { text, kid: read.kid, payload } };
}

/** Whether `segment` is the one way to write `value`. */
export function isCanonical(segment: string, value: unknown): boolean {
  try {
    return Buffer.from(JSON.stringify(value)).toString('base64url') === segment;
  } catch {
    // Nested deeper than the serialiser's stack: nothing we ever wrote.
    return false;
  }
}

function readHeader(segment: string): { ok: true; kid: string } | { ok: false; detail: string } {
  const header = parseObject(segment);
  if (header === undefined)
    return { ok: false, detail: 'the token header is malformed; send the token exactly as it was minted' };
  const refused = REFUSED_BY_NAME.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) return { ok: false, detail: `the token header must not have "${refused}"` };
  if (header['alg'] !== TOKEN_ALGORITHM)
    return { ok: false, detail: `the token must be signed with ${TOKEN_ALGORITHM}` };
  if (header['typ'] !== TOKEN_TYPE)
    return { ok: false, detail: `the token must be an access token ("typ": "${TOKEN_TYPE}")` };
  const kid = header['kid'];
  if (typeof kid !== 'string') return { ok: false, detail: 'the token must name its key ("kid")' };
  if (Object.keys(header).some((name) => !HEADER_NAMES.has(name))) {
    return { ok: false, detail: 'the token header must have no other names than alg, kid and typ' };
  }
  return { ok: true, kid };
}

function parseObject(segment: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && isCanonical(segment, value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
