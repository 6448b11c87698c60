import { BIDI, type CharClass, CONTROL, classOf, SELECTOR, TAG, ZERO_WIDTH } from './char-class.ts';

/** A stretch of invisible characters in a text, in UTF-16 offsets. */
export interface HiddenRun {
  start: number;
  end: number;
  /** Characters of each kind that have no honest use where they stand. */
  zeroWidth: number;
  bidi: number;
  tag: number;
  selector: number;
  control: number;
}

/** Whether characters of `kind` are invisible. */
export function isHidden(kind: CharClass): boolean {
  return kind >= ZERO_WIDTH && kind <= CONTROL;
}

/**
 * The run of invisible characters that begins at `start` of `text`, with those counted that do not belong there.
 * Not counted are: joiners between letters of scripts that join and inside emoji, variation selectors behind what they
 * select, the tags of a flag, marks of direction, a byte order mark in front, spaces of no width between words of scripts
 * that write none, escape sequences of a terminal's colours, and soft hyphens where a word may be hyphenated.
 */
export function hiddenRun(text: string, start: number): HiddenRun {
  const run: HiddenRun = { start, end: start, zeroWidth: 0, bidi: 0, tag: 0, selector: 0, control: 0 };
  let at = start;
  while (at < text.length) {
    const point = text.codePointAt(at) as number;
    if (point >= 0x20 && point < 0x7f) break;
    const kind = classOf(point);
    if (!isHidden(kind)) break;
    const width = point > 0xffff ? 2 : 1;
    if (kind === CONTROL) {
      const end = point === ESCAPE ? escapeSequenceEnd(text, at) : at + 1;
      if (!isColour(text, at, end)) run.control++;
      // What a command for the terminal says is read: a model sees it, and a secret in it leaves.
      at = isCommand(text, at) ? at + 2 : end;
      continue;
    }
    if (kind === TAG) run.tag++;
    else if (kind === BIDI) run.bidi += isMark(point) ? 0 : 1;
    else if (kind === SELECTOR) run.selector++;
    else if (kind === ZERO_WIDTH) run.zeroWidth++;
    at += width;
  }
  run.end = at;
  pardon(text, run);
  return run;
}

/** The runs of invisible characters in `text` that have some out of place, at most `countMax`. */
export function hiddenRuns(text: string, countMax: number): HiddenRun[] {
  const found: HiddenRun[] = [];
  for (let at = 0; at < text.length && found.length < countMax; ) {
    const code = text.charCodeAt(at);
    const point = code < 0xd800 ? code : (text.codePointAt(at) as number);
    if ((point >= 0x20 && point < 0x7f) || !isHidden(classOf(point))) {
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    const run = hiddenRun(text, at);
    if (run.zeroWidth + run.bidi + run.tag + run.selector + run.control > 0) found.push(run);
    at = run.end;
  }
  return found;
}

const ESCAPE = 0x1b;

/** Takes back what was counted though it belongs where it stands. */
function pardon(text: string, run: HiddenRun): void {
  const before = pointBefore(text, run.start);
  const after = text.codePointAt(run.end) ?? 0;
  if (run.tag > 0 && run.tag <= FLAG_TAGS_MAX && before === BLACK_FLAG && endsTags(text, run.end)) run.tag = 0;
  if (run.selector === 1 && run.zeroWidth <= 1 && selects(before, text.codePointAt(run.start) as number)) {
    run.selector = 0;
    // An emoji joined to the next, as in a heart on fire.
    if (run.zeroWidth === 1 && text.charCodeAt(run.end - 1) === ZERO_WIDTH_JOINER && after > 0x7f) run.zeroWidth = 0;
  }
  if (run.zeroWidth > 0 && run.zeroWidth <= PARDONED_MAX && !hides(text, run, before, after)) run.zeroWidth = 0;
}

const BLACK_FLAG = 0x1_f3f4;
/** Six letters of a subdivision, and the end. */
const FLAG_TAGS_MAX = 7;

function endsTags(text: string, end: number): boolean {
  return text.codePointAt(end - 2) === 0xe_007f;
}

const ZERO_WIDTH_JOINER = 0x200d;
const SOFT_HYPHEN = 0xad;
const BYTE_ORDER_MARK = 0xfeff;
/** Invisible characters in a row that may still be there by accident. */
const PARDONED_MAX = 2;

export function pointBefore(text: string, at: number): number {
  if (at === 0) return 0;
  const low = text.charCodeAt(at - 1);
  return (low & 0xfc00) === 0xdc00 && at > 1 ? (text.codePointAt(at - 2) as number) : low;
}

/** Whether the selector may follow `base`: an emoji or a symbol, an ideograph, a letter of a script that has variants. */
function selects(base: number, selector: number): boolean {
  if (selector >= 0xe_0100) return base >= 0x3400 && base !== BLACK_FLAG && !(base >= 0x1_f000 && base < 0x2_0000);
  if (base >= 0xa0) return true;
  return selector >= 0xfe0e && ((base >= 0x30 && base <= 0x39) || base === 0x23 || base === 0x2a);
}

/** Whether a character of no width hides in Latin text: between letters of one word. */
function hides(text: string, run: HiddenRun, before: number, after: number): boolean {
  const code = text.charCodeAt(run.start);
  if (!isWordChar(before) || !isWordChar(after)) return false;
  if (code === BYTE_ORDER_MARK && run.start === 0) return false;
  return code !== SOFT_HYPHEN || !mayHyphenate(text, run);
}

/** A letter or digit of a script in which nothing of no width belongs inside words: Latin, Greek and Cyrillic ones. */
export function isWordChar(point: number): boolean {
  if (point < 0x80) {
    return (point >= 0x61 && point <= 0x7a) || (point >= 0x41 && point <= 0x5a) || (point >= 0x30 && point <= 0x39);
  }
  return point >= 0xc0 && point < 0x530;
}

/** Two letters or more on each side of a soft hyphen, in a word of six or more: what hyphenation rules allow. */
function mayHyphenate(text: string, { start, end }: HiddenRun): boolean {
  let left = 0;
  while (left < 8 && isWordChar(text.charCodeAt(start - 1 - left))) left++;
  let right = 0;
  while (right < 8 && isWordChar(text.charCodeAt(end + right))) right++;
  const goesOn = text.charCodeAt(start - 1 - left) === SOFT_HYPHEN || text.charCodeAt(end + right) === SOFT_HYPHEN;
  return left >= 2 && right >= 2 && (goesOn || left + right >= 6);
}

/** Left-to-right and right-to-left marks and the Arabic letter mark: they reorder nothing that is not already mixed. */
function isMark(point: number): boolean {
  return point === 0x200e || point === 0x200f || point === 0x61c;
}

/** Longest escape sequence that is looked at: an operating system command may carry a URL. */
const ESCAPE_CHARS_MAX = 256;
/** Of one parameter: a row or a column. A longer number is none for a terminal. */
const PARAMETER_DIGITS_MAX = 5;

/** Whether an operating system command begins at `at` (ECMA-48, 8.3.89). */
function isCommand(text: string, at: number): boolean {
  return text.charCodeAt(at) === ESCAPE && text.charCodeAt(at + 1) === 0x5d;
}

/** Where the terminal's escape sequence at `at` ends (ECMA-48, 5.4 and 5.6): after the escape alone where it is none. */
export function escapeSequenceEnd(text: string, at: number): number {
  const limit = Math.min(text.length, at + ESCAPE_CHARS_MAX);
  const kind = text.charCodeAt(at + 1);
  if (kind === 0x5b) {
    for (let end = at + 2, digits = 0; end < limit; end++) {
      const code = text.charCodeAt(end);
      if (code >= 0x40 && code <= 0x7e) return end + 1;
      digits = code >= 0x30 && code <= 0x39 ? digits + 1 : 0;
      if (code < 0x20 || code > 0x3f || digits > PARAMETER_DIGITS_MAX) break;
    }
    return at + 1;
  }
  if (!isCommand(text, at)) return at + 1;
  for (let end = at + 2; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x07) return end + 1;
    if (code === ESCAPE) return text.charCodeAt(end + 1) === 0x5c ? end + 2 : end;
    if (code < 0x20) break;
  }
  return at + 1;
}

/** Colours, weights, and erasing to the end of the line: what programs print. Concealed text is none of it. */
function isColour(text: string, start: number, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  if (end - start < 3 || text.charCodeAt(start + 1) !== 0x5b) return false;
  return last === 0x4b || (last === 0x6d && !conceals(text.slice(start + 2, end - 1)));
}

/** Whether the parameters of a "select graphic rendition" sequence hide text (ECMA-48, 8.3.117: 8). */
export function conceals(parameters: string): boolean {
  const list = parameters.split(/[;:]/);
  // `38;5;8` is a colour by its number.
  return list.some((item, index) => Number(item) === 8 && item !== '' && !/^[34]8$/.test(list[index - 2] ?? ''));
}
