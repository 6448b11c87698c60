import { icaoDigit } from './check-digits.ts';
import type { SeenPii } from './walk.ts';

/** Lines of the machine-readable zone of passports and cards (ICAO 9303): letters, digits and fillers, of one length. */
const LINE = /(?<![A-Z0-9<])[A-Z0-9<]{30,44}(?![A-Z0-9<])/g;
/** Documents that one text is read for. */
const DOCUMENTS_MAX = 16;

/** Number, check digit, nationality, birth, check digit, sex, expiry, check digit: of passports and visas. */
const BOOKLET = /^[A-Z0-9<]{9}[0-9<][A-Z<]{3}\d{6}\d[MFX<]\d{6}\d/;
/** The second line of a card. The number stands in the first. */
const CARD = /^\d{6}\d[MFX<]\d{6}\d[A-Z<]{3}[A-Z0-9<]{11}\d$/;
const CARD_HEAD = /^[ACI][A-Z<][A-Z<]{3}[A-Z0-9<]{9}[0-9<]/;

/** The identity documents, apart from those of Utopia, which are specimens, whose lines stand in `text`. */
export function documentsIn(text: string): SeenPii[] {
  const found: SeenPii[] = [];
  if (!text.includes('<<')) return found;
  let before: { line: string; start: number } | undefined;
  for (const match of text.matchAll(LINE)) {
    if (found.length >= DOCUMENTS_MAX) break;
    const [line] = match;
    const start = match.index;
    if (line.includes('UTO')) continue;
    const isBooklet =
      (line.length === 44 || line.length === 36) &&
      BOOKLET.test(line) &&
      agrees(line, [0, 9, 9], [13, 6, 19], [21, 6, 27]);
    const isCard =
      line.length === 30 &&
      before !== undefined &&
      CARD.test(line) &&
      CARD_HEAD.test(before.line) &&
      agrees(line, [0, 6, 6], [8, 6, 14]);
    if (isBooklet) found.push(document(start, start + line.length));
    else if (isCard) found.push(document(before?.start ?? start, start + line.length));
    before = { line, start };
  }
  return found;
}

function document(start: number, end: number): SeenPii {
  return {
    what: 'passport',
    title: 'the machine-readable lines of an identity document',
    severity: 'high',
    confidence: 0.95,
    start,
    end,
  };
}

/** Whether each part, given by where it starts, its length and where its check digit stands, has the right one. */
function agrees(line: string, ...parts: readonly (readonly [start: number, length: number, check: number])[]): boolean {
  return parts.every(([start, length, check]) => {
    const digit = line[check] === '<' ? 0 : Number(line[check]);
    return icaoDigit(line.slice(start, start + length)) === digit;
  });
}
