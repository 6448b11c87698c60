/** Decodings that turn a disguised text into the one that is meant. Each is one pass over a bounded text. */

const HEX = /^[0-9a-f]$/i;

function hexValue(text: string, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index++) {
    const digit = text[index];
    if (digit === undefined || !HEX.test(digit)) return -1;
    value = value * 16 + Number.parseInt(digit, 16);
  }
  return value;
}

export interface PercentDecoded {
  text: string;
  /** Something was decoded. */
  changed: boolean;
  /** An encoding that no honest encoder makes: of letters and dots, over-long UTF-8, `%u002e`. */
  odd: boolean;
}

/**
 * One layer of percent-encoding, with what lenient decoders accept beside it: over-long UTF-8 (`%c0%ae` is a dot,
 * RFC 3629 §10), `%uXXXX`, and `%%XX`. Malformed escapes stay as they are.
 */
export function decodePercent(text: string): PercentDecoded {
  if (!text.includes('%')) return { text, changed: false, odd: false };
  let out = '';
  let changed = false;
  let odd = false;
  let at = 0;
  while (at < text.length) {
    const percent = text.indexOf('%', at);
    if (percent < 0) break;
    out += text.slice(at, percent);
    const unit = readEscape(text, percent);
    if (unit === undefined) {
      out += '%';
      at = percent + 1;
      continue;
    }
    out += unit.text;
    at = unit.end;
    changed = true;
    odd ||= unit.odd;
  }
  return { text: out + text.slice(at), changed, odd };
}

/** RFC 3986 §2.3: what needs no encoding, and gets none from an honest encoder. */
const UNRESERVED = /^[A-Za-z0-9.]$/;

interface Escape {
  text: string;
  end: number;
  odd: boolean;
}

function readEscape(text: string, at: number): Escape | undefined {
  const next = text[at + 1];
  if (next === 'u' || next === 'U') {
    const unit = hexValue(text, at + 2, 4);
    return unit < 0 ? undefined : { text: String.fromCharCode(unit), end: at + 6, odd: !isLetter(unit) };
  }
  const byte = hexValue(text, at + 1, 2);
  if (byte < 0) return undefined;
  if (byte < 0x80) {
    const text = String.fromCharCode(byte);
    return { text, end: at + 3, odd: UNRESERVED.test(text) };
  }
  return readUtf8(text, at, byte);
}

/** A UTF-8 sequence of escapes from `at` on, decoded by its bits whether or not it is the shortest form. */
function readUtf8(text: string, at: number, lead: number): Escape {
  const length = lead >= 0xfc ? 6 : lead >= 0xf8 ? 5 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  // A lone byte may be Latin-1; the leads C0, C1 and F8 up begin nothing but over-long forms.
  const replacement = { text: '\ufffd', end: at + 3, odd: lead === 0xc0 || lead === 0xc1 || lead >= 0xf8 };
  if (length === 1) return replacement;
  let point = lead & (0xff >> (length + 1));
  let end = at + 3;
  for (let index = 1; index < length; index++) {
    const byte = text[end] === '%' ? hexValue(text, end + 1, 2) : -1;
    if (byte < 0) return replacement;
    point = point * 64 + (byte & 0x3f);
    end += 3;
  }
  const shortest = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  if (point > 0x10ffff) return { ...replacement, end };
  return { text: String.fromCodePoint(point), end, odd: shortest !== length };
}

/** `%uXXXX` was once how scripts wrote letters of other alphabets; nobody needed it for dots, slashes or private use. */
function isLetter(unit: number): boolean {
  return unit >= 0x80 && /\p{L}/u.test(String.fromCharCode(unit));
}

/** Each part begins with what the one before cannot hold: with white space at the end of both, it took quadratic time to say no. */
const BASE64_TEXT = /^[A-Za-z0-9+/_\-\s]+(?:={1,2}\s*)?$/;

/** The text that `encoded` is in base64 (or base64url), or undefined where it is none. */
export function decodeBase64(encoded: string, encoding: 'utf8' | 'utf16le' = 'utf8'): string | undefined {
  if (encoded.length < 4 || !BASE64_TEXT.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString(encoding);
}

/** The text that `encoded` is in hexadecimal, separators ignored, or undefined where it is none. */
export function decodeHex(encoded: string): string | undefined {
  const digits = encoded.replace(/\\x|0x|[\s:,]/gi, '');
  if (digits.length < 2 || digits.length % 2 === 1 || /[^0-9a-f]/i.test(digits)) return undefined;
  return Buffer.from(digits, 'hex').toString('utf8');
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** Backslash escapes as `echo -e` and `printf` know them: `\n`, `\x72`, `\0162`, `\162`, `\u0072`. */
export function decodeBackslashes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|(0?[0-7]{1,3})|([\s\S]))/gi,
    (whole, hex?: string, short?: string, long?: string, octal?: string, other?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined) return fromPoint(Number.parseInt(digits, 16), whole);
      if (octal !== undefined) return fromPoint(Number.parseInt(octal, 8) & 0xff, whole);
      return SIMPLE_ESCAPES[other ?? ''] ?? whole;
    },
  );
}

function fromPoint(point: number, fallback: string): string {
  return point > 0x10ffff ? fallback : String.fromCodePoint(point);
}
