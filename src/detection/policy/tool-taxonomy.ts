import { memoized } from '../../lib/memo.ts';
import type { DeclaredTool, ToolTaxonomy } from '../facts/tools.ts';
import { globSet } from './glob-set.ts';

/**
 * The tools that a policy set declares, by name or pattern; undefined where there are none. A name goes before patterns, of
 * which the one with the most characters beside its stars counts; ties by the text of the pattern, so that order does not matter.
 */
export function toolTaxonomy(tools: ReadonlyMap<string, DeclaredTool>): ToolTaxonomy | undefined {
  if (tools.size === 0) return undefined;
  const names = new Map<string, DeclaredTool>();
  const patterns: string[] = [];
  for (const [written, tool] of tools) {
    if (/[*?]/.test(written)) patterns.push(written);
    else names.set(written.toLowerCase(), tool);
  }
  const tests = patterns
    .sort((a, b) => literalChars(b) - literalChars(a) || (a < b ? -1 : 1))
    .map((pattern) => ({ glob: globSet([pattern], 'name'), tool: tools.get(pattern) as DeclaredTool }));
  return memoized((name) => names.get(name.toLowerCase()) ?? tests.find(({ glob }) => glob.matches(name))?.tool);
}

function literalChars(pattern: string): number {
  return pattern.replace(/[*?]/g, '').length;
}
