import { type Inner, NOTHING, posix } from './inner-model.ts';
import { type ShellCommand, type ShellWord, word } from './model.ts';
import { optionNames, readOptions } from './options.ts';

/** Programs with commands of their own, of which some hand the rest of the line to a shell. */

function scripts(texts: readonly (string | undefined)[]): readonly Inner[] {
  const found = texts.filter((text) => text !== undefined && text.trim() !== '') as string[];
  return found.length === 0 ? NOTHING : found.map((text) => posix(word(text)));
}

const linesOf = (text: string | undefined): readonly string[] => text?.split('\n') ?? [];

/** `:!make`, `:silent !make`, `:r !date`, `:%!sort`; not `:q!` and `:%s/a/b!/`. */
const EX_SHELL = /^[\s:]{0,16}(?:sil(?:ent)?!?\s{1,16})?(?:(?:r|read|w|write)\s{1,16}|[%\d,.$]{0,12})!(?!$)(.+)$/s;

/** `vim -c ':!…'`, `vim '+!…'`; what `ex` and `ed` read from standard input. */
export function innerOfEditor({ args, stdin }: ShellCommand): readonly Inner[] {
  const commands = args.map(({ text }, index) => {
    if (text.startsWith('+')) return text.slice(1);
    return /^(?:-c|--cmd)$/.test(args[index - 1]?.text ?? '') ? text : '';
  });
  return scripts([...commands, ...linesOf(stdin)].map((line) => EX_SHELL.exec(line)?.[1]));
}

const DEBUGGER_COMMAND = /^(?:--?(?:ex|iex|eval-command|init-eval-command)|-o|-O|--one-line)$/;
const DEBUGGER_SHELL = /^\s{0,16}(?:(?:platform\s{1,16})?shell\s{1,16}(?:-h\s{1,16})?(?:--\s{1,16})?|!\s{0,16})(.+)$/s;

/** `gdb -ex 'shell …'`, `lldb -o 'platform shell …'`. */
export function innerOfDebugger({ args, stdin }: ShellCommand): readonly Inner[] {
  const commands = args.map(({ text }, index) => {
    const joined = /^--?(?:eval-command|init-eval-command|ex|iex)=(.+)$/s.exec(text)?.[1];
    return joined ?? (DEBUGGER_COMMAND.test(args[index - 1]?.text ?? '') ? text : '');
  });
  return scripts([...commands, ...linesOf(stdin)].map((line) => DEBUGGER_SHELL.exec(line)?.[1]));
}

const DATABASE_SHELL = /^\s{0,16}(?:\\!|\.(?:shell|system)\s|system\s)\s{0,16}(\S.*)$/;

/** `psql -c '\! …'`, `sqlite3 a.db '.shell …'`, and what they read from standard input. */
export function innerOfDatabaseClient({ args, stdin }: ShellCommand): readonly Inner[] {
  const lines = [...args.map(({ text }) => text), stdin].flatMap(linesOf);
  return scripts(lines.map((line) => DATABASE_SHELL.exec(line)?.[1]));
}

/** `man -P '…'`: what it shows its pages with. */
export function innerOfMan({ args }: ShellCommand): readonly Inner[] {
  const { values } = readOptions(args, { valued: MAN_VALUES });
  return scripts([...(values.get('P') ?? []), ...(values.get('pager') ?? [])].map(({ text }) => text));
}

const MAN_VALUES = optionNames('P pager M manpath L locale S s sections e extension C config-file');

const LISP_SHELL =
  /\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\.){1,4096})"|\(start-process-shell-command\s+(?:"[^"]{0,64}"\s+|nil\s+){2}"((?:[^"\\]|\\.){1,4096})"/gs;

/** `emacs --eval '(shell-command "…")'`. */
export function innerOfEmacs({ args }: ShellCommand): readonly Inner[] {
  const expressions = args.flatMap(({ text }, index) => {
    const joined = /^--?(?:eval|execute)=(.+)$/s.exec(text)?.[1];
    const given = joined ?? (/^--?(?:eval|execute)$/.test(args[index - 1]?.text ?? '') ? text : undefined);
    return given === undefined ? [] : [...given.matchAll(LISP_SHELL)];
  });
  return scripts(expressions.map(([, plain, process]) => (plain ?? process)?.replace(/\\(.)/gs, '$1')));
}

const SED_VALUES = optionNames('e f l expression file line-length');
/** `1e make`, `/x/e make`. */
const SED_EXECUTE = /^\s{0,16}(?:[\d,$~+!]{0,16}|\/(?:[^/\\]|\\.){0,256}\/)\s{0,16}e\s+(\S.*)$/s;
const SED_SUBSTITUTE = /(?:^|[\s;{}\d$,/])s([^\w\s\\])/g;
const SED_FLAGS = /[gipIM\d]{0,8}e[gipIM\d]{0,8}(?=$|[\s;}])/y;
const SED_SCRIPT_CHARS_MAX = 4_096;

/** GNU sed's command `e` and flag `e`. */
export function innerOfSed({ args }: ShellCommand): readonly Inner[] {
  const { values, operands } = readOptions(args, { valued: SED_VALUES });
  const given = [...(values.get('e') ?? []), ...(values.get('expression') ?? [])];
  const written = (given.length > 0 ? given : operands.slice(0, 1)).map(({ text }) => text);
  const found = written.flatMap((text) => {
    if (text.length > SED_SCRIPT_CHARS_MAX || !text.includes('e')) return [];
    const executed = linesOf(text).map((line) => SED_EXECUTE.exec(line)?.[1]);
    return [...executed, ...substitutesThatRun(text)];
  });
  return scripts(found);
}

/** `s/x/make/e` runs what came of it, of which the replacement is what is known. */
function substitutesThatRun(text: string): string[] {
  const found: string[] = [];
  for (const { 0: start, 1: delimiter = '', index } of text.matchAll(SED_SUBSTITUTE)) {
    const pattern = endOfPart(text, index + start.length, delimiter);
    const replacement = endOfPart(text, pattern + 1, delimiter);
    SED_FLAGS.lastIndex = replacement + 1;
    if (replacement < text.length && SED_FLAGS.test(text))
      found.push(text.slice(pattern + 1, replacement).replaceAll(`\\${delimiter}`, delimiter));
  }
  return found;
}

function endOfPart(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === delimiter) return at;
  }
  return text.length;
}

const RECIPE = /^(?:\t|[\w.%/-]{1,128}\s{0,16}::?[^=\n;]{0,256};)\s{0,16}[-@+]{0,3}(.+)$/;

/** A makefile that is given with the call: on standard input, by `--eval`, or as a file that was just written. */
export function innerOfMake({ args, stdin }: ShellCommand): readonly Inner[] {
  const files = args.filter((_, index) => /^(?:-f|--file|--makefile)$/.test(args[index - 1]?.text ?? ''));
  const joined = args.flatMap(({ text }) => /^(?:-f|--(?:file|makefile)=)(\S.*)$/s.exec(text)?.[1] ?? []);
  const fromInput = [...files.map(({ text }) => text), ...joined].some((file) => /^(?:-|\/dev\/stdin)$/.test(file));
  const evaluated = args.flatMap(({ text }, index) => {
    const next = args[index - 1]?.text === '--eval' ? text : undefined;
    return next ?? /^--eval=(.+)$/s.exec(text)?.[1] ?? [];
  });
  const makefiles = [...(fromInput ? [stdin] : []), ...files.map((file: ShellWord) => file.content), ...evaluated];
  return scripts(makefiles.flatMap(linesOf).map((line) => RECIPE.exec(line)?.[1]));
}
