import { FOLD } from './fold.ts';
import { CLASS, classOf, WORD_PRIME, WORD_SEED } from './lexicon.ts';
import { of } from './token-search.ts';
import type { Tokens } from './tokens.ts';

/** What heads a piece: a name in front of a colon or in brackets, that tells to whom it speaks. */
export const LABEL = {
  /** It names an assistant: "for AI agents:", `"assistant_note": "..."`. */
  address: 1,
  /** It is written in capitals, as an order of the system or to an assistant: "AI REVIEWER NOTE:", "[SYSTEM OVERRIDE]". */
  proclaimed: 2,
} as const;

/** Longest label, in code units. */
const LABEL_CHARS_MAX = 48;
/** How far a label's colon may be from what it heads: a space and a quotation mark. */
const GAP_CHARS_MAX = 4;

/**
 * What is said of the piece from `start` to `end`, whose tokens are `tokens`, by the label that it begins with, or that
 * stands right before it.
 */
export function labelOf(tokens: Tokens, text: string, start: number, end: number): number {
  const last = Math.min(end, start + LABEL_CHARS_MAX);
  return labelBefore(text, start) | (namesSomebody(tokens, last) ? labelWithin(text, start, last) : 0);
}

/** Whether a token that begins before `last` may make a label say something. */
function namesSomebody(tokens: Tokens, last: number): boolean {
  for (let at = 0; at < tokens.count && (tokens.start[at] as number) < last; at++) {
    if (SOMEBODY[tokens.class[at] as number] === 1) return true;
  }
  return false;
}

const SOMEBODY = of(CLASS.assistant, CLASS.authority);

function labelBefore(text: string, start: number): number {
  let to = start - 1;
  while (to >= start - GAP_CHARS_MAX && isMark(text, to, IN_GAP)) to--;
  if (!isMark(text, to, CLOSES)) return 0;
  let from = to;
  if (isMark(text, from - 1, IN_GAP)) from--;
  const least = Math.max(0, from - LABEL_CHARS_MAX);
  while (from > least && !isMark(text, from - 1, OPENS)) from--;
  return closesLabel(text, from, to) ? labelSigns(text, from, to) : 0;
}

function labelWithin(text: string, start: number, last: number): number {
  let from = start;
  while (from < last && isMark(text, from, OPENS)) from++;
  for (let at = from; at < last; at++) {
    if (isMark(text, at, CLOSES)) return closesLabel(text, from, at) ? labelSigns(text, from, at) : 0;
    if (isMark(text, at, OPENS)) return 0;
  }
  return 0;
}

/** A colon does; a bracket does where it opened the label, which is no link and no index. */
function closesLabel(text: string, from: number, to: number): boolean {
  return text.charCodeAt(to) === COLON || (text.charCodeAt(from - 1) === OPENING && text.charCodeAt(to + 1) !== PAREN);
}

const COLON = 0x3a;
const OPENING = 0x5b;
const PAREN = 0x28;
const UNDERSCORE = 0x5f;

const IN_GAP = 1;
const CLOSES = 2;
const OPENS = 4;
/** What each mark may be: it is asked for every character that a piece begins with. */
const MARKS = new Uint8Array(128);
for (const [role, marks] of [
  [IN_GAP, ' "\'\n'],
  [CLOSES, ':]'],
  [OPENS, '\n\r\t.!?,;:()[]{}<>|"\'`#*'],
] as const) {
  for (const mark of marks) MARKS[mark.charCodeAt(0)] = (MARKS[mark.charCodeAt(0)] as number) | role;
}

function isMark(text: string, at: number, role: number): boolean {
  const code = text.charCodeAt(at);
  return code < MARKS.length && ((MARKS[code] as number) & role) !== 0;
}

/** What the words from `from` to `to` say as a label. */
function labelSigns(text: string, from: number, to: number): number {
  let hash = WORD_SEED;
  let words = 0;
  let lower = 0;
  let isAssistant = false;
  let isAuthority = false;
  let proclaims = false;
  let isName = false;
  for (let at = from; at <= to; at++) {
    const code = text.charCodeAt(at);
    if (code === UNDERSCORE) isName = true;
    const letter = at < to ? (FOLD[code] as number) : 0;
    if (letter !== 0) {
      hash = Math.imul(hash ^ letter, WORD_PRIME);
      if (code === letter && code > 0x39) lower++;
    } else if (hash !== WORD_SEED) {
      const kind = classOf(hash);
      words++;
      if (kind === CLASS.assistant) isAssistant = true;
      else if (kind === CLASS.authority) isAuthority = true;
      else if (PROCLAIMING[kind] === 1) proclaims = true;
      hash = WORD_SEED;
    }
  }
  const isProclaimed = lower === 0 && words > 1 && !isName && (isAssistant || (isAuthority && proclaims));
  return (isAssistant ? LABEL.address : 0) | (isProclaimed ? LABEL.proclaimed : 0);
}

const PROCLAIMING = of(CLASS.rules, CLASS.urgent, CLASS.override, CLASS.tool, CLASS.mode);
