import { globMatches } from '../glob.ts';
import { commandName, type ShellWord } from './model.ts';

/** A word that is nothing but a variable: if that is unset, the next word is the command. */
export const WHOLE_VARIABLE = /^\$(?:\w{1,64}|\{\w{1,64}\})$/;

/** The command name that a word stands for, or undefined where only running it tells. */
export function nameOf(first: ShellWord): string | undefined {
  if (!first.dynamic && !first.glob) return commandName(first.text);
  const name = commandName(first.text);
  if (first.glob && /[*?[]/.test(name)) return COMMANDS_OF_NOTE.find((candidate) => globMatches(name, candidate));
  const spelt = first.text.length > NAME_CHARS_MAX ? name : name.replace(NOTHING, '');
  if (spelt !== name && isCommandOfNote(spelt)) return spelt;
  // `$PREFIX/bin/rm`: the part that counts is known.
  return first.text.includes('/') && name !== '' && !/[$`(){}]/.test(name) ? name : undefined;
}

/** `r${Z}m`: what nobody has set stands amid letters only to part them. */
const NOTHING = /(?<=\w)(?:\$\{\w{1,32}\}|\$[@*])(?=\w)/g;
const NAME_CHARS_MAX = 256;

/** Whether a bare word in a program's place is surely that program. */
export function isCommandOfNote(name: string): boolean {
  return COMMANDS_OF_NOTE.includes(name);
}

/** Commands that a pattern in a command's place is held against: `/bin/r?`. */
const COMMANDS_OF_NOTE =
  'rm dd sh bash zsh dash cat nc ncat curl wget chmod chown mkfs shred python python3 perl ruby node find mv cp tar ssh scp sudo env xargs eval head tail less base64 kill reboot shutdown'.split(
    ' ',
  );
