import type { Inspection } from '../../domain/decision.ts';
import type { ToolInvocation } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { FileAccess } from '../facts/file-access.ts';
import { type CanonicalPath, canonicalPath } from '../facts/paths.ts';
import { commandName, type Origin, type ShellCommand } from '../facts/shell/model.ts';
import { namesAsked, namesOf } from './file-names.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import { NAMES_OF_FILES_MAX, type WrittenScript } from './memory.ts';
import { hashWords, wordSet } from './word-hashes.ts';

/** The kind of finding where a call runs what an earlier one wrote, and what would have been stopped as a command. */
export const WRITTEN_SCRIPT = 'flow.written_script';

/** What a call leaves in a file that somebody may run. */
export interface LeftScript {
  path: CanonicalPath;
  /** The same as a call that would run it at once; undefined where it is no script, or not known, or gone. */
  run: RunCall | undefined;
  /** The same of what an edit takes out. */
  without: RunCall | undefined;
  /** Nothing is left of what the file held. */
  whole: boolean;
}

export interface RunCall {
  tool: ToolInvocation['tool'];
  /** It is written in another language than a shell's: what an application reads and asks for is its business. */
  isProgram: boolean;
}

/** Scripts of one call that are read, and code units of one: a longer program is an application, of which one place or the other is like an attack. */
const READ_MAX = 4;
const SCRIPT_CHARS_MAX = 8_192;
/** Files of one call of which it is noted that they hold something else. */
const LEFT_MAX = 64;

/** What a call does to one file, all in all. */
interface Writing {
  path: CanonicalPath;
  /** Undefined where it is not known, or gone. */
  text: string | undefined;
  /** What an edit takes out. */
  taken: string | undefined;
  whole: boolean;
}

/** What the call of `facts` leaves in files: what a tool writes, and what a shell is told to put there or does away with. */
export function scriptsLeft(facts: EventFacts, allowance: Allowance): LeftScript[] {
  const left: LeftScript[] = [];
  let read = 0;
  for (const { path, text, taken, whole } of writingsOf(facts)) {
    const run = text === undefined ? undefined : runOf(path, text.trim());
    const without = taken === undefined ? undefined : runOf(path, taken.trim());
    const isRead = run !== undefined || without !== undefined;
    if (isRead ? read === READ_MAX : left.length >= LEFT_MAX) {
      allowance.cut('written scripts', isRead ? `scripts ${READ_MAX}` : `files ${LEFT_MAX}`);
      continue;
    }
    if (isRead) read++;
    left.push({ path, run, without, whole });
  }
  return left;
}

/** By file, in the order in which each was written last: `echo … > a.sh; echo … >> a.sh` leaves one script. */
function writingsOf(facts: EventFacts): Iterable<Writing> {
  const written = new Map<string, Writing>();
  for (const access of facts.files) {
    const { operation, path, glob, command } = access;
    if (glob || path.dynamic || !/^(?:write|append|delete)$/.test(operation) || changesInPlace(access, facts)) continue;
    const text = operation === 'delete' ? undefined : writtenTo(access, facts);
    const taken = command === undefined ? textsUnder(facts, TAKEN_KEYS) : undefined;
    const whole = operation !== 'append' && taken === undefined && (command !== undefined || !addsTo(facts));
    const before = operation === 'append' && command !== undefined ? written.get(path.key) : undefined;
    written.delete(path.key);
    const texts = [before?.text, text].filter((piece) => piece !== undefined);
    written.set(path.key, {
      path,
      text: texts.length === 0 ? undefined : texts.join('\n'),
      taken,
      whole: whole || before?.whole === true,
    });
  }
  return written.values();
}

const CONTENT_KEYS: ReadonlySet<string> = new Set(
  'content contents text filetext newtext newstring newstr inserttext data body code'.split(' '),
);
/** What an edit replaces. */
const TAKEN_KEYS: ReadonlySet<string> = new Set(['oldstring', 'oldstr', 'oldtext']);

/** All that the call gives under `keys`: an edit may have several pieces. */
function textsUnder({ parameters }: EventFacts, keys: ReadonlySet<string>): string | undefined {
  const texts = parameters.filter(({ key }) => keys.has(key)).map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Whether what a tool writes comes beside what the file holds. */
function addsTo({ tool, parameters }: EventFacts): boolean {
  return (
    /append|insert/i.test(tool?.name ?? '') ||
    parameters.some(({ key, text }) => key === 'inserttext' || (key === 'mode' && /^a/i.test(text)))
  );
}

/** `sed -i`: most of the file stays as it was. */
function changesInPlace({ command }: FileAccess, { shell }: EventFacts): boolean {
  return (
    command !== undefined &&
    /^(?:sed|g?awk|perl|ed|ex|patch|chmod|chown|touch)$/.test(shell.commands[command]?.name ?? '')
  );
}

/** What stands in the file once it is written, as far as the call says it. */
function writtenTo(access: FileAccess, facts: EventFacts): string | undefined {
  const { tool, shell } = facts;
  if (access.command === undefined)
    return access.by === tool?.name && tool.kind === 'file_write' ? textsUnder(facts, CONTENT_KEYS) : undefined;
  const { name, args, stdin } = shell.commands[access.command] as ShellCommand;
  if (name === 'cat' || name === 'tee') return stdin;
  if (name !== 'echo' && name !== 'printf') return undefined;
  return args
    .filter(({ text }) => !/^-[neE]{1,3}$/.test(text))
    .map(({ text }) => text.replaceAll('\\n', '\n'))
    .join(' ');
}

const SHELL_FILE = /\.(?:sh|bash|zsh|ksh|command)$/i;
const SHELL_LINE = /^#!\s?\S{0,64}(?:\s{1,4}-?\S{0,16}){0,2}\b(?:ba|z|k|da)?sh\b/;
const LANGUAGES: readonly (readonly [file: RegExp, line: RegExp, language: string])[] = [
  [/\.py$/i, /^#!\S{0,64}\s?python/, 'python'],
  [/\.[mc]?[jt]s$/i, /^#!\S{0,64}\s?(?:node|deno|bun)/, 'javascript'],
  [/\.rb$/i, /^#!\S{0,64}\s?ruby/, 'ruby'],
  [/\.p[lm]$/i, /^#!\S{0,64}\s?perl/, 'perl'],
  [/\.php$/i, /^(?:#!\S{0,64}\s?php|<\?php)/, 'php'],
];

/** A call that does at once what running `text` as the file at `path` would do. */
function runOf({ key }: CanonicalPath, text: string): RunCall | undefined {
  if (text.length > SCRIPT_CHARS_MAX) return undefined;
  const asCommand = (name: string): RunCall => ({ tool: { name, input: { command: text } }, isProgram: false });
  if (SHELL_FILE.test(key) || SHELL_LINE.test(text)) return asCommand('Bash');
  if (/\.ps1$/i.test(key)) return asCommand('PowerShell');
  const language = LANGUAGES.find(([file, line]) => file.test(key) || line.test(text))?.[2];
  if (language === undefined) return undefined;
  return { tool: { name: 'execute_code', input: { language, code: text } }, isProgram: true };
}

/** What a program may do no more than a command: what it reads, asks a database and calls is an application's business. */
const DEEDS = /^(?:destructive|shell|persistence|privilege|evasion|collection|exfiltration|self_protection)\./;

/** The policy by which `inspection`, of `call`, stops it for what it does: not for the tool, which nobody has called. */
export function stoppedBy({ isProgram }: RunCall, { action, explanation }: Inspection): string | undefined {
  const { findings, policies } = explanation;
  const isForContent = findings.some(
    ({ kind, severity }) => (severity === 'high' || severity === 'critical') && (!isProgram || DEEDS.test(kind)),
  );
  return action === 'block' && isForContent ? policies[0]?.id : undefined;
}

/** What is remembered of the file at `path`: that `policy` would have stopped its content as a command, or that it now holds something else. */
export function noteScript(
  path: CanonicalPath,
  policy: string | undefined,
  event: string,
  key: Uint8Array,
): WrittenScript {
  const files = hashWords([...namesOf(path), ...asCommand(path.key)], keyedHash(key), NAMES_OF_FILES_MAX);
  return policy === undefined ? { files, event } : { files, event, policy };
}

/** The name by which the file at `path` is known where it is a command itself: of that no more is left than its last part, in small letters. `test` and `build` are anybody's. */
function asCommand(path: string): string[] {
  const name = commandName(path);
  return name.includes('.') ? [`$ ${name}`] : [];
}

/** A file that `facts` has run, and that `scripts` knows. */
export interface RunScript {
  script: WrittenScript & { policy: string };
  name: string;
  origin: Origin;
}

/** The scripts among `scripts` that the call runs. */
export function scriptsRun({ shell }: EventFacts, scripts: readonly WrittenScript[], key: Uint8Array): RunScript[] {
  if (scripts.length === 0) return [];
  const hash = keyedHash(key);
  const known = scripts.map((script) => ({ script, names: wordSet(script.files) }));
  return shell.commands.flatMap((command) => {
    const file = fileRun(command);
    if (file === undefined) return [];
    const names = file === command.name ? asCommand(file) : namesAsked(canonicalPath(from(command, file)));
    const asked = names.map((name) => wordHash(name, hash));
    // What was written last is what the file holds.
    const last = known.findLast((each) => asked.some((name) => each.names.has(name)))?.script;
    return last === undefined || !isStopped(last) ? [] : [{ script: last, name: file, origin: command.origin }];
  });
}

/** What runs elsewhere has files of its own. */
const ELSEWHERE = /^(?:ssh|docker|podman|nerdctl|kubectl)$/;

/** `file` as `command` finds it: from the directory that the call is known to be in. */
function from({ cwd }: ShellCommand, file: string): string {
  return cwd === undefined || /^(?:[/~\\]|[A-Za-z]:)/.test(file) ? file : `${cwd}/${file}`;
}

function isStopped(script: WrittenScript): script is WrittenScript & { policy: string } {
  return script.policy !== undefined;
}

const INTERPRETERS =
  /^(?:ba|z|k|da|a|fi)?sh$|^(?:python[\d.]{0,4}|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|powershell|source|\.)$/;

/** The file whose code `command` runs: an interpreter's first word, or the command itself. */
function fileRun({ name, args, via }: ShellCommand): string | undefined {
  if (via.some((each) => ELSEWHERE.test(each))) return undefined;
  if (!INTERPRETERS.test(name)) return name;
  const words = args.map(({ text }) => text);
  if (words.some((word) => RUNS_NO_FILE.test(word))) return undefined;
  return words.find((word) => !word.startsWith('-') && word !== 'run');
}

/** Code in place, a module by its name, or a look at the syntax alone. */
const RUNS_NO_FILE = /^-(?:c|e|m|n|p|-eval|-check|-syntax-check|command|encodedcommand)$/i;

/** Scripts that are remembered at most. */
export const SCRIPTS_MAX = 6;

/** `scripts` with one more, in the place of what was known of the same file. One that nobody would stop is only kept over one that somebody would. */
export function withScript(scripts: readonly WrittenScript[], script: WrittenScript): readonly WrittenScript[] {
  if (!isStopped(script) && !mayHide(scripts, script)) return scripts;
  return [...scripts.filter(({ files }) => files !== script.files), script].slice(-SCRIPTS_MAX);
}

/** Whether a harmless `script` lies over one that was not, by another of its names. */
function mayHide(scripts: readonly WrittenScript[], { files }: WrittenScript): boolean {
  const names = wordSet(files);
  return scripts.some((each) => isStopped(each) && [...wordSet(each.files)].some((name) => names.has(name)));
}
