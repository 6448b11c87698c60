import type { PolicyFile } from '../domain/policies.ts';
import type { PolicyFault } from '../domain/policy-work.ts';
import { type Engine, engineOf, PolicySetError } from './engine.ts';
import { type CompiledPolicySet, compilePolicySet } from './policy/compile.ts';
import { FaultList, faultText } from './policy/faults.ts';
import { POLICY_LIMITS } from './policy/limits.ts';
import { parsePolicies } from './policy/parse.ts';
import type { PolicySource } from './policy/source.ts';
import { testFaults } from './policy-test-faults.ts';
import { policyWarnings } from './policy-warnings.ts';

export type CheckedPolicies =
  | { ok: true; sources: PolicySource[]; set: CompiledPolicySet; warnings: PolicyFault[] }
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
  for (const fault of testFaults(sources)) found.add(fault);
  if (found.faults.length > 0) return { ok: false, faults: found.faults };
  const warnings = [...compiled.set.warnings, ...policyWarnings(sources)].slice(0, POLICY_LIMITS.faultsMax);
  return { ok: true, sources, set: compiled.set, warnings };
}

/**
 * The documents of `texts`, and the one set that they compile to.
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
  return engineOf(readPolicySet(texts).set, secret);
}
