import { decodeBackslashes, decodeBase64, decodeHex } from '../decode.ts';
import type { ShellCommand, ShellWord } from './model.ts';
import { hasOption, optionNames, optionValue, readOptions } from './options.ts';

const OUTPUT_CHARS_MAX = 65_536;

/**
 * What `command` writes to standard output, where that follows from its words and its literal input alone: the means
 * by which scripts hide others (`echo … | base64 -d | sh`). Undefined where it does not follow.
 */
export function literalOutput(command: ShellCommand): string | undefined {
  const output = outputOf(command);
  return output === undefined || output.length > OUTPUT_CHARS_MAX ? undefined : output;
}

function outputOf(command: ShellCommand): string | undefined {
  const { name, args, stdin } = command;
  switch (name) {
    case 'echo':
    case 'printf':
    case 'print':
      return args.some((arg) => arg.dynamic) ? undefined : name === 'printf' ? printf(args) : echo(args);
    case 'pwd':
      return command.cwd ?? '.';
    case 'command':
    case 'which':
    case 'type':
      return located(name, args);
    case 'basename':
    case 'dirname':
    case 'realpath':
    case 'readlink':
      return pathOf(name, args);
    case 'printenv':
      return args.length === 1 && args[0]?.text === 'HOME' ? '~' : undefined;
    case 'yes':
      return undefined;
    default:
      return stdin === undefined ? undefined : filtered(name, args, stdin);
  }
}

function echo(args: readonly ShellWord[]): string {
  let index = 0;
  let escapes = false;
  let newline = true;
  for (; index < args.length && /^-[neE]+$/.test((args[index] as ShellWord).text); index++) {
    const flags = (args[index] as ShellWord).text;
    escapes = flags.includes('e') && !flags.includes('E');
    newline &&= !flags.includes('n');
  }
  const text = args
    .slice(index)
    .map((arg) => arg.text)
    .join(' ');
  return (escapes ? decodeBackslashes(text) : text) + (newline ? '\n' : '');
}

/** The conversions that matter for hiding text; others end the attempt. */
function printf(args: readonly ShellWord[]): string | undefined {
  const format = args[0]?.text === '--' ? args[1] : args[0];
  if (format === undefined || format.text === '-v') return undefined;
  const values = args.slice(args.indexOf(format) + 1).map((arg) => arg.text);
  let out = '';
  do {
    const before = values.length;
    const pass = printfOnce(format.text, values);
    if (pass === undefined) return undefined;
    out += pass;
    if (values.length === before) break;
  } while (values.length > 0 && out.length < OUTPUT_CHARS_MAX);
  return out;
}

function printfOnce(format: string, values: string[]): string | undefined {
  let supported = true;
  const text = decodeBackslashes(format).replace(/%(%|[-0-9.]*[a-zA-Z])/g, (whole, conversion: string) => {
    if (conversion === '%') return '%';
    const value = values.shift() ?? '';
    if (conversion === 's') return value;
    if (conversion === 'b') return decodeBackslashes(value);
    if (conversion === 'c') return value.slice(0, 1);
    if (conversion === 'd' || conversion === 'i') return String(Number.parseInt(value, 10) || 0);
    supported = false;
    return whole;
  });
  return supported ? text : undefined;
}

/** `command -v rm`, `which rm`: the name itself will do for a path. */
function located(name: string, args: readonly ShellWord[]): string | undefined {
  const operand = args.find((arg) => !arg.text.startsWith('-'));
  if (operand === undefined || operand.dynamic) return undefined;
  if (name !== 'which' && !args.some((arg) => /^-[vpP]$/.test(arg.text))) return undefined;
  return operand.text;
}

/** What is made of one path that is known: `$(realpath ~)`, `$(basename /bin/rm)`. */
function pathOf(name: string, args: readonly ShellWord[]): string | undefined {
  if (args.some((arg) => arg.dynamic || arg.glob)) return undefined;
  const [path, suffix, ...others] = args.flatMap(({ text }) => (text.startsWith('-') ? [] : [text]));
  if (path === undefined || others.length > 0 || (suffix !== undefined && name !== 'basename')) return undefined;
  const whole = path.length > 1 ? path.replace(/\/$/, '') : path;
  const slash = whole.lastIndexOf('/');
  if (name === 'dirname') return slash < 0 ? '.' : slash === 0 ? '/' : whole.slice(0, slash);
  if (name !== 'basename') return whole;
  const last = whole === '/' ? whole : whole.slice(slash + 1);
  return suffix !== undefined && last !== suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last;
}

function filtered(name: string, args: readonly ShellWord[], stdin: string): string | undefined {
  switch (name) {
    case 'cat':
    case 'tee':
    case 'sort':
    case 'uniq':
    case 'buffer':
    case 'pv':
    case 'dd':
      return args.some((arg) => !arg.text.startsWith('-') && name === 'cat') ? undefined : stdin;
    case 'base64':
    case 'gbase64':
      return hasOption(readOptions(args), 'dD', 'decode') ? decodeBase64(stdin) : encodeBase64(args, stdin);
    case 'openssl':
      return openssl(args, stdin);
    case 'xxd':
      return hasOption(readOptions(args), 'r') ? decodeHex(stdin) : undefined;
    case 'rev':
      return stdin
        .split('\n')
        .map((line) => [...line].reverse().join(''))
        .join('\n');
    case 'tac':
      return stdin.split('\n').reverse().join('\n');
    case 'tr':
      return translate(args, stdin);
    case 'sed':
      return substitute(args, stdin);
    case 'head':
    case 'tail':
      return args.length === 0 ? stdin : undefined;
    default:
      return undefined;
  }
}

function encodeBase64(args: readonly ShellWord[], stdin: string): string | undefined {
  return args.length === 0 ? `${Buffer.from(stdin).toString('base64')}\n` : undefined;
}

function openssl(args: readonly ShellWord[], stdin: string): string | undefined {
  const words = args.map((arg) => arg.text);
  const decodes =
    words.includes('-d') && (words.includes('base64') || words.includes('-base64') || words.includes('-a'));
  return decodes ? decodeBase64(stdin) : undefined;
}

function translate(args: readonly ShellWord[], stdin: string): string | undefined {
  const options = readOptions(args);
  const [from, to] = options.operands;
  if (from === undefined || from.dynamic || to?.dynamic === true) return undefined;
  const set = expandSet(from.text);
  if (set === undefined) return undefined;
  if (hasOption(options, 'd', 'delete')) {
    const deleted = new Set(set);
    return [...stdin].filter((char) => !deleted.has(char)).join('');
  }
  const target = to === undefined ? undefined : expandSet(to.text);
  if (target === undefined || target.length === 0) return undefined;
  const last = target.at(-1) as string;
  const table = new Map(set.map((char, index) => [char, target[index] ?? last]));
  return [...stdin].map((char) => table.get(char) ?? char).join('');
}

const CLASSES: Readonly<Record<string, string>> = {
  '[:lower:]': 'a-z',
  '[:upper:]': 'A-Z',
  '[:digit:]': '0-9',
  '[:space:]': ' \t\n\r\v\f',
  '[:alpha:]': 'A-Za-z',
};

/** The characters of a `tr` set, ranges and classes spelt out. */
function expandSet(written: string): string[] | undefined {
  let text = decodeBackslashes(written);
  for (const [name, range] of Object.entries(CLASSES)) text = text.replaceAll(name, range);
  if (text.includes('[:') || text.length > 256) return undefined;
  const chars = [...text];
  const set: string[] = [];
  for (let index = 0; index < chars.length; index++) {
    const low = chars[index] as string;
    const high = chars[index + 1] === '-' ? chars[index + 2] : undefined;
    if (high === undefined) {
      set.push(low);
      continue;
    }
    const [from, to] = [low.codePointAt(0) as number, high.codePointAt(0) as number];
    if (to < from || to - from > 256) return undefined;
    for (let point = from; point <= to; point++) set.push(String.fromCodePoint(point));
    index += 2;
  }
  return set;
}

const SED_VALUES = optionNames('e expression');

/** `s/literal/literal/`, the only script that is followed. */
function substitute(args: readonly ShellWord[], stdin: string): string | undefined {
  const options = readOptions(args, { valued: SED_VALUES });
  const script = optionValue(options, 'e', 'expression') ?? options.operands[0];
  if (script === undefined || script.dynamic || options.operands.length > 1) return undefined;
  const match = /^s([/|,#:@!])([\s\S]*)$/.exec(script.text.trim());
  if (match === null) return undefined;
  const [pattern, replacement, flags, ...rest] = (match[2] as string).split(match[1] as string);
  if (pattern === undefined || replacement === undefined || flags === undefined || rest.length > 0) return undefined;
  if (pattern === '' || /[\\^$*.[\]&]/.test(pattern) || /[\\&]/.test(replacement)) return undefined;
  return stdin
    .split('\n')
    .map((line) =>
      flags.includes('g') ? line.replaceAll(pattern, () => replacement) : line.replace(pattern, () => replacement),
    )
    .join('\n');
}
