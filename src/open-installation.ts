import type { Config } from './config.ts';
import { PolicySetError } from './detection/engine.ts';
import type { PolicyFile } from './domain/policies.ts';
import { installationSecret } from './identity/installation-secret.ts';
import { BUILTIN_POLICIES_DIR, readPolicyFiles } from './policy-files.ts';

/** What holds for every tenant of an installation, read once at the start. */
export interface Installation {
  /** See `installationSecret`. */
  secret: Uint8Array;
  /** The policies of tenants that chose none of their own. */
  policyFiles: readonly PolicyFile[];
}

/** @throws {PolicySetError | PrivateFileError} */
export async function openInstallation({
  dataDir,
  policiesDir,
  policiesOption = 'GATEHOUSE_POLICIES_DIR',
  isNew = false,
}: {
  dataDir: string;
  policiesDir?: Config['policiesDir'] | undefined;
  /** What says so, for the error. */
  policiesOption?: string;
  /** Whether nothing was received yet. */
  isNew?: boolean;
}): Promise<Installation> {
  return {
    secret: await installationSecret(dataDir, isNew),
    policyFiles:
      policiesDir === undefined ? readPolicyFiles(BUILTIN_POLICIES_DIR) : readGiven(policiesDir, policiesOption),
  };
}

function readGiven(path: string, option: string): PolicyFile[] {
  try {
    return readPolicyFiles(path);
  } catch (error) {
    if (error instanceof PolicySetError) throw new PolicySetError(`${option}: ${error.message}`);
    throw error;
  }
}
