import { decodeBase64 } from '../decode.ts';
import { type Inner, NOTHING, posix } from './inner-model.ts';
import { type ShellCommand, type ShellWord, word } from './model.ts';

/** The commands of a crontab: what stands behind the five fields of time, or behind `@reboot`. */
export function scheduled(table: string): string {
  return table
    .split('\n')
    .map((line) => /^\s*(?:@\w+|(?:[\d*/,\-a-zA-Z]+\s+){5})\s*(.*)$/.exec(line)?.[1] ?? '')
    .join('\n');
}

const RUNNING_OPTION =
  /^--(?:checkpoint-action=exec|to-command|use-compress-program|info-script|new-volume-script|rsh|rsync-path)=(.+)$/s;

/** `ssh -o ProxyCommand=…` runs a command here, before it connects. */
export function innerOfProxy(args: readonly ShellWord[]): readonly Inner[] {
  return args.flatMap((arg) => {
    const script = /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.+)$/is.exec(arg.text)?.[1];
    return script === undefined ? [] : [posix({ ...arg, text: script })];
  });
}

/** Options by which archivers and copiers run a command of one's choice. */
export function innerOfOptions(args: readonly ShellWord[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const joined = RUNNING_OPTION.exec(arg.text)?.[1];
    const next = /^(?:-I|-F|-e|--rsh|--to-command|--use-compress-program)$/.test(arg.text)
      ? args[index + 1]
      : undefined;
    if (joined !== undefined) inner.push(posix({ ...arg, text: joined }));
    else if (next !== undefined && /\s/.test(next.text)) inner.push(posix(next));
  }
  return inner;
}

export function innerOfPowerShell(command: ShellCommand): readonly Inner[] {
  const { args } = command;
  for (let index = 0; index < args.length; index++) {
    const { text } = args[index] as ShellWord;
    const next = args[index + 1];
    const script = (value: string): Inner => ({
      kind: 'script',
      text: word(value),
      positional: undefined,
      dialect: 'powershell',
    });
    if (/^[-/]e(?:c|n[a-z]*)?$/i.test(text) && next !== undefined) {
      const decoded = decodeBase64(next.text, 'utf16le');
      return decoded === undefined ? NOTHING : [script(decoded)];
    }
    if (/^[-/]c(?:o[a-z]*)?$/i.test(text))
      return [
        script(
          args
            .slice(index + 1)
            .map((arg) => arg.text)
            .join(' '),
        ),
      ];
    if (!/^[-/]/.test(text))
      return [
        script(
          args
            .slice(index)
            .map((arg) => arg.text)
            .join(' '),
        ),
      ];
    if (/^[-/](?:ex[a-z]*|ep|w[a-z]*|v[a-z]*|f[a-z]*|inputformat|outputformat|config[a-z]*)$/i.test(text)) index++;
  }
  if (command.stdin === undefined) return NOTHING;
  return [{ kind: 'script', text: word(command.stdin), positional: undefined, dialect: 'powershell' }];
}

/** `cmd /c …`: its commands are few and their names are those that detectors know, so a shell's reading serves. */
export function innerOfCmd(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex((arg) => /^\/[ckr]$/i.test(arg.text));
  if (at < 0) return NOTHING;
  const rest = args.slice(at + 1);
  if (rest.length === 1)
    return [{ kind: 'script', text: rest[0] as ShellWord, positional: undefined, dialect: 'powershell' }];
  return [{ kind: 'argv', words: rest, feed: 'inherit' }];
}

/** An alias given on the command line: `git -c alias.x='!rm -rf /' x`. */
export function innerOfGit(args: readonly ShellWord[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    const value = arg.text === '-c' ? args[index + 1]?.text : undefined;
    const script =
      value === undefined
        ? null
        : /^(?:alias\.[^=]+=!|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath)=)([\s\S]*)$/i.exec(value);
    if (script !== null) inner.push(posix(word(script[1] as string)));
    else if (!arg.text.startsWith('-') && args[index - 1]?.text !== '-c') break;
  }
  return inner;
}
