import { isBase58Check } from '../../../lib/base58.ts';
import { isPlaceholder } from './placeholders.ts';
import { isRandom, lookOf } from './randomness.ts';
import type { Probe } from './seen.ts';

/** What lets somebody in, or back in, and is no password: keys and words of wallets, cookies of sessions, codes of recovery. */
export function keptAccess(): Probe[] {
  return [mnemonic(), walletKey(), sessionCookie(), signingPhrase(), recoveryCodes(), recoveryNumber()];
}

const WORDS =
  /(?:mnemonic|phrase|ledger|trezor|wallet|metamask|seed|words)(?:["']?(?:[ ]{1,2}(?:is|are):?[ ]{1,2}|[ =:]{1,4})["']?|[^\n]{0,32}\n{1,2}(?:[^\n]{0,40}\n){0,2})((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![\w]| \w)/iy;

/** Words of which sentences are made, and the list of wallets' words has none. */
const IN_NO_WALLET: ReadonlySet<string> = new Set(
  'the and for are was were with this that from have has not but can will your our they them which'.split(' '),
);

/** The words from which the keys of a wallet are made (BIP 39): a multiple of three of them, 12 to 24. */
function mnemonic(): Probe {
  return {
    marks: ['mnemonic', 'phrase', 'ledger', 'trezor', 'wallet', 'metamask', 'seed', 'words are', 'words:'],
    look(scan, start) {
      WORDS.lastIndex = start;
      const match = WORDS.exec(scan.text);
      const value = match?.[1];
      if (match === null || value === undefined) return;
      const words = value.split(/[ ,]+/);
      if (
        words.length % 3 !== 0 ||
        words.some((word) => IN_NO_WALLET.has(word)) ||
        new Set(words).size < words.length / 2
      )
        return;
      const what = { what: 'wallet_words', title: 'the words of a wallet', severity: 'critical' as const };
      scan.add({ confidence: 0.8, start: start + match[0].lastIndexOf(value), value, ...what });
    },
  };
}

/** Words beside which a private key stands alone, without any name. */
const OF_WALLETS = ['bitcoin', 'btc', 'electrum', 'wallet', 'sweep', 'privkey', 'wif'];
const BESIDE_CHARS = 240;
const WALLET_KEY = /(?<!\w)[59KLc][1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)/;
/** Of a version, 32 bytes, a flag where the public key is compressed, and a checksum. */
const WALLET_KEY_BYTES = [37, 38];

/** A private key in the format that wallets import (Base58Check). */
function walletKey(): Probe {
  return {
    marks: OF_WALLETS,
    look(scan, start) {
      const from = Math.max(0, start - BESIDE_CHARS);
      const match = WALLET_KEY.exec(scan.text.slice(from, start + BESIDE_CHARS));
      const value = match?.[0];
      if (match === null || value === undefined) return;
      if (!WALLET_KEY_BYTES.some((bytes) => isBase58Check(value, bytes))) return;
      const what = { what: 'wallet_key', title: 'the private key of a wallet', severity: 'critical' as const };
      scan.add({ confidence: 0.95, start: from + match.index, value, ...what });
    },
  };
}

/** Cookies by which frameworks and large services know who is signed in. */
const SESSION_COOKIES = [
  'phpsessid',
  'jsessionid',
  'sessionid',
  'asp.net_sessionid',
  'connect.sid',
  'laravel_session',
  '_session_id',
  'sapisid',
  '__secure-1psid',
  '__secure-3psid',
  '__secure-next-auth.session-token',
  'user_session',
];
const COOKIE = /[\w.-]{5,40}(?:=|\t)["']?([\w.%:/+~-]{20,512})(?=[\s;,"'\\]|$)/y;
const COOKIE_RANDOM_CHARS_MIN = 20;

/** `Cookie: PHPSESSID=…`, and the lines of a browser's file. */
function sessionCookie(): Probe {
  return {
    marks: SESSION_COOKIES.flatMap((name) => [`${name}=`, `${name}\t`]),
    wordsOnly: true,
    look(scan, start) {
      COOKIE.lastIndex = start;
      const match = COOKIE.exec(scan.text);
      const value = match?.[1];
      if (match === null || value === undefined || isPlaceholder(value)) return;
      if (!isRandom(lookOf(value), COOKIE_RANDOM_CHARS_MIN)) return;
      const what = { what: 'session_cookie', title: 'the cookie of a session', severity: 'high' as const };
      scan.add({ confidence: 0.8, start: start + match[0].lastIndexOf(value), value, ...what });
    },
  };
}

const PHRASE = /(?:secure_)?(?:auth|logged_in|nonce)_(?:key|salt)["'],\s{1,24}["']([^\n]{60,68}?)["']\s{0,2}\)/iy;

/** `define('AUTH_KEY', '…')`: what WordPress signs the cookies of its sessions with, 64 characters of any kind. */
function signingPhrase(): Probe {
  return {
    marks: ['auth_key', 'auth_salt', 'logged_in_key', 'logged_in_salt', 'nonce_key', 'nonce_salt'],
    look(scan, start) {
      PHRASE.lastIndex = start;
      const match = PHRASE.exec(scan.text);
      const value = match?.[1];
      if (match === null || value === undefined || !isDrawn(value)) return;
      const what = { what: 'generic', title: 'a key that signs sessions', severity: 'high' as const };
      scan.add({ confidence: 0.85, start: start + match[0].lastIndexOf(value), value, ...what });
    },
  };
}

/** Whether characters of all kinds were drawn: no sentence, statement or address. */
function isDrawn(value: string): boolean {
  if (new Set(value).size < PHRASE_DISTINCT_MIN || value.includes('://') || lookOf(value).wordy > 0.35) return false;
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && (value.match(/[^\w\s]/g)?.length ?? 0) >= 8;
}

/** Different characters that 64 random ones have at least, of some ninety. */
const PHRASE_DISTINCT_MIN = 30;

const CODES =
  /(?:recovery|backup) codes?\b[^\n]{0,80}\n((?:[ \t]{0,4}(?:[-*•]|\d{1,2}[.)])?[ \t]{0,2}[0-9a-z]{4,10}(?:[- ][0-9a-z]{4,10}){0,3}[ \t]{0,4}(?:\n|$)){4,16})/iy;

/** Lists of codes by which somebody gets back in who lost the second factor. */
function recoveryCodes(): Probe {
  return {
    marks: ['recovery code', 'backup code'],
    look(scan, start) {
      CODES.lastIndex = start;
      const match = CODES.exec(scan.text);
      const value = match?.[1]?.trimEnd();
      if (match === null || value === undefined || (value.match(/\d/g)?.length ?? 0) < 8) return;
      const what = {
        what: 'recovery_codes',
        title: 'codes by which an account is recovered',
        severity: 'high' as const,
      };
      scan.add({ confidence: 0.8, start: start + match[0].indexOf(value), value, ...what });
    },
  };
}

const NUMBER = /(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])/;
const NUMBER_WITHIN_CHARS = 256;
/** Each group of a BitLocker recovery password is a multiple of this (Microsoft, "BitLocker recovery"). */
const NUMBER_DIVISOR = 11;

function recoveryNumber(): Probe {
  return {
    marks: ['numerical password', 'recovery key', 'recovery password', 'bitlocker'],
    look(scan, start) {
      const match = NUMBER.exec(scan.text.slice(start, start + NUMBER_WITHIN_CHARS));
      const value = match?.[0];
      if (
        match === null ||
        value === undefined ||
        value.split('-').some((group) => Number(group) % NUMBER_DIVISOR !== 0)
      )
        return;
      const at = start + match.index;
      const what = { what: 'recovery_key', title: 'a key by which a disk is opened', severity: 'critical' as const };
      scan.add({ confidence: 0.9, start: at, value, ...what });
    },
  };
}
