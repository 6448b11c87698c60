import { CodeAliases } from './code-aliases.ts';
import { CALLS, type CodeAction, lookUp } from './code-catalogue.ts';
import { type Bound, cloudCommands, libraryCommands, notebookScripts, rustCommands } from './code-commands.ts';
import { mappedStatements, memoryDatabases } from './code-databases.ts';
import { QUOTES, readLiteral, STRING_CHARS_MAX } from './code-literals.ts';
import { CodeNames, filledIn, type Names, readExpression } from './code-values.ts';
import { walksDeleted } from './code-walks.ts';
import { decodeBase64 } from './decode.ts';

export interface CodeCall {
  action: CodeAction;
  /** Name of the function, as written. */
  callee: string;
  /** Its string arguments, as far as they are known: literals, and names and expressions made of such. For `process`: one is a script, several are an argument list. */
  strings: readonly string[];
  recursive: boolean;
}

/** What may stand in front of an argument list. One pass: the name is bounded, and so is the gap. */
const CALLEE =
  /(?<![\w$%])(?:\[[\w.]{1,40}\]::\w{1,40}|[\w$%]{1,64}(?:(?:\.|::|\(\)\.)[\w$]{1,64}){0,6})(?![\w$])(?=\s{0,4}\(|\s{1,4}["'[]|\s{1,4}[$@]?\w{1,64}\s{0,4}(?:[;}\n]|$)|\s{1,4}glob\s{0,4}\(|(?<=qx|%x)[{/<[])|`/g;
const DECODE_DEPTH_MAX = 3;

/**
 * The calls of note in `code`, with the arguments that are known from the code itself; code that is decoded from a literal is looked at too.
 * `bound.cut` is called where there are more than its `max`, or where calls overlap so much that not all of them could be read. Statements
 * for databases are one call, however many they are: scripts that fill tables are long, and statements are read within a bound of their own.
 */
export function codeCalls(code: string, bound: Bound): CodeCall[] {
  const plain = inPlainForm(code);
  const reading: Reading = { charsLeft: plain.length * OVERLAP_MAX + ARGUMENT_CHARS_MAX, bound };
  return [...startedElsewhere(plain, bound), ...readCalls(plain, reading, 0), ...deletedWalks(plain, bound)];
}

/** Commands that are not run by a function that starts a process: by a notebook, or by what a library does instead. */
function startedElsewhere(code: string, bound: Bound): CodeCall[] {
  const process = { action: 'process', recursive: false } as const;
  return [
    ...notebookScripts(code, bound).map((script) => ({ ...process, callee: '!', strings: [script] })),
    ...[...cloudCommands(code, bound), ...libraryCommands(code, bound), ...rustCommands(code, bound)].map((words) => ({
      ...process,
      callee: words[0] as string,
      strings: words,
    })),
  ];
}

/**
 * `qw(rm -rf)`, `%x(rm)`, `qx{rm}` and `$ENV{HOME}` as other languages write them; modules and functions that Python finds by a text, by
 * their names, as those of JavaScript's that start processes and work on files.
 */
function inPlainForm(code: string): string {
  if (!/\bq[wx]|%x|ENV|__import__|import_module|getattr|require\(|do shell script/.test(code)) return code;
  return code
    .replace(/\b(?:__import__|(?:importlib\.)?import_module)\(\s{0,4}["']([\w.]{1,64})["']\s{0,4}\)/g, '$1')
    .replace(/\brequire\(\s{0,4}["'](?:node:)?(child_process|fs)(\/promises)?["']\s{0,4}\)/g, (_, name, sub) =>
      sub === undefined ? name : `${name}.promises`,
    )
    .replace(/\b(?:require\(["'](?:node:)?util["']\)\.|util\.)?promisify\(\s{0,4}([\w.]{1,64})\s{0,4}\)/g, '$1')
    .replace(/\bdo shell script\s{1,4}(?=["'])/g, 'system ')
    .replace(/\bgetattr\(\s{0,4}([\w.]{1,64})\s{0,4},\s{0,4}["'](\w{1,64})["']\s{0,4}\)/g, '$1.$2')
    .replace(
      /\bqw\s?(?:\(([^()]{0,512})\)|\{([^{}]{0,512})\}|\/([^/]{0,512})\/)/g,
      (_, a?: string, b?: string, c?: string) =>
        (a ?? b ?? c ?? '')
          .trim()
          .split(/\s+/)
          .map((text) => JSON.stringify(text))
          .join(', '),
    )
    .replace(
      /(?:%x|\bqx)\s?(?:\(([^()`]{0,512})\)|\{([^{}`]{0,512})\}|\[([^[\]`]{0,512})\])/g,
      (_, a?: string, b?: string, c?: string) => `\`${a ?? b ?? c ?? ''}\``,
    )
    .replace(/\$ENV\{\s?["']?HOME["']?\s?\}|#\{\s?(?:ENV\[["']HOME["']\]|Dir\.home)\s?\}/g, '~');
}

/** Whatever lies below a directory that is walked, where nothing is left out. */
function deletedWalks(code: string, bound: Bound): CodeCall[] {
  return walksDeleted(code, bound).map((path) => ({
    action: 'delete',
    callee: 'walk',
    strings: [path],
    recursive: true,
  }));
}

interface Reading {
  /** Arguments of nested calls are read once for each call around them. */
  charsLeft: number;
  bound: Bound;
}

/** What `awk` prints into a file that it names by a whole path. */
const PRINTS_TO = /(?<![>=-])(>{1,2})\s{0,4}"(\/[^"\n]{1,256})"/g;

/** Files by pattern, as Perl and PHP remove them: `unlink </tmp/*>`, `unlink glob '/tmp/*'`, `array_map('unlink', glob('/tmp/*'))`. */
const UNLINKS_GLOB =
  /\bunlink\s{0,4}\(?\s{0,4}(?:<([^<>\n]{1,256})>|glob\s{1,4}["']([^"'\n]{1,256})["'])|\barray_map\s{0,4}\(\s{0,4}["']unlink["']\s{0,4},\s{0,4}glob\s{0,4}\(\s{0,4}["']([^"'\n]{1,256})["']/g;

const OVERLAP_MAX = 4;

function readCalls(code: string, reading: Reading, depth: number): CodeCall[] {
  const { bound } = reading;
  const names = new CodeNames(code, bound.cut);
  const script: Script = { code, names, statements: mappedStatements(code), inMemory: memoryDatabases(code) };
  const aliases = new CodeAliases(code, bound.cut);
  const calls: CodeCall[] = names.homePaths.map((path) => ({
    action: 'path',
    callee: 'home',
    strings: [path],
    recursive: false,
  }));
  const callee = new RegExp(CALLEE);
  for (let match = callee.exec(code); match !== null; match = callee.exec(code)) {
    if (calls.length >= bound.max) {
      bound.cut();
      break;
    }
    const end = match.index + match[0].length;
    const resume =
      match[0] === '`'
        ? addBackticks(code, match.index, names, calls)
        : addCall(script, { written: aliases.resolve(match[0]), end }, calls, reading, depth);
    callee.lastIndex = resume;
  }
  for (const call of filesByPattern(code)) {
    if (calls.length >= bound.max) break;
    calls.push(call);
  }
  const { statements } = script;
  if (statements.length > 0) calls.push({ action: 'query', callee: 'execute', strings: statements, recursive: false });
  if ((code.includes('fork') && FORKS_ON.test(code)) || (/\bos\.fork\(\)/.test(code) && /\bwhile\b/.test(code))) {
    calls.push({ action: 'fork', callee: 'fork', strings: [], recursive: true });
  }
  return calls;
}

/** Starts copies of itself for as long as it can: `fork while fork`, `while (1) { pcntl_fork(); }`, `loop { fork }`. */
const FORKS_ON =
  /\bfork\s{1,4}while\s{1,4}(?:fork|1|true)\b|\bloop\s{0,4}(?:\{|do\b)\s{0,4}(?:Process\.)?fork\b|\bwhile\s{0,4}\(?\s{0,4}(?:1|true|!0)\s{0,4}\)?\s{0,4}(?:\{|do\b)?\s{0,4}(?:Process\.|pcntl_)?fork\b/;

function* filesByPattern(code: string): Generator<CodeCall> {
  for (const [, arrows, path = ''] of code.matchAll(PRINTS_TO))
    yield { action: arrows === '>' ? 'write' : 'append', callee: 'print', strings: [path], recursive: false };
  for (const [, perl, glob, php] of code.matchAll(UNLINKS_GLOB))
    yield { action: 'delete', callee: 'unlink', strings: [perl ?? glob ?? php ?? ''], recursive: false };
}

/** What JavaScript runs of a text in backticks: `$`…``, `$({…})`…``, `execa`…``, and calls that start a program. */
const TAG =
  /(?:^|[^\w$.])(?:\$(?:\.\w{1,16}|\([^()\n]{0,128}\))?|(?:execa\w{0,16}|sh|shell|cmd|bash|zsh)(?:\([^()\n]{0,128}\))?|(?:execa\w{0,16}|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?)\(\s{0,8})$/;
const TAG_CHARS_MAX = 160;

/** Ruby, Perl and PHP run what stands between backticks; in JavaScript it is a text that runs nothing, but for what is done with it. */
function addBackticks(code: string, open: number, names: CodeNames, calls: CodeCall[]): number {
  const close = code.indexOf('`', open + 1);
  if (close < 0) return code.length;
  const text = code.slice(open + 1, close);
  if (text.length <= STRING_CHARS_MAX && text !== '')
    calls.push({
      action: 'process',
      callee: TAG.test(code.slice(Math.max(0, open - TAG_CHARS_MAX), open)) ? '$`' : '`',
      strings: [text.includes('${') ? text : filledIn(text, names.at(open))],
      recursive: false,
    });
  return close + 1;
}

interface Script {
  code: string;
  names: CodeNames;
  /** What databases are told, but for those in memory. */
  statements: string[];
  /** Names of databases of which nothing stays. */
  inMemory: ReadonlySet<string>;
}

function addCall(
  { code, names, statements, inMemory }: Script,
  { written, end }: { written: string; end: number },
  calls: CodeCall[],
  reading: Reading,
  depth: number,
): number {
  const entry = lookUp(written);
  if (entry === undefined || (NEEDS_BRACKET.has(written) && code[end] !== '(')) return end;
  if (reading.charsLeft <= 0) {
    reading.bound.cut();
    return code.length;
  }
  const args = readArguments(code, end, names.at(end));
  reading.charsLeft -= args.end - end;
  const { action } = entry;
  if (action === 'query') {
    const [statement] = args.strings;
    const [receiver = ''] = written.split('.', 1);
    if (statement !== undefined && !inMemory.has(receiver)) statements.push(statement);
    return end;
  }
  if (action === 'decode') {
    for (const text of args.strings) addDecoded(written, text, calls, reading, depth);
  } else if (action === 'code' || written.endsWith('exec')) {
    // Python's `exec` runs code where PHP's and Node's run a command: it is read as both.
    const [text] = args.strings;
    if (text !== undefined && depth < DECODE_DEPTH_MAX) calls.push(...readCalls(text, reading, depth + 1));
  }
  if (action === 'connect' || action === 'request') {
    const endpoint = endpointOf(code.slice(end, args.end), written, args.strings, names.at(end));
    if (endpoint !== undefined)
      calls.push({ action: 'connect', callee: written, strings: [endpoint], recursive: false });
  }
  const strings = PATH_METHOD.test(written) ? pathOf(written, args.strings, names.at(end)) : args.strings;
  if (action !== 'decode' && action !== 'code' && action !== 'connect' && strings.length > 0) {
    const recursive = entry.recursive === true || /recursive\s*[:=]\s*true/i.test(code.slice(end, args.end));
    const opened = action === 'read' && OPENS.test(written) ? openedFor(strings) : action;
    // `shell.rm('-rf', '/')`, as libraries name the programs that they call or are like.
    const isCommand = action === 'delete' && /^-\w/.test(strings[0] ?? '');
    if (isCommand) calls.push({ action: 'process', callee: written, strings: ['rm', ...strings], recursive });
    else calls.push({ action: opened, callee: written, strings, recursive });
    const method =
      opened === 'read' && /(?:^|\.)Path$/.test(written) ? METHOD.exec(code.slice(args.end, args.end + 40)) : null;
    const then = method === null ? undefined : CALLS.get(method[1] as string);
    if (then !== undefined) calls.push({ action: then.action, callee: method?.[1] as string, strings, recursive });
  }
  return Math.max(end, args.start);
}

const OPENS = /(?:^|\.)f?open$/;
const MODE = /^[rwaxbtU+]{1,4}$/;

/** What a file is opened for, by its mode; to be read where none is given. */
function openedFor([, mode]: readonly string[]): CodeAction {
  if (mode === undefined || !MODE.test(mode)) return 'read';
  if (/[wx]/.test(mode)) return 'write';
  return /[a+]/.test(mode) ? 'append' : 'read';
}

/** What is called on a path of Python's: `Path('a').unlink()`. */
const METHOD = /^\)\.(unlink|rmdir|write_text|write_bytes)\(/;
const PATH_METHOD = /^[A-Za-z_]\w{0,63}\.(?:unlink|rmdir|(?:read|write)_(?:text|bytes))$/;

/** The path that such a method is called on, where its name is known; else the arguments, if those can be a path. */
function pathOf(written: string, strings: readonly string[], names: Names): readonly string[] {
  const [receiver = '', method = ''] = written.split('.');
  return names(receiver) ?? (method.startsWith('write') ? [] : strings);
}

const HOST_ARGUMENT =
  /\b(?:host|hostname)["']?\s{0,4}(?::|=>?)\s{0,4}(?:["']([^"'\s]{1,255})["']|([A-Za-z_$]\w{0,63}))/;
const PORT_ARGUMENT = /(?:\bport["']?\s{0,4}(?::|=>?)\s{0,4}|(?<![\w.:"']))(\d{2,5})(?![\w.])/;
/** A name with a dot, an address, or this machine; no file of a database. */
const HOST = /^(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|\[?[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}\]?)$/i;
const DATABASE_FILE = /\.(?:db|db3|sqlite3?|duckdb|mdb|json)$/i;

/** The `host:port` that a call names by arguments of their own. A database is opened by `connect`, too: that has no port. */
function endpointOf(args: string, callee: string, strings: readonly string[], names: Names): string | undefined {
  const keyed = HOST_ARGUMENT.exec(args);
  const port = PORT_ARGUMENT.exec(args)?.[1];
  const behindKey = keyed?.[1] ?? (keyed?.[2] === undefined ? undefined : names(keyed[2])?.[0]);
  const positional =
    port !== undefined || !/connect$/i.test(callee) ? strings.find((text) => HOST.test(text)) : undefined;
  const host = behindKey ?? positional;
  if (host === undefined || !HOST.test(host) || DATABASE_FILE.test(host)) return undefined;
  return port === undefined ? host : `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

/** Commands of a shell too, which a text in the code may name. */
const NEEDS_BRACKET: ReadonlySet<string> = new Set(['rm']);

function addDecoded(callee: string, text: string, calls: CodeCall[], reading: Reading, depth: number): void {
  if (depth >= DECODE_DEPTH_MAX) return;
  const hex = callee.endsWith('fromhex');
  const decoded = hex ? Buffer.from(text, 'hex').toString('utf8') : decodeBase64(text);
  if (decoded === undefined || decoded === '') return;
  calls.push(...readCalls(decoded, reading, depth + 1));
  // Decoded text often goes to a shell rather than to the interpreter.
  if (/^[\x20-\x7e\s]+$/.test(decoded)) calls.push({ action: 'process', callee, strings: [decoded], recursive: false });
}

const ARGUMENT_CHARS_MAX = 8_192;
const STRINGS_MAX = 32;

/**
 * The texts from `at` to the end of the argument list: literals, and what `names` tell. Adjacent and added ones are one.
 * What is handed to a function inside is not what the call is given, so that only its literals count.
 */
function readArguments(code: string, at: number, names: Names): { strings: string[]; start: number; end: number } {
  const strings: string[] = [];
  let depth = 0;
  let joins = false;
  let index = at;
  // Outside of any other call: the depth of brackets at which one begins.
  let inner = Number.POSITIVE_INFINITY;
  const limit = Math.min(code.length, at + ARGUMENT_CHARS_MAX);
  while (index < limit && strings.length < STRINGS_MAX) {
    const char = code[index] as string;
    const known = depth < inner ? knownAt(code, index, names) : undefined;
    const isLiteral = QUOTES.has(char);
    if (isLiteral || known !== undefined) {
      const literal = isLiteral ? readLiteral(code, index) : undefined;
      const [first, ...others] = known?.value ?? (literal === undefined ? [] : [filledIn(literal.text, names)]);
      strings.push((joins ? (strings.pop() ?? '') : '') + (first ?? ''), ...others);
      index = known?.end ?? literal?.end ?? index + 1;
      joins = true;
      if (depth === 0 && !/^\s*[+.,]/.test(code.slice(index, index + 8))) break;
      continue;
    }
    if (char === '(' || char === '[' || char === '{') {
      if (char === '(' && depth > 0 && depth < inner && /[\w\])]/.test(code[index - 1] ?? '')) inner = depth + 1;
      depth++;
    } else if (char === ')' || char === ']' || char === '}') {
      depth--;
      if (depth < inner) inner = Number.POSITIVE_INFINITY;
      if (depth <= 0) break;
    } else if (char === ';' || (char === '\n' && depth === 0)) break;
    if (char === ',') joins = false;
    index++;
  }
  return { strings, start: at, end: index };
}

const ARGUMENT_END = /^\s{0,16}(?:[,)\]};+\n]|\.\s{0,4}["'$]|$)/;

/** The expression of names and paths that begins at `at`, if it is known and an argument or a part of one. */
function knownAt(code: string, at: number, names: Names): { value: readonly string[]; end: number } | undefined {
  if (!/[A-Za-z_$@]/.test(code[at] as string) || /[\w$@.]/.test(code[at - 1] ?? '')) return undefined;
  const found = readExpression(code, at, names);
  return found !== undefined && ARGUMENT_END.test(code.slice(found.end, found.end + 20)) ? found : undefined;
}
