/**
 * PostgreSQL's text holds neither NUL nor half a surrogate pair; a sensor's strings may hold both. Each such code unit
 * is written as U+FFFD and four hexadecimal digits, and U+FFFD itself likewise, so that no two strings become one and
 * `originalText` gives back exactly what came in.
 */

const UNFIT = /[\0\ufffd\ud800-\udfff]/gu;
const ESCAPED = /\ufffd([\da-f]{4})/g;

/** `text` in a form that PostgreSQL stores. Most strings are returned as they are. */
export function storableText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes('\ufffd')) return text;
  // With the flag u, the range of surrogates matches only those that stand alone.
  return text.replace(UNFIT, (unit) => `\ufffd${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The inverse of `storableText`. */
export function originalText(stored: string): string {
  if (!stored.includes('\ufffd')) return stored;
  return stored.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
