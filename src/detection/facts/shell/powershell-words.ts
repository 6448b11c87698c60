import type { ShellRedirect, ShellWord } from './model.ts';
import { windowsVariable } from './windows-text.ts';

/** What stands between two separators: a command, or an assignment. */
export interface Statement {
  words: ShellWord[];
  redirects: ShellRedirect[];
  piped: boolean;
}

export type Variables = Map<string, string>;

const VARIABLES_MAX = 256;
const VALUE_CHARS_MAX = 8_192;
/** `%name%`, and a part of it. */
const PERCENT = /^%([a-z_][\w()]{0,31})(?::~[-\d,]{1,8})?%/i;
/** Code units that a variable and its marks may take. */
const VARIABLE_CHARS_MAX = 66;
const BREAK = /[;\n\r{}()|]/;
/** What a call operator may stand behind. */
const BEFORE_CALL = /^(?:[-+*/]?=|,|\.|@|call|do|else|return|try|then|throw|-\w{1,32})$/i;
const BLANK = /[\s&]/;
const NOWHERE = /^(?:nul|\$null|&\d)$/i;

/** Splits `text` into statements of PowerShell or cmd.exe. One pass; `variables` holds what simple assignments have set. */
export function statementsOf(text: string, variables: Variables): Statement[] {
  return new Tokenizer(text, variables).run();
}

class Tokenizer {
  readonly #text: string;
  readonly #variables: Variables;
  readonly #statements: Statement[] = [];
  #words: ShellWord[] = [];
  #redirects: ShellRedirect[] = [];
  #piped = false;
  #current = '';
  #present = false;
  #dynamic = false;
  /** The operator whose target the next word is. */
  #operator: string | undefined;

  constructor(text: string, variables: Variables) {
    this.#text = text;
    this.#variables = variables;
  }

  run(): Statement[] {
    for (let at = 0; at < this.#text.length; at++) at = this.#read(at);
    this.#endStatement(false);
    return this.#statements;
  }

  /** Reads what begins at `at`, and returns where it ends. */
  #read(at: number): number {
    const text = this.#text;
    const char = text[at] as string;
    const next = text[at + 1] ?? '';
    if (char === "'" || char === '"') {
      const end = closingQuote(text, at, char);
      this.#add(this.#unquote(text.slice(at + 1, end), char));
      return end;
    }
    if (char === '`' || char === '^') {
      // Both take the meaning away from what follows; in front of the end of a line they join it to the next.
      if (next === '\n' || next === '\r') return text[at + 2] === '\n' ? at + 2 : at + 1;
      this.#add(char === '^' && /\s/.test(next) ? '' : next);
      return at + 1;
    }
    if (char === '$' && /[A-Za-z_]/.test(next)) return this.#dollar(at);
    if (char === '%') return this.#percent(at);
    if (char === '#' && !this.#present) {
      const newline = text.indexOf('\n', at);
      return newline < 0 ? text.length : newline - 1;
    }
    if (char === '>' || char === '<') return this.#redirect(at);
    if (char === '|' && next !== '|') this.#endStatement(true);
    else if (BREAK.test(char) || (char === '&' && (next === '&' || this.#present || this.#separates)))
      this.#endStatement(false);
    else if (BLANK.test(char)) this.#endWord();
    else this.#add(char);
    return at;
  }

  /** Whether `&` stands between two commands of cmd.exe, and not in front of what PowerShell is to call. */
  get #separates(): boolean {
    const last = this.#words.at(-1);
    return last !== undefined && !BEFORE_CALL.test(last.text);
  }

  #add(text: string): void {
    this.#current += text;
    this.#present = true;
  }

  #dollar(at: number): number {
    const name = /^[\w:]{1,64}/.exec(this.#text.slice(at + 1, at + 65))?.[0] ?? '';
    const value = this.#valueOf(name);
    this.#add(value ?? `$${name}`);
    this.#dynamic ||= value === undefined && !/^(?:env:|home$|pwd$|true$|false$|null$)/i.test(name);
    return at + name.length;
  }

  #percent(at: number): number {
    const match = PERCENT.exec(this.#text.slice(at, at + VARIABLE_CHARS_MAX));
    if (match === null) {
      this.#add('%');
      return at;
    }
    const name = match[1] as string;
    this.#add(this.#variables.get(name.toLowerCase()) ?? windowsVariable(name) ?? match[0]);
    return at + match[0].length - 1;
  }

  #valueOf(name: string): string | undefined {
    return /^env:/i.test(name) ? windowsVariable(name.slice(4)) : this.#variables.get(name.toLowerCase());
  }

  #redirect(at: number): number {
    // The descriptor in front is none of the words: `2>nul`.
    if (this.#present && /^[0-9*]$/.test(this.#current)) {
      this.#current = '';
      this.#present = false;
    }
    this.#endWord();
    let end = at;
    while (this.#text[end + 1] === '>') end++;
    this.#operator = this.#text.slice(at, Math.min(end + 1, at + 2));
    if (this.#text[end + 1] === '&' && /\d/.test(this.#text[end + 2] ?? '')) {
      this.#operator = undefined;
      return end + 2;
    }
    return end;
  }

  #endWord(): void {
    if (this.#present) {
      const word = {
        text: this.#current,
        dynamic: this.#dynamic,
        glob: !this.#dynamic && /[*?]/.test(this.#current),
      };
      if (this.#operator === undefined) this.#words.push(word);
      else if (!NOWHERE.test(word.text)) this.#redirects.push({ operator: this.#operator, target: word });
      this.#operator = undefined;
    }
    this.#current = '';
    this.#present = false;
    this.#dynamic = false;
  }

  #endStatement(pipe: boolean): void {
    this.#endWord();
    this.#operator = undefined;
    if (this.#words.length > 0) {
      this.#statements.push({ words: this.#words, redirects: this.#redirects, piped: this.#piped });
    }
    // Assignments take effect on what follows.
    noteAssignment(this.#words, this.#variables);
    this.#words = [];
    this.#redirects = [];
    this.#piped = pipe;
  }

  #unquote(body: string, quote: string): string {
    if (quote === "'") return body.replaceAll("''", "'");
    return body
      .replace(/\$(env:\w{1,64}|\w{1,64})/gi, (whole, name: string) => this.#valueOf(name) ?? whole)
      .replace(/%([a-z_][\w()]{0,31})%/gi, (whole, name: string) => windowsVariable(name) ?? whole)
      .replace(/`([\s\S])/g, '$1')
      .replaceAll('""', '"');
  }
}

/** Index of the quote that closes the one at `open`; a doubled quote stands for itself. The end of the text closes too. */
function closingQuote(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '`' && quote === '"') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      at++;
    }
  }
  return text.length;
}

export const ASSIGNMENT = /^\$(\w{1,64})$/;

/** `$x = value`, and cmd.exe's `set x=value`. */
function noteAssignment(words: readonly ShellWord[], variables: Variables): void {
  const [first, second, third] = words;
  const name = ASSIGNMENT.exec(first?.text ?? '')?.[1];
  if (name === undefined) {
    const set = /^set$/i.test(first?.text ?? '') ? /^([a-z_]\w{0,63})=(.*)$/is.exec(restOf(words)) : null;
    if (set !== null) note(variables, set[1] as string, set[2] as string);
  } else if (second?.text === '=') {
    if (words.length === 3 && third !== undefined && !third.dynamic) note(variables, name, third.text);
    else variables.delete(name.toLowerCase());
  }
}

function restOf(words: readonly ShellWord[]): string {
  return words
    .slice(1, 16)
    .map(({ text }) => text)
    .join(' ');
}

function note(variables: Variables, name: string, value: string): void {
  if (variables.size <= VARIABLES_MAX && value.length <= VALUE_CHARS_MAX) variables.set(name.toLowerCase(), value);
}
