const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const crcTable = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  crcTable[byte] = value >>> 0;
}

/** CRC-32 (ISO 3309) of ASCII text. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc = (crcTable[(crc ^ text.charCodeAt(at)) & 255] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * Whether a token of the form that GitHub introduced (prefix, `_`, random, six characters of checksum) carries the
 * checksum of its random part: CRC-32 in base 62.
 */
export function hasBase62Checksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1);
  if (body.length < 12) return false;
  let crc = crc32(body.slice(0, -6));
  let written = '';
  while (crc > 0) {
    written = BASE62[crc % 62] + written;
    crc = Math.floor(crc / 62);
  }
  return body.slice(-6) === written.padStart(6, '0');
}
