import { createHash } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUE_OF = new Int8Array(128).fill(-1);
for (let at = 0; at < 58; at++) VALUE_OF[ALPHABET.charCodeAt(at)] = at;

const CHECKSUM_BYTES = 4;

/**
 * Whether `text` is Base58Check of `bytes` bytes: the last four are the start of two SHA-256 over what is before them (Bitcoin and
 * kin: addresses of 25 bytes, private keys of 37 or 38, extended keys of 82). Work grows with the product of both lengths.
 */
export function isBase58Check(text: string, bytes: number): boolean {
  const decoded = new Uint8Array(bytes);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let carry = code < 128 ? (VALUE_OF[code] as number) : -1;
    if (carry < 0) return false;
    for (let index = bytes - 1; index >= 0; index--) {
      carry += (decoded[index] as number) * 58;
      decoded[index] = carry & 255;
      carry >>= 8;
    }
    if (carry > 0) return false;
  }
  const body = bytes - CHECKSUM_BYTES;
  const once = createHash('sha256').update(decoded.subarray(0, body)).digest();
  const twice = createHash('sha256').update(once).digest();
  return twice.compare(decoded, body, bytes, 0, CHECKSUM_BYTES) === 0;
}
