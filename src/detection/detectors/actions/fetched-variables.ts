import type { ShellCommand, ShellFacts, ShellWord } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { named } from '../../reason.ts';
import type { Action } from './action.ts';
import { KNOWN_INSTALLERS } from './known-installers.ts';

const FETCHED = /^["']?(?:\$\(|`)\s{0,8}(?:curl|wget2?)\s/;
const VARIABLES_MAX = 16;

/** `A=$(curl …); eval "$A"`: what was fetched into a variable, and is run from there. */
export function fetchedVariables({ assignments, commands }: ShellFacts, found: Action[]): void {
  const fetched = assignments.filter(({ value }) => FETCHED.test(value)).slice(0, VARIABLES_MAX);
  if (fetched.length === 0) return;
  for (const [index, command] of commands.entries()) {
    const text = scriptOf(command, index, commands)?.text;
    const source = fetched.find(({ name }) => text === `$${name}` || text === `\${${name}}`);
    if (source === undefined) continue;
    const url = /https:\/\/[^\s"']+/.exec(source.value)?.[0] ?? '';
    found.push({
      kind: 'shell.pipe_to_shell',
      severity: KNOWN_INSTALLERS.test(url) ? 'medium' : 'high',
      confidence: 0.85,
      what: `runs what was fetched into ${named(source.name)} (${named(command.name)})`,
      origin: command.origin,
    });
  }
}

/** The word that is run as a script: behind `eval` or `-c`, or of what is written into a shell. */
function scriptOf(
  { name, args }: ShellCommand,
  index: number,
  commands: readonly ShellCommand[],
): ShellWord | undefined {
  if (name === 'eval') return args[0];
  if (name === 'echo' || name === 'printf')
    return commands.some((other) => reads(other, index)) ? args.at(-1) : undefined;
  return args[0]?.text === '-c' && runsCode(name) ? args[1] : undefined;
}

function reads({ name, args, input }: ShellCommand, index: number): boolean {
  return input === index && runsCode(name) && args.every(({ text }) => text.startsWith('-'));
}

function runsCode(name: string): boolean {
  return SHELLS.has(name) || interpreterOf(name) !== undefined;
}
