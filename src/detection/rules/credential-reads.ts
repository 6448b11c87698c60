import {
  type CredentialKind,
  credentialByGlob,
  credentialDirectory,
  credentialKind,
} from '../facts/credential-files.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { FileAccess } from '../facts/file-access.ts';
import { named } from './reason.ts';
import type { Match, Rule } from './rule.ts';

const KIND_WORDS: Readonly<Record<CredentialKind, string>> = {
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

/** Files whose whole point is to hold credentials, read so that their content is seen or leaves. */
export const credentialReads: Rule = {
  id: 'files.credentials',
  version: 1,
  severity: 'critical',
  title: 'Reads a file that holds credentials.',
  matches(facts) {
    const found: Match[] = [];
    for (const access of facts.files) {
      if (access.operation !== 'read' || loadsOnly(access, facts)) continue;
      const kind = kindOf(access);
      if (kind === undefined) continue;
      found.push({
        kind: `credential.${kind}`,
        what: `reads ${KIND_WORDS[kind]}: ${named(access.path.text)} (${named(access.by)})`,
        confidence: kind === 'environment_file' || kind === 'application_secrets' ? 0.8 : 0.95,
        origin: access.origin,
      });
    }
    credentialSearches(facts, found);
    return found;
  },
};

function kindOf(access: FileAccess): CredentialKind | undefined {
  const { path } = access;
  const own = credentialKind(path) ?? credentialByGlob(path);
  if (own !== undefined) return own;
  return access.recursive || access.glob ? credentialDirectory(path) : undefined;
}

/** `export $(grep -v '^#' .env)`: the values reach the environment of the shell, and nobody's eyes. */
function loadsOnly(access: FileAccess, facts: EventFacts): boolean {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  return (
    command !== undefined && /^(?:export|declare|env|set)$/.test(command.consumer ?? '') && command.name !== 'curl'
  );
}

const READERS =
  /^(?:cat|cp|gcp|rsync|scp|tar|zip|head|tail|less|more|strings|base64|xxd|grep|egrep|curl|nc|install|mv|openssl|sed|awk)$/;

/** `find / -name id_rsa -exec cp {} … \;`: the names are in the search, the reading in what it runs. */
function credentialSearches(facts: EventFacts, found: Match[]): void {
  const { commands } = facts.shell;
  for (const command of commands) {
    if (!READERS.test(command.name) || command.input === undefined) continue;
    const via = command.via.at(-1);
    const source = commands[command.input];
    if (source === undefined || (via !== 'find' && via !== 'xargs') || !/^(?:find|gfind|locate|fd)$/.test(source.name))
      continue;
    const sought = soughtCredential(source.args.map((arg) => arg.text));
    if (sought === undefined) continue;
    found.push({
      kind: `credential.${sought}`,
      what: `searches for and reads ${KIND_WORDS[sought]} (${named(source.name)}, ${named(command.name)})`,
      confidence: 0.9,
      origin: source.origin,
    });
  }
}

function soughtCredential(words: readonly string[]): CredentialKind | undefined {
  for (const [index, word] of words.entries()) {
    if (!/^-(?:i?name|i?path|i?wholename)$/.test(words[index - 1] ?? '') && !word.includes('/')) continue;
    const text = word.replace(/^\*+\/?|\*+$/g, '');
    const path = {
      text,
      key: text.toLowerCase(),
      anchor: 'work_tree',
      climbs: 0,
      disguises: [],
      dynamic: false,
    } as const;
    const kind = credentialKind(path) ?? credentialDirectory(path);
    if (kind !== undefined) return kind;
  }
  return undefined;
}
