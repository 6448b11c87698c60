import { compileSources, PolicyError } from './engine.ts';
import { faultText } from './policy/faults.ts';
import { parsePolicies } from './policy/parse.ts';
import type { PolicySource } from './policy/source.ts';

/** A file of policies. */
export interface PolicyText {
  file: string;
  text: string;
}

/**
 * The documents of `texts`, which together compile to one policy set.
 *
 * @throws {PolicyError}
 */
export function readPolicies(texts: readonly PolicyText[]): PolicySource[] {
  const sources: PolicySource[] = [];
  const faults: string[] = [];
  for (const { file, text } of texts) {
    const parsed = parsePolicies(text, file);
    if (parsed.ok) sources.push(...parsed.sources);
    else faults.push(...parsed.faults.map(faultText));
  }
  if (faults.length > 0) throw new PolicyError(faults.join('\n'));
  compileSources(sources);
  return sources;
}
