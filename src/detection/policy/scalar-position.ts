/**
 * The offset in `source` of the character at `offset` of a YAML scalar's `value`, where the scalar is written from
 * `start` to `end`. Counts what is not white space, since indentation and folding change nothing else; escapes in
 * double quotes are followed as far as they stand for one character.
 */
export function offsetInScalar(
  source: string,
  scalar: { start: number; end: number },
  value: string,
  offset: number,
): number {
  const first = source[scalar.start];
  const quote = first === '"' || first === "'" ? first : '';
  let at = first === '|' || first === '>' ? behindHeader(source, scalar.start) : scalar.start + quote.length;
  let left = solidCount(value, offset);
  for (;;) {
    while (at < scalar.end && isSpace(source, at)) at++;
    if (left === 0 || at >= scalar.end) return Math.min(at, scalar.end);
    at += lengthAt(source, at, quote);
    left--;
  }
}

function behindHeader(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end < 0 ? source.length : end + 1;
}

function solidCount(value: string, offset: number): number {
  let count = 0;
  for (let index = 0; index < offset && index < value.length; index++) if (!isSpace(value, index)) count++;
  return count;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** How many characters of the source stand for one of the value. */
function lengthAt(source: string, at: number, quote: string): number {
  if (quote === "'" && source.startsWith("''", at)) return 2;
  if (quote !== '"' || source[at] !== '\\') return 1;
  const lengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
  return lengths[source[at + 1] ?? ''] ?? 2;
}
