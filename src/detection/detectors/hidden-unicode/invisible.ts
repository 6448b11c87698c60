import { type HiddenRun, isWordChar, pointBefore } from '../../texts/hidden-chars.ts';
import { hiddenMessage } from '../../texts/hidden-message.ts';
import type { Sighting } from './sighting.ts';

/** Characters that nobody sees and a model reads: messages in tags, selectors or bits, and words broken up. */
export function invisibleText(text: string, runs: readonly HiddenRun[], isExact: boolean): Sighting[] {
  const found: Sighting[] = [];
  const tags = runs.filter((run) => run.tag > 0);
  if (tags.length > 0) found.push(tagText(tags));
  const selectors = runs.filter((run) => run.selector > 0);
  if (selectors.length > 0) variationBytes(selectors, found);
  const widthless = runs.filter((run) => run.zeroWidth > 0);
  if (widthless.length > 0) zeroWidth(text, widthless, isExact, found);
  return found;
}

type Count = 'tag' | 'selector' | 'zeroWidth';

function longest(runs: readonly HiddenRun[], count: Count): HiddenRun {
  return runs.reduce((most, run) => (run[count] > most[count] ? run : most));
}

function sum(runs: readonly HiddenRun[], count: Count): number {
  return runs.reduce((total, run) => total + run[count], 0);
}

/** Tag characters have one honest use, the flags of subdivisions. */
function tagText(runs: readonly HiddenRun[]): Sighting {
  const { start, end } = longest(runs, 'tag');
  const confidence = sum(runs, 'tag') >= 4 ? 0.98 : 0.8;
  return {
    kind: 'unicode.tag_text',
    severity: 'critical',
    confidence,
    what: 'hides text in tag characters',
    start,
    end,
  };
}

/** Bytes in a row of selectors behind one character, or one behind each. */
function variationBytes(runs: readonly HiddenRun[], found: Sighting[]): void {
  const { start, end, selector } = longest(runs, 'selector');
  const total = sum(runs, 'selector');
  if (selector < 3 && total < 3) return;
  const confidence = selector >= 3 ? 0.97 : total >= 8 ? 0.9 : 0.6;
  const severity = selector >= 3 ? 'critical' : total >= 8 ? 'high' : 'medium';
  const what = 'hides bytes in variation selectors';
  found.push({ kind: 'unicode.variation_bytes', severity, confidence, what, start, end });
}

/** A run this long is no accident where it has two kinds of characters, as bits have. */
const BITS_MIN = 16;

function zeroWidth(text: string, runs: readonly HiddenRun[], isExact: boolean, found: Sighting[]): void {
  const { start, end, zeroWidth } = longest(runs, 'zeroWidth');
  if (zeroWidth >= BITS_MIN && carriesBits(text, { start, end })) {
    const readable = hiddenMessage(text, longest(runs, 'zeroWidth')) !== undefined;
    const what = 'hides a message in characters of no width';
    const confidence = readable ? 0.97 : 0.75;
    found.push({
      kind: 'unicode.invisible_text',
      severity: readable ? 'critical' : 'high',
      confidence,
      what,
      start,
      end,
    });
  }
  const broken = runs.filter((run) => breaksWord(text, run));
  const [first] = broken;
  if (first === undefined) return;
  const at = { start: first.start, end: first.end };
  const what = 'breaks words up with characters of no width';
  if (broken.length >= 3) {
    found.push({ kind: 'unicode.zero_width', severity: 'high', confidence: 0.9, what, ...at });
  } else if (isExact || text.charCodeAt(first.start) !== 0xad) {
    const severity = isExact ? 'medium' : 'low';
    found.push({ kind: 'unicode.zero_width', severity, confidence: isExact ? 0.7 : 0.4, what, ...at });
  }
}

function carriesBits(text: string, { start, end }: { start: number; end: number }): boolean {
  const first = text.charCodeAt(start);
  let same = 0;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === first) same++;
  return same >= 4 && end - start - same >= 4;
}

/** Between two letters of a word, and not where documentation lets long names break: `HttpServlet`. */
function breaksWord(text: string, run: HiddenRun): boolean {
  const before = pointBefore(text, run.start);
  const after = text.codePointAt(run.end) ?? 0;
  if (!isWordChar(before) || !isWordChar(after)) return false;
  const isSpace = text.charCodeAt(run.start) === 0x200b && run.end - run.start === 1;
  return !(isSpace && isLower(before) && isUpper(after));
}

function isLower(point: number): boolean {
  return point >= 0x61 && point <= 0x7a;
}

function isUpper(point: number): boolean {
  return point >= 0x41 && point <= 0x5a;
}
