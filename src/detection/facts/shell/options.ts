import type { ShellWord } from './model.ts';

/** The options and operands of a command, as getopt reads them. */
export interface Options {
  /** All single-letter options, in order of appearance. */
  short: string;
  /** Long options without dashes; `--no-x` is `no-x`. Also single-dash words of programs that spell options so. */
  long: readonly string[];
  /** Values by option name: of those named in the specification, and of `--name=value`. */
  values: ReadonlyMap<string, readonly ShellWord[]>;
  operands: readonly ShellWord[];
}

export interface OptionSyntax {
  /** Names of the options that take a value: single letters and long names. */
  valued?: ReadonlySet<string>;
  /** Words with a single dash are long options: `find -name`, `terraform -auto-approve`. */
  singleDash?: boolean;
}

const NO_VALUES: ReadonlyMap<string, readonly ShellWord[]> = new Map();
const NONE: ReadonlySet<string> = new Set();

/** Reads `args`. Options may follow operands, as GNU's getopt permits; `--` ends them. */
export function readOptions(args: readonly ShellWord[], syntax: OptionSyntax = {}): Options {
  const valued = syntax.valued ?? NONE;
  let short = '';
  const long: string[] = [];
  const operands: ShellWord[] = [];
  let values: Map<string, ShellWord[]> | undefined;
  const setValue = (name: string, value: ShellWord): void => {
    values ??= new Map();
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as ShellWord;
    const { text } = arg;
    if (text.length < 2 || !text.startsWith('-')) {
      operands.push(arg);
    } else if (text === '--') {
      for (index++; index < args.length; index++) operands.push(args[index] as ShellWord);
    } else if (text.startsWith('--') || syntax.singleDash === true) {
      const body = text.replace(/^--?/, '');
      const equals = body.indexOf('=');
      const name = equals < 0 ? body : body.slice(0, equals);
      long.push(name);
      if (equals >= 0) setValue(name, { ...arg, text: body.slice(equals + 1) });
      else if (valued.has(name) && index + 1 < args.length) setValue(name, args[++index] as ShellWord);
    } else {
      for (let at = 1; at < text.length; at++) {
        const letter = text[at] as string;
        short += letter;
        if (!valued.has(letter)) continue;
        if (at + 1 < text.length) setValue(letter, { ...arg, text: text.slice(at + 1) });
        else if (index + 1 < args.length) setValue(letter, args[++index] as ShellWord);
        break;
      }
    }
  }
  return { short, long, values: values ?? NO_VALUES, operands };
}

/** Whether an option is given: any of the letters `short`, or a long one; GNU long options may be cut short. */
export function hasOption(options: Options, short: string, ...long: readonly string[]): boolean {
  for (const letter of short) if (options.short.includes(letter)) return true;
  return options.long.some((given) =>
    long.some((name) => name === given || (given.length >= 3 && name.startsWith(given))),
  );
}

/** The first value of the first of `names` that has one. */
export function optionValue(options: Options, ...names: readonly string[]): ShellWord | undefined {
  for (const name of names) {
    const value = options.values.get(name)?.[0];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A set of option names from a space-separated list. */
export function optionNames(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').filter((name) => name !== ''));
}
