import { join } from 'node:path';
import { POLICIES_FILE } from './bundles.ts';
import type { Config } from './config.ts';
import type { TenantDirectory } from './identity/tenant-directory.ts';
import type { PolicyGate } from './inspection/policy-gate.ts';
import { PolicyPool } from './inspection/policy-pool.ts';
import { systemClock } from './lib/clock.ts';
import { errorText } from './lib/error-text.ts';
import type { StartedParts } from './lib/started-parts.ts';
import type { Installation } from './open-installation.ts';
import { Backtests } from './platform/backtests.ts';
import { type PolicyContext, PolicyOutlines } from './platform/policy-context.ts';
import { PolicyCopies } from './policies/policy-copies.ts';
import { PolicyDirectory } from './policies/policy-directory.ts';
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

export interface PoliciesNeeds {
  installation: Installation;
  log: Pick<Logger, 'error'>;
  parts: StartedParts;
  refusedOf?: PolicyContext['refusedOf'];
}

/** Composes what people do with policies: see `platform/policy-operations.ts`. */
export function openPolicies({ installation, log, parts, refusedOf }: PoliciesNeeds): PolicyContext {
  const work = new PolicyPool({
    file: POLICIES_FILE,
    start: { secret: installation.secret },
  });
  parts.add('policy threads', () => work.stop());
  const backtests = new Backtests(work, (error) => log.error({ error: errorText(error) }, 'a backtest failed'));
  parts.add('backtests', () => backtests.stop());
  return { work, outlines: new PolicyOutlines(work), backtests, installation: installation.policyFiles, refusedOf };
}
