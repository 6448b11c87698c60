import { RE2JS } from '@bufbuild/re2';

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
}

/**
 * Compiles a regular expression (RE2 syntax) for an engine that takes linear time whatever the pattern and the text.
 * Throws an `Error` whose message says what is wrong with the pattern.
 */
export function compilePattern(pattern: string): Pattern {
  return RE2JS.compile(pattern);
}

/** The pattern that matches exactly `text`. */
export function quotePattern(text: string): string {
  return RE2JS.quote(text);
}
