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
  /** Whether digits go on before or behind its groups. */
  readonly isPieceOfRow: boolean;
  readonly #doubtful: boolean;
  readonly #text: string;
  /** What stands above, below and beside it in its own form, once it was asked for. */
  #rowsAside: readonly string[] | undefined;

  constructor(text: string, start: number, end: number, separators: string) {
    this.#text = text;
    this.start = start;
    this.end = end;
    this.separators = separators;
    const written = text.slice(start, end);
    const plain = separators === '' ? written : written.replace(/[^A-Za-z0-9]/g, '');
    this.compact = plain.toUpperCase();
    this.#lowered = this.compact !== plain;
    this.#whole = isWhole(text, start, end);
    this.isPieceOfRow = isRow(text, start, end, separators);
    // Or one that somebody typed along the keyboard.
    this.#doubtful = this.isPieceOfRow || isTyped(this.compact);
  }

  /** How sure it is to be of `format`, if it is valid, where nothing near says so. */
  unaided(format: PiiFormat): number {
    const alone = this.separators === '' ? format.bare : format.alone;
    const sure = Math.max(this.#lowered ? alone * 0.6 : alone, this.#whole ? format.whole : 0);
    if (sure === 0 || this.#isOneOfTable(format)) return 0;
    return this.#doubtful ? sure * 0.6 : sure;
  }

  /** In a table of numbers some row or other has the right check digit: a list of cards has it in each. */
  #isOneOfTable(format: PiiFormat): boolean {
    if (!this.separators.includes(' ')) return false;
    this.#rowsAside ??= rowsAside(this.#text, this.start, this.end);
    return this.#rowsAside.some((row) => !format.valid(row));
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

/**
 * The numbers of the same form that stand beside the one from `start` to `end`: a group further along its line, which
 * makes it a piece of a longer row, and in its columns of the lines above and below.
 */
function rowsAside(text: string, start: number, end: number): string[] {
  const group = end - text.lastIndexOf(' ', end - 1);
  const aside = [start + group, start - group];
  const before = text.slice(Math.max(0, start - ROW_CHARS_MAX), start);
  const lineAt = before.lastIndexOf('\n') + 1;
  const column = before.length - lineAt;
  if (lineAt > 0) {
    const above = before.slice(0, lineAt - 1);
    const at = above.lastIndexOf('\n') + 1 + column;
    if (at + end - start <= above.length) aside.push(start - before.length + at);
  }
  const [rest = '', below = ''] = text.slice(end, end + 2 * ROW_CHARS_MAX).split('\n', 2);
  if (column + end - start <= below.length) aside.push(end + rest.length + 1 + column);
  const length = end - start;
  return aside
    .filter((other) => haveOneForm(text, start, other, length))
    .map((other) => text.slice(other, other + length).replace(/[^A-Za-z0-9]/g, ''));
}

/** Whether digits stand at `other` where they do at `start`, and the same characters where they do not. */
function haveOneForm(text: string, start: number, other: number, length: number): boolean {
  if (other < 0 || other + length > text.length) return false;
  for (let at = 0; at < length; at++) {
    const isDigit = isDigitAt(text, start + at);
    if (isDigit !== isDigitAt(text, other + at)) return false;
    if (!isDigit && text.charCodeAt(start + at) !== text.charCodeAt(other + at)) return false;
  }
  return true;
}

const KEYBOARD_ROWS = '01234567890123456789 9876543210987654321';

/** `123456789`, `A9876543`. */
function isTyped(compact: string): boolean {
  const digits = compact.replace(/^[A-Z]+|[A-Z]+$/g, '');
  return digits.length >= 8 && KEYBOARD_ROWS.includes(digits);
}
