import { createHmac, hkdfSync } from 'node:crypto';

/** Different symbols of normalised text: see `symbols.ts`. */
export const SYMBOLS_COUNT = 64;

/** Symbols of one piece (k-gram). Long enough to be rare in text, short enough for what a cut in three leaves over. */
export const GRAM_SYMBOLS = 6;

/** What a key is turned into once, to hash many pieces and words with it. */
export interface KeyedHash {
  /** The key itself, for what is hashed whole. */
  readonly key: Uint8Array;
  /** A secret number for each symbol, and the same rotated as it stands when the symbol leaves the window. */
  readonly entering: Int32Array;
  readonly leaving: Int32Array;
  /** The same, with each letter as the one thirteen places on. */
  readonly rotated: { readonly entering: Int32Array; readonly leaving: Int32Array };
  /** Secret odd multipliers and the start of the hash of words. */
  readonly first: number;
  readonly second: number;
  readonly seed: number;
}

/** How far the window's hash turns for each symbol. Six turns by five bits keep equal symbols apart. */
const TURN_BITS = 5;
const LEAVING_BITS = (TURN_BITS * GRAM_SYMBOLS) % 32;

const INFO = 'gatehouse/data-flow/1';

const known = new WeakMap<Uint8Array, KeyedHash>();

/**
 * The hash functions that belong to `key`, which nobody may change. A memo, not state: deriving them takes longer than an
 * inspection.
 */
export function keyedHash(key: Uint8Array): KeyedHash {
  let hash = known.get(key);
  if (hash === undefined) {
    hash = derive(key);
    known.set(key, hash);
  }
  return hash;
}

function derive(key: Uint8Array): KeyedHash {
  const bytes = new DataView(hkdfSync('sha256', key, new Uint8Array(0), INFO, 4 * (SYMBOLS_COUNT + 3)));
  const entering = new Int32Array(SYMBOLS_COUNT);
  const leaving = new Int32Array(SYMBOLS_COUNT);
  for (let symbol = 0; symbol < SYMBOLS_COUNT; symbol++) {
    // Little-endian on every machine, so that a stored fingerprint means the same everywhere.
    const value = bytes.getInt32(4 * symbol, true);
    entering[symbol] = value;
    leaving[symbol] = rotate(value, LEAVING_BITS);
  }
  const own = (index: number): number => bytes.getInt32(4 * (SYMBOLS_COUNT + index), true);
  const rotated = { entering: thirteenOn(entering), leaving: thirteenOn(leaving) };
  return { key, entering, leaving, rotated, first: own(0) | 1, second: own(1) | 1, seed: own(2) };
}

function thirteenOn(table: Int32Array): Int32Array {
  const turned = Int32Array.from(table);
  for (let letter = 0; letter < 26; letter++) turned[letter] = table[(letter + 13) % 26] as number;
  return turned;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The window's hash once `entered` came in and `left` went out. */
export function turn(hash: number, entered: number, left: number): number {
  return ((hash << TURN_BITS) | (hash >>> (32 - TURN_BITS))) ^ entered ^ left;
}

/** Mixes the window's hash, which is linear, so that nothing about the symbols shows in what is stored. */
export function mixed(hash: number, first: number, second: number): number {
  let x = Math.imul(hash ^ (hash >>> 15), first);
  x = Math.imul(x ^ (x >>> 13), second);
  return x ^ (x >>> 16);
}

/** A 32-bit keyed hash of a short text, for sets of words. */
export function wordHash(text: string, { seed, first, second }: KeyedHash): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), first);
    hash ^= hash >>> 15;
  }
  return mixed(hash ^ text.length, second, first);
}

/** The first `bytes` of the HMAC of `symbols`. */
export function exactHash(symbols: Uint8Array, key: Uint8Array, bytes: number): Buffer {
  return createHmac('sha256', key).update('exact').update(symbols).digest().subarray(0, bytes);
}
