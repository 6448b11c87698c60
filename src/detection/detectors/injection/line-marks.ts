/** What tools print in front of each line of a file: `     7\tThe text`, `7→`, `7: `, `7 | `. */
const NUMBER = /[ \t]{0,8}(\d{1,6})(?:\t|→|: ?| ?\| ?)/y;
/** What marks a line as a quotation in a mail, or as a comment in a program. */
const MARK = /[ \t]{0,32}(?:(?:>[ \t]?){1,8}|(?:\/\/[/!]?|#{1,6}|\*|--|;{1,3})(?=[ \t]))[ \t]{0,8}/y;

/** Lines in a row by which numbers are known to be counted. */
const COUNTED_LINES = 3;

/**
 * `text` with blanks in place of what stands before what its lines say: the numbers that a tool gives them, and marks of
 * quotations and comments. What is said behind them is weighed as if it stood there by itself; offsets stay.
 */
export function withoutLineMarks(text: string): string {
  const isCounted = countsLines(text);
  const parts: string[] = [];
  let copied = 0;
  for (let start = 0; start >= 0; start = nextLine(text, start)) {
    const from = isCounted ? endOf(NUMBER, text, start) : start;
    const end = endOf(MARK, text, from);
    if (end === start) continue;
    parts.push(text.slice(copied, start), ' '.repeat(end - start));
    copied = end;
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

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
