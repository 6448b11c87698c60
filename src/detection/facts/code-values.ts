import { QUOTES, STRING_CHARS_MAX, wholeLiteral } from './code-literals.ts';

/** What an expression is known to stand for: one text, or those of a list. */
export type CodeValue = readonly string[];

/** The value of a name at the place that is being read, if it is known. */
export type Names = (name: string) => CodeValue | undefined;

interface Assignment {
  name: string;
  /** Undefined: from here on, nothing is known of it. */
  value: CodeValue | undefined;
  /** Where it counts from. */
  end: number;
}

const ASSIGNMENTS_MAX = 512;
const HOME_PATHS_MAX = 64;
const TERMS_MAX = 32;
const NESTING_MAX = 6;

/**
 * The names in `code` that stand for texts, in the order of the text: straight-line code is what is handed over in
 * place. A name that is given anything else is unknown from there on. One pass.
 */
export class CodeNames {
  /** Paths that are put together from the home directory on. */
  readonly homePaths: string[] = [];
  readonly #assignments: Assignment[] = [];
  readonly #values = new Map<string, CodeValue>();
  #nextIndex = 0;

  /** `cut` is called where there are more names than are followed. */
  constructor(code: string, cut: () => void) {
    if (/=|for|home|HOME|USERPROFILE/.test(code)) this.#scan(code);
    if (this.#assignments.length >= ASSIGNMENTS_MAX) cut();
    this.#values.clear();
  }

  /** Names as they stand at `position`, which must not go back. */
  at(position: number): Names {
    for (; this.#nextIndex < this.#assignments.length; this.#nextIndex++) {
      const { name, value, end } = this.#assignments[this.#nextIndex] as Assignment;
      if (end > position) break;
      if (value === undefined) this.#values.delete(name);
      else this.#values.set(name, value);
    }
    return this.#lookUp;
  }

  readonly #lookUp: Names = (name) => this.#values.get(name);

  #scan(code: string): void {
    const brackets: string[] = [];
    let atStatement = true;
    // How many brackets are open around a declaration, which may go on behind a comma.
    let declaredIn = -1;
    let index = 0;
    while (index < code.length && this.#assignments.length < ASSIGNMENTS_MAX) {
      const char = code[index] as string;
      if (char === ' ') {
        index++;
        continue;
      }
      // An escaped quotation mark opens nothing; it would be looked for its end through all the escaped ones behind it.
      if (char === '\\' && QUOTES.has(code[index + 1] ?? '')) {
        index += 2;
        atStatement = false;
        continue;
      }
      if (QUOTES.has(char)) {
        index = wholeLiteral(code, index)?.end ?? index + 1;
        atStatement = false;
        continue;
      }
      NAME.lastIndex = index;
      const name = NAME_STARTS.has(char) ? NAME.exec(code)?.[0] : undefined;
      if (name === undefined) {
        if (char === '(' || char === '[' || char === '{') brackets.push(char);
        else if (char === ')' || char === ']' || char === '}') brackets.pop();
        if (STATEMENT_STARTS.has(char)) atStatement = brackets.length === 0 || brackets[brackets.length - 1] === '{';
        else if (!/\s/.test(char)) atStatement = char === ',' && declaredIn === brackets.length;
        if (char === ';' || char === '\n') declaredIn = -1;
        index++;
        continue;
      }
      const end = index + name.length;
      if (DECLARATIONS.has(name)) {
        atStatement = true;
        declaredIn = brackets.length;
        index = end;
      } else if (FUNCTIONS.has(name)) {
        this.#forgetParameters(code, end);
        index = end;
      } else {
        index = this.#readHome(code, index) ?? (atStatement ? this.#readAssignment(code, name, end) : end);
        atStatement = false;
      }
    }
  }

  /** The end of an expression at `start` that leads on from the home directory. */
  #readHome(code: string, start: number): number | undefined {
    if (!HOME_STARTS.has(code[start] as string)) return undefined;
    HOME.lastIndex = start;
    const home = HOME.exec(code);
    if (home === null) return undefined;
    const found = readExpression(code, start, this.#lookUp);
    const [path] = found?.value ?? [];
    if (found === undefined || path === undefined || path === '~') return start + home[0].length;
    if (this.homePaths.length < HOME_PATHS_MAX) this.homePaths.push(path);
    return found.end;
  }

  /** What a function is given is not what has that name outside. */
  #forgetParameters(code: string, end: number): void {
    PARAMETERS.lastIndex = end;
    for (const [name] of (PARAMETERS.exec(code)?.[0] ?? '').matchAll(/[$@]?[A-Za-z_]\w{0,63}/g)) {
      this.#values.delete(name);
      this.#assignments.push({ name, value: undefined, end });
    }
  }

  #readAssignment(code: string, name: string, end: number): number {
    ASSIGN.lastIndex = end;
    const match = ASSIGN.exec(code);
    if (match === null) return end;
    const start = end + match[0].length;
    HOME.lastIndex = start;
    const fromHome = HOME.test(code);
    const found = readExpression(code, start, this.#lookUp);
    const known = found !== undefined && EXPRESSION_END.test(code.slice(found.end, found.end + 16));
    const value: CodeValue | undefined = known
      ? joined(match[1] === undefined ? [''] : this.#values.get(name), found.value)
      : undefined;
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
    this.#assignments.push({ name, value, end: known ? found.end : start });
    // Paths from the home directory are read where they stand.
    return known && !fromHome ? found.end : start;
  }
}

const NAME = /[$@]?[A-Za-z_]\w{0,63}/y;
const NAME_STARTS = new Set('$@_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Those of the ways to the home directory. */
const HOME_STARTS = new Set('pPrhoegED$');
const DECLARATIONS = new Set(['const', 'let', 'var', 'my', 'our', 'local', 'for', 'else', 'do', 'then']);
const FUNCTIONS = new Set(['def', 'function', 'lambda', 'func', 'fn']);
const PARAMETERS = /[\w$ ]{0,64}\([^()\n]{0,256}\)|[\w, ]{0,256}:/y;
const STATEMENT_STARTS = new Set([';', '\n', '{', '}', ':', ')']);
/** `=`, with a type in front, or with what is added to the name; also what a loop gives it. */
const ASSIGN = /(?:\s{0,8}:\s{0,4}[\w.[\]]{1,40})?\s{0,8}([+.])?=(?![=>~])\s{0,8}|\s{1,8}(?:in|of)\s/y;
const EXPRESSION_END = /^[^\S\n]{0,12}(?:[;\n,)}:#]|\/\/|$)/;
const HOME =
  /(?:(?:pathlib\.)?Path\.home\(\)|(?:require\(["'](?:node:)?os["']\)\.|os\.)?homedir\(\)|(?:os\.)?(?:environ(?:\.get)?|getenv)[[(]["'](?:HOME|USERPROFILE)["'][\])]|process\.env(?:\.|\[["'])(?:HOME|USERPROFILE)\b(?:["']\])?|ENV\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|Dir\.home\b(?:\(\))?)/y;
/** Functions that put a path together, give back what they are given, or list what a pattern names, for which the pattern stands. */
const SAME =
  /(?:os\.path\.join|path\.(?:posix\.)?(?:join|resolve)|File\.(?:join|expand_path)|(?:os\.path\.)?(?:expanduser|abspath|realpath)|(?:pathlib\.)?(?:Pure)?(?:Posix)?Path|os\.fspath|str|String|(?:glob\.|Dir\.)?i?glob|glob\.sync|(?:fs\.)?globSync)\(/y;
/** Methods that leave a text what it is, or cut it into the words that it has. */
const SAME_METHOD =
  /\.(?:(?:split|strip|trim|expanduser|resolve|absolute|as_posix|toString)\(\s{0,4}(?:" "|' ')?\s{0,4}\)|freeze\b)/y;
const PREFIXED = /[fFrRbBuU]{1,2}(?=["'])/y;
/** Between two parts of a text: `+`, the dot of Perl and PHP, the slash of Python's paths, or nothing but blanks. */
const OPERATOR = /\s{0,8}(?:([+/])|\.(?=\s{0,4}["'$]))\s{0,8}|[^\S\n]{0,8}(?=["'])/y;

/** The expression at `start`, where all of it is known. */
export function readExpression(
  code: string,
  start: number,
  names: Names,
  nesting = 0,
): { value: CodeValue; end: number } | undefined {
  let value: CodeValue = [''];
  let between = '';
  let index = start;
  for (let count = 0; count < TERMS_MAX; count++) {
    const term = readTerm(code, index, names, nesting);
    if (term === undefined) return undefined;
    const next = joined(value, term.value, between);
    if (next === undefined) return undefined;
    value = next;
    index = sticky(SAME_METHOD, code, term.end) ?? term.end;
    OPERATOR.lastIndex = index;
    const operator = OPERATOR.exec(code);
    if (operator === null || (operator[1] === '/' && code.startsWith('//', index + operator[0].indexOf('/')))) {
      return { value, end: index };
    }
    between = operator[1] === '/' ? '/' : '';
    index += operator[0].length;
  }
  return undefined;
}

function readTerm(
  code: string,
  at: number,
  names: Names,
  nesting: number,
): { value: CodeValue; end: number } | undefined {
  const open = sticky(PREFIXED, code, at) ?? at;
  if (QUOTES.has(code[open] ?? '')) {
    const literal = wholeLiteral(code, open);
    return literal === undefined ? undefined : { value: [filledIn(literal.text, names)], end: literal.end };
  }
  const home = sticky(HOME, code, at);
  if (home !== undefined) return { value: ['~'], end: home };
  if (nesting < NESTING_MAX) {
    const inside = sticky(SAME, code, at) ?? (code[at] === '(' ? at + 1 : undefined);
    if (inside !== undefined) return readItems(code, inside, ')', names, nesting, (items) => [items.join('/')]);
    if (code[at] === '[') return readItems(code, at + 1, ']', names, nesting, (items) => items);
  }
  const end = sticky(NAME, code, at);
  const value = end === undefined || /[\w([$]/.test(code[end] ?? '') ? undefined : names(code.slice(at, end));
  return value === undefined || end === undefined ? undefined : { value, end };
}

/** Expressions with commas between them, up to `close`. */
function readItems(
  code: string,
  start: number,
  close: string,
  names: Names,
  nesting: number,
  make: (items: string[]) => CodeValue,
): { value: CodeValue; end: number } | undefined {
  const items: string[] = [];
  let index = afterBlanks(code, start);
  while (items.length < TERMS_MAX) {
    if (code[index] === close && items.length > 0) return { value: make(items), end: index + 1 };
    const item = readExpression(code, index, names, nesting + 1);
    if (item === undefined) return undefined;
    items.push(...item.value);
    index = afterBlanks(code, item.end);
    if (code[index] === ',') index = afterBlanks(code, index + 1);
    else if (code[index] !== close) return undefined;
  }
  return undefined;
}

const BLANKS = /\s{0,64}/y;

function afterBlanks(code: string, at: number): number {
  return sticky(BLANKS, code, at) ?? at;
}

/** Where a match of `pattern` that begins at `at` ends. */
function sticky(pattern: RegExp, code: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(code) ? pattern.lastIndex : undefined;
}

/** One text behind another, or all items of a list where nothing is in front of it. */
function joined(left: CodeValue | undefined, right: CodeValue, between = ''): CodeValue | undefined {
  if (left === undefined || left.length > 1) return undefined;
  const before = left[0] ?? '';
  if (right.length !== 1) return before === '' ? right : undefined;
  const text = before + between + (right[0] ?? '');
  return text.length > STRING_CHARS_MAX ? undefined : [text];
}

/** `text` with the values of names that it has in braces, or behind a dollar sign. */
export function filledIn(text: string, names: Names): string {
  if (!/[{$]/.test(text)) return text;
  const filled = text.replace(/[$#]?\{(\w{1,64})\}|\$(\w{1,64})/g, (written, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    const value = names(name) ?? names(`$${name}`);
    return value?.length === 1 ? (value[0] as string) : written;
  });
  return filled.length > STRING_CHARS_MAX ? text : filled;
}
