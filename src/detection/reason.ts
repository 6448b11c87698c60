/** UTF-16 code units of a reason. */
export const REASON_CHARS_MAX = 300;
const NAME_CHARS_MAX = 120;
/** Needs no cleaning: nearly every text is so. */
const CLEAN = /^(?:[\x21-\x7e]|(?<! ) (?! |$))*$/;

/** `text` for a person to read: well-formed, without control and formatting characters, at most `charsMax` long. */
export function readable(text: string, charsMax: number): string {
  if (text.length <= charsMax && CLEAN.test(text)) return text;
  // A longer text is cut before it is cleaned: cleaning only ever shortens.
  const clean = text
    .slice(0, charsMax * 2)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (clean.length <= charsMax && text.length <= charsMax * 2) return clean;
  return `${clean.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A path, host or command name as part of a reason. */
export function named(text: string): string {
  return readable(text, NAME_CHARS_MAX);
}
