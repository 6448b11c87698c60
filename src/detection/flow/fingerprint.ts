import { exactHash, GRAM_SYMBOLS, type KeyedHash, keyedHash, mixed, SYMBOLS_COUNT, turn } from './keyed-hash.ts';
import { symbolsOf } from './symbols.ts';

/**
 * A sensitive value as it is remembered: base64url of the HMAC of its normalised form (8 bytes), its length (2 bytes),
 * a flag byte, and keyed hashes of pieces at even distances (4 bytes each). At most 111 characters. Without the key
 * neither a guess of the value nor of a piece can be checked.
 */
export type Fingerprint = string;

/** Pieces that one fingerprint keeps: one bit each in a coverage mask. */
export const GRAMS_MAX = 18;

/** Normalised symbols below which a value is too common to be remembered. */
export const VALUE_SYMBOLS_MIN = 8;

/** Symbols of a value that are read. What lies behind them of a longer one is not recognised. */
export const VALUE_SYMBOLS_MAX = 16_384;

const EXACT_BYTES = 8;
const HEADER_BYTES = EXACT_BYTES + 3;

export interface ReadFingerprint {
  /** Normalised symbols of the value. */
  length: number;
  /** Symbols from one piece to the next. */
  stride: number;
  /** A single piece of it says something: the value is long and random enough. */
  dense: boolean;
  grams: Int32Array;
}

/** The fingerprint of `value` under `key`; undefined where it is too short to be told from chance. */
export function fingerprint(value: string, key: Uint8Array): Fingerprint | undefined {
  const symbols = symbolsOf(value.length > VALUE_SYMBOLS_MAX ? value.slice(0, VALUE_SYMBOLS_MAX) : value);
  if (symbols.length < VALUE_SYMBOLS_MIN) return undefined;
  const hash = keyedHash(key);
  const stride = strideOf(symbols.length);
  const grams = gramsOf(symbols, stride, hash);
  const bytes = Buffer.alloc(HEADER_BYTES + 4 * grams.length);
  bytes.set(exactHash(symbols, hash.key, EXACT_BYTES));
  bytes.writeUInt16LE(symbols.length, EXACT_BYTES);
  bytes.writeUInt8(isDense(symbols) ? 1 : 0, EXACT_BYTES + 2);
  for (const [index, gram] of grams.entries()) bytes.writeInt32LE(gram, HEADER_BYTES + 4 * index);
  return bytes.toString('base64url');
}

/** What names the value alone: equal for equal values under one key. */
export function exactPart(print: Fingerprint): string {
  return print.slice(0, 10);
}

/** Reads what `fingerprint` wrote; undefined for anything else. */
export function readFingerprint(print: Fingerprint): ReadFingerprint | undefined {
  const bytes = Buffer.from(print, 'base64url');
  const count = (bytes.length - HEADER_BYTES) / 4;
  if (!Number.isInteger(count) || count < 1 || count > GRAMS_MAX) return undefined;
  const length = bytes.readUInt16LE(EXACT_BYTES);
  const grams = new Int32Array(count);
  for (let index = 0; index < count; index++) grams[index] = bytes.readInt32LE(HEADER_BYTES + 4 * index);
  return { length, stride: strideOf(length), dense: bytes[EXACT_BYTES + 2] === 1, grams };
}

/** The part of the value, 0 to 1, that the pieces in `mask` cover. */
export function coverageOf(read: ReadFingerprint, mask: number): number {
  const covered = coveredPart(read, mask);
  // Half of a short value of words is a phrase of its own.
  if (!read.dense && read.length < WORDY_SYMBOLS_MAX && covered < WORDY_PART_MIN) return Math.min(covered, 0.5);
  return covered;
}

const WORDY_SYMBOLS_MAX = 32;
const WORDY_PART_MIN = 0.9;

function coveredPart({ length, stride, grams }: ReadFingerprint, mask: number): number {
  let covered = 0;
  let count = 0;
  let end = 0;
  for (let index = 0; index < grams.length; index++) {
    if ((mask & (1 << index)) === 0) continue;
    const start = index * stride;
    covered += start + GRAM_SYMBOLS - Math.max(start, end);
    end = start + GRAM_SYMBOLS;
    count++;
  }
  // Between pieces that lie apart nothing is known: there each stands for its share.
  if (stride > GRAM_SYMBOLS || count === grams.length) return count / grams.length;
  return covered / length;
}

function strideOf(length: number): number {
  return Math.max(1, Math.ceil((length - GRAM_SYMBOLS + 1) / GRAMS_MAX));
}

function gramsOf(symbols: Uint8Array, stride: number, hash: KeyedHash): number[] {
  const grams: number[] = [];
  let rolling = 0;
  for (let at = 0; at < symbols.length; at++) {
    const left = at < GRAM_SYMBOLS ? 0 : (hash.leaving[symbols[at - GRAM_SYMBOLS] as number] as number);
    rolling = turn(rolling, hash.entering[symbols[at] as number] as number, left);
    const start = at - GRAM_SYMBOLS + 1;
    if (start >= 0 && start % stride === 0) grams.push(mixed(rolling, hash.first, hash.second));
  }
  return grams;
}

/** Below, one piece alone would be most of the value. */
const DENSE_SYMBOLS_MIN = 11;
const DENSE_SPREAD_MIN = 6;

/** Digits, or letters and digits mixed, as keys have them: six such symbols in a row do not occur by chance. */
function isDense(symbols: Uint8Array): boolean {
  if (symbols.length < DENSE_SYMBOLS_MIN) return false;
  let changes = 0;
  let digits = 0;
  for (let at = 0; at < symbols.length; at++) {
    const digit = isDigit(symbols[at] as number);
    if (digit) digits++;
    if (at > 0 && digit !== isDigit(symbols[at - 1] as number)) changes++;
  }
  const mixed = changes * 6 >= symbols.length || digits * 10 >= symbols.length * 7;
  return mixed && isSpread(symbols, DENSE_SPREAD_MIN);
}

function isDigit(symbol: number): boolean {
  return symbol >= 26 && symbol < 36;
}

/**
 * Whether `symbols` vary as much as `equal` equally frequent ones would (collision entropy of log2 `equal` bits). In
 * integers, so that every machine says the same.
 */
export function isSpread(symbols: Uint8Array, equal: number): boolean {
  const counts = new Uint32Array(SYMBOLS_COUNT);
  for (const symbol of symbols) counts[symbol] = (counts[symbol] as number) + 1;
  let squares = 0;
  for (const count of counts) squares += count * count;
  return squares * equal <= symbols.length * symbols.length;
}
