import type { CredentialKind } from '../../facts/credential-files.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import type { CanonicalPath } from '../../facts/paths.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';

export const KIND_WORDS: Readonly<Record<CredentialKind, string>> = {
  ssh_key: 'an SSH key',
  cloud: 'cloud credentials',
  cluster: 'cluster credentials',
  container_registry: 'container registry credentials',
  package_registry: 'package registry credentials',
  code_host: 'code host credentials',
  network_login: 'stored network logins',
  database: 'a database login',
  environment_file: 'an environment file with secrets',
  application_secrets: "an application's secrets",
  account_hashes: 'password hashes of accounts',
  private_key: 'a private key',
  keyring: 'a key ring',
  wallet: 'a wallet',
  browser: "a browser's stored logins",
  agent_login: "an assistant's login",
  process_memory: "a process's memory or environment",
};

/** That `path`, which holds what `kind` says, is read. */
export function reportCredential(
  kind: CredentialKind,
  { by, origin, glob }: Pick<FileAccess, 'by' | 'origin' | 'glob'>,
  path: CanonicalPath,
  found: Action[],
): void {
  found.push({
    kind: `credential.${kind}`,
    what: `reads ${KIND_WORDS[kind]}: ${named(path.text)} (${named(by)})`,
    confidence: kind === 'environment_file' || kind === 'application_secrets' ? 0.8 : 0.95,
    origin,
    // What stands for many files is named by nobody.
    ...(glob ? {} : { file: path }),
  });
}
