import type { Allowance } from '../cuts.ts';
import type { Limits } from '../limits.ts';
import { decodeRuns, hasLongRun } from './encoded-runs.ts';
import { fold, NO_HIDDEN } from './fold.ts';
import { CODE_ESCAPES, HTML_ESCAPES, JSON_ESCAPES, URL_ESCAPES } from './notations.ts';
import { type Decoded, substitute } from './substitutions.ts';
import type { EventText, Reading, ReadText } from './text.ts';
import { turn } from './turned.ts';

/**
 * `source` with everything that it may be read as: itself, folded, and what it says decoded, up to a depth. All
 * readings together are bounded; what is left out is said in `allowance`. Linear in the length of the text.
 *
 * A text of printable ASCII without any escapes is its own only reading, after one scan.
 */
export function readText(source: EventText, limits: Limits, allowance: Allowance): ReadText {
  const { text } = source;
  const signs = signsIn(text);
  const isPlain = (signs & UNUSUAL) === 0;
  const folded = isPlain ? undefined : fold(text);
  const base: Reading = { text: folded?.text ?? text, encodings: NONE, locate: folded?.locate ?? asItStands };
  const readings = [base];
  const hidden = folded?.hidden ?? NO_HIDDEN;
  if (limits.decodeDepthMax > 0) {
    const work: Work = { readings, charsLeft: limits.decodedCharsMax, limits, allowance };
    decodeInto(work, base, isPlain ? signs : signsIn(base.text), 1);
    const isTurned = hidden.bidi > 0 && text.includes('\u202e');
    // What a tool is given runs as it stands; only who reads it can be told to read it backwards.
    const turned = isTurned || source.source !== 'tool_input' ? turn(base.text, isTurned, work.charsLeft) : [];
    for (const decoded of turned) add(work, base, decoded, limits.decodeDepthMax);
  }
  return { source, readings, hidden };
}

const NONE: Reading['encodings'] = Object.freeze([]);

const asItStands: Reading['locate'] = (start, end) => ({ start, end });

interface Work {
  readings: Reading[];
  charsLeft: number;
  limits: Limits;
  allowance: Allowance;
}

/** Adds what `reading`, which has `signs`, says decoded once more, and that decoded in turn. */
function decodeInto(work: Work, reading: Reading, signs: number, depth: number): void {
  const { text } = reading;
  const take = (decoded: Decoded | undefined): void => {
    if (decoded !== undefined) add(work, reading, decoded, depth);
  };
  if ((signs & PERCENT) !== 0) take(substitute(text, URL_ESCAPES, work.charsLeft));
  if ((signs & AMPERSAND) !== 0) take(substitute(text, HTML_ESCAPES, work.charsLeft));
  if ((signs & BACKSLASH) !== 0) take(substitute(text, isJson(text) ? JSON_ESCAPES : CODE_ESCAPES, work.charsLeft));
  if ((signs & LONG_RUN) !== 0) for (const decoded of decodeRuns(text, work.charsLeft, work.allowance)) take(decoded);
}

function add(work: Work, from: Reading, { encoding, out, cut }: Decoded, depth: number): void {
  const { limits, allowance } = work;
  if (cut) allowance.cut('decoded', `chars ${limits.decodedCharsMax}`);
  if (out.length === 0) return;
  if (work.readings.length >= limits.readingsMax) return allowance.cut('decoded', `readings ${limits.readingsMax}`);
  work.charsLeft = Math.max(0, work.charsLeft - out.length);
  const reading = folded(out.text, [...from.encodings, encoding], (start, end) => {
    const inner = out.locate(start, end);
    return from.locate(inner.start, inner.end);
  });
  work.readings.push(reading);
  if (depth < limits.decodeDepthMax && !allowance.over('decoded')) {
    decodeInto(work, reading, signsIn(reading.text), depth + 1);
  }
}

function folded(text: string, encodings: Reading['encodings'], locate: Reading['locate']): Reading {
  if ((signsIn(text) & UNUSUAL) === 0) return { text, encodings, locate };
  const plain = fold(text);
  return {
    text: plain.text,
    encodings,
    locate(start, end) {
      const inner = plain.locate(start, end);
      return locate(inner.start, inner.end);
    },
  };
}

/** What a text has that is worth a closer look. */
const UNUSUAL = 1;
const PERCENT = 2;
const AMPERSAND = 4;
const BACKSLASH = 8;
const LONG_RUN = 16;

/** What is in `text`. Whole scans by the engine's own searches: a loop over the units costs five times as much. */
function signsIn(text: string): number {
  let signs = OUTSIDE_LINES.test(text) && OUTSIDE_ASCII.test(text) ? UNUSUAL : 0;
  if (text.includes('%')) signs |= PERCENT;
  if (text.includes('&')) signs |= AMPERSAND;
  if (text.includes('\\')) signs |= BACKSLASH;
  return hasLongRun(text) ? signs | LONG_RUN : signs;
}

/** One range less to compare with for each unit: tabs and carriage returns are rarer than text without. */
const OUTSIDE_LINES = /[^\n -~]/;
const OUTSIDE_ASCII = /[^\n\r\t -~]/;

/** White space before a text's first character that is looked behind. */
const INDENT_CHARS_MAX = 64;

/** Whether `text` is JSON by its first character. */
function isJson(text: string): boolean {
  for (let at = 0; at < text.length && at < INDENT_CHARS_MAX; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    return code === 0x7b || code === 0x5b || code === 0x22;
  }
  return false;
}
