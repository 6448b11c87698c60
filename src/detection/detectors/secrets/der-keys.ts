import type { Probe } from './seen.ts';

/**
 * Private keys as bare DER in base64, without the lines of PEM around them: as variables of build services hold them. What
 * they are is read from their first bytes, so that certificates and public keys, which look the same, are none.
 */
export function derKey(): Probe {
  return {
    marks: MARKS,
    wordsOnly: true,
    look(scan, start) {
      const before = scan.text.charCodeAt(start - 1);
      if (before === PLUS || before === SLASH) return;
      BODY.lastIndex = start;
      const value = BODY.exec(scan.text)?.[0];
      if (value === undefined || !holdsPrivateKey(Buffer.from(value.slice(0, HEAD_CHARS), 'base64'))) return;
      const what = { what: 'private_key', title: 'a private key in base64', severity: 'critical' as const };
      scan.add({ confidence: 0.95, start, value, ...what });
    },
  };
}

const PLUS = 43;
const SLASH = 47;
/** How base64 of a DER sequence starts: of 256 bytes and more, and of the short keys of elliptic curves. */
const MARKS = ['MII', 'MHcCAQEE', 'MIGkAgEBBD', 'MIGHAgEAM', 'MIG2AgEAM', 'MIHcAgEBBE', 'MC4CAQAwBQYDK2V'];
const BODY = /[A-Za-z0-9+/]{56,16000}={0,2}/y;
/** Base64 characters of which the kind of container is read: 60 bytes. */
const HEAD_CHARS = 80;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTETS = 0x04;
const OBJECT = 0x06;
/** PBES1 and PBES2 of PKCS #5, and the schemes of PKCS #12, as the body of an object identifier. */
const PASSWORD_BASED = ['2a864886f70d0105', '2a864886f70d010c01'];
/** `data` of PKCS #7, in which PKCS #12 keeps what it holds. */
const PKCS7_DATA = '2a864886f70d0107';

/** Whether a DER container that starts with `head` is one of PKCS #1, #8 or #12, of SEC 1, or of DSA. */
function holdsPrivateKey(head: Buffer): boolean {
  const outer = openTag(head, 0, SEQUENCE);
  if (outer === undefined) return false;
  // EncryptedPrivateKeyInfo begins with the algorithm.
  if (head[outer] === SEQUENCE)
    return PASSWORD_BASED.some((object) => objectAt(head, openTag(head, outer, SEQUENCE)).startsWith(object));
  if (head[outer] !== INTEGER || head[outer + 1] !== 1) return false;
  const version = head[outer + 2];
  const next = outer + 3;
  if (version === 0)
    return head[next] === INTEGER || (head[next] === SEQUENCE && objectAt(head, openTag(head, next, SEQUENCE)) !== '');
  if (version === 1)
    return head[next] === OCTETS || (head[next] === SEQUENCE && objectAt(head, openTag(head, next, SEQUENCE)) !== '');
  return version === 3 && objectAt(head, openTag(head, next, SEQUENCE)).startsWith(PKCS7_DATA);
}

/** Where the content of the element at `at` begins, if it is of that tag. */
function openTag(bytes: Buffer, at: number, tag: number): number | undefined {
  if (bytes[at] !== tag) return undefined;
  const length = bytes[at + 1] ?? 0;
  return length < 0x80 ? at + 2 : at + 2 + (length & 0x7f);
}

/** The body of the object identifier at `at` in hexadecimal; empty where there is none. */
function objectAt(bytes: Buffer, at: number | undefined): string {
  if (at === undefined || bytes[at] !== OBJECT) return '';
  return bytes.toString('hex', at + 2, at + 2 + (bytes[at + 1] ?? 0));
}
