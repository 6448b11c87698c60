import { hexDigit } from '../texts/notations.ts';
import type { Notation } from './encodings.ts';
import { SEPARATOR, type Symbols, symbolOf, symbolsOfCapacity } from './symbols.ts';

/** Letters and digits in a row that are judged together, and how many of them a notation makes digits or capitals. */
const WINDOW_CHARS = 16;
const CODED_IN_WINDOW_MIN = 4;

/**
 * Whether some part of `text` has digits and capitals as only notations, names and numbers have: ordinary prose has
 * not, and then need not be read as any of them.
 */
export function mayBeCoded(text: string): boolean {
  let recent = 0;
  let coded = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const lower = code >= 97 && code <= 122;
    const other = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
    if (!lower && !other) continue;
    // The newest of the window in bit 0; the one that leaves it in the highest.
    const bit = other ? 1 : 0;
    coded += bit - (recent >>> (WINDOW_CHARS - 1));
    recent = ((recent << 1) | bit) & ((1 << WINDOW_CHARS) - 1);
    if (coded >= CODED_IN_WINDOW_MIN) return true;
  }
  return false;
}

/** Digits of a text in some notation: their values, and where each stands. */
interface Digits {
  values: Uint8Array;
  offsets: Int32Array;
  length: number;
}

const BASE64 = new Int8Array(128).fill(-1);
const BASE32 = new Int8Array(128).fill(-1);
for (let index = 0; index < 26; index++) {
  BASE64[65 + index] = index;
  BASE64[97 + index] = 26 + index;
  BASE32[65 + index] = index;
  BASE32[97 + index] = index;
}
for (let digit = 0; digit < 10; digit++) BASE64[48 + digit] = 52 + digit;
for (let digit = 2; digit < 8; digit++) BASE32[48 + digit] = 24 + digit;
// Both alphabets at once: none uses the other's two signs for something else.
for (const sign of ['+', '-']) BASE64[sign.charCodeAt(0)] = 62;
for (const sign of ['/', '_']) BASE64[sign.charCodeAt(0)] = 63;

/**
 * The readings of `text` as bytes in `notation`, one for each alignment, with offsets into `text`. All of it is read as one
 * run, whatever stands between the digits: a piece that was cut anywhere still decodes, and what is no such notation decodes
 * to noise that no fingerprint knows. `reversed`: of its digits from the last to the first.
 */
export function* decodedSymbols(text: string, notation: Notation, reversed = false): Generator<Symbols> {
  switch (notation) {
    case 'base64':
      yield* alignments(ordered(digitsOf(text, BASE64), reversed), 6, 4);
      return;
    case 'base32':
      yield* alignments(ordered(digitsOf(text, BASE32), reversed), 5, 8);
      return;
    case 'hex':
      yield* alignments(ordered(hexDigits(text), reversed), 4, 2);
      return;
    case 'decimal':
      if (!reversed) yield decimals(text);
  }
}

function ordered(digits: Digits, reversed: boolean): Digits {
  if (reversed) {
    digits.values.subarray(0, digits.length).reverse();
    digits.offsets.subarray(0, digits.length).reverse();
  }
  return digits;
}

function digitsOf(text: string, alphabet: Int8Array): Digits {
  const values = new Uint8Array(text.length);
  const offsets = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A line break that JSON wrote out is none of the run.
    if (code === 92 && (text.charCodeAt(at + 1) === 110 || text.charCodeAt(at + 1) === 114)) {
      at++;
      continue;
    }
    const value = code < 128 ? (alphabet[code] as number) : -1;
    if (value < 0) continue;
    values[length] = value;
    offsets[length++] = at;
  }
  return { values, offsets, length };
}

function hexDigits(text: string): Digits {
  const values = new Uint8Array(text.length);
  const offsets = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // The nought of `0x73` is no digit.
    if (code === 48 && (text.charCodeAt(at + 1) | 32) === 120) continue;
    const value = hexDigit(code);
    if (value < 0) continue;
    values[length] = value;
    offsets[length++] = at;
  }
  return { values, offsets, length };
}

/** `digits` of `bits` each as bytes, and those as symbols; one reading for each of `count` places to start. */
function* alignments(digits: Digits, bits: number, count: number): Generator<Symbols> {
  if (digits.length * bits < 8 * 6) return;
  const into = symbolsOfCapacity(Math.ceil((digits.length * bits) / 8));
  const { symbols, offsets } = into;
  for (let skipped = 0; skipped < count; skipped++) {
    let held = 0;
    let heldBits = 0;
    let length = 0;
    for (let at = skipped; at < digits.length; at++) {
      held = ((held << bits) | (digits.values[at] as number)) & 0xffff;
      heldBits += bits;
      if (heldBits < 8) continue;
      heldBits -= 8;
      const symbol = symbolOf((held >>> heldBits) & 0xff);
      if (symbol === SEPARATOR) continue;
      symbols[length] = symbol;
      offsets[length++] = digits.offsets[at] as number;
    }
    into.length = length;
    yield into;
  }
}

/** Character codes written as numbers: `String.fromCharCode(115, 107)`, `chr(115)+chr(107)`. */
function decimals(text: string): Symbols {
  const into = symbolsOfCapacity(text.length >> 1);
  let number = 0;
  let digits = 0;
  for (let at = 0; at <= text.length; at++) {
    const digit = at < text.length ? text.charCodeAt(at) - 48 : -1;
    if (digit >= 0 && digit <= 9) {
      number = digits < 4 ? number * 10 + digit : number;
      digits++;
      continue;
    }
    if ((digits === 2 || digits === 3) && number >= 32 && number < 127) {
      const symbol = symbolOf(number);
      if (symbol !== SEPARATOR) {
        into.symbols[into.length] = symbol;
        into.offsets[into.length++] = at - digits;
      }
    }
    number = 0;
    digits = 0;
  }
  return into;
}
