import type { Allowance } from '../cuts.ts';
import type { EventFacts } from '../facts/event-facts.ts';
import type { Origin } from '../facts/shell/model.ts';
import { NO_HIDDEN } from '../texts/fold.ts';
import type { ReadText } from '../texts/text.ts';

/** Commands, and code units of them all, whose words are looked at as the shell would pass them on. */
const COMMANDS_MAX = 256;
const COMMAND_CHARS_MAX = 65_536;

/**
 * The texts of a call that may carry something out: `texts`, those of its input, and what its shell commands would be
 * given once variables, quotes and substitutions are resolved, where that differs from how it is written.
 */
export function flowTexts(texts: readonly ReadText[], facts: EventFacts, allowance: Allowance): readonly ReadText[] {
  const { commands } = facts.shell;
  if (commands.length === 0) return texts;
  const written = new Set<string>();
  const added: ReadText[] = [];
  let room = COMMAND_CHARS_MAX;
  const add = (text: string, origin: Origin): void => {
    if (text.length < 8 || text.length > room || written.has(text)) return;
    written.add(text);
    room -= text.length;
    added.push(shellText(text, origin));
  };
  for (const command of commands.slice(0, COMMANDS_MAX)) {
    if (room <= 0) break;
    add(command.args.map(({ text }) => text).join(' '), command.origin);
    if (command.stdin !== undefined) add(command.stdin, command.origin);
  }
  const isWritten = ({ source: { place, text } }: ReadText): boolean =>
    texts.some(({ source }) => source.place === place && source.text.includes(text));
  const wanted = added.filter((text) => allowance.over('flow') || !isWritten(text));
  return wanted.length === 0 ? texts : [...texts, ...wanted];
}

/** A text that the shell puts together; evidence in it points at the whole command. */
function shellText(text: string, { place, start, end }: Origin): ReadText {
  const locate = (): { start: number; end: number } => ({ start, end });
  return {
    source: { place, key: 'command', text, source: 'tool_input' },
    readings: [{ text, encodings: [], locate }],
    hidden: NO_HIDDEN,
  };
}
