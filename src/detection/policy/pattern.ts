import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** What a character may cost: instructions of the program that all may be at work at once. */
  readonly size: number;
}

/**
 * Compiles a regular expression (RE2 syntax) for an engine whose time is at most the text's length times the pattern's size, whatever the two
 * are. Throws an `Error` whose message says what is wrong with the pattern.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return { size: compiled.programSize(), test: (text) => compiled.test(text) };
}
