import type { Escape, Notation } from './substitutions.ts';

/** Hexadecimal digits of `text` from `at`, at most `max` of them, as their value and count. */
function hexAt(text: string, at: number, max: number): { value: number; count: number } {
  let value = 0;
  let count = 0;
  for (; count < max; count++) {
    const digit = hexDigit(text.charCodeAt(at + count));
    if (digit < 0) break;
    value = value * 16 + digit;
  }
  return { value, count };
}

/** The value of a hexadecimal digit; below 0 for any other character. */
export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Bytes of one character in UTF-8. */
const UTF8_BYTES_MAX = 4;

/**
 * The character whose UTF-8 bytes stand as `prefix` and two digits each from `at`. A byte that begins none is taken for
 * its Latin-1 character.
 */
function bytesAt(text: string, at: number, prefix: string): Escape | undefined {
  const bytes: number[] = [];
  let end = at;
  let wanted = 1;
  while (bytes.length < wanted && text.startsWith(prefix, end)) {
    const { value, count } = hexAt(text, end + prefix.length, 2);
    if (count < 2 || (bytes.length > 0 && (value & 0xc0) !== 0x80)) break;
    if (bytes.length === 0) wanted = value < 0xc0 ? 1 : value < 0xe0 ? 2 : value < 0xf0 ? 3 : UTF8_BYTES_MAX;
    bytes.push(value);
    end += prefix.length + 2;
  }
  const [first] = bytes;
  if (first === undefined) return undefined;
  if (bytes.length === wanted && wanted > 1) return { value: utf8Of(bytes), end, telling: true };
  return { value: String.fromCharCode(first), end: at + prefix.length + 2, telling: isTelling(first) };
}

/** Also of over-long sequences (`%c0%ae` is a dot), which lenient decoders accept. */
function utf8Of(bytes: readonly number[]): string {
  let point = (bytes[0] as number) & (0xff >> (bytes.length + 1));
  for (const byte of bytes.slice(1)) point = point * 64 + (byte & 0x3f);
  return point > 0x10_ffff ? '\ufffd' : String.fromCodePoint(point);
}

/** Nobody needs to escape what can be written: a character that needs no escape is a sign that one was to be hidden. */
function isTelling(point: number): boolean {
  return (point >= 0x20 && point < 0x7f) || point >= 0xa0;
}

/** Percent-encoding (RFC 3986, 2.1), and `%uXXXX`. */
export const URL_ESCAPES: Notation = {
  encoding: 'url',
  mark: '%',
  read(text, at) {
    const next = text.charCodeAt(at + 1);
    if (next === 0x75 || next === 0x55) {
      const { value, count } = hexAt(text, at + 2, 4);
      return count === 4 ? { value: String.fromCharCode(value), end: at + 6, telling: true } : undefined;
    }
    const found = hexDigit(next) < 0 ? undefined : bytesAt(text, at, '%');
    // Not UTF-8, so no URL: the format of a date or number (`%de`, `%CY-%Cm`).
    return found !== undefined && found.end === at + 3 && found.value >= '\x80' ? undefined : found;
  },
};

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    colon: ':',
    semi: ';',
    comma: ',',
    period: '.',
    lpar: '(',
    rpar: ')',
    lsqb: '[',
    lbrack: '[',
    rsqb: ']',
    rbrack: ']',
    lcub: '{',
    rcub: '}',
    sol: '/',
    bsol: '\\',
    excl: '!',
    quest: '?',
    num: '#',
    dollar: '$',
    percnt: '%',
    equals: '=',
    plus: '+',
    ast: '*',
    lowbar: '_',
    verbar: '|',
    commat: '@',
    grave: '`',
    Tab: '\t',
    NewLine: '\n',
    zwnj: '\u200c',
    zwj: '\u200d',
    shy: '\u00ad',
    lrm: '\u200e',
    rlm: '\u200f',
  }),
);
/** Entities that any page is full of. */
const ORDINARY_ENTITIES: ReadonlySet<string> = new Set(['amp', 'quot', 'apos', 'nbsp', 'shy']);
const ENTITY_NAME_CHARS_MAX = 8;
/** Numbers of entities that any page is full of: quotes, ampersand, angle brackets, no-break space. */
const ORDINARY_NUMBERS: ReadonlySet<number> = new Set([34, 38, 39, 47, 60, 62, 96, 160]);

/** Character references of HTML (numeric ones without their semicolon too) and XML. */
export const HTML_ESCAPES: Notation = {
  encoding: 'html',
  mark: '&',
  read(text, at) {
    if (text.charCodeAt(at + 1) === 0x23) return numericEntity(text, at);
    const end = semicolonAfter(text, at);
    if (end < 0) return undefined;
    const name = text.slice(at + 1, end);
    const value = ENTITIES.get(name);
    return value === undefined ? undefined : { value, end: end + 1, telling: !ORDINARY_ENTITIES.has(name) };
  },
};

function semicolonAfter(text: string, at: number): number {
  for (let end = at + 1; end <= at + 1 + ENTITY_NAME_CHARS_MAX; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x3b) return end;
    if (!((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)) return -1;
  }
  return -1;
}

function numericEntity(text: string, at: number): Escape | undefined {
  const isHex = (text.charCodeAt(at + 2) | 0x20) === 0x78;
  const from = at + (isHex ? 3 : 2);
  const { value, count } = isHex ? hexAt(text, from, 8) : decimalAt(text, from, 10);
  if (count === 0 || value === 0 || value > 0x10_ffff) return undefined;
  const end = from + count + (text.charCodeAt(from + count) === 0x3b ? 1 : 0);
  return { value: String.fromCodePoint(value), end, telling: isTelling(value) && !ORDINARY_NUMBERS.has(value) };
}

function decimalAt(text: string, at: number, max: number): { value: number; count: number } {
  let value = 0;
  let count = 0;
  for (; count < max; count++) {
    const code = text.charCodeAt(at + count);
    if (code < 0x30 || code > 0x39 || Number.isNaN(code)) break;
    value = value * 10 + code - 0x30;
  }
  return { value, count };
}

const SIMPLE: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\', '/': '/', b: '\b', f: '\f', v: '\v' }),
);

function backslashAt(text: string, at: number): Escape | undefined {
  const next = text[at + 1];
  if (next === 'x' && text[at + 2] !== '{') return bytesAt(text, at, '\\x');
  if (next === 'x' || (next === 'u' && text[at + 2] === '{')) return bracedAt(text, at);
  if (next === 'u' || next === 'U') {
    const width = next === 'u' ? 4 : 8;
    const { value, count } = hexAt(text, at + 2, width);
    if (count < width || value > 0x10_ffff) return undefined;
    return { value: String.fromCodePoint(value), end: at + 2 + width, telling: isTelling(value) };
  }
  const simple = next === undefined ? undefined : SIMPLE.get(next);
  return simple === undefined ? octalAt(text, at) : { value: simple, end: at + 2, telling: false };
}

function bracedAt(text: string, at: number): Escape | undefined {
  const { value, count } = hexAt(text, at + 3, 8);
  if (count === 0 || value > 0x10_ffff || text[at + 3 + count] !== '}') return undefined;
  return { value: String.fromCodePoint(value), end: at + 4 + count, telling: isTelling(value) };
}

/** Three digits, since one or two are a reference to a group. */
function octalAt(text: string, at: number): Escape | undefined {
  let value = 0;
  for (let index = 1; index <= 3; index++) {
    const code = text.charCodeAt(at + index);
    if (!(code >= 0x30 && code <= 0x37)) return undefined;
    value = value * 8 + code - 0x30;
  }
  return value > 0xff ? undefined : { value: String.fromCharCode(value), end: at + 4, telling: isTelling(value) };
}

/** Escapes of programming languages: `\x41`, `\u0041`, `\u{41}`, `\101`. Those of white space and quotes tell nothing. */
export const CODE_ESCAPES: Notation = { encoding: 'escape', mark: '\\', read: backslashAt };

/** The same in a text that is JSON, where line breaks and quotes stand in prose. */
export const JSON_ESCAPES: Notation = {
  encoding: 'escape',
  mark: '\\',
  read(text, at) {
    const found = backslashAt(text, at);
    return found === undefined ? undefined : { ...found, telling: true };
  },
};
