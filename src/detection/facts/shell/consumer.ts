import { nameOf } from './command-word.ts';
import { innerOf } from './inner.ts';
import type { Inner } from './inner-model.ts';
import { commandName, type Origin, type ShellCommand, type ShellWord, word } from './model.ts';
import { interpreterOf, SHELLS } from './wrappers.ts';

/** Stands for the output of a substitution. No word of a script holds it. */
const OUTPUT = '\0';
/** Words in front of the substitution that are looked at. */
const WORDS_MAX = 64;
/** Wrappers around wrappers that are followed. */
const WRAPPERS_MAX = 8;

/** Where what follows is a command of a script, and not a word of one. */
const COMMAND_PLACE =
  /(?:^|[;&|({\n])\s{0,16}(?:(?:eval|exec|sudo|command|then|do|else|(?:ba|z|da)?sh -c)\s{1,16}["']?)?$/;
/** The same of an interpreter's code. */
const CODE_PLACE = /(?:^\s{0,16}|[;\n]\s{0,16}|\b(?:exec|eval)\(["']{0,3})$/;

/**
 * The command that takes the output of a substitution as one of its words, or as its code: what stands behind wrappers,
 * by its base name. `words` are those in front of the word that holds the substitution, `before` is that word up to it.
 */
export function consumerOf(words: readonly ShellWord[], before: string): string | undefined {
  let rest = [...words.slice(0, WORDS_MAX), word(before + OUTPUT, true)];
  let wrapper: string | undefined;
  for (let depth = 0; depth < WRAPPERS_MAX; depth++) {
    const name = nameIn(rest);
    if (name === undefined) return wrapper;
    const inner = innerOf(commandOf(name, rest.slice(1)));
    const script = inner.find((one) => one.kind !== 'argv' && one.text.text.includes(OUTPUT));
    if (script !== undefined && script.kind !== 'argv') return runsOutput(script) ? runnerOf(name, script) : undefined;
    const argv = inner.find((one) => one.kind === 'argv' && one.words.some(({ text }) => text.includes(OUTPUT)));
    if (argv?.kind !== 'argv') return ownConsumer(name, rest.slice(1));
    rest = [...argv.words];
    wrapper = name;
  }
  return undefined;
}

/** The command that reads what a here-string or a redirection holds, unless a script among its words is what runs. */
export function readerOf(words: readonly ShellWord[]): string | undefined {
  const [first, ...rest] = behindWrappers(words);
  const name = first === undefined ? undefined : nameIn([first]);
  const args = rest.map(({ text }) => text);
  const takesScript = args.some((text) => /^-[a-z]{0,8}s[a-z]{0,8}$/.test(text)) && !args.includes('-c');
  if (name !== undefined && takesScript && SHELLS.has(name)) return name;
  return args.every((text) => /^(?:-|\/dev\/stdin$)/.test(text)) ? name : undefined;
}

/** The command that writes into `>(…)`. */
export function writerOf(words: readonly ShellWord[]): string | undefined {
  return nameIn(behindWrappers(words));
}

function behindWrappers(words: readonly ShellWord[]): readonly ShellWord[] {
  let rest: readonly ShellWord[] = words.slice(0, WORDS_MAX);
  for (let depth = 0; depth < WRAPPERS_MAX; depth++) {
    const name = nameIn(rest);
    if (name === undefined) break;
    const argv = innerOf(commandOf(name, rest.slice(1))).find((one) => one.kind === 'argv');
    if (argv?.kind !== 'argv') break;
    rest = argv.words;
  }
  return rest;
}

function nameIn([first]: readonly ShellWord[]): string | undefined {
  return first === undefined || first.text.includes(OUTPUT) ? undefined : (nameOf(first) ?? first.text);
}

/** A script that is an operand is what takes the words behind it, not the shell that reads it. */
function ownConsumer(name: string, args: readonly ShellWord[]): string | undefined {
  if (!SHELLS.has(name) && interpreterOf(name) === undefined) return name;
  if (args.some(({ text }) => /^-[a-zA-Z]{0,8}m$/.test(text))) return undefined;
  const operand = args.find(({ text }) => !/^[-+]./.test(text));
  if (operand === undefined || operand.text.includes(OUTPUT)) return operand?.text === OUTPUT ? name : undefined;
  return commandName(operand.text);
}

function runsOutput(script: Exclude<Inner, { kind: 'argv' }>): boolean {
  const { text } = script.text;
  const before = text.slice(0, text.indexOf(OUTPUT));
  return (script.kind === 'code' ? CODE_PLACE : COMMAND_PLACE).test(before.slice(-64));
}

function runnerOf(name: string, script: Exclude<Inner, { kind: 'argv' }>): string {
  if (SHELLS.has(name) || interpreterOf(name) !== undefined || script.kind === 'code') return name;
  return script.dialect === 'powershell' ? 'invoke-expression' : 'sh';
}

const NOWHERE: Origin = { place: { name: '', parent: undefined }, start: 0, end: 0 };

function commandOf(name: string, args: readonly ShellWord[]): ShellCommand {
  return {
    name,
    args,
    redirects: [],
    env: [],
    via: [],
    input: undefined,
    stdin: undefined,
    cwd: undefined,
    consumer: undefined,
    dynamic: false,
    dialect: 'posix',
    origin: NOWHERE,
  };
}
