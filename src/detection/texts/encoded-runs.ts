import { isReadable } from './hidden-message.ts';
import { MappedText, type Span } from './offset-map.ts';
import type { Decoded } from './substitutions.ts';

/** Shorter runs are words. */
const RUN_CHARS_MIN = 16;
/** Shortest line of a run that goes on on the next one. */
const WRAPPED_CHARS_MIN = 24;

const HEX_DIGIT = 1;
const BASE64_CHAR = 2;
const SEPARATOR = 4;

/** What each ASCII character may be part of. A separator is a base64 character that paths and names have too. */
const CHARS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[0-9a-f]/i.test(char)) CHARS[code] = HEX_DIGIT | BASE64_CHAR;
  else if (/[g-z]/i.test(char)) CHARS[code] = BASE64_CHAR;
  else if (/[-_+/]/.test(char)) CHARS[code] = BASE64_CHAR | SEPARATOR;
}

/**
 * What runs of base64 (RFC 4648, both alphabets, also over several lines) and of hexadecimal digits in `text` say, as
 * far as it can be read: one text for each encoding, a piece on each line. No more is begun once there are `charsMax`
 * code units.
 */
export function decodeRuns(text: string, charsMax: number): Decoded[] {
  const base64: Decoded = { encoding: 'base64', out: new MappedText(), cut: false };
  const hex: Decoded = { encoding: 'hex', out: new MappedText(), cut: false };
  for (let run = nextRun(text, 0); run !== undefined; run = nextRun(text, run.end + 1)) {
    const left = charsMax - base64.out.length - hex.out.length;
    if (left <= 0) {
      base64.cut = true;
      break;
    }
    run.end = wrappedEnd(text, run.start, run.end);
    decodeRun(text.slice(run.start, run.end), run.start, left, base64, hex);
  }
  return [base64, hex].filter(({ out, cut }) => out.length > 0 || cut);
}

/** The first run of `text` from `from` on. Looks at one unit in sixteen, and around those that are in a run. */
function nextRun(text: string, from: number): Span | undefined {
  for (let at = from + RUN_CHARS_MIN - 1; at < text.length; at += RUN_CHARS_MIN) {
    if (!isRunChar(text, at)) continue;
    let start = at;
    while (start > from && isRunChar(text, start - 1)) start--;
    const end = runEnd(text, at);
    if (end - start >= RUN_CHARS_MIN) return { start, end };
    from = end + 1;
    at = end;
  }
  return undefined;
}

function isRunChar(text: string, at: number): boolean {
  return ((CHARS[text.charCodeAt(at)] ?? 0) & BASE64_CHAR) !== 0;
}

function runEnd(text: string, start: number): number {
  let at = start;
  while (isRunChar(text, at)) at++;
  return at;
}

/** Whether `text` has a run that `decodeRuns` would look at. */
export function hasLongRun(text: string): boolean {
  return nextRun(text, 0) !== undefined;
}

/** Where the run that ends on its first line at `end` ends, if it goes on in lines of the same length. */
function wrappedEnd(text: string, start: number, end: number): number {
  const width = end - start;
  if (width < WRAPPED_CHARS_MIN) return end;
  let last = end;
  for (;;) {
    const next = text.startsWith('\r\n', last) ? last + 2 : text.charCodeAt(last) === 0x0a ? last + 1 : -1;
    if (next < 0) return last;
    const nextEnd = runEnd(text, next);
    if (nextEnd === next || nextEnd - next > width) return last;
    // The last line may be shorter; a word of prose below would be taken for it, and the tail of what is decoded with it.
    if (nextEnd - next < width) return isLineEnd(text, nextEnd) ? nextEnd : last;
    last = nextEnd;
  }
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === 0x0a || code === 0x0d || code === 0x3d || code === 0x22 || code === 0x27;
}

/** Decodes one run: all of it, or the parts between what paths are separated by. */
function decodeRun(run: string, at: number, charsMax: number, base64: Decoded, hex: Decoded): void {
  if (decodeWhole(run, at, charsMax, base64, hex)) return;
  let start = 0;
  for (let end = 0; end <= run.length; end++) {
    const isPart = end < run.length && ((CHARS[run.charCodeAt(end)] ?? 0) & SEPARATOR) === 0;
    if (isPart) continue;
    const isSmaller = end - start < run.length;
    if (isSmaller && end - start >= RUN_CHARS_MIN)
      decodeWhole(run.slice(start, end), at + start, charsMax, base64, hex);
    start = end + 1;
  }
}

function decodeWhole(run: string, at: number, charsMax: number, base64: Decoded, hex: Decoded): boolean {
  const asHex = readHex(run, charsMax);
  const value = asHex ?? readBase64(run, charsMax);
  if (value === undefined) return false;
  const into = asHex === undefined ? base64 : hex;
  if (into.out.length > 0) into.out.add('\n', at, at);
  into.out.add(value.slice(0, charsMax), at, at + run.length);
  if (value.length >= charsMax) into.cut = true;
  return true;
}

function readHex(run: string, charsMax: number): string | undefined {
  if (run.length % 2 === 1 || !isPlausibleHex(run)) return undefined;
  const value = Buffer.from(run.slice(0, charsMax * 2), 'hex').toString('utf8');
  return isReadable(value) ? value : undefined;
}

/** Looks at the whole of what is short, and at the first bytes only of what cannot be text. */
function isPlausibleHex(run: string): boolean {
  for (let at = 0; at < run.length; at++) {
    const code = run.charCodeAt(at);
    if (((CHARS[code] ?? 0) & HEX_DIGIT) === 0) return false;
    // The high digit of a byte of ASCII is at most seven, and of white space nought.
    if (at < RUN_CHARS_MIN && at % 2 === 0 && (code > 0x37 || code === 0x31) && (code < 0x63 || code > 0x66))
      return false;
  }
  return true;
}

function readBase64(run: string, charsMax: number): string | undefined {
  const bytes = decodedStart(run);
  if (!startsReadable(bytes)) return undefined;
  const decoded = Buffer.from(run.slice(0, Math.ceil(charsMax / 3) * 4), 'base64');
  // PowerShell's encoded commands are UTF-16.
  const value = decoded.toString(bytes[1] === 0 && bytes[3] === 0 ? 'utf16le' : 'utf8');
  return isReadable(value) ? value : undefined;
}

/** Value of each base64 character. */
const VALUES = new Uint8Array(128);
for (const [index, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[char.charCodeAt(0)] = index;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;

/** The first six bytes of a run, without decoding the rest: most runs are names and end here. */
function decodedStart(run: string): readonly number[] {
  const bytes: number[] = [];
  for (let at = 0; at < 8; at += 4) {
    const bits =
      ((VALUES[run.charCodeAt(at)] as number) << 18) |
      ((VALUES[run.charCodeAt(at + 1)] as number) << 12) |
      ((VALUES[run.charCodeAt(at + 2)] as number) << 6) |
      (VALUES[run.charCodeAt(at + 3)] as number);
    bytes.push(bits >> 16, (bits >> 8) & 0xff, bits & 0xff);
  }
  return bytes;
}

/** Whether text may begin so: printable ASCII, a byte sequence of UTF-8, or ASCII in UTF-16. */
function startsReadable(bytes: readonly number[]): boolean {
  if (bytes[1] === 0 && bytes[3] === 0 && bytes[5] === 0)
    return [0, 2, 4].every((at) => isPrintable(bytes[at] as number));
  let following = 0;
  for (const byte of bytes) {
    if (following > 0) {
      if ((byte & 0xc0) !== 0x80) return false;
      following--;
    } else if (byte >= 0xc2 && byte < 0xf5) {
      following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    } else if (!isPrintable(byte)) {
      return false;
    }
  }
  return true;
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
