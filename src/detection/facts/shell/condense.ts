/** Code units of a literal that are kept at either end. */
const KEPT_CHARS = 1_024;
const LITERAL_CHARS_MAX = 4 * KEPT_CHARS;
/** What a literal can hold that runs. */
const RUNS_INSIDE = /\$\(|`/;
/** Before a literal that is a script itself. */
const SCRIPT_BEFORE = /(?:\s-[a-zA-Z]*[ceErRS]|\beval|--(?:eval|command|exec|execute|script))[=\s]*$/;
/** A line on which a program runs what it is given. */
const INTERPRETER =
  /(?:^|[|;&(]|\b(?:sudo|exec|env))\s*(?:\S{0,64}\/)?(?:(?:ba|z|k|da|a|c)?sh|pwsh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|psql|mysql|sqlite3|ssh|eval|osascript)(?![\w.])/;
/** Behind a literal that a shell is given. */
const PIPED_TO_SHELL = /^\s*\|\s*(?:sudo\s+)?(?:\S{0,64}\/)?(?:ba|z|k|da|a)?sh\b/;
const LINE_CHARS_MAX = 512;
/** A here-document's redirect, not a here-string's; its word with the quotes that keep its body from being expanded. */
const HEREDOC = /<<-?[ \t]*(\\|'|")?([A-Za-z_][\w.-]*)/y;
const MARK = /\s\s+|[\\'"#<\n]/g;

/**
 * A script without its bulk: comments, white space, and the middles of long strings and here-documents that are data, not scripts. What runs
 * is all there, so that a long file which is written by a command leaves the command to be read whole, and a script that is long all the same is
 * long by what it runs. One pass, of linear time, by the rules of POSIX; where they are broken the text stays as it is.
 */
export function condense(text: string): string {
  return new Condenser(text).run();
}

interface Heredoc {
  end: string;
  isExpanded: boolean;
}

class Condenser {
  readonly #text: string;
  readonly #kept: string[] = [];
  /** Of the line that is read. */
  #heredocs: Heredoc[] = [];
  #lineStart = 0;
  /** Up to where the text is kept or left out already. */
  #done = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    MARK.lastIndex = 0;
    for (let mark = MARK.exec(this.#text); mark !== null; mark = MARK.exec(this.#text)) {
      const next = this.#step(mark[0], mark.index);
      if (next < 0) break;
      MARK.lastIndex = next;
    }
    this.#kept.push(this.#text.slice(this.#done));
    return this.#kept.join('');
  }

  /** Returns where to go on; -1 where a literal never ends. */
  #step(mark: string, at: number): number {
    const text = this.#text;
    switch (mark[0]) {
      case '\\':
        return at + 2;
      case "'":
        return text[at - 1] === '$'
          ? this.#string(at, escapedEnd(text, at + 1, "'"))
          : this.#string(at, text.indexOf("'", at + 1));
      case '"':
        return this.#string(at, escapedEnd(text, at + 1, '"'));
      case '#':
        return this.#comment(at);
      case '<':
        return this.#redirect(at);
      default:
        return this.#blank(mark, at);
    }
  }

  #leaveOut(from: number, to: number): void {
    if (to <= from) return;
    this.#kept.push(this.#text.slice(this.#done, from));
    this.#done = to;
  }

  #string(at: number, end: number): number {
    if (end < 0) return -1;
    if (end - at > LITERAL_CHARS_MAX && !this.#isScript(at, end)) this.#shorten(at + 1, end, this.#text[at] === '"');
    return end + 1;
  }

  #isScript(at: number, end: number): boolean {
    const before = this.#text.slice(Math.max(0, at - 24), at);
    const behind = this.#text.slice(end + 1, end + 128);
    return SCRIPT_BEFORE.test(before) || PIPED_TO_SHELL.test(behind);
  }

  #shorten(from: number, to: number, isExpanded: boolean): void {
    if (to - from <= LITERAL_CHARS_MAX) return;
    const middle = this.#text.slice(from + KEPT_CHARS, to - KEPT_CHARS);
    if (!(isExpanded && RUNS_INSIDE.test(middle))) this.#leaveOut(from + KEPT_CHARS, to - KEPT_CHARS);
  }

  #comment(at: number): number {
    if (at > 0 && !/[\s;&|(]/.test(this.#text[at - 1] as string)) return at + 1;
    const end = this.#text.indexOf('\n', at);
    const to = end < 0 ? this.#text.length : end;
    this.#leaveOut(at, to);
    return to;
  }

  #redirect(at: number): number {
    if (this.#text.startsWith('<<<', at)) return at + 3;
    HEREDOC.lastIndex = at;
    const found = HEREDOC.exec(this.#text);
    if (found === null) return at + 1;
    this.#heredocs.push({ end: found[2] as string, isExpanded: found[1] === undefined });
    return found[1] === "'" || found[1] === '"' ? HEREDOC.lastIndex + 1 : HEREDOC.lastIndex;
  }

  /** White space of more than one character, or the end of a line, after which the here-documents of the line stand. */
  #blank(mark: string, at: number): number {
    const newline = mark.indexOf('\n');
    if (newline < 0) {
      this.#leaveOut(at + 1, at + mark.length);
      return at + mark.length;
    }
    const after = at + newline + 1;
    const line = this.#text.slice(this.#lineStart, Math.min(after, this.#lineStart + LINE_CHARS_MAX));
    this.#lineStart = after;
    if (this.#heredocs.length === 0) {
      this.#leaveOut(after, at + mark.length);
      return at + mark.length;
    }
    const isScript = INTERPRETER.test(line);
    let from = after;
    for (const { end, isExpanded } of this.#heredocs.splice(0)) {
      const close = lineOf(this.#text, end, from);
      if (close < 0) return -1;
      if (!isScript) this.#shorten(from, close, isExpanded);
      from = close + end.length;
    }
    // What follows the last delimiter begins with the end of its line.
    return from;
  }
}

/** Where `quote` ends a string in which a backslash takes the next character; -1 for nowhere. */
function escapedEnd(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (at - 1 - slashes >= from && text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** Where a line that is `end` alone, perhaps after tabs, has it; -1 for nowhere. */
function lineOf(text: string, end: string, from: number): number {
  for (let at = text.indexOf(end, from); at >= 0; at = text.indexOf(end, at + 1)) {
    let start = at;
    while (start > from && text[start - 1] === '\t') start--;
    const after = text[at + end.length];
    if ((start === from || text[start - 1] === '\n') && (after === undefined || after === '\n' || after === '\r'))
      return at;
  }
  return -1;
}
