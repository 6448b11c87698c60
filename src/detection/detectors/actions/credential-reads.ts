import {
  type CredentialKind,
  credentialByGlob,
  credentialDirectory,
  credentialKind,
} from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { credentialSearches, readNameSearch, readSearchTool, secretScan } from './credential-searches.ts';
import { KIND_WORDS, reportCredential } from './credential-words.ts';
import { LocalCopies } from './local-copies.ts';
import { readNamedHashes } from './named-hashes.ts';
import { showsNamesOnly } from './variable-names.ts';

/** Files whose whole point is to hold credentials, read so that their content is seen or leaves. */
export const credentialReads = actionDetector({
  id: 'credential_reads',
  version: 10,
  severity: 'critical',
  title: 'Reads a file that holds credentials, searches for such files, or has a program hand out what it keeps.',
  kinds: ['credential.*'],
  falsePositives: ['test keys and example environment files that are not named as such'],
  find({ facts }, found) {
    const copies = new LocalCopies(facts);
    for (const access of facts.files) {
      if (access.operation !== 'read') continue;
      const kind = kindOf(access);
      const copied = kind ?? copies.kindOf(access.path);
      if (copied === undefined) continue;
      if (copied === 'environment_file' && access.command !== undefined && showsNamesOnly(access.command, facts))
        continue;
      if (isTestKey(copied, access, facts) || isPutAway(copied, access, facts)) continue;
      if (!isOnlyExported(copied, access, facts) && !copies.keeps(access, copied))
        reportCredential(copied, access, access.path, found);
    }
    readLoaded(facts, found);
    readSearchTool(facts, found);
    readNameSearch(facts, found);
    credentialSearches(facts, found);
    for (const command of facts.shell.commands) {
      credentialCommand(command, found);
      secretScan(command, found);
      readNamedHashes(command, found);
    }
  },
});

function kindOf(access: Pick<FileAccess, 'path' | 'recursive' | 'glob'>): CredentialKind | undefined {
  const { path } = access;
  const own = credentialKind(path) ?? credentialByGlob(path);
  if (own !== undefined) return own;
  // `~/.ssh/$f`: whichever of them it is.
  if (path.dynamic && ANY_NAME.test(path.text))
    return credentialDirectory({ ...path, key: path.key.slice(0, path.key.lastIndexOf('/')) });
  return access.recursive || access.glob ? credentialDirectory(path) : undefined;
}

/** A key that a project's tests are given, read where it stays. */
function isTestKey(kind: CredentialKind, { path, command }: FileAccess, { shell }: EventFacts): boolean {
  if (kind !== 'ssh_key' && kind !== 'private_key') return false;
  const name = command === undefined ? '' : (shell.commands[command]?.name ?? '');
  return TEST_DATA.test(path.anchor === 'work_tree' ? path.key : projectPath(path)) && !SENDERS.test(name);
}

/** The path below what looks like a project's directory; empty where there is none. */
function projectPath(path: CanonicalPath): string {
  const below = belowHome(path);
  if (below !== undefined) return /^[^/.][^/]*\/(.*)$/.exec(below)?.[1] ?? '';
  return /^\/(?:work|workspaces?|app|repos?|code|projects?|src|usr\/src)\/(.*)$/.exec(path.key)?.[1] ?? '';
}

const TEST_DATA =
  /^(?![^\0]*(?:^|\/)\.)(?:[^\0]*\/)?(?:tests?|__tests__|testdata|test[_-]data|fixtures?|__fixtures__|specs?)\//;
const SENDERS = /^(?:scp|rsync|sftp|ftp|curl|wget|nc|ncat|socat|cp|mv|tar|zip|aws|gsutil|gcloud|rclone|ssh-add)$/;

const ANY_NAME = /\/\$(?:\w{1,64}|\{\w{1,64}\})$/;

/** `gh secret set KEY < /run/secrets/key`: put where the project keeps its secrets, which shows it to nobody. Whose else it may be, an option says. */
function isPutAway(kind: CredentialKind, { command: index, path }: FileAccess, { shell }: EventFacts): boolean {
  if (kind !== 'environment_file' && kind !== 'application_secrets') return false;
  const [command, ...others] = shell.commands;
  if (command === undefined || others.length > 0 || index !== 0) return false;
  const { name, args, env, redirects } = command;
  const words = args.map(({ text }) => text);
  return (
    env.length === 0 &&
    STORES.get(name)?.test(words.join(' ')) === true &&
    words.every((word) => !word.startsWith('-') || OF_STORES.test(word)) &&
    redirects.every(({ operator, target }) => operator === '<' && canonicalPath(target.text).key === path.key) &&
    redirects.length === 1
  );
}

/** What takes a secret from its input into a project's own store. */
const STORES: ReadonlyMap<string, RegExp> = new Map([
  ['gh', /^secret set\b/],
  ['glab', /^variable set\b/],
  ['vercel', /^env add\b/],
  ['fly', /^secrets import\b/],
  ['flyctl', /^secrets import\b/],
  ['wrangler', /^secret (?:put|bulk)\b/],
  ['docker', /^secret create\b/],
  ['podman', /^secret create\b/],
]);
const OF_STORES = /^(?:-|-e|-y|--env|--env=\w{1,32}|--yes|--sensitive)$/;

/** `export $(grep -v '^#' .env)`, `export URL=$(grep ^URL= .env)`: the values stay where they are used, and reach nobody's eyes. */
function isOnlyExported(kind: CredentialKind, access: FileAccess, facts: EventFacts): boolean {
  if (kind !== 'environment_file' || access.command === undefined) return false;
  const command = facts.shell.commands[access.command];
  if (command === undefined || command.name === 'curl' || !LOADING.has(command.consumer ?? '')) return false;
  const names = variablesSet(facts);
  // `env PW=$(cat .env) ./show` runs something with it.
  return names.length === 0 || (command.consumer !== 'env' && !names.some((name) => usesVariable(facts, name)));
}

/** Variables whose value a command gives: `export PW=$(cat .env)`. */
function variablesSet({ shell }: EventFacts): string[] {
  const names = shell.commands.flatMap(({ name, args }) =>
    LOADING.has(name) ? args.flatMap(({ text, dynamic }) => (dynamic ? (ASSIGNED.exec(text)?.[1] ?? []) : [])) : [],
  );
  return names.slice(0, VARIABLES_MAX);
}

const ASSIGNED = /^([A-Za-z_]\w{0,63})=/;
const VARIABLES_MAX = 16;

/** Whether the script says `$name` anywhere: it may be shown, or sent, by a word of any command. */
function usesVariable({ parameters }: EventFacts, name: string): boolean {
  return parameters.some(({ text }) => text.includes(`$${name}`) || text.includes(`\${${name}`));
}

const PRINTERS = /^(?:env|printenv|set|export|declare|typeset)$/;
/** What picks out of a list what it names. */
const PICKERS = /^(?:[ef]?grep|rg|awk|sed|wc|head)$/;

/** `source .env && env`, `export $(cat .env); env`: what was loaded is printed. */
function readLoaded({ files, shell }: EventFacts, found: Action[]): void {
  const load = files.find(
    ({ operation, path, command }) =>
      (operation === 'load' ||
        (operation === 'read' && command !== undefined && LOADING.has(shell.commands[command]?.consumer ?? ''))) &&
      credentialKind(path) === 'environment_file',
  );
  if (load === undefined) return;
  const picked = new Set(
    shell.commands.flatMap(({ name, input }) => (input !== undefined && PICKERS.test(name) ? [input] : [])),
  );
  const prints = shell.commands.some(
    ({ name, args }, index) =>
      index > (load.command ?? -1) &&
      PRINTERS.test(name) &&
      (name === 'set' ? args.length === 0 : args.every(({ text }) => /^-(?:[px0]|-null)$/.test(text))) &&
      !picked.has(index),
  );
  if (prints) reportCredential('environment_file', load, load.path, found);
}

const LOADING: ReadonlySet<string> = new Set(['export', 'declare', 'env']);

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
      // Letters stand together: `-wa Chrome`.
      const shows = words.some((word) => /^-[a-zA-Z]*[wgd]/.test(word));
      return words[0] === 'dump-keychain' || (/^find-(?:generic|internet)-password$/.test(words[0] ?? '') && shows)
        ? 'keyring'
        : undefined;
    }
    case 'gpg':
    case 'gpg2':
      return words.some((word) => /^--export-secret-(?:sub)?keys$/.test(word)) ? 'keyring' : undefined;
    case 'pass':
    case 'gopass': {
      const shows = words[0] === 'show' || (name === 'pass' && words.length === 1 && /\//.test(words[0] ?? ''));
      return shows && !words.some((word) => /^(?:-c|--clip)/.test(word)) ? 'keyring' : undefined;
    }
    case 'bw':
    case 'rbw':
      return /^(?:list|export|get)$/.test(words[0] ?? '') &&
        !/^(?:template|organization|fingerprint)$/.test(words[1] ?? '')
        ? 'keyring'
        : undefined;
    case 'lpass':
      return /^(?:show|export)$/.test(words[0] ?? '') ? 'keyring' : undefined;
    case 'keepassxc-cli':
      return /^(?:export|clip)$/.test(words[0] ?? '') ||
        (words[0] === 'show' && words.some((word) => /^(?:-[a-z]*s|--show-protected)/.test(word)))
        ? 'keyring'
        : undefined;
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
