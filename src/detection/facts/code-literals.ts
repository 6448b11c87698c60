export const STRING_CHARS_MAX = 4_096;
export const QUOTES: ReadonlySet<string> = new Set(['"', "'", '`']);

/** The string literal that begins at `open`, read as most languages write them, and where it ends. */
export function readLiteral(code: string, open: number): { text: string; end: number } {
  const quote = code[open] as string;
  const triple = code.startsWith(quote.repeat(3), open) && quote !== '`';
  const close = triple ? quote.repeat(3) : quote;
  let text = '';
  let index = open + close.length;
  // `'C:\Users'`: whoever writes a single backslash behind a drive is in a language, or a literal, without escapes.
  let isRaw = false;
  while (index < code.length && text.length < STRING_CHARS_MAX && !code.startsWith(close, index)) {
    isRaw ||= text.length === 2 && code[index] === '\\' && DRIVE.test(text) && code[index + 1] !== '\\';
    if (code[index] === '\\' && !isRaw && index + 1 < code.length) {
      text += unescaped(code, index);
      index += escapeLength(code, index);
    } else {
      text += code[index];
      index++;
    }
  }
  return { text, end: Math.min(code.length, index + close.length) };
}

const DRIVE = /^[a-z]:$/i;

function escapeLength(code: string, at: number): number {
  const next = code[at + 1];
  if (next === 'x' && /^[0-9a-f]{2}/i.test(code.slice(at + 2, at + 4))) return 4;
  if (next === 'u' && /^[0-9a-f]{4}/i.test(code.slice(at + 2, at + 6))) return 6;
  return 2;
}

function unescaped(code: string, at: number): string {
  const length = escapeLength(code, at);
  if (length > 2) return String.fromCharCode(Number.parseInt(code.slice(at + 2, at + length), 16));
  const next = code[at + 1] as string;
  return next === 'n' ? '\n' : next === 't' ? '\t' : next === '\n' ? '' : next;
}

/** The same, but for a quote that nothing closes on its line: that one is an apostrophe, or of a language of its own. */
export function wholeLiteral(code: string, open: number): { text: string; end: number } | undefined {
  const quote = code[open] as string;
  const literal = readLiteral(code, open);
  if (quote === '`' || code.startsWith(quote.repeat(3), open)) return literal;
  const closed = literal.end > open + 1 && code[literal.end - 1] === quote;
  return closed && !code.slice(open, literal.end).includes('\n') ? literal : undefined;
}
