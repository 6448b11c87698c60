import { isDigitAt } from './characters.ts';
import type { PiiFormat } from './format.ts';

/** A number as it is written in a text. */
export class Written {
  readonly start: number;
  readonly end: number;
  readonly separators: string;
  /** In capitals and without separators. */
  readonly compact: string;
  readonly #lowered: boolean;
  readonly #whole: boolean;
  readonly #doubtful: boolean;
  readonly #rowsAside: readonly string[];

  constructor(text: string, start: number, end: number, separators: string) {
    this.start = start;
    this.end = end;
    this.separators = separators;
    const written = text.slice(start, end);
    const plain = separators === '' ? written : written.replace(/[^A-Za-z0-9]/g, '');
    this.compact = plain.toUpperCase();
    this.#lowered = this.compact !== plain;
    this.#whole = isWhole(text, start, end);
    // A piece of a longer row of digits, or one that somebody typed along the keyboard.
    this.#rowsAside = separators.includes(' ') ? rowsAside(text, start, end) : [];
    this.#doubtful = isRow(text, start, end, separators) || isTyped(this.compact);
  }

  /** How sure it is to be of `format`, if it is valid, where nothing near says so. */
  unaided(format: PiiFormat): number {
    // In a table of numbers some row or other has the right check digit: a list of cards has it in each.
    if (this.#rowsAside.some((row) => !format.valid(row))) return 0;
    const alone = this.separators === '' ? format.bare : format.alone;
    const sure = Math.max(this.#lowered ? alone * 0.6 : alone, this.#whole ? format.whole : 0);
    return this.#doubtful ? sure * 0.6 : sure;
  }
}

/** All separators are of the format; one sort of them, apart from numbers such as `123.456.789-09`. */
export function fits(format: PiiFormat, separators: string): boolean {
  let sorts = 0;
  for (let at = 0; at < separators.length; at++) {
    const separator = separators[at] as string;
    if (!format.separators.includes(separator)) return false;
    if (at > 0 && separator !== separators[at - 1]) sorts++;
  }
  return sorts === 0 || (sorts <= 2 && separators.startsWith('.') && !separators.includes(' '));
}

/** Whether all are separators of the format, whichever: people write as they like, but then a word has to tell what it is. */
export function mayBeMixed(format: PiiFormat, separators: string): boolean {
  for (const separator of separators) if (!format.separators.includes(separator)) return false;
  return true;
}

/** Characters of a field beside the number that is its whole value: space and punctuation. */
const BESIDE_CHARS_MAX = 8;

/** Whether the text holds hardly more than what stands from `start` to `end`. */
export function mayBeWhole(text: string, start: number, end: number): boolean {
  return text.length - (end - start) < BESIDE_CHARS_MAX;
}

function isWhole(text: string, start: number, end: number): boolean {
  return mayBeWhole(text, start, end) && text.slice(0, start).trim() === '' && /^[\s.,;]*$/.test(text.slice(end));
}

/** Whether digits go on before or behind what is written in groups apart by spaces. */
function isRow(text: string, start: number, end: number, separators: string): boolean {
  if (!separators.includes(' ')) return false;
  return (text[start - 1] === ' ' && isDigitAt(text, start - 2)) || (text[end] === ' ' && isDigitAt(text, end + 1));
}

/** A line that is longer is no row of a table. */
const ROW_CHARS_MAX = 256;

/** What stands in the same columns and the same form as `start` to `end` on the lines above and below, and what goes on in the line itself. */
function rowsAside(text: string, start: number, end: number): string[] {
  const written = text.slice(start, end);
  const form = formOf(written);
  const row = text.slice(Math.max(0, start - ROW_CHARS_MAX), start);
  const column = row.length - row.lastIndexOf('\n') - 1;
  const above =
    row
      .slice(0, -column - 1)
      .split('\n')
      .at(-1) ?? '';
  const below = text.slice(end, end + 2 * ROW_CHARS_MAX).split('\n', 2)[1] ?? '';
  const lines = row.includes('\n') ? [above, below] : [below];
  const aside = lines.map((line) => line.slice(column, column + written.length));
  // A group further along the line, of as many digits, makes it a piece of a longer row.
  const group = written.slice(written.lastIndexOf(' '));
  aside.push(
    text.slice(start + group.length, end + group.length),
    text.slice(start - group.length, end - group.length),
  );
  return aside.filter((other) => formOf(other) === form).map((other) => other.replace(/[^A-Za-z0-9]/g, ''));
}

function formOf(text: string): string {
  return text.replace(/[0-9]/g, '9');
}

const KEYBOARD_ROWS = '01234567890123456789 9876543210987654321';

/** `123456789`, `A9876543`. */
function isTyped(compact: string): boolean {
  const digits = compact.replace(/^[A-Z]+|[A-Z]+$/g, '');
  return digits.length >= 8 && KEYBOARD_ROWS.includes(digits);
}
