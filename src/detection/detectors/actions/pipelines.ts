import type { ShellCommand } from '../../facts/shell/model.ts';

/** Programs that bring text from another machine. */
export const FETCHERS: ReadonlySet<string> = new Set(
  'curl wget wget2 fetch aria2c axel lynx links lwp-request lwp-download http https xh invoke-webrequest invoke-restmethod start-bitstransfer ftp tftp scp sftp rsync aws gsutil dig nslookup'.split(
    ' ',
  ),
);
/** Whether what `command` prints comes from another machine: of a cloud's client, not what it is set up with here. */
export function fetches({ name, args }: ShellCommand): boolean {
  return FETCHERS.has(name) && !(name === 'aws' && args[0]?.text === 'configure');
}

/** Commands of one pipeline that are followed back. */
const CHAIN_MAX = 12;

/** The commands in front of `command` in its pipeline, nearest first. */
export function sourcesOf(command: ShellCommand, commands: readonly ShellCommand[]): ShellCommand[] {
  const sources: ShellCommand[] = [];
  let at = command.input;
  while (at !== undefined && sources.length < CHAIN_MAX) {
    const source: ShellCommand | undefined = commands[at];
    if (source === undefined || sources.includes(source)) break;
    sources.push(source);
    at = source.input;
  }
  return sources;
}

/** Whether `command` turns what nobody can read into what can be run. */
export function decodes({ name, args }: ShellCommand): boolean {
  const words = args.map(({ text }) => text);
  switch (name) {
    case 'base64':
    case 'gbase64':
    case 'base32':
    case 'basenc':
      return words.some((word) => /^(?:-[a-z]*[dD][a-z]*|--decode)$/.test(word));
    case 'xxd':
      return words.some((word) => /^-[a-z]*r/.test(word));
    case 'openssl':
      return /^(?:enc|base64|aes|des)/.test(words[0] ?? '') && words.some((word) => /^-(?:d|a)$/.test(word));
    case 'uudecode':
    case 'rev':
    case 'b64decode':
      return true;
    case 'tr':
      return words.some((word) => /^[a-z0-9]{1,3}-[a-z]/i.test(word) && word.length > 4);
    case 'printf':
    case 'echo':
      return words.some((word) => /(?:\\x[0-9a-f]{2}|\\[0-7]{3}){3}/i.test(word));
    case 'gpg':
      return words.some((word) => /^(?:-d|--decrypt)$/.test(word));
    default:
      return false;
  }
}
