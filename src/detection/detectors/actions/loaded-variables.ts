import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { isWithin, type ShellCommand } from '../../facts/shell/model.ts';

/**
 * Whether what reads a file of variables only keeps them for what it does itself: `PW=$(grep ^PW= .env | cut -d= -f2); mysql -p"$PW"`, and
 * code that loads the file and hands single values to its clients. Who prints or sends what was read shows it.
 */
export function isOnlyLoaded(access: FileAccess, facts: EventFacts): boolean {
  return access.command === undefined ? isKeptByCode(access, facts) : isKeptInVariable(access.command, facts);
}

/** What shows its words, writes them down, or hands them to another machine. */
const SHOWS =
  /^(?:echo|printf|print|cat|tee|env|printenv|set|export|declare|logger|write-host|write-output|curl|wget|http|https|nc|ncat|netcat|socat|telnet|ssh|scp|sftp|rsync|ftp|openssl|mail|sendmail|gh|aws|gsutil|rclone|python\d?|node|bun|deno|perl|ruby|php)$/;

function isKeptInVariable(index: number, { shell, hosts }: EventFacts): boolean {
  const command = shell.commands[index] as ShellCommand;
  const kept = shell.assignments.filter(
    ({ origin }) =>
      isWithin(command.origin, origin) && origin.end - origin.start > command.origin.end - command.origin.start,
  );
  if (kept.length !== 1) return false;
  const name = (kept[0] as { name: string }).name;
  const mentions = new RegExp(`\\$\\{?${name}\\b`);
  const isOutside = (at: number): boolean =>
    hosts.some(({ command: by, host }) => by === at && host.class === 'public');
  return !shell.commands.some(
    (other, at) =>
      (SHOWS.test(other.name) || isOutside(at)) &&
      [...other.args.map(({ text }) => text), other.stdin ?? ''].some((text) => mentions.test(text)),
  );
}

/** Code units of a script that are read for this. */
const CODE_CHARS_MAX = 16_384;
const READ =
  /(?:const|let|var|\$)?\s{0,4}([A-Za-z_]\w{0,48})\s{0,4}(?::\s{0,4}\w{1,32}\s{0,4})?=(?!=)[^;\n]{0,240}?(?:readFile(?:Sync)?|open|read_text|Deno\.readTextFile\w{0,8}|Bun\.file)\s{0,4}\(/g;
/** What is made of the text as a whole: its lines, its variables. */
const TAKEN = String.raw`(?:const|let|var)?\s{0,4}([A-Za-z_]\w{0,48})\s{0,4}=(?!=)\s{0,4}(?:[\w.]{1,32}\(\s{0,4}){0,3}(?:\.\.\.)?`;
const ROUNDS_MAX = 3;
const NAMES_MAX = 16;

/** Calls that print, write or send what they are given. */
const SHOWN_BY =
  'console\\.\\w{1,12}|log(?:ger|ging)?\\.\\w{1,12}|print|pprint|puts|echo|write|writeFile(?:Sync)?|appendFile(?:Sync)?|stringify|display|' +
  'fetch|axios|urlopen|(?:requests|axios|http|https|urllib|httpx)\\.[\\w.]{1,24}|post|put|send|request|end|exec(?:Sync)?|spawn(?:Sync)?|system|run|eval|' +
  'Error|Exception|exit|quit|die|reject';

/** Whether a script keeps what it reads in variables, of which it shows none: neither whole nor a value of. */
function isKeptByCode(access: FileAccess, { scripts, shell }: EventFacts): boolean {
  const script = scripts.find(({ origin }) => origin === access.origin || isWithin(access.origin, origin));
  if (script === undefined || script.code.length > CODE_CHARS_MAX || shell.commands.some(printsLast)) return false;
  const { code } = script;
  const names = new Set([...code.matchAll(READ)].map(([, name]) => name as string));
  if (names.size === 0) return false;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    for (const name of [...names].slice(0, NAMES_MAX))
      for (const [, made] of code.matchAll(new RegExp(`${TAKEN}${name}\\b`, 'g'))) names.add(made as string);
  }
  const any = [...names].slice(0, NAMES_MAX).join('|');
  const shown = new RegExp(
    `(?:${SHOWN_BY})\\s{0,4}\\([^;\\n]{0,400}?\\b(?:${any})\\b|\\$\\{(?:${any})\\b|\\b(?:throw|raise)\\b[^;\\n]{0,200}\\b(?:${any})\\b`,
  );
  // What a console shows of itself: the value of the last line.
  const last = new RegExp(`(?:^|[;\\n])\\s{0,16}(?:${any})\\b[^=(;\\n]{0,200}$`);
  return !shown.test(code) && !last.test(code.trimEnd());
}

/** `node -p`: prints what the code comes to. */
function printsLast({ name, args }: ShellCommand): boolean {
  return (
    /^(?:node|bun|deno|ruby|perl)$/.test(name) && args.some(({ text }) => /^-{1,2}\w{0,4}p(?:e|rint)?$/.test(text))
  );
}
