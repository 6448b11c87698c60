import { decodeBase64 } from '../decode.ts';
import { type Inner, NOTHING, posix } from './inner-model.ts';
import { type ShellCommand, type ShellWord, word } from './model.ts';
import { powerShellScript } from './powershell-inner.ts';

/** The commands of a crontab: what stands behind the five fields of time, or behind `@reboot`. */
export function scheduled(table: string): string {
  return table
    .split('\n')
    .map((line) => /^\s*(?:@\w+|(?:[\d*/,\-a-zA-Z]+\s+){5})\s*(.*)$/.exec(line)?.[1] ?? '')
    .join('\n');
}

const RUNNING_OPTION =
  /^--(?:checkpoint-action=exec|to-command|use-compress-program|filter|info-script|new-volume-script|rsh|rsync-path)=(.+)$/s;

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
    const next = /^(?:-[a-zA-Z]{0,8}[IFe]|--rsh|--to-command|--use-compress-program)$/.test(arg.text)
      ? args[index + 1]
      : undefined;
    if (joined !== undefined) inner.push(posix({ ...arg, text: joined }));
    else if (next !== undefined && /\s/.test(next.text)) inner.push(posix(next));
  }
  return inner;
}

/** `socat - EXEC:'command'`: one end of the line is a command, in front of the options of that end. */
export function innerOfSocat(args: readonly ShellWord[]): readonly Inner[] {
  return args.flatMap((arg) => {
    const written = /^(?:exec|system|shell):(.+)$/is.exec(arg.text.slice(0, 4_096))?.[1];
    if (written === undefined) return [];
    const text = written.replace(
      /,(?:pty|stderr|setsid|setpgid|sigint|sane|ctty|fdin|fdout|nofork|raw|echo|pipes|chroot|su|su-d|login|end-close)\b.*$/s,
      '',
    );
    return [posix({ ...arg, text: text.replace(/^(["'])(.*)\1$/s, '$2').replace(/\\(.)/gs, '$1') })];
  });
}

export function innerOfPowerShell({ args, stdin }: ShellCommand): readonly Inner[] {
  const words = args.map((arg) => arg.text);
  const script = powerShellScript(words) ?? stdin;
  return script === undefined
    ? NOTHING
    : [{ kind: 'script', text: word(script), positional: undefined, dialect: 'powershell' }];
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

/** `npm pkg set scripts.postinstall="node a.js"`: what others run when they install or build it. */
export function innerOfPackageScripts(args: readonly ShellWord[]): readonly Inner[] | undefined {
  if (args[0]?.text !== 'pkg' || args[1]?.text !== 'set') return undefined;
  return args.slice(2).flatMap((arg) => {
    const script = /^scripts[.[][^=]{1,64}=([\s\S]+)$/.exec(arg.text)?.[1];
    return script === undefined ? [] : [posix({ ...arg, text: script })];
  });
}

const GIT_RUNS =
  /^(?:(?:alias\.[^=]+|credential\.(?:[^=]+\.)?helper)=!|(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass)|pager\.[^=]+|sequence\.editor|diff\.external|diff\.[^=]+\.(?:command|textconv)|(?:diff|merge)tool\.[^=]+\.cmd|filter\.[^=]+\.(?:clean|smudge|process)|interactive\.difffilter)=)([\s\S]*)$/i;
const GIT_ALIAS = /^alias\.[^=]+=([^!][\s\S]*)$/i;

/**
 * An alias given on the command line: `git -c alias.x='!rm -rf /' x`; what `git` is to run at either end of a transport; and both
 * where they are written to be used later: `git config alias.x '!rm -rf /'`.
 */
export function innerOfGit(args: readonly ShellWord[]): readonly Inner[] {
  const inner: Inner[] = [];
  for (const setting of gitSettings(args)) {
    const script = GIT_RUNS.exec(setting)?.[1];
    const own = GIT_ALIAS.exec(setting)?.[1];
    if (script !== undefined) inner.push(posix(word(script)));
    else if (own !== undefined) inner.push(posix(word(`git ${own}`)));
  }
  return [...inner, ...ranByGit(args)];
}

/** `git rebase -x cmd`, `git bisect run cmd`, `git submodule foreach cmd`, `git clone --upload-pack=cmd`. */
function ranByGit(args: readonly ShellWord[]): readonly Inner[] {
  const at = args.findIndex(({ text }) => GIT_RUNNERS.has(text));
  if (at < 0) return NOTHING;
  const [runner, ...rest] = args.slice(at) as [ShellWord, ...ShellWord[]];
  const [first] = rest;
  if (runner.text === 'bisect')
    return first?.text === 'run' ? [{ kind: 'argv', words: rest.slice(1), feed: 'inherit' }] : NOTHING;
  if (runner.text === 'submodule') {
    const words =
      first?.text === 'foreach' ? rest.slice(1).filter(({ text }) => !/^(?:--recursive|-q|--quiet)$/.test(text)) : [];
    return words.length === 0
      ? NOTHING
      : [posix(words.length === 1 ? (words[0] as ShellWord) : word(words.map(({ text }) => text).join(' ')))];
  }
  const option = GIT_RUNNERS.get(runner.text) as RegExp;
  return rest.flatMap((arg, index) => {
    const joined = /^(--[a-z-]+)=([\s\S]+)$/.exec(arg.text);
    if (joined !== null) return option.test(joined[1] as string) ? [posix({ ...arg, text: joined[2] as string })] : [];
    const next = option.test(arg.text) ? rest[index + 1] : undefined;
    return next === undefined ? [] : [posix(next)];
  });
}

/** Subcommands of `git` that run something, and their options for it. */
const GIT_RUNNERS: ReadonlyMap<string, RegExp> = new Map([
  ['rebase', /^(?:-x|--exec)$/],
  ['bisect', /^$/],
  ['submodule', /^$/],
  ['difftool', /^(?:-x|--extcmd)$/],
  ['filter-branch', /^--(?:setup|subdirectory|env|tree|index|parent|msg|commit|tag-name)-filter$/],
  ['clone', /^(?:-u|--upload-pack)$/],
  ['fetch', /^--upload-pack$/],
  ['ls-remote', /^(?:--upload-pack|--exec)$/],
  ['push', /^--(?:receive-pack|exec)$/],
  ['archive', /^--exec$/],
]);

/** `cmake -E rm -rf x`: its own names for commands of a shell, and `env` and `time` before any other. */
export function innerOfCmake(args: readonly ShellWord[]): readonly Inner[] {
  if (args[0]?.text !== '-E' || args.length < 3) return NOTHING;
  const removes = args[1]?.text === 'remove_directory' || args[1]?.text === 'remove';
  const words = removes ? [word('rm'), word('-rf'), ...args.slice(2)] : args.slice(1);
  return [{ kind: 'argv', words, feed: 'inherit' }];
}

/** `aws ec2 run-instances --user-data 'IyEvYmlu…'`: a script that starts a machine, where it is in disguise. */
export function innerOfUserData(args: readonly ShellWord[]): readonly Inner[] | undefined {
  const at = args.findIndex(({ text }) => text === '--user-data');
  const given = args[at + 1];
  if (at < 0 || given === undefined || !/^[A-Za-z0-9+/]{24,}={0,2}$/.test(given.text)) return undefined;
  const script = decodeBase64(given.text);
  return script?.startsWith('#!') ? [posix(word(script))] : undefined;
}

/** `ansible hosts -m shell -a 'script'`. */
export function innerOfAnsible(args: readonly ShellWord[]): readonly Inner[] {
  const after = (option: RegExp): ShellWord | undefined => args[args.findIndex(({ text }) => option.test(text)) + 1];
  const [module, script] = [after(/^(?:-m|--module-name)$/), after(/^(?:-a|--args)$/)];
  const isShell = /^(?:ansible\.builtin\.)?(?:shell|command|raw|script)$/.test(module?.text ?? '');
  return isShell && script !== undefined ? [posix(script)] : NOTHING;
}

/** Settings that a call gives, as `name=value`. */
function gitSettings(args: readonly ShellWord[]): string[] {
  const settings: string[] = [];
  for (const [index, { text }] of args.entries()) {
    const before = args[index - 1]?.text;
    if (before === '-c') settings.push(text);
    else if (text === 'clone') return [...settings, ...clonedWith(args.slice(index + 1))];
    else if (text === 'config') return [...settings, ...writtenSetting(args.slice(index + 1))];
    else if (!text.startsWith('-') && before !== '-C') break;
  }
  return settings;
}

/** `git clone --config name=value`, which counts from the first fetch on. */
function clonedWith(args: readonly ShellWord[]): string[] {
  return args.flatMap(({ text }, index) => {
    const before = args[index - 1]?.text ?? '';
    return /^(?:-c|--config)$/.test(before) ? [text] : text.startsWith('--config=') ? [text.slice(9)] : [];
  });
}

function writtenSetting(args: readonly ShellWord[]): string[] {
  const [name, value] = args.map(({ text }) => text).filter((text) => !text.startsWith('-') && text !== 'set');
  return name === undefined || value === undefined ? [] : [`${name}=${value}`];
}
