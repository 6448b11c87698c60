import type { Test } from 'tap';
import { StartedParts } from '../../src/lib/started-parts.ts';
import { openInstallation } from '../../src/open-installation.ts';
import { openPolicies } from '../../src/open-policies.ts';
import type { PolicyContext } from '../../src/platform/policy-context.ts';
import { temporaryDirectory } from './postgres.ts';

/** What the graph needs for policies, with the built-in set and threads of its own; ended when the test is over. */
export async function testPolicies(t: Test, failures: unknown[]): Promise<PolicyContext> {
  const parts = new StartedParts();
  t.teardown(() => parts.stop());
  const log = { error: (fields: unknown) => failures.push(fields) };
  const installation = await openInstallation({ dataDir: temporaryDirectory(t, 'policies'), isNew: true });
  return openPolicies({ installation, log: log as never, parts });
}
