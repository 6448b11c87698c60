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
import { LocalCopies } from './local-copies.ts';
import { readNamedHashes } from './named-hashes.ts';
import { showsNamesOnly } from './variable-names.ts';

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
        report(copied, access, access.path, found);
    }
    readLoaded(facts, found);
    readSearchTool(facts, found);
    credentialSearches(facts, found);
    for (const command of facts.shell.commands) {
      credentialCommand(command, found);
      secretScan(command, found);
      readNamedHashes(command, found);
    }
  },
});

function report(
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
  if (prints) report('environment_file', load, load.path, found);
}

const FILTER_KEYS = /^(?:glob|include|includes|includepattern|filepattern|fileglob)$/;

/** A search through the content of files of these names. Where a tool can say names or content, it says names unless told. */
function readSearchTool({ tool, parameters }: EventFacts, found: Action[]): void {
  if (tool === undefined || tool.kind === 'net' || !/grep|search/i.test(tool.name)) return;
  const mode = parameters.find(({ key }) => key === 'outputmode')?.text;
  if (mode === undefined ? tool.name === 'Grep' : mode !== 'content') return;
  const sought = parameters.find(
    ({ key, text }) => /^(?:pattern|query|regex|search)$/.test(key) && KEY_BLOCK.test(text),
  );
  const place = parameters.find(({ role }) => role === 'path');
  if (sought !== undefined && place !== undefined && isWide(canonicalPath(place.text)))
    found.push({
      kind: 'credential.search',
      what: `searches the files of a machine for private keys (${named(tool.name)})`,
      confidence: 0.8,
      origin: { place: sought.place, start: 0, end: sought.text.length },
    });
  for (const { key, text, place } of parameters) {
    if (!FILTER_KEYS.test(key) || text.length > FILTER_CHARS_MAX) continue;
    const path = canonicalPath(text.replace(/^(?:\*\*\/)+/, ''));
    const kind = credentialKind(path) ?? credentialByGlob(path);
    if (kind !== undefined)
      report(kind, { by: tool.name, origin: { place, start: 0, end: text.length }, glob: true }, path, found);
  }
}

const FILTER_CHARS_MAX = 256;
/** What private keys begin with, and the names that they have. */
const KEY_BLOCK = /BEGIN.{0,24}PRIVATE|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.kdbx\b|\.ppk\b/;

/** The whole machine, or the homes of its people. */
function isWide(path: CanonicalPath): boolean {
  return path.key === '/' || /^\/(?:home|users|root|etc|var|mnt)$/.test(path.key) || belowHome(path) === '';
}

const LOADING: ReadonlySet<string> = new Set(['export', 'declare', 'env']);

const READERS =
  /^(?:cat|cp|gcp|rsync|scp|tar|zip|head|tail|less|more|strings|base64|xxd|grep|egrep|curl|nc|install|mv|openssl|sed|awk)$/;

/** `find / -name id_rsa -exec cp {} … \;`: the names are in the search, the reading in what it runs. */
function credentialSearches(facts: EventFacts, found: Action[]): void {
  for (const [index, command] of facts.shell.commands.entries()) {
    if (!SEARCHERS.has(command.name)) continue;
    const sought = soughtCredential(soughtNames(command));
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

const SEARCHERS: ReadonlySet<string> = new Set(['find', 'gfind', 'fd', 'fdfind', 'locate', 'mdfind', 'get-childitem']);

/** Programs that find secrets in whatever files they are pointed at: in a project before it is published, on a machine for whoever broke in. */
const SCANNERS: ReadonlySet<string> = new Set([
  'trufflehog',
  'gitleaks',
  'noseyparker',
  'ripsecrets',
  'kingfisher',
  'whispers',
]);

function secretScan(command: ShellCommand, found: Action[]): void {
  const root = SCANNERS.has(command.name) ? command.args.find(({ text }) => isWideRoot(text)) : undefined;
  if (root === undefined) return;
  found.push({
    kind: 'credential.search',
    what: `searches the files of a machine for secrets: ${named(root.text)} (${named(command.name)})`,
    confidence: 0.8,
    origin: command.origin,
  });
}

/** A search of a whole system or of all homes. In a project, files of such names are mostly examples. */
function isHunt(command: ShellCommand, sought: CredentialKind): boolean {
  if (sought === 'environment_file' || sought === 'application_secrets') return false;
  if (command.name === 'locate' || command.name === 'mdfind') return true;
  if (command.name === 'get-childitem' && !command.args.some(({ text }) => /^-r(?:ecurse)?$/i.test(text))) return false;
  return command.args.some(
    ({ text }) => isWideRoot(text) || (ROOTED.test(text) && credentialDirectory(canonicalPath(text)) !== undefined),
  );
}

const ROOTED = /^(?:[/~$]|[a-z]:)/i;

/** The whole machine, all that is a person's, or the directories that programs keep their logins in. */
function isWideRoot(text: string): boolean {
  if (!ROOTED.test(text)) return false;
  const root = canonicalPath(text);
  return /^(?:\/|[a-z]:\/?|(?:[a-z]:)?\/(?:home|users|root|etc|var))$/.test(root.key) || belowHome(root) === '';
}

/** The words of a search, as `find` has them: PowerShell lists several names in one word. */
function soughtNames({ name, args }: ShellCommand): readonly string[] {
  const words = args.map(({ text }) => text);
  if (name !== 'get-childitem') return words;
  const names = words.filter((_, index) => /^-(?:include|filter|inc|fi)$/i.test(words[index - 1] ?? ''));
  return names.flatMap((word) => word.split(',').flatMap((part) => ['-name', part.trim()]));
}

/** Patterns that mean the keys of ssh: `id_*`, as far as they are left of it here. */
const KEY_NAMES = /^id_(?:[a-z?*]{0,16})$/;

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
    const kind = credentialKind(path) ?? credentialDirectory(path) ?? (KEY_NAMES.test(text) ? 'ssh_key' : undefined);
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
