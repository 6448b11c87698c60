import { isCommandOfNote } from './command-word.ts';
import { commandName, type ShellCommand } from './model.ts';
import { optionNames, readOptions } from './options.ts';
import type { Walk } from './state.ts';

const COPIERS = /^(?:cp|ln|link|mv|install|rsync)$/;
const PROGRAM_PLACE =
  /^(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/s?bin\/[^/]+$|^\/(?:snap|nix\/store\/[^/]+)\/bin\/[^/]+$/;
const VALUED = optionNames('m mode o owner g group S suffix backup');

/** `cp /bin/rm ./x`, `ln -s "$(which curl)" y`: from then on the program runs under another name. */
export function keepRenamed(walk: Walk, { name, args }: ShellCommand): void {
  if (!COPIERS.test(name)) return;
  const [program, target, ...more] = readOptions(args, { valued: VALUED }).operands;
  if (program === undefined || target === undefined || more.length > 0 || program.dynamic || target.dynamic) return;
  const known = commandName(program.text);
  if (PROGRAM_PLACE.test(program.text) || (program.text === known && isCommandOfNote(known)))
    walk.rename(target.text, known);
}
