import { POLICIES_FILE } from './bundles.ts';
import type { Config } from './config.ts';
import { installationSecret } from './identity/installation-secret.ts';
import { PolicyPool } from './inspection/policy-pool.ts';
import { errorText } from './lib/error-text.ts';
import type { StartedParts } from './lib/started-parts.ts';
import { Backtests } from './platform/backtests.ts';
import { type PolicyContext, PolicyOutlines } from './platform/policy-context.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from './policy-files.ts';
import type { Logger } from './telemetry/logger.ts';

export interface PoliciesNeeds {
  config: Pick<Config, 'dataDir' | 'policiesDir'>;
  log: Pick<Logger, 'error'>;
  parts: StartedParts;
}

/** Composes what people do with policies: see `platform/policy-operations.ts`. */
export async function openPolicies({ config, log, parts }: PoliciesNeeds): Promise<PolicyContext> {
  const installation = readPolicyFiles(config.policiesDir ?? BUILTIN_POLICIES_DIR);
  const work = new PolicyPool({
    file: POLICIES_FILE,
    start: { secret: await installationSecret(config.dataDir) },
  });
  parts.add(() => work.stop());
  const backtests = new Backtests(work, (error) => log.error({ error: errorText(error) }, 'a backtest failed'));
  parts.add(() => backtests.stop());
  return { work, outlines: new PolicyOutlines(work), backtests, installation };
}
