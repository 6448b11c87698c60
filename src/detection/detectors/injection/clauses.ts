import { CLASS, wordHash } from './lexicon.ts';
import { of } from './token-search.ts';
import type { Tokens } from './tokens.ts';

/**
 * Whether the verb at token `at` is an order, rather than part of a sentence about somebody who ignores something: it
 * begins a clause ("TODO: ignore", "[ignore", "thanks. ignore"), or stands behind "please", "now", "you must", "want
 * you to", a greeting; and nobody quotes it.
 */
export function isTold(tokens: Tokens, text: string, at: number, start: number): boolean {
  const from = tokens.start[at] as number;
  return isProse(text, from, tokens.end[at] as number) && isAsked(tokens, text, at, start);
}

/** The same of a verb that may be code as well: "run send_mail", `post(data)`. */
export function isAsked(tokens: Tokens, text: string, at: number, start: number): boolean {
  const from = tokens.start[at] as number;
  if (beginsClause(text, from, start)) return !opensQuote(text, from - 1);
  const kind = tokens.class[at - 1] as number;
  const word = tokens.hash[at - 1] as number;
  if (LEADING[kind] === 1 || LINKING.has(word)) return true;
  const earlier = at > 1 ? tokens.class[at - 2] : 0;
  return (word === TO && earlier === CLASS.you) || (kind === CLASS.you && earlier === CLASS.can);
}

const LEADING = of(CLASS.please, CLASS.must, CLASS.now, CLASS.urgent, CLASS.assistant);
const LINKING: ReadonlySet<number> = new Set(
  'and then also instead just first but so hello hi hey ok okay well actually anyway thanks'.split(' ').map(wordHash),
);
const TO = wordHash('to');

/** Whether the word from `start` to `end` stands in a sentence: `@Override` and `skip_validation` are code. */
export function isProse(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  const isParted = next <= 0x20 || next > 0x7f || end >= text.length;
  return isParted && (start === 0 || !CODE_BEFORE.has(text.charCodeAt(start - 1)));
}

/** `@`, `.`, `_`, `$`, `-` and `/`. */
const CODE_BEFORE: ReadonlySet<number> = new Set([0x40, 0x2e, 0x5f, 0x24, 0x2d, 0x2f]);

/** Whether what stands before `from` is the start of the piece, or a mark that parts clauses. */
function beginsClause(text: string, from: number, start: number): boolean {
  let at = from - 1;
  while (at >= start && text.charCodeAt(at) === 0x20) at--;
  return at < start || CLAUSE_MARKS.has(text.charCodeAt(at));
}

/** Line ends, dashes, brackets and the like. Behind a quote, an order is somebody else's. */
const CLAUSE_MARKS: ReadonlySet<number> = new Set(
  [...'\n\r\t!#()*,-.:;=>?[]{|}\u2013\u2014\u3002'].map((mark) => mark.charCodeAt(0)),
);

/** Marks that open what somebody else said: quotes, and the backslash of one that is escaped. */
const QUOTES: ReadonlySet<number> = new Set([0x22, 0x27, 0x60, 0x201c, 0x2018, 0xab, 0x5c]);

/** Whether a quotation opens at `at`, and not the value of a record (`"note": "..."`) or of an attribute (`alt="..."`). */
function opensQuote(text: string, at: number): boolean {
  if (at < 0 || !QUOTES.has(text.charCodeAt(at))) return false;
  if (text.charCodeAt(at - 1) === EQUALS) return !isLetter(text.charCodeAt(at - 2));
  let before = at - 1;
  if (text.charCodeAt(before) === SPACE) before--;
  return text.charCodeAt(before) !== COLON || text.charCodeAt(before - 1) !== text.charCodeAt(at);
}

function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 0x61 && lower <= 0x7a;
}

const SPACE = 0x20;
const COLON = 0x3a;
const EQUALS = 0x3d;
