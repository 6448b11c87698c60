import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
const KEY_BYTES = 32;
const FORM = /^[\w-]{43}$/;

/** A secret of 256 random bits, as 43 characters that fit a cookie and an address. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether `text` has the form of a `randomToken`: nothing else is looked up or stored. */
export function isToken(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && FORM.test(text);
}

/** All that is stored of a token. It has 256 random bits, so that a plain hash cannot be guessed back. */
export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** Proves that a request comes from a page of ours: an HMAC of the session's token, under a key of the installation. */
export class CsrfTokens {
  readonly #key: Uint8Array;

  /** @param secret of the installation; servers that share a database must share it. */
  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'gatehouse csrf', KEY_BYTES));
  }

  of(sessionToken: string): string {
    return this.#hmac(sessionToken).toString('base64url');
  }

  /** In a time that does not depend on `given`. */
  matches(sessionToken: string, given: string | null | undefined): boolean {
    if (!isToken(given)) return false;
    const bytes = Buffer.from(given, 'base64url');
    const expected = this.#hmac(sessionToken);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  }

  #hmac(sessionToken: string): Buffer {
    return createHmac('sha256', this.#key).update(sessionToken).digest();
  }
}
