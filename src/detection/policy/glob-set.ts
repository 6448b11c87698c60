import { compilePattern, type Pattern, quotePattern } from './pattern.ts';

/**
 * What a star means. In a path or host, `*` stands for any characters but a slash, `**` for any, and `?` for one
 * that is no slash; a directory pattern such as `.ssh/` with two stars behind matches the directory too. In a name
 * (of a tool, an agent, a user, a kind), a star stands for any characters.
 */
export type GlobSyntax = 'path' | 'name';

/** Several patterns as one. The whole text must match; case is ignored. */
export interface GlobSet {
  matches(text: string): boolean;
  /** How many patterns had to be tried one by one, at most: what a match may cost. */
  readonly triedCount: number;
}

type Test = (text: string) => boolean;

/** Exact texts cost one look-up however many there are; the usual shapes of patterns a comparison each. */
export function globSet(patterns: readonly string[], syntax: GlobSyntax): GlobSet {
  const exact = new Set<string>();
  const tests: Test[] = [];
  const rest: string[] = [];
  for (const pattern of patterns) {
    const folded = pattern.toLowerCase();
    if (!/[*?]/.test(folded)) {
      exact.add(folded);
      continue;
    }
    const test = syntax === 'path' ? pathTest(folded) : nameTest(folded);
    if (test === undefined) rest.push(folded);
    else tests.push(test);
  }
  tests.push(...patternTests(rest, syntax));
  return {
    triedCount: tests.length,
    matches(text) {
      const folded = text.toLowerCase();
      return exact.has(folded) || tests.some((test) => test(folded));
    },
  };
}

/** Tests without a pattern engine, for the shapes that nearly all lists consist of. */
function pathTest(pattern: string): Test | undefined {
  if (pattern === '**') return () => true;
  const [, anywhere, literal, below] = /^(\*\*\/)?([^*?]+?)(\/\*\*)?$/.exec(pattern) ?? [];
  if (literal !== undefined) return placeTest(literal, anywhere !== undefined, below !== undefined);
  const [, suffix] = /^\*([^*?]+)$/.exec(pattern) ?? [];
  if (suffix !== undefined) {
    return (text) => text.endsWith(suffix) && !text.slice(0, text.length - suffix.length).includes('/');
  }
  const [, prefix] = /^([^*?]+)\*$/.exec(pattern) ?? [];
  if (prefix !== undefined) return (text) => text.startsWith(prefix) && !text.includes('/', prefix.length);
  return undefined;
}

/** The path `literal`, in any directory where `anywhere` says so, and what lies below it where `below` does. */
function placeTest(literal: string, anywhere: boolean, below: boolean): Test {
  const inside = `/${literal}`;
  const above = `${literal}/`;
  const between = `/${literal}/`;
  return (text) =>
    text === literal ||
    (anywhere && text.endsWith(inside)) ||
    (below && text.startsWith(above)) ||
    (anywhere && below && text.includes(between));
}

function nameTest(pattern: string): Test | undefined {
  if (/^\*+$/.test(pattern)) return () => true;
  const [, start, middle, end] = /^(\*)?([^*?]+)(\*)?$/.exec(pattern) ?? [];
  if (middle === undefined) return undefined;
  if (start === undefined) return (text) => text.startsWith(middle);
  return end === undefined ? (text) => text.endsWith(middle) : (text) => text.includes(middle);
}

/** Patterns joined by one compiled expression for so many: each takes one pass over the text. */
const JOINED_MAX = 64;

function patternTests(globs: readonly string[], syntax: GlobSyntax): Test[] {
  const tests: Test[] = [];
  for (let start = 0; start < globs.length; start += JOINED_MAX) {
    const joined = globs.slice(start, start + JOINED_MAX).map((glob) => patternOf(glob, syntax));
    let pattern: Pattern | undefined;
    tests.push((text) => {
      pattern ??= compilePattern(`^(?s:${joined.join('|')})$`);
      return pattern.test(text);
    });
  }
  return tests;
}

const PART = /\/\*\*$|\*\*\/|\*+|\?|\/|[^*?/]+/g;

function patternOf(glob: string, syntax: GlobSyntax): string {
  let pattern = '';
  for (const [part] of glob.matchAll(PART)) {
    if (part === '?') pattern += syntax === 'path' ? '[^/]' : '.';
    else if (syntax === 'path' && part === '/**') pattern += '(?:/.*)?';
    else if (syntax === 'path' && part === '**/') pattern += '(?:.*/)?';
    else if (part.startsWith('*')) pattern += syntax === 'name' || part.length > 1 ? '.*' : '[^/]*';
    else pattern += quotePattern(part);
  }
  return pattern;
}
