/** A word, sign or literal of a database statement. */
export interface SqlToken {
  /** `name`: in quotes, so that it is no keyword. */
  type: 'word' | 'name' | 'string' | 'number' | 'sign';
  /** Lower case; of a literal what is in it. */
  text: string;
}

/** Where dialects read the same text in different ways. */
export interface SqlDialect {
  /** `\'` is inside of a literal. */
  backslashes: boolean;
  /** `#` begins a comment, and `--` only with a space behind it. */
  mysqlComments: boolean;
}

const STANDARD: SqlDialect = { backslashes: false, mysqlComments: false };
const MYSQL: SqlDialect = { backslashes: true, mysqlComments: true };
/** Only where one of these is there do the dialects differ. */
const AMBIGUOUS = /\\|#|--(?!\s|$)/;

/** Tokens of one statement that are kept. */
const TOKENS_MAX = 8_192;
/** Code units of a literal or a quoted name that are kept. */
const LITERAL_CHARS_MAX = 16_384;
const NAME_CHARS_MAX = 64;

/** The ways in which `text` can be read, the one of the standard first. */
export function dialectsOf(text: string): readonly [SqlDialect, SqlDialect?] {
  const nests = text.indexOf('/*') !== text.lastIndexOf('/*');
  return nests || AMBIGUOUS.test(text) ? [STANDARD, MYSQL] : [STANDARD];
}

const SPLIT_WORD = /\b([a-z]{1,8})\/\*[^*]{0,16}\*\/(?=([a-z]{1,8})\b)/gi;
const SPLIT_WORDS: ReadonlySet<string> = new Set(
  'drop truncate delete update alter grant insert select execute exec table database schema from where union or and information substr concat'.split(
    ' ',
  ),
);

/** `text` without comments in the middle of a keyword (`dr/**\/op`): a filter in front of a database takes them out. */
export function withoutSplitWords(text: string): string {
  if (!text.includes('/*')) return text;
  return text.replace(SPLIT_WORD, (whole: string, head: string, tail: string) =>
    SPLIT_WORDS.has((head + tail).toLowerCase()) ? head : whole,
  );
}

const COMMENT_EDGE = /\/\*|\*\//g;
const LITERAL_END = /''|'/g;
const ESCAPED_LITERAL_END = /\\[\s\S]|''|'/g;
const DOLLAR_QUOTE = /\$(?:[\p{L}_][\p{L}\p{N}_]{0,62})?\$/uy;
const WORD = /[\p{L}_@][\p{L}\p{N}_$@]*|#{1,2}[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d[\d._]*(?:e[+-]?\d+)?/iy;
const SIGNS = /[<>=!|&~^+*/%:?-]/;
const BRACKETED = /\[[\p{L}_][^\]\n]{0,63}\]/uy;

/** The statements of `text`, comments left out. What is not closed goes on to the end. One pass. */
export function* statementTokens(text: string, dialect: SqlDialect): Generator<SqlToken[]> {
  const reader = new SqlTokenReader(text, dialect);
  let tokens: SqlToken[] = [];
  for (let token = reader.next(); token !== undefined; token = reader.next()) {
    if (token.text === ';' && token.type === 'sign') {
      if (tokens.length > 0) yield tokens;
      tokens = [];
    } else if (tokens.length < TOKENS_MAX) tokens.push(token);
  }
  if (tokens.length > 0) yield tokens;
}

class SqlTokenReader {
  readonly #text: string;
  readonly #dialect: SqlDialect;
  #at = 0;

  constructor(text: string, dialect: SqlDialect) {
    this.#text = text;
    this.#dialect = dialect;
  }

  next(): SqlToken | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      const char = text[this.#at] as string;
      if (char <= ' ') this.#at++;
      else if (this.#isLineComment(char)) this.#skipLine();
      // What MySQL runs although it looks like a comment is read.
      else if (text.startsWith('/*', this.#at) && text[this.#at + 2] !== '!') this.#skipComment();
      else return this.#token(char);
    }
    return undefined;
  }

  #token(char: string): SqlToken {
    if (char === "'") return this.#literal();
    if (char === '"' || char === '`') return this.#quotedName(char);
    const quote = char === '$' ? this.#match(DOLLAR_QUOTE) : undefined;
    if (quote !== undefined) return this.#dollarQuoted(quote);
    const bracketed = char === '[' ? this.#match(BRACKETED) : undefined;
    if (bracketed !== undefined) return { type: 'name', text: bracketed.slice(1, -1).toLowerCase() };
    const word = this.#match(WORD);
    if (word !== undefined) return { type: 'word', text: word.toLowerCase() };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { type: 'number', text: number };
    return this.#sign(char);
  }

  #isLineComment(char: string): boolean {
    const { mysqlComments } = this.#dialect;
    if (char === '#') return mysqlComments;
    if (char !== '-' || this.#text[this.#at + 1] !== '-') return false;
    return !mysqlComments || !/\S/.test(this.#text[this.#at + 2] ?? '');
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** Comments inside of comments are the standard's, not MySQL's. */
  #skipComment(): void {
    COMMENT_EDGE.lastIndex = this.#at;
    for (let depth = 0; ; ) {
      const edge = COMMENT_EDGE.exec(this.#text);
      if (edge === null) {
        this.#at = this.#text.length;
        return;
      }
      if (edge[0] === '*/') depth--;
      else if (depth === 0 || !this.#dialect.mysqlComments) depth++;
      this.#at = COMMENT_EDGE.lastIndex;
      if (depth === 0) return;
    }
  }

  #literal(): SqlToken {
    const start = this.#at + 1;
    const end = this.#dialect.backslashes ? ESCAPED_LITERAL_END : LITERAL_END;
    end.lastIndex = start;
    for (let found = end.exec(this.#text); found !== null; found = end.exec(this.#text))
      if (found[0] === "'") return this.#upTo(start, found.index, 1);
    return this.#upTo(start, this.#text.length, 0);
  }

  #quotedName(quote: string): SqlToken {
    const start = this.#at + 1;
    const found = this.#text.indexOf(quote, start);
    const end = found < 0 ? this.#text.length : found;
    this.#at = end + 1;
    return { type: 'name', text: end - start > NAME_CHARS_MAX ? quote : this.#text.slice(start, end).toLowerCase() };
  }

  #dollarQuoted(quote: string): SqlToken {
    const found = this.#text.indexOf(quote, this.#at);
    return this.#upTo(this.#at, found < 0 ? this.#text.length : found, quote.length);
  }

  #upTo(start: number, end: number, quoteChars: number): SqlToken {
    this.#at = end + quoteChars;
    return { type: 'string', text: this.#text.slice(start, Math.min(end, start + LITERAL_CHARS_MAX)) };
  }

  #sign(first: string): SqlToken {
    const start = this.#at++;
    if (!SIGNS.test(first)) return { type: 'sign', text: first };
    while (this.#isSign()) this.#at++;
    return { type: 'sign', text: this.#text.slice(start, this.#at) };
  }

  #isSign(): boolean {
    const char = this.#text[this.#at];
    return (
      char !== undefined && SIGNS.test(char) && !this.#isLineComment(char) && !this.#text.startsWith('/*', this.#at)
    );
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
