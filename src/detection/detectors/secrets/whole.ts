import type { Scan } from './seen.ts';

/** A longer text is none of these. */
const WHOLE_CHARS_MAX = 1_024;

/** The 64 bytes of a key pair, as command-line wallets of Solana keep it. */
const KEY_PAIR = /^\s{0,8}(\[\s{0,4}(?:\d{1,3},\s{0,4}){63}\d{1,3}\s{0,4}\])\s{0,8}$/;
const BYTE_MAX = 255;
/** Different bytes that 64 random ones have at least: fewer come once in more than a million million times. */
const DISTINCT_BYTES_MIN = 40;

/** Codes of a second factor, line by line. */
const CODE_LINES = /^\s{0,8}((?:[0-9a-z]{4,6}-[0-9a-z]{4,6}[ \t]{0,4}\r?\n){5,15}[0-9a-z]{4,6}-[0-9a-z]{4,6})\s{0,8}$/;
/** Share of the characters that are digits, in codes of hexadecimal digits or digits and letters. */
const DIGITS_SHARE_MIN = 0.2;

/** Secrets that are a whole text and that nothing in it names: what a tool gives back of a file. */
export function wholeSecret(scan: Scan): void {
  if (scan.text.length > WHOLE_CHARS_MAX) return;
  const pair = KEY_PAIR.exec(scan.text)?.[1];
  if (pair !== undefined && isKeyPair(pair)) {
    const title = 'the key pair of a wallet';
    scan.add({
      what: 'wallet_key',
      title,
      severity: 'critical',
      confidence: 0.8,
      start: scan.text.indexOf(pair),
      value: pair,
    });
    return;
  }
  const codes = CODE_LINES.exec(scan.text)?.[1];
  if (codes === undefined || codes.replace(/\D/g, '').length < codes.length * DIGITS_SHARE_MIN) return;
  const what = { what: 'recovery_codes', title: 'codes by which an account is recovered', severity: 'high' as const };
  scan.add({ confidence: 0.6, start: scan.text.indexOf(codes), value: codes, ...what });
}

function isKeyPair(text: string): boolean {
  const bytes = text.match(/\d+/g)?.map(Number) ?? [];
  return bytes.every((byte) => byte <= BYTE_MAX) && new Set(bytes).size >= DISTINCT_BYTES_MIN;
}
