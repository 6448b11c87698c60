import { createHmac } from 'node:crypto';
import type { TenantSlug } from '../domain/ids.ts';
import type { Detector } from './detectors/detector.ts';
import { neededDetectors } from './detectors/needed-detectors.ts';
import { type CompiledPolicySet, compilePolicySet } from './policy/compile.ts';
import type { PolicySetDocument } from './policy/document.ts';
import { faultText } from './policy/faults.ts';
import { type PolicySource, unplacedSource } from './policy/source.ts';

/** What inspections share beside the event and its session: the policies, and the key of fingerprints. */
export interface Engine {
  readonly policies: CompiledPolicySet;
  /** The detectors that the policies need: a function of the set, so that its hash tells which ran. */
  readonly detectors: readonly Detector[];
  /** The key under which values of a tenant are remembered. Fingerprints of two tenants cannot be compared. */
  flowKey(tenant: TenantSlug): Uint8Array;
}

/** Policies that cannot be used. The message has a line for each fault: file, line, column, and what to mend. */
export class PolicySetError extends Error {
  override readonly name = 'PolicySetError';
}

/** Derived keys that are remembered. */
const DERIVED_KEYS_MAX = 1_024;

/**
 * An engine that applies the policies of `documents`, which are known to be right. `secret` is the installation's own.
 *
 * @throws {PolicySetError}
 */
export function openEngine(documents: readonly PolicySetDocument[], secret: Uint8Array): Engine {
  const keys = new Map<TenantSlug, Uint8Array>();
  const policies = compileSources(documents.map((document) => unplacedSource(document, document.metadata.name)));
  return {
    policies,
    detectors: neededDetectors(policies.needs),
    flowKey(tenant) {
      const known = keys.get(tenant);
      if (known !== undefined) return known;
      const key = createHmac('sha256', secret).update(`flow ${tenant}`).digest();
      if (keys.size >= DERIVED_KEYS_MAX) keys.clear();
      keys.set(tenant, key);
      return key;
    },
  };
}

/** @throws {PolicySetError} */
export function compileSources(sources: readonly PolicySource[]): CompiledPolicySet {
  const compiled = compilePolicySet(sources);
  if (!compiled.ok) throw new PolicySetError(compiled.faults.map(faultText).join('\n'));
  return compiled.set;
}
