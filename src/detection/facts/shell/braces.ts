/** Values of one sequence. A longer one counts as not known: its values are numbers, and name nothing by themselves. */
const SEQUENCE_VALUES_MAX = 64;
const SEQUENCE = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/;

/**
 * The alternatives of the brace expression `text` (`{a,b{c,d}}`, `{1..5}`, with its braces), as source text: quotes and
 * expansions inside are still to be processed. Undefined where it is none, or a long sequence.
 */
export function braceAlternatives(text: string): string[] | undefined {
  const body = text.slice(1, -1);
  const sequence = SEQUENCE.exec(body);
  if (sequence !== null) return expandSequence(sequence[1] as string, sequence[2] as string, sequence[3]);
  const parts = splitAtCommas(body);
  return parts.length < 2 ? undefined : parts;
}

function expandSequence(from: string, to: string, step: string | undefined): string[] | undefined {
  const numeric = /^-?\d/.test(from);
  if (numeric !== /^-?\d/.test(to)) return undefined;
  const first = numeric ? Number(from) : from.charCodeAt(0);
  const last = numeric ? Number(to) : to.charCodeAt(0);
  const stride = Math.max(1, Math.abs(Number(step ?? 1)));
  const count = Math.floor(Math.abs(last - first) / stride) + 1;
  if (count > SEQUENCE_VALUES_MAX) return undefined;
  const sign = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = first + sign * stride * index;
    return numeric ? String(value) : String.fromCharCode(value);
  });
}

/** Splits at commas outside nested braces, quotes and substitutions. */
function splitAtCommas(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let index = 0; index < body.length; index++) {
    const char = body[index] as string;
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"') index++;
    } else if (char === '\\') index++;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '{' || char === '(') depth++;
    else if (char === '}' || char === ')') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(body.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(body.slice(start));
  return parts;
}
