import { CelFault } from './ast.ts';
import { readString } from './string-literal.ts';

export type Token =
  | { kind: 'name' | 'operator'; text: string; at: number; end: number }
  | { kind: 'int' | 'double'; value: number; text: string; at: number; end: number }
  | { kind: 'string'; value: string; text: string; at: number; end: number }
  | { kind: 'end'; text: ''; at: number; end: number };

const SPACE = /(?:[ \t\n\r\f]+|\/\/[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?|[0-9]+/y;
const STRING_START = /[rR]?(?:"|')/y;
const OPERATOR = /&&|\|\||[=!<>]=|[-+*/%<>!?:.,()[\]]/y;

/** The tokens of `text`, the last of kind `end`. One pass; throws a `CelFault` at the first thing that is none. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = skip(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(text, token.end);
  }
  tokens.push({ kind: 'end', text: '', at: text.length, end: text.length });
  return tokens;
}

function skip(text: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(text) ? SPACE.lastIndex : at;
}

function found(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function tokenAt(text: string, at: number): Token {
  if (found(STRING_START, text, at) !== undefined) return readString(text, at);
  const name = found(NAME, text, at);
  if (name !== undefined) return nameAt(text, name, at);
  const number = found(NUMBER, text, at);
  if (number !== undefined) return numberAt(text, number, at);
  const operator = found(OPERATOR, text, at);
  if (operator !== undefined) return { kind: 'operator', text: operator, at, end: at + operator.length };
  throw new CelFault(at, strangeAt(text, at));
}

function nameAt(text: string, name: string, at: number): Token {
  const end = at + name.length;
  if (/^[bBrR]{1,2}$/.test(name) && (text[end] === '"' || text[end] === "'")) {
    throw new CelFault(at, 'bytes cannot be used in policies: write a string without the b in front');
  }
  return { kind: 'name', text: name, at, end };
}

function numberAt(text: string, number: string, at: number): Token {
  const end = at + number.length;
  const behind = text[end];
  if (behind === 'u' || behind === 'U') throw new CelFault(end, 'unsigned numbers cannot be used: leave out the u');
  if (behind !== undefined && /[A-Za-z0-9_]/.test(behind)) {
    throw new CelFault(end, `"${behind}" cannot follow a number directly`);
  }
  if (/^0x|^[0-9]+$/i.test(number)) {
    const value = Number(number);
    if (!Number.isSafeInteger(value)) {
      throw new CelFault(at, `${number} is too large: whole numbers go up to ${Number.MAX_SAFE_INTEGER}`);
    }
    return { kind: 'int', value, text: number, at, end };
  }
  return { kind: 'double', value: Number(number), text: number, at, end };
}

const STRANGE: Readonly<Record<string, string>> = {
  '=': 'a single = is no comparison: write ==',
  '&': 'a single & is no operator: write &&',
  '|': 'a single | is no operator: write ||',
  '{': 'maps and messages cannot be written in policies: use lists and comparisons',
  '}': 'maps and messages cannot be written in policies: use lists and comparisons',
  '`': 'quoted names cannot be used: write the name as it is',
};

function strangeAt(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const hint = STRANGE[char];
  if (hint !== undefined) return hint;
  if (/[\u2018-\u201f]/.test(char)) return `${char} is a typographic quote: write " or '`;
  return `${JSON.stringify(char)} cannot be used here`;
}
