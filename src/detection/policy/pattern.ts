import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** Instructions of its program. */
  readonly size: number;
  /** How many of them are there only because repetitions are written out: for texts that are made for it, all may be at work at every character. */
  readonly repeatedSize: number;
}

/**
 * Compiles a regular expression (RE2 syntax) for an engine whose time is at most the text's length times the pattern's size, whatever the two
 * are. Throws an `Error` whose message says what is wrong with the pattern.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  const size = compiled.programSize();
  return { size, repeatedSize: Math.max(0, size - pattern.length), test: (text) => compiled.test(text) };
}
