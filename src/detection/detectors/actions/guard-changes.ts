import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { foundBy } from '../../facts/files/find.ts';
import { globMatches, hasGlob } from '../../facts/glob.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../../facts/paths.ts';
import type { InlineCode, ShellCommand } from '../../facts/shell/model.ts';
import { optionNames, readOptions } from '../../facts/shell/options.ts';
import { wordsOf } from '../../facts/tools.ts';
import { named } from '../../reason.ts';
import type { DetectorInput } from '../detector.ts';
import type { Action } from './action.ts';
import { writtenBy } from './written-content.ts';

/** Files that say what an agent may do and who is asked first; below a home directory, or anywhere in a work tree. */
const HOOKS =
  /(?:^|\/)(?:\.claude\/(?:settings(?:\.[a-z]+)?\.json|hooks(?:\/.+)?)|\.claude\.json|\.cursor\/(?:hooks(?:\.json|\/.+)|permissions\.json|cli-config\.json|sandbox\.json)|\.codex\/(?:config\.toml|hooks(?:\.json|\/.+)|rules\/.+|requirements\.toml)|\.gemini\/(?:settings\.json|hooks\/.+|policies\/.+)|\.github\/hooks\/.+|\.copilot\/(?:config\.json|hooks\/.+)|\.windsurf\/hooks\.json|\.codeium\/windsurf\/hooks\.json|\.amp\/settings\.json|\.kiro\/hooks\/.+|\.opencode\/(?:plugins?\/.+|opencode\.jsonc?)|\.factory\/(?:settings\.json|hooks\/.+)|\.augment\/settings\.json|managed-settings(?:\.d\/.+)?(?:\.json)?)$|(?:^|\/)claude-?code\/(?:managed-settings\.json|managed-mcp\.json)$|(?:^|\/)hooks\/(?:pre|post)[_-]?tool[_-]?use(?:\.\w{1,4})?$/;
/** Directories that hold them. */
const HOOK_DIRECTORY =
  /(?:^|\/)\.(?:claude|cursor|codex|gemini|copilot|windsurf|codeium|codeium\/windsurf|amp|kiro|opencode|factory|augment|github\/hooks|(?:cursor|codex|gemini|copilot|kiro|factory)\/hooks|opencode\/plugins?)$/;
const SERVERS =
  /(?:^|\/)(?:\.mcp\.json|\.cursor\/mcp\.json|\.vscode\/mcp\.json|mcp_config\.json|claude_desktop_config\.json|\.roo\/mcp\.json|cline_mcp_settings\.json|\.kiro\/settings\/mcp\.json)$/;
/** Settings of an editor, in which those of its agent stand among many others. */
const EDITOR_SETTINGS =
  /(?:^|\/)(?:\.vscode(?:-server)?\/(?:data\/machine\/)?settings\.json|(?:code(?: - insiders)?|vscodium|cursor|windsurf)\/user\/(?:profiles\/[^/]{1,64}\/)?settings\.json|[^/]{1,128}\.code-workspace|\.zed\/settings\.json|zed\/settings\.json)$/;
/** One of them by which the agent asks nobody, and not switched off. */
const ASKS_NOBODY =
  /(?:auto_?approve\w{0,32}|agent_?yolo_?mode|always_?allow_?(?:tool_?actions|read_?only|write|execute|mcp|browser)\w{0,24}|allow_?dangerously_?skip_?permissions)["'\\]{0,3}\]?\s{0,4}[:=](?!\s{0,4}(?:false|null|\{\s{0,16}\}|\[\s{0,16}\]))/i;
const INSTRUCTIONS =
  /(?:^|\/)(?:\.cursor\/rules(?:\/.+)?|\.cursorrules|\.windsurfrules|\.clinerules(?:\/.+)?|\.claude\/(?:agents|commands|skills)\/.+|(?:claude|agents|gemini)(?:\.local)?\.md|\.github\/copilot-instructions\.md|\.github\/instructions\/.+|\.goosehints)$/;
const GATEHOUSE =
  /(?:^|\/)(?:\.?gatehouse(?:\.ya?ml|\.json|\.toml|\.env)?|\.gatehouse\/.+|gatehouse\/(?:polic(?:y|ies).*|config.*|keys?.*|.*\.ya?ml))$/;
const GATEHOUSE_SYSTEM = /^\/(?:etc|opt|var\/lib|usr\/local\/etc)\/gatehouse(?:\/.*)?$/;

/** What a shell pattern such as `.claude/set*` is held against. */
const EXEMPLARS: readonly (readonly string[])[] =
  '.claude .claude/settings.json .claude/settings.local.json .claude/hooks .cursor .cursor/hooks.json .cursor/permissions.json .codex .codex/config.toml .gemini .gemini/settings.json .github/hooks .windsurf/hooks.json .opencode/opencode.json'
    .split(' ')
    .map((path) => path.split('/'));

/** Adds every change of the files that guard an agent: by a file tool, by a command, by what a search hands on, by code. */
export function readGuardChanges(input: DetectorInput, found: Action[]): void {
  const { facts } = input;
  for (const access of facts.files) readAccess(access, input, found);
  const { commands } = facts.shell;
  if (commands.length > 0) {
    const searched = new Map<ShellCommand, string | undefined>();
    for (const command of commands) {
      readMode(command, found);
      readHandedOn(command, facts, searched, found);
    }
  }
  for (const script of facts.scripts) readScript(script, found);
}

function readAccess(access: FileAccess, input: DetectorInput, found: Action[]): void {
  const { operation, path, by, origin } = access;
  const moves = takesAway(access);
  if (!moves && (operation === 'read' || operation === 'list' || operation === 'load')) return;
  const report = (kind: string, what: string, confidence: number, severity: Action['severity'] = 'high'): void => {
    const text = `${what}: ${named(path.text)} (${named(by)})`;
    found.push({ kind: `self_protection.${kind}`, severity, confidence, what: text, origin });
  };
  const key = keyOf(path);
  if (NAMES_OF_HOSTS.test(path.key) && GATEHOUSE_WORD.test(writtenBy(access, input)))
    return report('environment', 'changes which machine Gatehouse is looked for on', 0.85);
  if (GATEHOUSE_SYSTEM.test(path.key)) return report('gatehouse', 'changes the configuration of Gatehouse', 0.9);
  if (isHooks(path)) return report('agent_hooks', CHANGES_HOOKS, 0.85);
  if (isHookDirectory(path) && (moves || takesWhole(access, input.facts)))
    return report('agent_hooks', CHANGES_HOOKS, 0.85);
  if (EDITOR_SETTINGS.test(key) && ASKS_NOBODY.test(writtenBy(access, input)))
    return report('agent_hooks', 'has the agent of an editor ask nobody', 0.85);
  if (SERVERS.test(key)) return report('agent_servers', 'changes which servers an agent trusts', 0.7, 'medium');
  if (INSTRUCTIONS.test(key))
    return report('agent_instructions', 'changes the standing orders of an agent', 0.6, 'low');
  if (GATEHOUSE.test(key)) report('gatehouse', 'changes the configuration of Gatehouse', 0.75);
}

const NAMES_OF_HOSTS = /^(?:\/etc\/hosts|c:\/windows\/system32\/drivers\/etc\/hosts)$/;
/** Gatehouse as a word of a command line, a name of a host, or a part of a path; in lower case. */
export const GATEHOUSE_WORD = /(?:^|[ /.=_-])gatehouse(?:$|[ /._-])/;
const CHANGES_HOOKS = "changes an agent's hooks or permissions";

function keyOf(path: CanonicalPath): string {
  return belowHome(path) ?? path.key;
}

function isHooks(path: CanonicalPath): boolean {
  const key = keyOf(path);
  return (
    HOOKS.test(key) || (hasGlob(key) && EXEMPLARS.some((exemplar) => exemplar.length > 1 && reaches(key, exemplar)))
  );
}

function isHookDirectory(path: CanonicalPath): boolean {
  const key = keyOf(path);
  return (
    HOOK_DIRECTORY.test(key) ||
    (hasGlob(key) && EXEMPLARS.some((exemplar) => exemplar.length === 1 && reaches(key, exemplar)))
  );
}

/** Whether the pattern `key` ends on `exemplar` and is aimed at it: a dot in front, and a letter behind it, are written out. */
function reaches(key: string, exemplar: readonly string[]): boolean {
  const tail = key.split('/').slice(-exemplar.length);
  return (
    tail.length === exemplar.length &&
    tail.every((pattern, index) => {
      const segment = exemplar[index] as string;
      return (!segment.startsWith('.') || /^\.[^*?[]{0,255}[a-z[]/.test(pattern)) && globMatches(pattern, segment);
    })
  );
}

/** Afterwards the file is not where it is looked for. */
function takesAway(access: FileAccess): boolean {
  if (access.moved === true) return true;
  if (access.command !== undefined) return false;
  const words = wordsOf(access.by);
  return words.has('move') || words.has('rename');
}

/** Whether a directory goes, or is filled from elsewhere, rather than only getting another file. */
function takesWhole(access: FileAccess, { shell }: EventFacts): boolean {
  if (access.operation === 'delete' || access.recursive) return true;
  const command = access.command === undefined ? undefined : shell.commands[access.command];
  if (command === undefined || access.operation !== 'write') return false;
  if (command.name === 'ln') return true;
  if (!COPIERS.has(command.name)) return false;
  // What is copied keeps its name, or the names of what is in it.
  return command.args.some(({ text }) => {
    if (canonicalPath(text).key === access.path.key) return false;
    const name = text.slice(text.lastIndexOf('/') + 1);
    return (text.includes('/') && /^(?:|\.|\*)$/.test(name)) || HOOKS.test(`${access.path.key}/${name}`);
  });
}

const COPIERS: ReadonlySet<string> = new Set('cp gcp mv install rsync scp copy-item move-item'.split(' '));

/** A hook that may not be run, or settings that may not be read, are as good as deleted. */
function readMode(command: ShellCommand, found: Action[]): void {
  if (command.name !== 'chmod' && command.name !== 'chattr') return;
  const [mode, ...files] = command.args.filter(({ text }) => !/^-(?:-.+|[RvfcHLP]+)$/.test(text));
  if (mode === undefined) return;
  const cwd = command.cwd === undefined ? undefined : canonicalPath(command.cwd);
  for (const file of files) {
    const path = canonicalPath(file.text, cwd, file.dynamic);
    if (!(isHooks(path) || isHookDirectory(path)) || !disables(command.name, mode.text, path)) continue;
    const what = `disables an agent's hooks or permissions: ${named(path.text)} (${named(command.name)})`;
    found.push({ kind: 'self_protection.agent_hooks', confidence: 0.8, what, origin: command.origin });
  }
}

function disables(program: string, mode: string, path: CanonicalPath): boolean {
  if (program === 'chattr') return mode.startsWith('-');
  const owner = /^0?([0-7])[0-7]{2}$/.exec(mode)?.[1];
  if (owner === undefined) return /^[ugoa]{0,4}(?:-[rwxX]{0,3}[rx]|=(?!r))/.test(mode);
  const rights = Number(owner);
  return rights < 4 || (rights % 2 === 0 && /\/hooks(?:\/|$)|\.claude$/.test(path.key));
}

const SEARCHES = /^(?:find|gfind|bfs|ls|echo|printf|git)$/;
const CHANGERS = new Set('rm unlink shred srm mv truncate sed perl tee sponge dd rimraf trash'.split(' '));
const CHAIN_MAX = 16;

/** `find .claude -name 'settings*' -exec rm {} +`, `ls .claude/* | xargs rm`: the names are in the search. */
function readHandedOn(
  command: ShellCommand,
  { shell }: EventFacts,
  searched: Map<ShellCommand, string | undefined>,
  found: Action[],
): void {
  if (!CHANGERS.has(command.name) || command.input === undefined || !command.args.some((arg) => arg.dynamic)) return;
  let source: ShellCommand | undefined = shell.commands[command.input];
  for (let step = 0; step < CHAIN_MAX && source !== undefined && !SEARCHES.test(source.name); step++) {
    source = source.input === undefined ? undefined : shell.commands[source.input];
  }
  if (source === undefined || (EDITORS.has(command.name) && !changesInPlace(command))) return;
  if (!searched.has(source)) searched.set(source, guardFoundBy(source));
  const name = searched.get(source);
  if (name === undefined) return;
  const what = `${CHANGES_HOOKS}: ${named(name)} (${named(source.name)}, ${named(command.name)})`;
  found.push({ kind: 'self_protection.agent_hooks', confidence: 0.8, what, origin: command.origin });
}

/** The first of the names that a search gives which is such a file, or a directory of them. */
function guardFoundBy(search: ShellCommand): string | undefined {
  const words = /^(?:g?find|bfs)$/.test(search.name) ? foundBy(search) : search.args;
  const cwd = search.cwd === undefined ? undefined : canonicalPath(search.cwd);
  const word = words.find(({ text, dynamic }) => {
    const path = canonicalPath(text, cwd, dynamic);
    return isHooks(path) || isHookDirectory(path);
  });
  return word?.text;
}

const EDITORS: ReadonlySet<string> = new Set(['sed', 'perl']);
const EDITOR_VALUES = optionNames('e E expression f');

function changesInPlace(command: ShellCommand): boolean {
  const { short, long } = readOptions(command.args, { valued: EDITOR_VALUES });
  return short.includes('i') || long.includes('in-place');
}

/** What only code that changes files says. */
const CHANGING_CODE =
  /(?<!std(?:out|err)\.)\b(?:write_?(?:text|bytes|file|lines|json)?|append_?file|outputfile|json\.dump|yaml\.dump|truncate|chmod|copy_?file|copytree|shutil\.copy2?|file_put_contents|cp|os\.replace|(?:os|fs|file)\.(?:remove|delete)|unlink)(?:sync)?\s{0,4}\(|,\s{0,4}['"](?:w|wb|w\+|a|ab|r\+)['"]|\bmode\s{0,4}=\s{0,4}['"][wa]/i;
const REMOVING_CODE =
  /\b(?:rmtree|renames?|removedirs|remove_dir|rm|rm_rf|rm_r|rmdir|rimraf|move|mv|symlink)(?:sync)?\s{0,4}\(|\.rename\s{0,4}\(/i;
const LITERAL = /(['"`])([^'"`\n]{1,256})\1/g;
/** `Path('.claude') / 'settings.json'`, `join('.claude', 'settings.json')`. */
const JOINED = /(['"`])\s{0,4}\)?\s{0,4}[/,+]\s{0,4}\1/g;

/** Code that names a file of these and changes files. Which of them it changes is only known when it runs. */
function readScript({ code, language, origin }: InlineCode, found: Action[]): void {
  if (!HOOK_HINT.test(code)) return;
  const removes = REMOVING_CODE.test(code);
  if (!removes && !CHANGING_CODE.test(code)) return;
  const path = literalPath(code, removes) ?? literalPath(code.replace(JOINED, '/'), removes);
  if (path === undefined) return;
  const what = `${CHANGES_HOOKS}: ${named(path)} (${named(language)})`;
  found.push({ kind: 'self_protection.agent_hooks', confidence: 0.75, what, origin });
}

const HOOK_HINT =
  /\.(?:claude|cursor|codex|gemini|github\/hooks|copilot|windsurf|codeium|amp|kiro|opencode|factory|augment)\b/;

/** The first literal that names such a file, or, if `whole`, a directory of them. */
function literalPath(code: string, whole: boolean): string | undefined {
  for (const [, , text = ''] of code.matchAll(LITERAL)) {
    const path = canonicalPath(text);
    if (isHooks(path) || (whole && isHookDirectory(path))) return text;
  }
  return undefined;
}
