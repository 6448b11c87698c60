import {
  type CredentialKind,
  credentialByGlob,
  credentialDirectory,
  credentialKind,
} from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome, canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readNamedHashes } from './named-hashes.ts';

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
export const credentialReads = actionDetector({
  id: 'credential_reads',
  version: 2,
  severity: 'critical',
  title: 'Reads a file that holds credentials, searches for such files, or has a program hand out what it keeps.',
  kinds: ['credential.*'],
  falsePositives: ['test keys and example environment files that are not named as such'],
  find({ facts }, found) {
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
    for (const command of facts.shell.commands) {
      credentialCommand(command, found);
      readNamedHashes(command, found);
    }
  },
});

function kindOf(access: FileAccess): CredentialKind | undefined {
  const { path } = access;
  const own = credentialKind(path) ?? credentialByGlob(path);
  if (own !== undefined) return own;
  return access.recursive || access.glob ? credentialDirectory(path) : undefined;
}

/** `export $(grep -v '^#' .env)`, `cp .env.local .env`: the values stay where they are used, and reach nobody's eyes. */
function loadsOnly(access: FileAccess, facts: EventFacts): boolean {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  if (command === undefined) return false;
  if (LOADING.has(command.consumer ?? '')) return command.name !== 'curl';
  if (!LOCAL_COPIES.has(command.name) || access.path.anchor !== 'work_tree' || access.path.climbs > 0) return false;
  const target = canonicalPath(command.args.at(-1)?.text ?? '/');
  return target.anchor === 'work_tree' && target.climbs === 0;
}

const LOADING: ReadonlySet<string> = new Set(['export', 'declare', 'env', 'set']);
const LOCAL_COPIES: ReadonlySet<string> = new Set(['cp', 'mv', 'install', 'ln']);

const READERS =
  /^(?:cat|cp|gcp|rsync|scp|tar|zip|head|tail|less|more|strings|base64|xxd|grep|egrep|curl|nc|install|mv|openssl|sed|awk)$/;

/** `find / -name id_rsa -exec cp {} … \;`: the names are in the search, the reading in what it runs. */
function credentialSearches(facts: EventFacts, found: Action[]): void {
  for (const [index, command] of facts.shell.commands.entries()) {
    if (!SEARCHERS.has(command.name)) continue;
    const sought = soughtCredential(command.args.map((arg) => arg.text));
    if (sought === undefined) continue;
    const reader = facts.shell.commands.find(
      (other) =>
        other.input === index &&
        other !== command &&
        READERS.test(other.name) &&
        /^(?:find|gfind|fd|xargs)$/.test(other.via.at(-1) ?? ''),
    );
    if (reader === undefined && !isHunt(command, sought)) continue;
    found.push({
      kind: `credential.${sought}`,
      what: `searches for ${KIND_WORDS[sought]} (${named(reader === undefined ? command.name : `${command.name}, ${reader.name}`)})`,
      confidence: 0.85,
      origin: command.origin,
    });
  }
}

const SEARCHERS: ReadonlySet<string> = new Set(['find', 'gfind', 'fd', 'fdfind', 'locate', 'mdfind']);

/** A search of a whole system or of all homes. In a project, files of such names are mostly examples. */
function isHunt(command: ShellCommand, sought: CredentialKind): boolean {
  if (sought === 'environment_file' || sought === 'application_secrets') return false;
  if (command.name === 'locate' || command.name === 'mdfind') return true;
  return command.args.some((arg) => {
    if (!/^[/~$]/.test(arg.text)) return false;
    const root = canonicalPath(arg.text);
    const homes = belowHome(root);
    return (
      root.key === '/' ||
      /^\/(?:home|users|root|etc|var)$/.test(root.key) ||
      homes === '' ||
      credentialDirectory(root) !== undefined
    );
  });
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

/** Programs that hand out what a key ring or an account database holds. */
function credentialCommand(command: ShellCommand, found: Action[]): void {
  const kind = handedOutBy(
    command.name,
    command.args.map((arg) => arg.text),
  );
  if (kind === undefined) return;
  found.push({
    kind: `credential.${kind}`,
    what: `exports ${KIND_WORDS[kind]} (${named(command.name)})`,
    confidence: 0.9,
    origin: command.origin,
  });
}

function handedOutBy(name: string, words: readonly string[]): CredentialKind | undefined {
  switch (name) {
    case 'security': {
      const shows = words.includes('-w') || words.includes('-g') || words.includes('-d');
      return words[0] === 'dump-keychain' || (/^find-(?:generic|internet)-password$/.test(words[0] ?? '') && shows)
        ? 'keyring'
        : undefined;
    }
    case 'gpg':
    case 'gpg2':
      return words.some((word) => /^--export-secret-(?:sub)?keys$/.test(word)) ? 'keyring' : undefined;
    case 'secret-tool':
      return words[0] === 'lookup' || words[0] === 'search' ? 'keyring' : undefined;
    case 'getent':
      return words[0] === 'shadow' || words[0] === 'gshadow' ? 'account_hashes' : undefined;
    case 'reg':
      return words[0] === 'save' && words.some((word) => /^hklm\\?(?:sam|system|security)$/i.test(word))
        ? 'account_hashes'
        : undefined;
    default:
      return undefined;
  }
}
