import { constants, unzipSync } from 'node:zlib';
import { type Allowance, UNPACKED_RUNS_MAX } from '../cuts.ts';
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
 * What runs of base64 (RFC 4648, both alphabets, also over several lines) and of hexadecimal digits in `text` say, packed
 * or not, as far as it can be read: one text for each encoding, a piece on each line. No more is begun once there are `charsMax`
 * code units, and no more unpacked than `allowance` has.
 */
export function decodeRuns(text: string, charsMax: number, allowance: Allowance): Decoded[] {
  const into = new DecodedRuns(charsMax, allowance);
  for (let run = nextRun(text, 0); run !== undefined; run = nextRun(text, run.end + 1)) {
    if (!into.decode(text, run.start, wrappedEnd(text, run.start, run.end))) break;
    run.end = Math.max(run.end, into.readUntil);
  }
  return into.decoded;
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
  const code = text.charCodeAt(at);
  return code < 128 && ((CHARS[code] as number) & BASE64_CHAR) !== 0;
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

/** What a run says; `cut` where that is not all. */
interface Said {
  value: string;
  cut?: boolean;
}

/** Collects what runs say, by their encoding. Most texts have runs and none that says anything. */
class DecodedRuns {
  readonly decoded: Decoded[] = [];
  /** Where the last run that was looked at ends. */
  readUntil = 0;
  #charsLeft: number;
  readonly #allowance: Allowance;

  constructor(charsMax: number, allowance: Allowance) {
    this.#charsLeft = charsMax;
    this.#allowance = allowance;
  }

  /** Decodes the run from `start` to `end`: all of it, or the parts between what paths are separated by. */
  decode(text: string, start: number, end: number): boolean {
    this.readUntil = end;
    if (this.#decodeWhole(text, start, end)) return this.#charsLeft > 0;
    let from = start;
    for (let at = start; at <= end; at++) {
      if (at < end && ((CHARS[text.charCodeAt(at)] as number) & SEPARATOR) === 0) continue;
      if (at - from >= RUN_CHARS_MIN && at - from < end - start) this.#decodeWhole(text, from, at);
      from = at + 1;
    }
    return this.#charsLeft > 0;
  }

  #decodeWhole(text: string, start: number, end: number): boolean {
    const packing = packingAt(text, start);
    if (packing !== undefined) {
      const unpacked = this.#unpacked(Buffer.from(text.slice(start, end), packing));
      if (unpacked !== undefined) return this.#add('gzip', unpacked, text, { start, end });
    }
    const isHex = (end - start) % 2 === 0 && isPlausibleHex(text, start, end);
    if (!isHex && !startsReadable(text, start)) return false;
    const run = text.slice(start, end);
    const asHex = isHex ? readHex(run, this.#charsLeft) : undefined;
    const value = asHex ?? (startsReadable(text, start) ? readBase64(run, this.#charsLeft) : undefined);
    return value !== undefined && this.#add(asHex === undefined ? 'base64' : 'hex', { value }, text, { start, end });
  }

  #unpacked(packed: Buffer): Said | undefined {
    const { unpacking: left } = this.#allowance;
    if (left.runs <= 0 || left.bytes <= 0) {
      this.#allowance.cut('decoded', `packed runs ${UNPACKED_RUNS_MAX}`);
      return undefined;
    }
    left.runs--;
    const { said, bytes } = unpack(packed, Math.min(left.bytes, this.#charsLeft));
    left.bytes -= bytes;
    return said;
  }

  #add(encoding: Decoded['encoding'], { value, cut = false }: Said, text: string, { start, end }: Span): true {
    const { out } = this.#into(encoding, cut || value.length >= this.#charsLeft);
    if (out.length > 0) out.add('\n', start, start);
    out.add(value, start, paddedEnd(text, end));
    this.#charsLeft -= value.length;
    return true;
  }

  #into(encoding: Decoded['encoding'], cut: boolean): Decoded {
    let into = this.decoded.find((one) => one.encoding === encoding);
    if (into === undefined) {
      into = { encoding, out: new MappedText(), cut: false };
      this.decoded.push(into);
    }
    into.cut ||= cut;
    return into;
  }
}

/** How a run begins that is gzip (RFC 1952) or zlib (RFC 1950) of any level. */
const PACKED_BASE64 = ['H4sI', 'eJ', 'eN', 'eA', 'eF'];
const PACKED_HEX = /^(?:1f8b08|78(?:01|5e|9c|da))/i;

/** The encoding of what is packed in the run at `start`, if it may be: which of both, only unpacking can tell. */
function packingAt(text: string, start: number): 'base64' | 'hex' | undefined {
  if (PACKED_BASE64.some((head) => text.startsWith(head, start))) return 'base64';
  return PACKED_HEX.test(text.slice(start, start + 6)) ? 'hex' : undefined;
}

/** As much as deflate can make of a byte. */
const RATIO_MAX = 1_032;
/** Times that the beginning of what unpacks to too much is halved, for that. */
const HALVINGS_MAX = 11;

/** What `packed` holds, up to `bytesMax`, of more than that a beginning; and how many bytes were unpacked for it. */
function unpack(packed: Buffer, bytesMax: number): { said: Said | undefined; bytes: number } {
  const options = { maxOutputLength: bytesMax, finishFlush: constants.Z_SYNC_FLUSH };
  for (let length = packed.length, halvings = 0; halvings <= HALVINGS_MAX; length >>= 1, halvings++) {
    try {
      const bytes = unzipSync(packed.subarray(0, length), options);
      const value = bytes.toString('utf8');
      const said = value !== '' && isReadable(value) ? { value, cut: halvings > 0 } : undefined;
      return { said, bytes: halvings > 0 ? bytesMax : bytes.length };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
        return { said: undefined, bytes: Math.min(bytesMax, packed.length * RATIO_MAX) };
    }
  }
  return { said: undefined, bytes: bytesMax };
}

/** Behind the padding of a run that ends at `end`: at most two. */
function paddedEnd(text: string, end: number): number {
  if (text.charCodeAt(end) !== 0x3d) return end;
  return text.charCodeAt(end + 1) === 0x3d ? end + 2 : end + 1;
}

function readHex(run: string, charsMax: number): string | undefined {
  const value = Buffer.from(run.slice(0, charsMax * 2), 'hex').toString('utf8');
  return isReadable(value) ? value : undefined;
}

/** Whether all are hexadecimal digits, and the first bytes those of text. */
function isPlausibleHex(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (((CHARS[code] as number) & HEX_DIGIT) === 0) return false;
    // The high digit of a byte of ASCII is at most seven, that of a longer sequence at least `c`.
    const isHigh = (at - start) % 2 === 0 && at - start < RUN_CHARS_MIN;
    if (isHigh && (code === 0x31 || (code > 0x37 && code < 0x41) || ((code & 0x1f) < 3 && code > 0x40))) return false;
  }
  return true;
}

function readBase64(run: string, charsMax: number): string | undefined {
  const decoded = Buffer.from(run.slice(0, Math.ceil(charsMax / 3) * 4), 'base64');
  // PowerShell's encoded commands are UTF-16.
  const isWide = decoded[1] === 0 && decoded[3] === 0;
  const value = decoded.toString(isWide ? 'utf16le' : 'utf8');
  return isReadable(value) ? value : undefined;
}

/** Value of each base64 character. */
const VALUES = new Uint8Array(128);
for (const [index, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUES[char.charCodeAt(0)] = index;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;

/** Whether text may begin like the first six bytes of the run at `start`: most runs are names, and end here. */
function startsReadable(text: string, start: number): boolean {
  const first = threeBytes(text, start);
  const second = threeBytes(text, start + 4);
  if ((first & 0xff00) === 0 && (second & 0xff00ff) === 0) {
    return isPrintable(first >> 16) && isPrintable(first & 0xff) && isPrintable((second >> 8) & 0xff);
  }
  let following = 0;
  for (let shift = 16; shift >= 0; shift -= 8) following = bytesExpected(following, (first >> shift) & 0xff);
  for (let shift = 16; shift >= 0; shift -= 8) following = bytesExpected(following, (second >> shift) & 0xff);
  return following >= 0;
}

/** How many bytes of a UTF-8 sequence are still to come behind `byte`, where `following` were; -1 where it is no text. */
function bytesExpected(following: number, byte: number): number {
  if (following > 0) return (byte & 0xc0) === 0x80 ? following - 1 : -1;
  if (following < 0) return -1;
  if (byte >= 0xc2 && byte < 0xf5) return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  return isPrintable(byte) ? 0 : -1;
}

function threeBytes(text: string, at: number): number {
  return (
    ((VALUES[text.charCodeAt(at)] as number) << 18) |
    ((VALUES[text.charCodeAt(at + 1)] as number) << 12) |
    ((VALUES[text.charCodeAt(at + 2)] as number) << 6) |
    (VALUES[text.charCodeAt(at + 3)] as number)
  );
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
