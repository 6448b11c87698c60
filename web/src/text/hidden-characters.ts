/**
 * Characters that a reader cannot see, or that change the order in which others are shown. Agents and attackers write
 * them; they are shown by name, so that what is read is what is there.
 */

/* oxlint-disable no-control-regex, no-misleading-character-class -- these are what is looked for */
const HIDDEN =
  // Controls but tab and newline, soft hyphen, zero-width, bidi, invisible operators, variation selectors, tags, half pairs.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant alone, combining or not
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\ud800-\udfff]/gu;

export interface Piece {
  /** Where in the text it begins. */
  at: number;
  text: string;
  /** What stands for a character that would not be seen. */
  isHidden: boolean;
  isMarked: boolean;
}

interface Range {
  start: number;
  end: number;
}

/** `text` in pieces: what lies in one of `marks` (UTF-16 offsets) is marked, and hidden characters are named. */
export function pieces(text: string, marks: readonly Range[] = []): Piece[] {
  const found: Piece[] = [];
  for (const { start, end, isMarked } of stretches(text.length, marks))
    addPieces(found, { at: start, text: text.slice(start, end), isMarked });
  return found;
}

function addPieces(found: Piece[], stretch: Omit<Piece, 'isHidden'>): void {
  const { at: offset, text, isMarked } = stretch;
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > at) found.push({ at: offset + at, text: text.slice(at, match.index), isHidden: false, isMarked });
    // A carriage return before a newline is how lines end on some systems.
    if (!(match[0] === '\r' && text[match.index + 1] === '\n'))
      found.push({ at: offset + match.index, text: nameOf(match[0]), isHidden: true, isMarked });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ at: offset + at, text: text.slice(at), isHidden: false, isMarked });
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Cuts 0 to `length` where a mark begins or ends. Marks may overlap, and may reach beyond the text. */
function stretches(length: number, marks: readonly Range[]): (Range & { isMarked: boolean })[] {
  const inside = marks
    .map(({ start, end }) => ({ start: Math.max(0, start), end: Math.min(length, end) }))
    .filter(({ start, end }) => start < end)
    .sort((a, b) => a.start - b.start);
  const cut: (Range & { isMarked: boolean })[] = [];
  let at = 0;
  for (const { start, end } of inside) {
    if (end <= at) continue;
    if (start > at) cut.push({ start: at, end: start, isMarked: false });
    cut.push({ start: Math.max(at, start), end, isMarked: true });
    at = end;
  }
  if (at < length) cut.push({ start: at, end: length, isMarked: false });
  return cut;
}

/** `text` with hidden characters named: for where only plain text fits, as in a title. */
export function readable(text: string): string {
  return pieces(text)
    .map((piece) => (piece.isHidden ? `‹${piece.text}›` : piece.text))
    .join('');
}
