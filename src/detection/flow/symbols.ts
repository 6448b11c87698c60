import { hexDigit } from '../texts/notations.ts';

/**
 * Normalised text: letters and digits only, without case, as small numbers. Separators are left out, so that
 * `s-e-c-r-e-t`, a line break or a list of pieces reads as one word.
 */
export interface Symbols {
  /** 0–25 letters, 26–35 digits, 36–63 any other script (folded together: enough to tell texts apart). */
  symbols: Uint8Array;
  /** For each symbol, where it starts in what it was read from. */
  offsets: Int32Array;
  length: number;
}

export function symbolsOfCapacity(capacity: number): Symbols {
  return { symbols: new Uint8Array(capacity), offsets: new Int32Array(capacity), length: 0 };
}

/** No symbol: a separator. */
export const SEPARATOR = 255;

const OF_ASCII = new Uint8Array(128).fill(SEPARATOR);
for (let digit = 0; digit < 10; digit++) OF_ASCII[48 + digit] = 26 + digit;
for (let letter = 0; letter < 26; letter++) {
  OF_ASCII[65 + letter] = letter;
  OF_ASCII[97 + letter] = letter;
}

/** The symbol of a UTF-16 code unit, or SEPARATOR. */
export function symbolOf(code: number): number {
  if (code < 128) return OF_ASCII[code] as number;
  // Latin-1 signs, general punctuation with its invisible characters, variation selectors, byte order mark.
  if (code < 0xc0 || (code >= 0x2000 && code < 0x2070) || (code >= 0xfe00 && code < 0xfe10) || code === 0xfeff) {
    return SEPARATOR;
  }
  return 36 + (code % 28);
}

const SEPARATING_CODE = 32;

/**
 * Appends the symbols of `text` to `into`, with escapes of one character read as that character: `%73`, `\x73`,
 * `\u0073`, `&#115;`, `&amp;`, `\n`. `base` is added to the offsets. What does not fit is left out.
 */
export function readSymbols(text: string, into: Symbols, base = 0): void {
  const { symbols, offsets } = into;
  let length = into.length;
  const room = symbols.length;
  for (let at = 0; at < text.length && length < room; at++) {
    let code = text.charCodeAt(at);
    const start = at;
    if (code === 37 || code === 38 || code === 92) {
      const escaped = escapeAt(text, at, code);
      code = escaped & 0xffff;
      at += escaped >>> 16;
    }
    const symbol = code < 128 ? (OF_ASCII[code] as number) : symbolOf(code);
    if (symbol === SEPARATOR) continue;
    symbols[length] = symbol;
    offsets[length] = base + start;
    length++;
  }
  into.length = length;
}

/** The symbols of `value` alone. */
export function symbolsOf(value: string): Uint8Array {
  const into = symbolsOfCapacity(value.length);
  readSymbols(value, into);
  return into.symbols.subarray(0, into.length);
}

/** The code unit that the escape at `at` stands for, and (from bit 16) how many code units it takes beyond the first. */
function escapeAt(text: string, at: number, lead: number): number {
  switch (lead) {
    case 37:
      return hexEscape(text, at + 1, 2) ?? SEPARATING_CODE;
    case 38:
      return htmlEscape(text, at);
    default:
      return backslashEscape(text, at);
  }
}

function hexEscape(text: string, from: number, digits: number, before = from - 1): number | undefined {
  let code = 0;
  for (let at = from; at < from + digits; at++) {
    const digit = hexDigit(text.charCodeAt(at));
    if (digit < 0) return undefined;
    code = code * 16 + digit;
  }
  return code | ((from + digits - 1 - before) << 16);
}

function backslashEscape(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === 117) return hexEscape(text, at + 2, 4, at) ?? bracedEscape(text, at) ?? SEPARATING_CODE;
  if (next === 120) return hexEscape(text, at + 2, 2, at) ?? SEPARATING_CODE;
  // `\n`, `\r`, `\t` written out: the letter is none of the text.
  if (next === 110 || next === 114 || next === 116 || next === 92) return SEPARATING_CODE | (1 << 16);
  return SEPARATING_CODE;
}

function bracedEscape(text: string, at: number): number | undefined {
  const match = readAt(/\\u\{([0-9a-f]{1,4})\}/iy, text, at);
  return match === null ? undefined : Number.parseInt(match[1] as string, 16) | ((match[0].length - 1) << 16);
}

function htmlEscape(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === 35) {
    const match = readAt(/&#(?:x([0-9a-f]{1,4})|(\d{1,5}));?/iy, text, at);
    if (match === null) return SEPARATING_CODE;
    const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
    return (code & 0xffff) | ((match[0].length - 1) << 16);
  }
  const named = readAt(/&(?:amp|quot|apos|lt|gt|nbsp|sol|equals|plus|lowbar|hyphen|period|colon);/iy, text, at);
  return named === null ? SEPARATING_CODE : SEPARATING_CODE | ((named[0].length - 1) << 16);
}

function readAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
