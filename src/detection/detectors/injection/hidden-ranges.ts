interface Range {
  start: number;
  end: number;
}

/** Stretches of a page that a reader does not see, in order. */
export interface HiddenRanges {
  comments: readonly Range[];
  elements: readonly Range[];
}

const NONE: HiddenRanges = { comments: [], elements: [] };

/** Ranges of one text that are looked at. */
const RANGES_MAX = 256;
/** How far the start tag may be from what it hides, and how much that is looked at. */
const TAG_CHARS_MAX = 240;
const HIDDEN_CHARS_MAX = 4_096;

/** HTML comments in `text`, and what elements hold that a style hides. Code comments are no hiding place: readers see them. */
export function hiddenRangesOf(text: string): HiddenRanges {
  if (!text.includes('<')) return NONE;
  const comments = commentsOf(text);
  const elements = text.includes('style') ? styledOf(text) : [];
  return comments.length + elements.length === 0 ? NONE : { comments, elements };
}

function commentsOf(text: string): Range[] {
  const found: Range[] = [];
  let at = text.indexOf('<!--');
  while (at >= 0 && found.length < RANGES_MAX) {
    const close = text.indexOf('-->', at + 4);
    found.push({ start: at, end: close < 0 ? text.length : close });
    if (close < 0) break;
    at = text.indexOf('<!--', close);
  }
  return found;
}

function styledOf(text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf('style'); at >= 0 && found.length < RANGES_MAX; at = text.indexOf('style', at + 5)) {
    const tag = text.slice(at, at + TAG_CHARS_MAX);
    const close = tag.indexOf('>');
    if (close < 0 || !HIDES.test(tag.slice(0, close))) continue;
    const start = at + close + 1;
    const end = text.slice(start, start + HIDDEN_CHARS_MAX).indexOf('</');
    found.push({ start, end: end < 0 ? Math.min(text.length, start + HIDDEN_CHARS_MAX) : start + end });
  }
  return found;
}

const HIDES =
  /display ?: ?none|visibility ?: ?hidden|font-size ?: ?[01](?:px|pt|em)?[;"' ]|color ?: ?(?:white|#fff|transparent)|opacity ?: ?0[;"' ]|left ?: ?-\d{3}/i;

/** Whether the stretch from `start` to `end` lies in one of `ranges`: by halves, comments and elements apart. */
export function isHidden({ comments, elements }: HiddenRanges, start: number, end: number): boolean {
  return covers(comments, start, end) || covers(elements, start, end);
}

/** The mark that closes a comment may be counted to its last piece. */
const CLOSING_CHARS = 8;

function covers(ranges: readonly Range[], start: number, end: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Range).start <= start) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && end <= range.end + CLOSING_CHARS;
}
