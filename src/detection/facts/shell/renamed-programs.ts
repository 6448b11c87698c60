import { isCommandOfNote } from './command-word.ts';
import { commandName, type ShellCommand, type ShellWord } from './model.ts';
import { optionNames, readOptions } from './options.ts';
import type { Walk } from './state.ts';

const COPIERS = /^(?:cp|ln|link|mv|install|rsync)$/;
const PROGRAM_PLACE =
  /^(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/s?bin\/[^/]+$|^\/(?:snap|nix\/store\/[^/]+)\/bin\/[^/]+$/;
const VALUED = optionNames('m mode o owner g group S suffix backup');

/** `cp /bin/rm ./x`, `ln -s "$(which curl)" y`: from then on `./x` and `./y` are the program, too. */
export function keepRenamed(walk: Walk, { name, args }: ShellCommand): void {
  if (name === 'alias') return keepAliases(walk, args);
  if (!COPIERS.test(name)) return;
  const [program, target, ...more] = readOptions(args, { valued: VALUED }).operands;
  if (program === undefined || target === undefined || more.length > 0 || program.dynamic || target.dynamic) return;
  const known = commandName(program.text);
  if (PROGRAM_PLACE.test(program.text) || (program.text === known && isCommandOfNote(known)))
    walk.copy(target.text, known);
}

const ALIAS = /^([\w.-]{1,64})=([\w./-]{1,128})$/;

/** `alias x=sh`: only to a program of note, and never in the place of one, which an alias may not be in force for. */
function keepAliases(walk: Walk, args: readonly ShellWord[]): void {
  for (const { text, dynamic } of args) {
    const [, alias, program] = ALIAS.exec(text) ?? [];
    if (dynamic || alias === undefined || program === undefined || isCommandOfNote(alias)) continue;
    const known = commandName(program);
    if (isCommandOfNote(known)) walk.alias(alias, known);
  }
}
