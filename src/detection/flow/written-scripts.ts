import type { ToolInvocation } from '../../domain/event.ts';
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

/** A script that a call leaves in a file. */
export interface LeftScript {
  path: CanonicalPath;
  /** The same as a call that would run it at once. */
  tool: ToolInvocation['tool'];
  /** It is all that the file holds then, and not a piece of it. */
  whole: boolean;
}

/** Scripts of one call that are looked at, and code units of one: a long program of another language is an application, of which one place or the other is like an attack. */
const LEFT_MAX = 2;
const SCRIPT_CHARS_MAX = 16_384;
const PROGRAM_CHARS_MAX = 8_192;

/** What the call of `facts` leaves in files that somebody may run: what a tool writes, and what a shell is told to put there. */
export function scriptsLeft(facts: EventFacts): LeftScript[] {
  const left: LeftScript[] = [];
  for (const access of facts.files) {
    if (left.length === LEFT_MAX) break;
    const { operation, path, glob } = access;
    if ((operation !== 'write' && operation !== 'append') || glob || path.dynamic) continue;
    const text = writtenTo(access, facts);
    if (text === undefined || text.length > SCRIPT_CHARS_MAX) continue;
    const tool = runOf(path, text.trim());
    if (tool !== undefined) left.push({ path, tool, whole: operation === 'write' && !isPiece(access, facts) });
  }
  return left;
}

const CONTENT_KEYS: ReadonlySet<string> = new Set(
  'content contents text filetext newtext newstring newstr data body code'.split(' '),
);
const PIECE_KEYS: ReadonlySet<string> = new Set(['newstring', 'newstr', 'newtext']);

function isPiece({ command }: FileAccess, { parameters }: EventFacts): boolean {
  return command === undefined && parameters.some(({ key }) => PIECE_KEYS.has(key));
}

/** What stands in the file once it is written, as far as the call says it. */
function writtenTo({ command: index, by }: FileAccess, { tool, parameters, shell }: EventFacts): string | undefined {
  if (index === undefined)
    return by === tool?.name && tool.kind === 'file_write'
      ? parameters.find(({ key }) => CONTENT_KEYS.has(key))?.text
      : undefined;
  const { name, args, stdin } = shell.commands[index] as ShellCommand;
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
function runOf({ key }: CanonicalPath, text: string): LeftScript['tool'] | undefined {
  if (SHELL_FILE.test(key) || SHELL_LINE.test(text)) return { name: 'Bash', input: { command: text } };
  if (/\.ps1$/i.test(key)) return { name: 'PowerShell', input: { command: text } };
  const language = LANGUAGES.find(([file, line]) => file.test(key) || line.test(text))?.[2];
  return language === undefined || text.length > PROGRAM_CHARS_MAX
    ? undefined
    : { name: 'execute_code', input: { language, code: text } };
}

/** What is remembered of `script`: of one that `policy` would have stopped as a command, or of one that now holds something else. */
export function noteScript(
  { path }: Pick<LeftScript, 'path'>,
  policy: string | undefined,
  event: string,
  key: Uint8Array,
): WrittenScript {
  const files = hashWords([...namesOf(path), asCommand(path.key)], keyedHash(key), NAMES_OF_FILES_MAX);
  return policy === undefined ? { files, event } : { files, event, policy };
}

/** The name by which the file at `path` is known where it is a command itself: of that no more is left than its last part, in small letters. */
function asCommand(path: string): string {
  return `$ ${commandName(path)}`;
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
    const found = filesRun(command).flatMap((file) => {
      const names = file === command.name ? [asCommand(file)] : namesAsked(canonicalPath(file));
      const asked = names.map((name) => wordHash(name, hash));
      // What was written last is what the file holds.
      const last = known.findLast((each) => asked.some((name) => each.names.has(name)))?.script;
      return last === undefined || !isStopped(last) ? [] : [{ script: last, name: file, origin: command.origin }];
    });
    return found.slice(0, 1);
  });
}

function isStopped(script: WrittenScript): script is WrittenScript & { policy: string } {
  return script.policy !== undefined;
}

const INTERPRETERS =
  /^(?:ba|z|k|da|a|fi)?sh$|^(?:python[\d.]{0,4}|pypy3?|node|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|powershell|source|\.)$/;

/** The files whose code `command` runs: an interpreter's first word, or the command itself. */
function filesRun({ name, args }: ShellCommand): string[] {
  const words = args.map(({ text }) => text);
  if (!INTERPRETERS.test(name)) return [name];
  if (words.some((word) => /^-(?:c|e|m|p|-eval|command|encodedcommand)$/i.test(word))) return [];
  const file = words.find((word) => !word.startsWith('-') && word !== 'run');
  return file === undefined ? [] : [file];
}

/** Scripts that are remembered at most. */
export const SCRIPTS_MAX = 6;

/** `scripts` with one more, in the place of what was known of the same file. One that nobody would stop is only kept over one that somebody would. */
export function withScript(scripts: readonly WrittenScript[], script: WrittenScript): readonly WrittenScript[] {
  const others = scripts.filter(({ files }) => files !== script.files);
  if (isStopped(script) || mayHide(others, script)) return [...others, script].slice(-SCRIPTS_MAX);
  return others.length === scripts.length ? scripts : others;
}

/** Whether a harmless `script` lies over one that was not, by another of its names. */
function mayHide(scripts: readonly WrittenScript[], { files }: WrittenScript): boolean {
  const names = wordSet(files);
  return scripts.some((each) => isStopped(each) && [...wordSet(each.files)].some((name) => names.has(name)));
}
