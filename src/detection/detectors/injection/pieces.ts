import { segments } from '../../texts/segments.ts';
import { isPaired } from './fold.ts';

/** A stretch of a text that is scored by itself, in UTF-16 offsets. */
export interface Piece {
  start: number;
  end: number;
}

/** Characters without which a text, and a piece of one, can say nothing of this kind. */
export const TEXT_CHARS_MIN = 12;
export const PIECE_CHARS_MIN = 8;

/** Whether `start` to `end` has fewer than `charsMin` characters, where one of a script of syllables or signs counts for two. */
export function isTooShort(text: string, start: number, end: number, charsMin: number): boolean {
  if (end - start >= charsMin) return false;
  let chars = 0;
  for (let at = start; at < end; at++) chars += isPaired(text.charCodeAt(at)) ? 2 : 1;
  return chars < charsMin;
}

/**
 * The sentences of `text`, and inside them the strings of JSON and the like, table cells and what stands between tags:
 * an order in a field of a record is not to be weighed together with the record's punctuation. At most `countMax`;
 * `onCut` is called where there is more.
 */
export function piecesOf(text: string, countMax: number, onCut: () => void): Piece[] {
  const found: Piece[] = [];
  const sentences = segments(text, countMax);
  for (const { start, end } of sentences) {
    let from = start;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x7c || BREAK[code] === 0) continue;
      const next = pausesAt(text, at, code, at - from) ? at + 1 : breakEnd(text, at, code, end);
      if (next === at) continue;
      add(found, text, from, at);
      from = next;
      at = next - 1;
    }
    add(found, text, from, end);
    if (found.length >= countMax) break;
  }
  const last = sentences.at(-1);
  if (
    found.length >= countMax ||
    (sentences.length >= countMax && last !== undefined && last.end < text.trimEnd().length)
  )
    onCut();
  return found.length > countMax ? found.slice(0, countMax) : found;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;

const BREAK = new Uint8Array(0x80);
for (const mark of '"\'<>|\\:;,') BREAK[mark.charCodeAt(0)] = 1;

/** A sentence that goes on after a colon says a second thing there, a long one after a comma too. */
function pausesAt(text: string, at: number, code: number, length: number): boolean {
  if (code === 0x3a || code === 0x3b) return length >= 24 && text.charCodeAt(at + 1) <= 0x20;
  return code === 0x2c && length >= 100 && text.charCodeAt(at + 1) === 0x20;
}

/** Where what starts at `at` and parts two pieces ends; `at` itself if nothing does. */
function breakEnd(text: string, at: number, code: number, end: number): number {
  if (code === QUOTE || code === APOSTROPHE) return isStructural(text, at) ? at + 1 : at;
  if (code === 0x5c) return text.charCodeAt(at + 1) === 0x6e ? at + 2 : at;
  if (code === 0x7c) return text.charCodeAt(at - 1) === 0x3c || text.charCodeAt(at + 1) === 0x3e ? at : at + 1;
  if (code !== 0x3c) return at;
  if (text.startsWith('<!--', at)) return at + 4;
  const next = text.charCodeAt(at + 1) | 32;
  if (next === 0x2f || (next >= 0x61 && next <= 0x7a)) {
    const last = Math.min(end, at + TAG_CHARS_MAX);
    let spaces = 0;
    for (let close = at + 1; close < last; close++) {
      const here = text.charCodeAt(close);
      if (here === 0x3e) return close + 1;
      // What an attribute says is read too: <img alt="...">.
      if (here === 0x3d) spaces = 0;
      else if (here === 0x20 && ++spaces > ATTRIBUTE_SPACES_MAX) return at;
    }
  }
  return at;
}

const TAG_CHARS_MAX = 96;
const ATTRIBUTE_SPACES_MAX = 2;

/** Whether the quotation mark at `at` opens or closes a value in a record, rather than a word in a sentence. */
function isStructural(text: string, at: number): boolean {
  let before = at - 1;
  for (let left = 8; left > 0 && before >= 0 && text.charCodeAt(before) === 0x20; left--) before--;
  if (before >= 0 && OPENS[Math.min(text.charCodeAt(before), 0x7f)] === 1) return true;
  const next = text.charCodeAt(at + 1);
  return next < 0x7f && CLOSES[next] === 1 && text.charCodeAt(before) !== 0x20;
}

const OPENS = new Uint8Array(0x80);
for (const mark of ':{[=') OPENS[mark.charCodeAt(0)] = 1;
const CLOSES = new Uint8Array(0x80);
for (const mark of ':}]') CLOSES[mark.charCodeAt(0)] = 1;

function add(found: Piece[], text: string, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < to && isEdge(text.charCodeAt(from))) from++;
  while (to > from && isEdge(text.charCodeAt(to - 1))) to--;
  if (!isTooShort(text, from, to, PIECE_CHARS_MIN)) found.push({ start: from, end: to });
}

/** White space, and what is left of a record around its values. */
function isEdge(code: number): boolean {
  return (
    code <= 0x20 ||
    code === 0x2c ||
    code === 0x7b ||
    code === 0x7d ||
    code === 0x5d ||
    code === QUOTE ||
    code === APOSTROPHE
  );
}
