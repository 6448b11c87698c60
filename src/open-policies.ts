import { join } from 'node:path';
import type { Config } from './config.ts';
import { PolicyCopies } from './identity/policy-copies.ts';
import { PolicyDirectory } from './identity/policy-directory.ts';
import type { TenantDirectory } from './identity/tenant-directory.ts';
import type { PolicyGate } from './inspection/policy-gate.ts';
import { systemClock } from './lib/clock.ts';
import type { Database } from './store/database.ts';
import { listPolicyHashes, loadPolicyFiles } from './store/policy-sets.ts';
import type { Logger } from './telemetry/logger.ts';

/** The policy sets of tenants: what the database says of them, and `gate`, which applies them. */
export function policyDirectory(
  config: Config,
  log: Logger,
  needs: { database: Database; tenants: TenantDirectory; gate: PolicyGate },
): PolicyDirectory {
  const { database, tenants, gate } = needs;
  return new PolicyDirectory({
    source: {
      listPolicyHashes: () => listPolicyHashes(database),
      loadPolicyFiles: (tenantId, hash) => loadPolicyFiles(database, tenantId, hash),
    },
    gate,
    copies: new PolicyCopies(join(config.dataDir, 'policy-sets')),
    tenants,
    installation: gate.engine(undefined).policies.hash,
    clock: systemClock,
    report: (problem) => log.error(problem, 'a policy set of a tenant is not in force as it should be'),
  });
}
