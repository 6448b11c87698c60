import {
  type CredentialKind,
  credentialByGlob,
  credentialDirectory,
  credentialKind,
} from '../../facts/credential-files.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { KIND_WORDS, reportCredential } from './credential-words.ts';

const FILTER_KEYS = /^(?:glob|include|includes|includepattern|filepattern|fileglob)$/;

/** A search through the content of files of these names. Where a tool can say names or content, it says names unless told. */
export function readSearchTool({ tool, parameters }: EventFacts, found: Action[]): void {
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
      reportCredential(kind, { by: tool.name, origin: { place, start: 0, end: text.length }, glob: true }, path, found);
  }
}

/** `Glob { pattern: "**\/id_rsa", path: "/home" }`: keys by their names, on a whole machine. */
export function readNameSearch({ tool, parameters }: EventFacts, found: Action[]): void {
  if (tool === undefined || tool.kind === 'net' || !/glob|find|search/i.test(tool.name)) return;
  if (!parameters.some(({ role, text }) => role === 'path' && isWideRoot(text))) return;
  for (const { key, text, place } of parameters) {
    if (!NAME_PATTERN_KEYS.test(key) || text.length > FILTER_CHARS_MAX) continue;
    const names = namesIn(text).flatMap((name) => ['-name', name]);
    const sought = soughtCredential(names);
    if (sought === undefined || sought === 'environment_file' || sought === 'application_secrets') continue;
    const what = `searches a machine for ${KIND_WORDS[sought]} (${named(tool.name)})`;
    found.push({ kind: `credential.${sought}`, what, confidence: 0.8, origin: { place, start: 0, end: text.length } });
  }
}

const NAME_PATTERN_KEYS = /^(?:pattern|glob|globpattern|filepattern|name|filename|query)$/;

/** The names that a pattern is for: `**\/id_{rsa,dsa}` is for `id_rsa` and `id_dsa`. */
function namesIn(pattern: string): string[] {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const [whole, ahead = '', listed = '', behind = ''] =
    /^([^{}]{0,128})\{([^{}]{1,128})\}([^{}]{0,128})$/.exec(name) ?? [];
  return whole === undefined ? [name] : listed.split(',').map((each) => `${ahead}${each}${behind}`);
}

const FILTER_CHARS_MAX = 256;
/** What private keys begin with, and the names that they have. */
const KEY_BLOCK =
  /BEGIN.{0,24}PRIVATE|\baws_secret_access_key\b|\bAKIA|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.kdbx\b|\.ppk\b/;

/** The whole machine, or the homes of its people. */
function isWide(path: CanonicalPath): boolean {
  return path.key === '/' || /^\/(?:home|users|root|etc|var|mnt)$/.test(path.key) || belowHome(path) === '';
}

const READERS =
  /^(?:cat|cp|gcp|rsync|scp|tar|zip|head|tail|less|more|strings|base64|xxd|grep|egrep|curl|nc|install|mv|openssl|sed|awk)$/;

/** `find / -name id_rsa -exec cp {} … \;`: the names are in the search, the reading in what it runs. */
export function credentialSearches(facts: EventFacts, found: Action[]): void {
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

export function secretScan(command: ShellCommand, found: Action[]): void {
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
