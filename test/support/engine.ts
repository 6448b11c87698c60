import { type Engine, openEngine } from '../../src/detection/engine.ts';
import { readPolicySet } from '../../src/detection/read-policies.ts';
import { factsAlone, type SessionFacts } from '../../src/detection/session-facts.ts';
import type { EventId, TenantSlug } from '../../src/domain/ids.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from '../../src/policy-files.ts';

/** The documents of the built-in policy set. */
export const BUILTIN_POLICIES = readPolicySet(readPolicyFiles(BUILTIN_POLICIES_DIR)).sources.map(
  ({ document }) => document,
);

export const TEST_SECRET = new Uint8Array(32).fill(7);

/** The built-in policies, under a secret of the tests' own. */
export const builtinEngine: Engine = openEngine(BUILTIN_POLICIES, TEST_SECRET);

/** The facts of an event that stands alone. */
export const ALONE: SessionFacts = factsAlone(
  'demo' as TenantSlug,
  '01900000-0000-7000-8000-000000000001' as EventId,
  1_750_000_000_000,
);
