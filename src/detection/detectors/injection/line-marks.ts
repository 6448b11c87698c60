/** What tools print in front of each line of a file: `     7\tThe text`, `7→`, `7: `, `7 | `. */
const NUMBER = /[ \t]{0,8}(\d{1,6})(?:\t|→|: ?| ?\| ?)/y;
/** What marks a line as a quotation in a mail, or as a comment in a program. Headings are none: they may announce another speaker. */
const MARK = /[ \t]{0,32}(?:(?:>[ \t]?){1,8}|(?:\/\/[/!]?|#|\*|--|;{1,3})(?=[ \t]))[ \t]{0,8}/y;

/** Lines in a row by which numbers are known to be counted. */
const COUNTED_LINES = 3;

/**
 * Where what a line says begins: behind the number that a tool gives it, and behind the mark of a quotation or a comment. What
 * is said there is weighed as if it stood by itself.
 */
export class LineMarks {
  readonly #text: string;
  readonly #isCounted: boolean;

  constructor(text: string) {
    this.#text = text;
    this.#isCounted = countsLines(text);
  }

  /** Behind the marks of the line, where nothing else of it stands before `start`; else `start`. */
  behind(start: number): number {
    const text = this.#text;
    if (!FIRST.test(text.charAt(start))) return start;
    const from = Math.max(0, start - BLANKS_MAX);
    const before = text.slice(from, start);
    const line = from + before.lastIndexOf('\n') + 1;
    if ((line === from && from > 0) || before.slice(line - from).trim() !== '') return start;
    const number = this.#isCounted ? endOf(NUMBER, text, line) : line;
    const end = endOf(MARK, text, number);
    return Math.max(start, end);
  }
}

/** What a number or a mark begins with: most pieces begin with a letter. */
const FIRST = /[\d>/#*;-]/;
/** Blanks in front of a line's number or mark. */
const BLANKS_MAX = 32;

/** Whether the numbers before the first lines go up by one. */
function countsLines(text: string): boolean {
  let last = -1;
  let start = 0;
  for (let counted = 0; counted < COUNTED_LINES && start >= 0; counted++, start = nextLine(text, start)) {
    NUMBER.lastIndex = start;
    const match = NUMBER.exec(text);
    if (match === null) return counted > 1 && start === text.length;
    const number = Number(match[1]);
    if (last >= 0 && number !== last + 1) return false;
    last = number;
  }
  return last >= 0 && text.includes('\n');
}

/** Where the line behind the one at `start` begins; -1 if there is none. */
function nextLine(text: string, start: number): number {
  const at = text.indexOf('\n', start);
  return at < 0 ? -1 : at + 1;
}

/** Where what `mark` finds at `start` ends; `start` if it is not there. */
function endOf(mark: RegExp, text: string, start: number): number {
  mark.lastIndex = start;
  return mark.test(text) ? mark.lastIndex : start;
}
