import type { HiddenRun } from './hidden-chars.ts';

/** Fewer invisible characters say nothing worth reading. */
const RUN_CHARS_MIN = 2;
/** Fewer bits are not even two characters. */
const BITS_MIN = 16;

/**
 * What a run of invisible characters spells: tag characters that stand for ASCII, variation selectors that stand for
 * bytes, two kinds of characters of no width that stand for bits. Undefined where it is nothing that can be read.
 */
export function hiddenMessage(text: string, run: HiddenRun): string | undefined {
  if (run.end - run.start < RUN_CHARS_MIN) return undefined;
  if (run.tag > 0) return fromTags(text, run);
  if (run.selector >= RUN_CHARS_MIN) return fromSelectors(text, run);
  return run.zeroWidth >= BITS_MIN ? fromBits(text, run) : undefined;
}

function fromTags(text: string, { start, end }: HiddenRun): string | undefined {
  let spelled = '';
  for (let at = start; at < end; at++) {
    const point = text.codePointAt(at) as number;
    if (point > 0xffff) at++;
    if (point >= 0xe_0020 && point < 0xe_007f) spelled += String.fromCharCode(point - 0xe_0000);
  }
  return spelled === '' ? undefined : spelled;
}

/** U+FE00 to U+FE0F are the bytes 0 to 15, U+E0100 to U+E01EF those from 16. */
function fromSelectors(text: string, { start, end }: HiddenRun): string | undefined {
  const bytes: number[] = [];
  for (let at = start; at < end; at++) {
    const point = text.codePointAt(at) as number;
    if (point > 0xffff) at++;
    if (point >= 0xfe00 && point <= 0xfe0f) bytes.push(point - 0xfe00);
    else if (point >= 0xe_0100 && point <= 0xe_01ef) bytes.push(point - 0xe_0100 + 16);
  }
  return readableBytes(bytes);
}

/** Bits of eight or seven to a character, whichever of the two characters is the one. */
function fromBits(text: string, { start, end }: HiddenRun): string | undefined {
  const zero = text.charCodeAt(start);
  let other = -1;
  const bits: number[] = [];
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== zero && other < 0) other = code;
    if (code !== zero && code !== other) continue;
    bits.push(code === zero ? 0 : 1);
  }
  if (other < 0) return undefined;
  const inverted = bits.map((bit) => 1 - bit);
  return bytesOf(bits, 8) ?? bytesOf(inverted, 8) ?? bytesOf(bits, 7) ?? bytesOf(inverted, 7);
}

function bytesOf(bits: readonly number[], width: number): string | undefined {
  const bytes: number[] = [];
  for (let at = 0; at + width <= bits.length; at += width) {
    let byte = 0;
    for (let index = at; index < at + width; index++) byte = byte * 2 + (bits[index] as number);
    bytes.push(byte);
  }
  return readableBytes(bytes);
}

function readableBytes(bytes: readonly number[]): string | undefined {
  const decoded = Buffer.from(bytes).toString('utf8');
  return isReadable(decoded) ? decoded : undefined;
}

/** A share of a decoded text that may be unreadable, as one in so many. */
const RUBBISH_ONE_IN = 10;

/** Whether `text` is writing and not what any bytes look like when they are taken for it. */
export function isReadable(text: string): boolean {
  let rubbish = 0;
  let letters = 0;
  const limit = text.length / RUBBISH_ONE_IN;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 ? isAlphanumeric(code) : code >= 0xc0 && code !== 0xfffd) letters++;
    else if (code === 0xfffd || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
      if (code !== 0x0a && code !== 0x0d && code !== 0x09 && ++rubbish > limit) return false;
    }
  }
  return letters >= 2 && letters * 3 >= text.length;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
