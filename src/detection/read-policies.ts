import { parseEvent } from '../domain/event.ts';
import type { PolicyFile } from '../domain/policies.ts';
import type { PolicyFault } from '../domain/policy-work.ts';
import { type Engine, openEngine, PolicySetError } from './engine.ts';
import { type CompiledPolicySet, compilePolicySet } from './policy/compile.ts';
import type { PolicyTestDocument } from './policy/document.ts';
import { FaultList, faultText, pathText } from './policy/faults.ts';
import { testEvents } from './policy/inline-tests.ts';
import { POLICY_LIMITS } from './policy/limits.ts';
import { parsePolicies } from './policy/parse.ts';
import type { PolicySource } from './policy/source.ts';
import { policyDoubts } from './policy-doubts.ts';

export type CheckedPolicies =
  | { ok: true; sources: PolicySource[]; set: CompiledPolicySet; doubts: PolicyFault[] }
  | { ok: false; faults: PolicyFault[] };

/** The documents of `texts`, and the one set that they compile to; or everything that is wrong with them, up to a bound. */
export function checkPolicies(texts: readonly PolicyFile[]): CheckedPolicies {
  const sources: PolicySource[] = [];
  const found = new FaultList();
  for (const { file, text } of texts) {
    const parsed = parsePolicies(text, file);
    if (parsed.ok) sources.push(...parsed.sources);
    else for (const fault of parsed.faults) found.add(fault);
  }
  if (found.faults.length > 0) return { ok: false, faults: found.faults };
  const compiled = compilePolicySet(sources);
  if (!compiled.ok) return compiled;
  for (const source of sources) findTestFaults(source, found);
  if (found.faults.length > 0) return { ok: false, faults: found.faults };
  const doubts = [...compiled.set.doubts, ...policyDoubts(sources)].slice(0, POLICY_LIMITS.faultsMax);
  return { ok: true, sources, set: compiled.set, doubts };
}

/**
 * The documents of `texts`, which together compile to one policy set.
 *
 * @throws {PolicySetError}
 */
export function readPolicies(texts: readonly PolicyFile[]): PolicySource[] {
  return readPolicySet(texts).sources;
}

/**
 * The same with the set that they compile to.
 *
 * @throws {PolicySetError}
 */
export function readPolicySet(texts: readonly PolicyFile[]): Omit<Extract<CheckedPolicies, { ok: true }>, 'ok'> {
  const checked = checkPolicies(texts);
  if (!checked.ok) throw new PolicySetError(checked.faults.map(faultText).join('\n'));
  return checked;
}

/**
 * The engine of the set that `texts` compile to.
 *
 * @throws {PolicySetError}
 */
export function readEngine(texts: readonly PolicyFile[], secret: Uint8Array): Engine {
  const documents = readPolicies(texts).map(({ document }) => document);
  return openEngine(documents, secret);
}

function findTestFaults(source: PolicySource, found: FaultList): void {
  for (const [at, policy] of (source.document.spec.policies ?? []).entries()) {
    for (const [index, test] of (policy.tests ?? []).entries()) {
      const problem = testProblem(test);
      if (problem === undefined) continue;
      const path = ['spec', 'policies', at, 'tests', index];
      const message = `${test.policy ?? policy.id}: test "${test.name}": ${problem}`;
      found.add({ file: source.file, path: pathText(path), message, ...source.locate(path) });
    }
  }
}

/** What is wrong with the events of a test. Lanes are handed them as they are, to warm up with. */
function testProblem(test: PolicyTestDocument): string | undefined {
  const written = testEvents(test);
  if (!written.ok) return written.problem;
  for (const [index, event] of [...written.events.given, written.events.event].entries()) {
    const parsed = parseEvent(event);
    if (parsed.ok) continue;
    const [fault] = parsed.faults;
    return `event ${index}: ${fault?.pointer || 'it'} must ${fault?.expected}`;
  }
  return undefined;
}
