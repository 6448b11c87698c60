import { parseEvent } from '../domain/event.ts';
import { compileSources, PolicySetError } from './engine.ts';
import type { CompiledPolicySet } from './policy/compile.ts';
import type { InlineTest } from './policy/compiled-policy.ts';
import { faultText } from './policy/faults.ts';
import { testEvents } from './policy/inline-tests.ts';
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
 * @throws {PolicySetError}
 */
export function readPolicies(texts: readonly PolicyText[]): PolicySource[] {
  return readPolicySet(texts).sources;
}

/**
 * The same with the set that they compile to.
 *
 * @throws {PolicySetError}
 */
export function readPolicySet(texts: readonly PolicyText[]): { sources: PolicySource[]; set: CompiledPolicySet } {
  const sources: PolicySource[] = [];
  const faults: string[] = [];
  for (const { file, text } of texts) {
    const parsed = parsePolicies(text, file);
    if (parsed.ok) sources.push(...parsed.sources);
    else faults.push(...parsed.faults.map(faultText));
  }
  if (faults.length > 0) throw new PolicySetError(faults.join('\n'));
  const set = compileSources(sources);
  const unfit = set.tests.map(testFault).filter((fault) => fault !== undefined);
  if (unfit.length > 0) throw new PolicySetError(unfit.join('\n'));
  return { sources, set };
}

/** What is wrong with the events of a test. Lanes are handed them as they are, to warm up with. */
function testFault({ policy, test, file }: InlineTest): string | undefined {
  const where = `${file}: ${policy}: test "${test.name}"`;
  const written = testEvents(test);
  if (!written.ok) return `${where}: ${written.problem}`;
  for (const [index, event] of [...written.events.given, written.events.event].entries()) {
    const parsed = parseEvent(event);
    if (parsed.ok) continue;
    const [fault] = parsed.faults;
    return `${where}: event ${index}: ${fault?.pointer || 'it'} must ${fault?.expected}`;
  }
  return undefined;
}
