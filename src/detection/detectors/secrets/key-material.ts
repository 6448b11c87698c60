import { derKey } from './der-keys.ts';
import { isPublished } from './placeholders.ts';
import { lookOf } from './randomness.ts';
import { type Probe, type Scan, startsWord } from './seen.ts';

/** Code units of a private key that are kept as its value. */
const KEY_CHARS_MAX = 16_384;
/** Base64 characters that a body has at least, to be a key and not an ellipsis. */
const BODY_CHARS_MIN = 24;

/** Private keys in their containers, and signed tokens. */
export function keyMaterial(): Probe[] {
  return [pem(), encodedPem(), derKey(), putty(), xmlKey(), jwk(), keyset(), jwt()];
}

const HEADER =
  /-{4,5} ?BEGIN (?:(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?|OpenVPN (?:Static|tls-crypt-v2 (?:client|server)) key(?: V1)?) ?-{4,5}/y;

function pem(): Probe {
  return {
    marks: ['-----begin ', '---- begin '],
    look(scan, start) {
      HEADER.lastIndex = start;
      if (!HEADER.test(scan.text)) return;
      const from = HEADER.lastIndex;
      const dashes = scan.text.indexOf('----', from);
      const to = Math.min(dashes < 0 ? scan.text.length : dashes, from + KEY_CHARS_MAX);
      const body = scan.text.slice(from, to);
      const closed = dashes >= 0 && scan.text.startsWith('END', dashes + (scan.text[dashes + 4] === '-' ? 5 : 4));
      addKey(scan, 'private_key', 'a private key', start, from, body, closed ? BODY_CHARS_MIN : 64);
    },
  };
}

/** Adds the key whose body is `body`, if that holds enough of what keys are written in. */
function addKey(
  scan: Scan,
  what: string,
  title: string,
  start: number,
  from: number,
  body: string,
  charsMin: number,
): void {
  const plain = body.replace(/\\[nrt]|[\s"'+,\\]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80}/g, '');
  if (plain.length < charsMin || !/^[A-Za-z0-9+/=._-]+$/.test(plain.slice(0, 512)) || plain.includes('...')) return;
  const look = lookOf(plain);
  if (look.entropyBits < 3.5 || look.wordy > 0.6) return;
  const value = scan.text.slice(start, from + body.length);
  scan.add({ what, title, severity: 'critical', confidence: 0.97, start, value });
}

const ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,16000}={0,2}/y;

function encodedPem(): Probe {
  return {
    marks: ['LS0tLS1CRUdJTi'],
    wordsOnly: true,
    look(scan, start) {
      ENCODED.lastIndex = start;
      const match = ENCODED.exec(scan.text);
      if (match === null) return;
      const head = Buffer.from(match[0].slice(0, 80), 'base64').toString('latin1');
      if (!/PRIVATE KEY/.test(head)) return;
      const what = { what: 'private_key', title: 'a private key in base64', severity: 'critical' as const };
      scan.add({ confidence: 0.95, start, value: match[0], ...what });
    },
  };
}

const PUTTY = /Private-Lines: \d{1,3}\r?\n([A-Za-z0-9+/=\r\n]{40,8000})/y;

function putty(): Probe {
  return {
    marks: ['private-lines:'],
    look(scan, start) {
      PUTTY.lastIndex = start;
      const body = PUTTY.exec(scan.text)?.[1];
      if (body === undefined) return;
      const what = { what: 'private_key', title: 'a private key of PuTTY', severity: 'critical' as const };
      scan.add({ confidence: 0.97, start: scan.text.indexOf('\n', start) + 1, value: body, ...what });
    },
  };
}

const XML_KEY = /<InverseQ>[A-Za-z0-9+/=\s]{20,800}<\/InverseQ>\s{0,16}<D>([A-Za-z0-9+/=\s]{40,1600})<\/D>/y;

/** An RSA key as .NET writes it in XML: with its private exponent. */
function xmlKey(): Probe {
  return {
    marks: ['<inverseq>'],
    look(scan, start) {
      XML_KEY.lastIndex = start;
      const match = XML_KEY.exec(scan.text);
      const value = match?.[1];
      if (match === null || value === undefined) return;
      const what = { what: 'private_key', title: 'a private key in XML', severity: 'critical' as const };
      scan.add({ confidence: 0.97, start: start + match[0].lastIndexOf(value), value, ...what });
    },
  };
}

const PRIVATE_PART = /"d\\{0,3}" {0,2}: {0,2}\\{0,3}"([\w-]{40,700})\\{0,3}"/;
/** Of a symmetric key all is private: `{"kty":"oct","k":"…"}`. */
const SYMMETRIC_PART = /"k\\{0,3}" {0,2}: {0,2}\\{0,3}"([\w-]{20,700})\\{0,3}"/;
const SYMMETRIC = /^"kty\\{0,3}" {0,2}: {0,2}\\{0,3}"oct/;

/** A JSON Web Key (RFC 7517) with its private part, within a kilobyte behind its type. */
function jwk(): Probe {
  return {
    marks: ['"kty"', '"kty\\'],
    look(scan, start) {
      const from = Math.max(0, start - 400);
      const part = SYMMETRIC.test(scan.text.slice(start, start + 32)) ? SYMMETRIC_PART : PRIVATE_PART;
      const match = part.exec(scan.text.slice(from, start + 1_024));
      const value = match?.[1];
      if (match === null || value === undefined) return;
      const at = from + match.index + match[0].indexOf(value);
      const what = { what: 'private_key', title: 'a private JSON Web Key', severity: 'critical' as const };
      scan.add({ confidence: 0.95, start: at, value, ...what });
    },
  };
}

const KEYSET_TYPE = /^"keyMaterialType\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"(?:SYMMETRIC|ASYMMETRIC_PRIVATE)/;
const KEYSET_VALUE = /"value\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([\w+/=-]{16,3000})\\{0,3}"/;

/** A key of a Tink keyset in JSON: its value, on either side of what it is for. */
function keyset(): Probe {
  return {
    marks: ['"keyMaterialType"', '"keyMaterialType\\'],
    look(scan, start) {
      if (!KEYSET_TYPE.test(scan.text.slice(start, start + 64))) return;
      const from = Math.max(0, start - 1_024);
      const match = KEYSET_VALUE.exec(scan.text.slice(from, start + 1_024));
      const value = match?.[1];
      if (match === null || value === undefined) return;
      const at = from + match.index + match[0].indexOf(value);
      const what = { what: 'private_key', title: 'a key of a keyset', severity: 'critical' as const };
      scan.add({ confidence: 0.95, start: at, value, ...what });
    },
  };
}

const JWT =
  /eyJ[\w-]{8,2000}\.(?:eyJ[\w-]{6,6000}\.(?:[\w-]{16,1400})?|[\w-]{0,1400}\.[\w-]{8,64}\.[\w-]{16,6000}\.[\w-]{16,48})/y;

/** JSON Web Tokens (RFC 7519), signed or encrypted, by their structure. */
function jwt(): Probe {
  return {
    marks: ['eyJ'],
    look(scan, start) {
      // Some vendors put their mark in front: `vendor_eyJ…`.
      if (!startsWord(scan.text, start) && scan.text[start - 1] !== '_') return;
      JWT.lastIndex = start;
      const match = JWT.exec(scan.text);
      if (match === null || isPublished(match[0]) || /x{6}|\.{3}/i.test(match[0])) return;
      const confidence = hasHeader(match[0]) ? 0.95 : 0.7;
      // Without a signature, or inside of something longer, only what says so is a token.
      if (confidence < 0.9 && (match[0].endsWith('.') || scan.text[start - 1] === '_')) return;
      scan.add({ what: 'jwt', title: 'a JSON Web Token', severity: 'high', confidence, start, value: match[0] });
    },
  };
}

function hasHeader(token: string): boolean {
  const header = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8');
  return /^\{[\s\S]{0,2000}"alg"\s{0,4}:\s{0,4}"/.test(header);
}
