import { asOutside, innerOfBwrap } from './containers.ts';
import {
  innerOfDatabaseClient,
  innerOfDebugger,
  innerOfEditor,
  innerOfEmacs,
  innerOfMake,
  innerOfMan,
  innerOfSed,
} from './inner-escapes.ts';
import { code, type Inner, NOTHING, posix } from './inner-model.ts';
import {
  innerOfAnsible,
  innerOfCmake,
  innerOfCmd,
  innerOfGit,
  innerOfOptions,
  innerOfPackageScripts,
  innerOfPowerShell,
  innerOfProxy,
  innerOfSocat,
  innerOfUserData,
  scheduled,
} from './inner-options.ts';
import { commandName, type ShellCommand, type ShellWord, word } from './model.ts';
import { hasOption, type Options, optionNames, optionValue, readOptions } from './options.ts';
import { EVERYWHERE, interpreterOf, SHELLS, WRAPPERS, type Wrapper } from './wrappers.ts';

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;

/** A loader run as a command runs the program that follows: `/lib64/ld-linux-x86-64.so.2 /bin/rm`. */
const LOADER = /^ld-(?:linux|musl)/;

/** What a program is given to run; undefined where that is to be found as for any other. */
type Reader = (command: ShellCommand) => readonly Inner[] | undefined;

/** Programs that take what they run in ways of their own. */
const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    'find gfind bfs': ({ args }) => innerOfFind(args),
    'fd fdfind': ({ args }) => innerOfFd(args),
    'xargs gxargs': (command) => innerOfXargs(command),
    parallel: (command) => innerOfParallel(command),
    trap: ({ args }) => (args.length > 1 ? [posix(args[0] as ShellWord)] : NOTHING),
    'at batch': ({ stdin }) => (stdin === undefined ? NOTHING : [posix(word(stdin))]),
    crontab: ({ stdin }) => (stdin === undefined ? NOTHING : [posix(word(scheduled(stdin)))]),
    'tar gtar bsdtar rsync split': ({ args }) => innerOfOptions(args),
    'scp sftp': ({ args }) => innerOfProxy(args),
    ssh: (command) => [...innerOfProxy(command.args), ...innerOfWrapper(WRAPPERS.get('ssh') as Wrapper, command)],
    socat: ({ args }) => innerOfSocat(args),
    'tmux screen': ({ args }) => innerOfMultiplexer(args),
    'powershell pwsh': innerOfPowerShell,
    cmd: ({ args }) => innerOfCmd(args),
    deno: ({ args }) => (args[0]?.text === 'eval' ? innerOfDenoEval(args.slice(1)) : undefined),
    git: ({ args }) => innerOfGit(args),
    'vi vim nvim gvim view vimdiff ex ed': innerOfEditor,
    'gdb lldb': innerOfDebugger,
    'psql mysql mariadb sqlite3 duckdb': innerOfDatabaseClient,
    'emacs emacsclient': innerOfEmacs,
    'sed gsed': innerOfSed,
    man: innerOfMan,
    cmake: ({ args }) => innerOfCmake(args),
    bwrap: ({ args }) => innerOfBwrap(args),
    aws: ({ args }) => innerOfUserData(args),
    ansible: ({ args }) => innerOfAnsible(args),
    'make gmake': innerOfMake,
    'npm pnpm': ({ args }) => innerOfPackageScripts(args),
  }).flatMap(([names, reader]) => names.split(' ').map((name) => [name, reader] as const)),
);

/** The commands, scripts and code that `command` runs, as far as its words and its literal input tell. */
export function innerOf(command: ShellCommand): readonly Inner[] {
  if (SHELLS.has(command.name)) return innerOfShell(command);
  return READERS.get(command.name)?.(command) ?? innerOfOther(command);
}

function innerOfDenoEval(args: readonly ShellWord[]): readonly Inner[] {
  return [code(readOptions(args).operands[0], 'javascript')].flat();
}

/** Of programs that run another one behind their own words, and of interpreters. */
function innerOfOther(command: ShellCommand): readonly Inner[] {
  const { name } = command;
  const wrapper =
    WRAPPERS.get(name) ?? (name.startsWith('ld-') && LOADER.test(name) ? WRAPPERS.get('nohup') : undefined);
  if (wrapper !== undefined) return innerOfWrapper(wrapper, command);
  const interpreter = interpreterOf(name);
  if (interpreter !== undefined) return innerOfInterpreter(command, interpreter);
  return runsBehindDashes(command.args);
}

/** For programs that are not known: `anything exec … -- command`. */
function runsBehindDashes(args: readonly ShellWord[]): readonly Inner[] {
  const dashes = args.findIndex((arg) => arg.text === '--');
  if (dashes < 1 || dashes + 1 >= args.length) return NOTHING;
  const runs = args.slice(0, Math.min(dashes, 3)).some((arg) => /^(?:exec|run|shell|ssh)$/.test(arg.text));
  return runs ? [{ kind: 'argv', words: args.slice(dashes + 1), feed: 'inherit' }] : NOTHING;
}

const SHELL_VALUES = optionNames('o O rcfile init-file');

function innerOfShell(command: ShellCommand): readonly Inner[] {
  const { args, stdin } = command;
  let inScript = false;
  let index = 0;
  for (; index < args.length; index++) {
    const { text } = args[index] as ShellWord;
    if (text === '--') {
      index++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (!text.startsWith('--') && text.includes('c')) inScript = true;
    else if (SHELL_VALUES.has(text.replace(/^[-+]+/, ''))) index++;
  }
  const operand = args[index];
  if (inScript && operand !== undefined) return [{ ...posix(operand, args.slice(index + 2)), named: args[index + 1] }];
  if (inScript) return NOTHING;
  if (operand === undefined || operand.text === '-' || operand.text === '/dev/stdin') {
    return stdin === undefined ? NOTHING : [posix(word(stdin), args.slice(index + 1))];
  }
  return operand.content === undefined ? NOTHING : [posix(word(operand.content), args.slice(index + 1))];
}

function innerOfFind(args: readonly ShellWord[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (let index = 0; index < args.length; index++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test((args[index] as ShellWord).text)) continue;
    let end = index + 1;
    while (end < args.length && !isExecEnd(args, end)) end++;
    const words = args.slice(index + 1, end).map((arg) => (arg.text.includes('{}') ? { ...arg, dynamic: true } : arg));
    if (words.length > 0) inner.push({ kind: 'argv', words, feed: 'own' });
    index = end;
  }
  return inner;
}

function isExecEnd(args: readonly ShellWord[], at: number): boolean {
  const { text } = args[at] as ShellWord;
  return text === ';' || (text === '+' && (args[at - 1] as ShellWord).text.includes('{}'));
}

function innerOfFd(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg.text));
  if (at < 0 || at + 1 >= args.length) return NOTHING;
  return [{ kind: 'argv', words: [...args.slice(at + 1), word('{}', true)], feed: 'own' }];
}

const XARGS_VALUES = optionNames('I J n P L d s E a max-args max-procs max-lines delimiter arg-file max-chars eof');
/** Scripts of one `parallel`. */
const SCRIPTS_MAX = 64;
/** Code units that the words of one `xargs` grow to where items are put into them. */
const REPLACED_CHARS_MAX = 131_072;

function innerOfXargs(command: ShellCommand): readonly Inner[] {
  const { args, stdin } = command;
  const at = firstOperand(args, XARGS_VALUES);
  const words = args.slice(at);
  if (words.length === 0) return NOTHING;
  const options = readOptions(args.slice(0, at), { valued: XARGS_VALUES });
  const given = optionValue(options, 'I', 'J', 'replace')?.text;
  // `-i` and `--replace` take a mark only where it is joined to them.
  const replace = given ?? (hasOption(options, 'i', 'replace') ? '{}' : undefined);
  const separator = optionValue(options, 'd', 'delimiter')?.text;
  const items =
    stdin === undefined ? undefined : splitItems(stdin, separator ?? (replace === undefined ? undefined : '\n'));
  if (replace !== undefined && replace !== '') return [replaced(words, replace, items)];
  const tail = items === undefined ? [word('{}', true)] : items.map((item) => word(item));
  return [{ kind: 'argv', words: [...words, ...tail], feed: 'inherit' }];
}

function replaced(words: readonly ShellWord[], mark: string, items: readonly string[] | undefined): Inner {
  const filled: ShellWord[] = [];
  let chars = 0;
  for (const item of words) {
    if (!item.text.includes(mark)) filled.push(item);
    else if (items === undefined) filled.push({ ...item, dynamic: true });
    else {
      const marks = item.text.split(mark).length - 1;
      for (const value of items) {
        chars += item.text.length + marks * value.length;
        if (chars > REPLACED_CHARS_MAX) return { kind: 'argv', words: filled, feed: 'inherit', isCut: true };
        filled.push({ ...item, text: item.text.replaceAll(mark, () => value) });
      }
    }
  }
  return { kind: 'argv', words: filled, feed: 'inherit' };
}

function splitItems(text: string, separator: string | undefined): string[] {
  const items = separator === undefined ? text.split(/\s+|\0/) : text.split(separator === '\\n' ? '\n' : separator);
  return items.filter((item) => item !== '');
}

const PARALLEL_VALUES = optionNames(
  'j jobs n N I a arg-file colsep d delimiter S sshlogin joblog results timeout delay L max-args',
);

function innerOfParallel(command: ShellCommand): readonly Inner[] {
  const at = firstOperand(command.args, PARALLEL_VALUES);
  const rest = command.args.slice(at);
  const marker = rest.findIndex((arg) => /^:::\+?$|^::::$/.test(arg.text));
  const template = marker < 0 ? rest : rest.slice(0, marker);
  const fed = command.stdin === undefined ? undefined : splitItems(command.stdin, '\n').map((item) => word(item));
  const items = marker < 0 ? undefined : rest.slice(marker + 1).filter((arg) => !arg.text.startsWith(':::'));
  if (template.length === 0) {
    const scripts = items ?? (command.stdin === undefined ? [] : [word(command.stdin)]);
    return scripts.slice(0, SCRIPTS_MAX).map((script) => posix(script));
  }
  // GNU parallel hands its words to a shell, so a quoted template is a script.
  const text = template.map((arg) => arg.text).join(' ');
  const values = items ?? fed;
  const filler = values === undefined ? ' {}' : ` ${values.map((item) => item.text).join(' ')}`;
  const script =
    /\{[^}\s]*\}/.test(text) && values !== undefined ? text.replace(/\{[^}\s]*\}/g, () => filler) : text + filler;
  return [{ kind: 'script', text: word(script), positional: undefined, dialect: 'posix' }];
}

function innerOfMultiplexer(args: readonly ShellWord[]): readonly Inner[] {
  const scripts = args.filter((arg) => /\s/.test(arg.text));
  return scripts.slice(0, SCRIPTS_MAX).map((script) => posix(script));
}

function innerOfInterpreter(
  command: ShellCommand,
  interpreter: NonNullable<ReturnType<typeof interpreterOf>>,
): readonly Inner[] {
  const { language, code: flags, valued } = interpreter;
  if (language === 'awk') return code(readOptions(command.args, { valued }).operands[0], language);
  const at = codeOption(command.args, flags, valued);
  if (at !== undefined) return code(at, language);
  const operand = command.args[firstOperand(command.args, valued)];
  if (operand === undefined || operand.text === '-' || operand.text === '/dev/stdin') {
    return command.stdin === undefined ? NOTHING : code(word(command.stdin), language);
  }
  return operand.content === undefined ? NOTHING : code(word(operand.content), language);
}

function codeOption(
  args: readonly ShellWord[],
  flags: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): ShellWord | undefined {
  const options = readOptions(args, { valued });
  let joined: ShellWord | undefined;
  for (const flag of flags) {
    for (const value of options.values.get(flag) ?? []) {
      // Perl, Ruby and Node join or repeat `-e`.
      joined = joined === undefined ? value : { ...value, text: `${joined.text}\n${value.text}` };
    }
  }
  return joined;
}

/** Index of the first word that is neither an option nor an option's value. */
function firstOperand(args: readonly ShellWord[], valued: ReadonlySet<string>): number {
  let index = 0;
  for (; index < args.length; index++) {
    const { text } = args[index] as ShellWord;
    if (text === '--') return index + 1;
    if (text.length < 2 || !text.startsWith('-')) return index;
    if (takesNext(text, valued)) index++;
  }
  return index;
}

/** Whether the option word `text` has its value in the word behind it. */
function takesNext(text: string, valued: ReadonlySet<string>): boolean {
  if (text.startsWith('--')) return valued.has(text.slice(2));
  for (let at = 1; at < text.length; at++) {
    if (valued.has(text[at] as string)) return at === text.length - 1;
  }
  return text.length > 2 && valued.has(text.slice(1));
}

function innerOfWrapper(wrapper: Wrapper, command: ShellCommand): readonly Inner[] {
  const start = subcommandEnd(wrapper, command.args);
  if (start === undefined) return NOTHING;
  const args = command.args.slice(start);
  const script = scriptOption(wrapper, args);
  if (script !== undefined) return [posix(script)];
  if (isInert(wrapper, args)) return NOTHING;
  if (wrapper.afterDashes) return behindDashes(args, wrapper);
  let index = firstOperand(args, wrapper.valued);
  // `env - A=1 cmd`: a dash of its own stands for an empty environment.
  if (wrapper.assignments) while (args[index]?.text === '-' || ASSIGNMENT.test(args[index]?.text ?? '')) index++;
  index += wrapper.skip;
  if (args[index]?.text === '--') index++;
  const options = args.slice(0, index);
  const words = wrapper.valued.has('volume') ? asOutside(options, args.slice(index)) : args.slice(index);
  if (words.length === 0) return wrapper.joined ? readsScript(command) : NOTHING;
  const entrypoint = optionValue(readOptions(options, { valued: wrapper.valued }), 'entrypoint');
  if (entrypoint !== undefined) return [{ kind: 'argv', words: [entrypoint, ...words], feed: 'inherit' }];
  if (!wrapper.joined) return [{ kind: 'argv', words, feed: 'inherit' }];
  const dynamic = words.some((part) => part.dynamic);
  return [posix({ text: words.map((part) => part.text).join(' '), dynamic, glob: false })];
}

/** `ssh host <<EOF`: without a command, the shell at the other end reads what comes in. */
function readsScript(command: ShellCommand): readonly Inner[] {
  return command.name === 'ssh' && command.stdin !== undefined ? [posix(word(command.stdin))] : NOTHING;
}

/** Where the words behind the subcommand begin; 0 where none is needed; undefined where another one is given. */
function subcommandEnd(wrapper: Wrapper, args: readonly ShellWord[]): number | undefined {
  const { subcommands } = wrapper;
  if (subcommands === undefined) return 0;
  const first = firstOperand(args, wrapper.valued);
  const one = args[first]?.text;
  if (one === undefined) return undefined;
  if (subcommands.includes(one)) return first + 1;
  return subcommands.includes(`${one} ${args[first + 1]?.text}`) ? first + 2 : undefined;
}

function scriptOption(wrapper: Wrapper, args: readonly ShellWord[]): ShellWord | undefined {
  if (wrapper.script.size === 0) return undefined;
  // Options behind the command word are the command's own.
  const end = wrapper.skip === EVERYWHERE ? args.length : firstOperand(args, wrapper.valued) + wrapper.skip;
  for (const [index, arg] of args.slice(0, end + 1).entries()) {
    const { text } = arg;
    // `capsh -- -c 'script'`: what follows goes to a shell.
    if (text === '--' && wrapper.skip !== EVERYWHERE) return undefined;
    if (!text.startsWith('-')) continue;
    const equals = text.indexOf('=');
    if (text.startsWith('--') && equals > 0 && wrapper.script.has(text.slice(2, equals)))
      return { ...arg, text: text.slice(equals + 1) };
    const name = text.startsWith('--') ? text.slice(2) : text.at(-1);
    if (name !== undefined && wrapper.script.has(name)) return args[index + 1];
  }
  return undefined;
}

function isInert(wrapper: Wrapper, args: readonly ShellWord[]): boolean {
  if (wrapper.inert.size === 0) return false;
  const options: Options = readOptions(args.slice(0, firstOperand(args, wrapper.valued)), { valued: wrapper.valued });
  return (
    [...options.short].some((letter) => wrapper.inert.has(letter)) ||
    options.long.some((name) => wrapper.inert.has(name))
  );
}

function behindDashes(args: readonly ShellWord[], wrapper: Wrapper): readonly Inner[] {
  const dashes = args.findIndex((arg) => arg.text === '--');
  if (dashes >= 0)
    return dashes + 1 < args.length ? [{ kind: 'argv', words: args.slice(dashes + 1), feed: 'inherit' }] : NOTHING;
  // Older `kubectl exec pod cmd`, `lxc exec name cmd`.
  const words = args.slice(firstOperand(args, wrapper.valued) + 1);
  return words.length === 0 || commandName((words[0] as ShellWord).text).startsWith('-')
    ? NOTHING
    : [{ kind: 'argv', words, feed: 'inherit' }];
}
