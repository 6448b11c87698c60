/** Stretches of a page that a reader does not see. */
export type HiddenRanges = readonly { start: number; end: number }[];

const NONE: HiddenRanges = [];

/** Ranges of one text that are looked at. */
const RANGES_MAX = 256;
/** How far the start tag may be from what it hides, and how much that is looked at. */
const TAG_CHARS_MAX = 240;
const HIDDEN_CHARS_MAX = 4_096;

/** HTML comments in `text`, and what elements hold that a style hides. Code comments are no hiding place: readers see them. */
export function hiddenRangesOf(text: string): HiddenRanges {
  if (!text.includes('<')) return NONE;
  const found: { start: number; end: number }[] = [];
  for (let at = text.indexOf('<!--'); at >= 0 && found.length < RANGES_MAX; at = text.indexOf('<!--', at)) {
    const close = text.indexOf('-->', at + 4);
    found.push({ start: at, end: close < 0 ? text.length : close });
    if (close < 0) break;
    at = close;
  }
  for (let at = text.indexOf('style'); at >= 0 && found.length < RANGES_MAX; at = text.indexOf('style', at + 5)) {
    const close = text.slice(at, at + TAG_CHARS_MAX).indexOf('>');
    if (close < 0 || !HIDES.test(text.slice(at, at + close))) continue;
    const start = at + close + 1;
    const end = text.slice(start, start + HIDDEN_CHARS_MAX).indexOf('</');
    found.push({ start, end: end < 0 ? Math.min(text.length, start + HIDDEN_CHARS_MAX) : start + end });
  }
  return found;
}

const HIDES =
  /display ?: ?none|visibility ?: ?hidden|font-size ?: ?[01](?:px|pt|em)?[;"' ]|color ?: ?(?:white|#fff|transparent)|opacity ?: ?0[;"' ]|left ?: ?-\d{3}/i;

/** Whether the stretch from `start` to `end` lies in one of `ranges`. */
export function isHidden(ranges: HiddenRanges, start: number, end: number): boolean {
  for (const range of ranges) if (start >= range.start && end <= range.end + 8) return true;
  return false;
}
