import type { ShellCommand, ShellWord } from './model.ts';
import { type Output, stdinOf, type Walk } from './state.ts';

/** Operands that name files which the script has written before are marked with what it wrote. */
export function withContent(walk: Walk, args: readonly ShellWord[]): readonly ShellWord[] {
  if (walk.files.size === 0) return args;
  return args.map((arg) => {
    const content = arg.content ?? (arg.dynamic ? undefined : walk.written(arg.text));
    return content === undefined ? arg : { ...arg, content };
  });
}

/** A script that was written earlier and is run now: `./x.sh`, `. x.sh`. Shells take theirs as an operand. */
export function writtenScript(walk: Walk, command: ShellCommand, first: ShellWord): string | undefined {
  if (command.name !== '.' && command.name !== 'source') return walk.written(first.text);
  const [operand] = command.args;
  return operand?.text === '/dev/stdin' ? command.stdin : operand?.content;
}

/** Keeps what a command writes into files, for commands that run them later. */
export function keepWritten(walk: Walk, command: ShellCommand, output: Output | undefined): void {
  if (command.name === 'tee' && command.stdin !== undefined) rememberOperands(walk, command);
  const text = stdinOf(output);
  if (text === undefined) return;
  for (const redirect of command.redirects) {
    if (!redirect.operator.includes('>') || redirect.target.dynamic) continue;
    const before = redirect.operator === '>>' ? (walk.written(redirect.target.text) ?? '') : '';
    walk.remember(redirect.target.text, before + text);
  }
}

function rememberOperands(walk: Walk, command: ShellCommand): void {
  for (const arg of command.args) {
    if (!arg.text.startsWith('-') && !arg.dynamic) walk.remember(arg.text, command.stdin as string);
  }
}
