import { type GlobSyntax, Wildcard } from './wildcards.ts';

/** Several patterns as one. The whole text must match; case is ignored. */
export interface GlobSet {
  /**
   * Whether one fits `text`.
   *
   * @param spend is told what it costs as it goes, in steps of an evaluation (some ten microseconds at most), and may throw.
   */
  matches(text: string, spend?: (steps: number) => void): boolean;
}

type Test = (text: string) => boolean;

/** What a step buys: characters that are searched, and characters that are held against places of a pattern. */
const SEARCHED_IN_STEP = 16_384;
const HELD_IN_STEP = 1_024;

/** Exact texts cost one look-up however many there are; the usual shapes of patterns a comparison each; others a search for their parts, and a pass where these are there. */
export function globSet(patterns: readonly string[], syntax: GlobSyntax): GlobSet {
  const exact = new Set<string>();
  const tests: Test[] = [];
  const wildcards: Wildcard[] = [];
  for (const pattern of patterns) {
    const folded = pattern.toLowerCase();
    if (!/[*?]/.test(folded)) {
      exact.add(folded);
      continue;
    }
    const test = syntax === 'path' ? pathTest(folded) : nameTest(folded);
    if (test === undefined) wildcards.push(new Wildcard(folded, syntax));
    else tests.push(test);
  }
  return {
    matches(text, spend = () => {}) {
      const folded = text.toLowerCase();
      if (exact.has(folded)) return true;
      spend(tests.length * (1 + (text.length >> 6)));
      if (tests.some((test) => test(folded))) return true;
      spend(Math.ceil((wildcards.length * (64 + text.length)) / SEARCHED_IN_STEP));
      return wildcards.some((wildcard) => {
        if (!wildcard.mayFit(folded)) return false;
        spend(1 + Math.floor((text.length * wildcard.size) / HELD_IN_STEP));
        return wildcard.test(folded);
      });
    },
  };
}

const PATH_SETS = new WeakMap<readonly string[], GlobSet>();

/** The set of a list of paths. It is kept with the list, which many expressions may use. */
export function pathSetOf(list: readonly string[]): GlobSet {
  const known = PATH_SETS.get(list) ?? globSet(list, 'path');
  PATH_SETS.set(list, known);
  return known;
}

/** The shapes that nearly all lists consist of. */
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
