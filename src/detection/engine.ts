import { createHmac } from 'node:crypto';
import type { TenantSlug } from '../domain/ids.ts';
import { MendableError } from '../lib/mendable-error.ts';
import type { Detector } from './detectors/detector.ts';
import { neededDetectors } from './detectors/needed-detectors.ts';
import {
  type CompiledPolicies,
  type CompiledPolicySet,
  compilePolicySet,
  compilingPolicySet,
} from './policy/compile.ts';
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
export class PolicySetError extends MendableError {
  override readonly name = 'PolicySetError';
}

/** Derived keys that are remembered. */
const DERIVED_KEYS_MAX = 1_024;

/**
 * An engine that applies the policies of `documents`, which are known to be right. `secret` is the installation's own;
 * `hash` is the set's, where it is known.
 *
 * @throws {PolicySetError}
 */
export function openEngine(documents: readonly PolicySetDocument[], secret: Uint8Array, hash?: string): Engine {
  return engineOf(compileSources(unplaced(documents), hash), secret);
}

/**
 * The same for a thread that has more to do meanwhile: `giveWay` is awaited after each policy.
 *
 * @throws {PolicySetError}
 */
export async function openEngineInTurns(
  documents: readonly PolicySetDocument[],
  { secret, hash, giveWay }: { secret: Uint8Array; hash: string; giveWay: () => Promise<void> | undefined },
): Promise<Engine> {
  const steps = compilingPolicySet(unplaced(documents), hash);
  for (;;) {
    const step = steps.next();
    if (step.done) return engineOf(setOf(step.value), secret);
    await giveWay();
  }
}

/** An engine that applies `policies`. */
export function engineOf(policies: CompiledPolicySet, secret: Uint8Array): Engine {
  const keys = new Map<TenantSlug, Uint8Array>();
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
function compileSources(sources: readonly PolicySource[], hash?: string): CompiledPolicySet {
  return setOf(compilePolicySet(sources, hash));
}

function setOf(compiled: CompiledPolicies): CompiledPolicySet {
  if (!compiled.ok) throw new PolicySetError(compiled.faults.map(faultText).join('\n'));
  return compiled.set;
}

function unplaced(documents: readonly PolicySetDocument[]): PolicySource[] {
  return documents.map((document) => unplacedSource(document, document.metadata.name));
}
