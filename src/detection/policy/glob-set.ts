import { type GlobSyntax, wildcardTest } from './wildcards.ts';

/** Several patterns as one. The whole text must match; case is ignored. */
export interface GlobSet {
  matches(text: string): boolean;
  /** What a match may cost with a text of so many characters, in steps of an evaluation. */
  cost(chars: number): number;
}

type Test = (text: string) => boolean;

/** Exact texts cost one look-up however many there are; the usual shapes of patterns a comparison each; others a pass over the text, with luck a short one. */
export function globSet(patterns: readonly string[], syntax: GlobSyntax): GlobSet {
  const exact = new Set<string>();
  const tests: Test[] = [];
  let simpleCount = 0;
  let wildcardChars = 0;
  for (const pattern of patterns) {
    const folded = pattern.toLowerCase();
    if (!/[*?]/.test(folded)) {
      exact.add(folded);
      continue;
    }
    const test = syntax === 'path' ? pathTest(folded) : nameTest(folded);
    tests.push(test ?? wildcardTest(folded, syntax));
    if (test === undefined) wildcardChars += folded.length;
    else simpleCount++;
  }
  return {
    cost: (chars) => simpleCount * (1 + (chars >> 6)) + ((chars * wildcardChars) >> 13),
    matches(text) {
      const folded = text.toLowerCase();
      return exact.has(folded) || tests.some((test) => test(folded));
    },
  };
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
