/** A stretch of a text, in UTF-16 offsets. */
export interface Segment {
  start: number;
  end: number;
}

/** Longest segment, in code units. A sentence that is longer is cut at white space, or anywhere where there is none. */
export const SEGMENT_CHARS_MAX = 400;

/** A shorter stretch is joined with what follows: "IMPORTANT!!!", "1.", or a single word on each line says little alone. */
const SEGMENT_CHARS_MIN = 32;

/**
 * Splits `text` into sentences, lines and, where those are long, pieces, in order and without overlap; white space
 * around them belongs to none. A line break inside a sentence (wrapped mail, a word on each line) does not split it.
 * Stops after `countMax` segments: the rest of the text is then behind the last one's end.
 */
export function segments(text: string, countMax: number): Segment[] {
  const found: Segment[] = [];
  let at = 0;
  while (found.length < countMax) {
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    if (at >= text.length) break;
    const start = at;
    at = segmentEnd(text, start);
    let end = at;
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
    found.push({ start, end });
  }
  return found;
}

/** Where the segment that begins at `start` ends. */
function segmentEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + SEGMENT_CHARS_MAX);
  let lastSpace = -1;
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      if (code === LINE_FEED && at - start >= SEGMENT_CHARS_MIN && lineEnds(text, at)) return at;
      lastSpace = at;
    } else if (at - start >= SEGMENT_CHARS_MIN && endsSentence(text, at, code)) {
      return at + 1;
    }
  }
  if (limit === text.length) return limit;
  // Neither a short stump nor half of a surrogate pair.
  if (lastSpace - start > SEGMENT_CHARS_MAX / 2) return lastSpace;
  return (text.charCodeAt(limit) & 0xfc00) === 0xdc00 && limit - 1 > start ? limit - 1 : limit;
}

const LINE_FEED = 0x0a;

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0x3000 || code === 0x2028 || code === 0x2029 || code === 0x85;
}

/** A full stop, question or exclamation mark with white space, a quote or nothing behind it; those of CJK stand alone. */
function endsSentence(text: string, at: number, code: number): boolean {
  if (code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x0964) return true;
  if (code !== 0x2e && code !== 0x21 && code !== 0x3f && code !== 0x2026 && code !== 0x061f) return false;
  const next = text.charCodeAt(at + 1);
  if (Number.isNaN(next) || isSpace(next)) return true;
  const isCloser = next === 0x22 || next === 0x27 || next === 0x29 || next === 0x2019 || next === 0x201d;
  return isCloser && (at + 2 >= text.length || isSpace(text.charCodeAt(at + 2)));
}

/** Whether the line break at `at` ends what is said: a blank line follows, or one that does not go on in lower case. */
function lineEnds(text: string, at: number): boolean {
  if (isBlankLine(text, at)) return true;
  let next = at + 1;
  while (next < text.length && next - at <= INDENT_CHARS_MAX && isSpace(text.charCodeAt(next))) next++;
  const code = text.charCodeAt(next);
  return !(code >= 0x61 && code <= 0x7a);
}

/** White space at the start of a line that is looked behind. */
const INDENT_CHARS_MAX = 32;

function isBlankLine(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return next === LINE_FEED || (next === 0x0d && text.charCodeAt(at + 2) === LINE_FEED);
}
