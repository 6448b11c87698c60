import { CelFault } from './ast.ts';

interface StringToken {
  kind: 'string';
  value: string;
  text: string;
  at: number;
  end: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

/** The string literal that starts at `at`: quoted by one or three quotes, raw where an `r` stands in front. */
export function readString(text: string, at: number): StringToken {
  const raw = text[at] === 'r' || text[at] === 'R';
  const open = raw ? at + 1 : at;
  const quote = text[open] as string;
  const delimiter = text.startsWith(quote.repeat(3), open) ? quote.repeat(3) : quote;
  let value = '';
  let index = open + delimiter.length;
  while (!text.startsWith(delimiter, index)) {
    const char = text[index];
    if (char === undefined) throw new CelFault(at, `this string does not end: close it with ${delimiter}`);
    if ((char === '\n' || char === '\r') && delimiter.length === 1) {
      throw new CelFault(at, `this string does not end on its line: close it with ${delimiter}`);
    }
    if (char !== '\\' || raw) {
      value += char;
      index++;
    } else {
      const escaped = readEscape(text, index);
      value += escaped.value;
      index = escaped.end;
    }
  }
  const end = index + delimiter.length;
  return { kind: 'string', value, text: text.slice(at, end), at, end };
}

const NUMERIC = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(text: string, at: number): { value: string; end: number } {
  const simple = SIMPLE[text[at + 1] ?? ''];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  NUMERIC.lastIndex = at;
  const match = NUMERIC.exec(text);
  if (match === null) {
    throw new CelFault(
      at,
      `\\${text[at + 1] ?? ''} is no escape: write \\\\ for a backslash, or r"…" for a raw string`,
    );
  }
  const hex = match[1] ?? match[2] ?? match[3];
  const code = hex === undefined ? Number.parseInt(match[4] as string, 8) : Number.parseInt(hex, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new CelFault(at, `${match[0]} is no character`);
  return { value: String.fromCodePoint(code), end: NUMERIC.lastIndex };
}
