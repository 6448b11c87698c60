import { isAscii, isUtf8 } from 'node:buffer';

/** Deepest nesting of objects and arrays in a request body. */
export const JSON_DEPTH_MAX = 64;

export type ParsedBody = { ok: true; text: string; value: unknown } | { ok: false; detail: string };

/**
 * A request body as text and as a JSON value. Refuses, with what to mend: an empty body, bytes that are no UTF-8, text
 * that is no JSON, nesting deeper than `JSON_DEPTH_MAX`, and keys named `__proto__`.
 */
export function parseBody(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return refused('the body is empty; send one event as a JSON object');
  // Text that is all ASCII is the rule, and need not be decoded.
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) return refused('the body is not valid UTF-8');
  const text = ascii ? bytes.toString('latin1') : bytes.toString('utf8');
  if (text.startsWith('\ufeff')) return refused('the body begins with a byte order mark; send UTF-8 without one');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(`the body is not valid JSON${placeOf(error)}`);
  }
  const fault = findFault(value, 1);
  return fault === undefined ? { ok: true, text, value } : refused(fault);
}

function refused(detail: string): ParsedBody {
  return { ok: false, detail };
}

/** Where JSON.parse stopped, without the piece of the body that its message quotes. */
function placeOf(error: unknown): string {
  const { message } = error as Error;
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return `: unexpected character at position ${position}`;
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  const char = /^Unexpected token '([\x21-\x7e])'/.exec(message)?.[1];
  return char === undefined ? '' : `: unexpected character ${char}`;
}

function findFault(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > JSON_DEPTH_MAX) return `the body is nested deeper than ${JSON_DEPTH_MAX} levels`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = typeof item === 'object' ? findFault(item, depth + 1) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const key in value) {
    if (key === '__proto__') return 'the body has a key named __proto__, which no event may have';
    const item = (value as Record<string, unknown>)[key];
    const fault = typeof item === 'object' ? findFault(item, depth + 1) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}
