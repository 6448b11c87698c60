import type { FileAccess } from '../../facts/file-access.ts';
import { literalOutput } from '../../facts/shell/literal-output.ts';
import type { DetectorInput } from '../detector.ts';

/** UTF-16 code units of what is written that are looked at. */
const CONTENT_CHARS_MAX = 16_384;
/** Names under which tools take what they write. */
export const CONTENT_KEYS =
  /^(?:content|contents|newstring|newstr|newtext|filetext|text|data|body|edits|input|patch|diff|value)$/;

/** What `access` puts into the file, as far as it is known: the words or input of the command, the code that does it, or the tool's text. */
export function writtenBy(access: FileAccess, { facts }: Pick<DetectorInput, 'facts'>): string {
  const command = access.command === undefined ? undefined : facts.shell.commands[access.command];
  if (command !== undefined) {
    const source = command.input === undefined ? undefined : facts.shell.commands[command.input];
    const words = [...command.args, ...(source?.args ?? [])].map((arg) => arg.text).join(' ');
    // `printf '#!/bin/sh\ncurl …'`: lines are lines once they are written.
    const lines = command.name === 'printf' || command.name === 'echo' ? literalOutput(command) : undefined;
    return `${command.stdin ?? ''}\n${lines ?? words}`.slice(0, CONTENT_CHARS_MAX);
  }
  const script = facts.scripts.find(({ origin }) => origin === access.origin);
  if (script !== undefined) return script.code.slice(0, CONTENT_CHARS_MAX);
  return facts.parameters
    .filter(({ key }) => CONTENT_KEYS.test(key))
    .map(({ text }) => text.slice(0, CONTENT_CHARS_MAX))
    .join('\n')
    .slice(0, CONTENT_CHARS_MAX);
}
