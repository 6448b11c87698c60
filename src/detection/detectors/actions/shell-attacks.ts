import type { EventFacts } from '../../facts/event-facts.ts';
import { isWithin, type ShellCommand, type ShellWord } from '../../facts/shell/model.ts';
import { interpreterOf, SHELLS } from '../../facts/shell/wrappers.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns, wordsOf } from './command-signs.ts';
import { downloadExecutions } from './download-executions.ts';
import { fetchedVariables } from './fetched-variables.ts';
import { fetchesKnownInstaller, isKnownInstallation } from './known-installers.ts';
import { decodes, FETCHERS, fetches, sourcesOf } from './pipelines.ts';
import { PROXY_SIGNS } from './proxy-signs.ts';
import { SHELL_SIGNS } from './shell-signs.ts';

/** Shells for others, and code from others. */
export const shellAttacks = actionDetector({
  id: 'shell_attacks',
  version: 5,
  severity: 'high',
  title: 'Gives a shell to another machine, runs what was just fetched or unpacked, or hides what it runs.',
  kinds: ['shell.*', 'exfiltration.*', 'credential.process_memory'],
  falsePositives: ['installers that their makers publish as a script to be piped into a shell'],
  find({ facts, allowance }, found) {
    const { commands } = facts.shell;
    for (const [index, command] of commands.entries()) {
      if (!isInstallation(command)) readSigns(SHELL_SIGNS, command, found, allowance);
      readSigns(PROXY_SIGNS, command, found, allowance);
      readSocket(command, commands, found);
      if (command.input !== undefined || command.consumer !== undefined) readPipe(command, commands, found);
      if (command.dynamic) readDynamic(index, facts, found);
    }
    downloadExecutions(facts, found);
    fetchedVariables(facts.shell, found);
  },
});

/** Programs that connect two ends and nothing more. */
const SOCKETS: ReadonlySet<string> = new Set(
  'nc ncat netcat telnet socat cryptcat openssl pwncat nc.traditional'.split(' '),
);
/** Programs that write out what was copied last, by whomever. */
const CLIPBOARDS: ReadonlySet<string> = new Set(
  'pbpaste xclip xsel wl-paste get-clipboard termux-clipboard-get'.split(' '),
);

/** `powershell -c "irm https://… | iex"`, of a known installer: told by what the script in it does. */
function isInstallation(command: ShellCommand): boolean {
  return (command.name === 'powershell' || command.name === 'pwsh') && isKnownInstallation(wordsOf(command));
}

function runsItsInput(command: ShellCommand): boolean {
  if (command.name === '-' && command.via.includes('uv')) return true;
  const interpreter = interpreterOf(command.name);
  if (!SHELLS.has(command.name) && interpreter === undefined) {
    return /^(?:invoke-expression|iex|source|\.|eval|at|batch)$/.test(command.name) || readsCommands(command);
  }
  if (interpreter?.language === 'awk') return command.args.some(({ text }) => AWK_RUNS.test(text));
  const runner = command.via.at(-1) ?? '';
  if (/^g?find$/.test(runner)) return false;
  if (/^g?xargs$/.test(runner) && runsItems(command)) return true;
  const args = withoutSettings(command);
  if (SHELLS.has(command.name) && isNotRun(args)) return false;
  // A script or code among its words is what it runs instead.
  return (
    args.every(({ text }) =>
      text.startsWith('-') ? !/^-[a-z]*[ceEr]$|^--?(?:eval|exec)/.test(text) : /^(?:\/dev\/stdin|-)$/.test(text),
    ) ||
    (command.args.some(({ text }) => /^-[a-z]*s[a-z]*$|^\/dev\/stdin$|^\/dev\/fd\/0$|^-$/.test(text)) &&
      !command.args.some(({ text }) => /^-[a-z]*c$/.test(text)))
  );
}

/** The words of a shell without the settings that it is started with: `bash -euo pipefail`. */
function withoutSettings({ name, args }: ShellCommand): readonly ShellWord[] {
  if (!SHELLS.has(name)) return args;
  return args.filter(
    ({ text }, index) => !/^[-+][a-z]{0,8}[oO]$/.test(args[index - 1]?.text ?? '') && !/^[-+][a-z]{0,8}o$/.test(text),
  );
}

/** `bash -n`: a script is read, and not run. */
function isNotRun(args: readonly ShellWord[]): boolean {
  const last = args.findLast(({ text }) => /^[-+][a-zA-Z]{0,8}n[a-zA-Z]{0,8}$/.test(text));
  return last?.text.startsWith('-') === true;
}

/** `awk '{system($0)}'`, `awk '{print | "sh"}'`: the lines that come in are commands. */
const AWK_RUNS = /\bsystem\(\s{0,8}\$\d{1,3}\s{0,8}\)|\|\s{0,8}"(?:\/bin\/)?(?:ba|z|da|k)?sh"/;
/** Where an item of `xargs` stands as the whole code: the mark that it replaces, or one of `xargs -I`'s own. */
const WHOLE_ITEM = /^["']?(?:\{\}|[%@_#+]{1,4}|[A-Z]{1,16})["']?$/;

/** `xargs bash -c`, `xargs -I{} sh -c '{}'`: each item is a script. */
function runsItems({ args }: ShellCommand): boolean {
  const at = args.findIndex(({ text }) => /^-[a-z]{0,8}[ceEr]$/.test(text));
  const next = at + (args[at + 1]?.text === '--' ? 2 : 1);
  const code = at < 0 ? undefined : args[next];
  return code?.dynamic === true && WHOLE_ITEM.test(code.text);
}

/** Programs that are told to read their commands from what comes in. */
function readsCommands({ name, args }: ShellCommand): boolean {
  const words = args.map(({ text }) => text);
  switch (name) {
    case 'powershell':
    case 'pwsh':
      return (
        words.at(-1) === '-' ||
        words.every((word) => /^-(?:nologo|noprofile|noexit|noninteractive|nop|nol)$/i.test(word))
      );
    case 'parallel':
      return words.every((word, index) => word.startsWith('-') || /^-[a-zA-Z]$/.test(words[index - 1] ?? ''));
    case 'make':
    case 'gmake':
      return (
        INPUT_FILE.test(words.join(' ')) ||
        words.some((word) => /^(?:-f|--(?:make)?file=)(?:-|\/dev\/stdin)$/.test(word))
      );
    case 'gdb':
    case 'lldb':
      return INPUT_FILE.test(words.join(' '));
    default:
      return false;
  }
}

const INPUT_FILE = /(?:^| )(?:-f|--(?:make)?file|-x|-s|--command|--source)[ =](?:-|\/dev\/stdin)(?: |$)/;

/** `bash -i >& /dev/tcp/…`, and `nc … | sh | nc …`. */
function readSocket(command: ShellCommand, commands: readonly ShellCommand[], found: Action[]): void {
  const socket = command.redirects.find(({ target }) =>
    /^\/(?:dev\/(?:tcp|udp)|inet[46]?\/(?:tcp|udp))\//.test(target.text),
  );
  if (socket !== undefined) {
    const shell = isShell(command) || command.name === 'exec' || isShellIn(command, commands);
    const outward = !/^\/dev\/(?:tcp|udp)\/(?:localhost|127\.|\$)/.test(socket.target.text) || shell;
    const sends = socket.operator !== '<' && !/^(?:|:|echo|printf|true)$/.test(command.name);
    if (command.name === 'exec') {
      const obeys = outward && commands.some(({ name, dynamic }) => name === 'eval' || dynamic);
      push(found, command, 'shell.reverse_shell', 'opens a connection to another machine', obeys ? 0.88 : 0.6);
    } else if (shell && outward) {
      push(found, command, 'shell.reverse_shell', 'gives a shell to another machine', 0.92, 'critical');
    } else if (sends && outward) push(found, command, 'exfiltration.command', 'sends output to another machine', 0.75);
  }
  if (SOCKETS.has(command.name)) {
    const fed = sourcesOf(command, commands).some((source) => runsShell(source));
    if (fed)
      push(found, command, 'shell.reverse_shell', 'sends the output of a shell to another machine', 0.9, 'critical');
  }
}

function isShell({ name }: ShellCommand): boolean {
  return SHELLS.has(name) || interpreterOf(name) !== undefined;
}

/** `(sh) 0>/dev/tcp/…`: redirections of a group have no command of their own, and lie around those of the group. */
function isShellIn(group: ShellCommand, commands: readonly ShellCommand[]): boolean {
  const { start, end } = group.origin;
  return (
    group.name === '' &&
    commands.some(
      (command) =>
        runsShell(command) &&
        isWithin(command.origin, group.origin) &&
        command.origin.end - command.origin.start < end - start,
    )
  );
}

function runsShell(command: ShellCommand): boolean {
  return (
    SHELLS.has(command.name) &&
    command.args.every(({ text }) => /^-|^(?:\d|&\d)/.test(text)) &&
    !command.args.some(({ text }) => /^-[a-z]*c/.test(text))
  );
}

const COMPILERS = /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|rustc)$/;

function readPipe(command: ShellCommand, commands: readonly ShellCommand[], found: Action[]): void {
  if (command.consumer !== undefined && runsItsWords(command.consumer)) {
    readSource(command, [command, ...sourcesOf(command, commands)], commands, found);
  }
  // `curl … > >(sh)`: what the consumer writes comes in.
  const writer = FETCHERS.has(command.consumer ?? '') && command.stdin === undefined ? command.consumer : undefined;
  if (writer !== undefined && SHELLS.has(command.name) && runsItsInput(command))
    push(found, command, 'shell.pipe_to_shell', `runs what ${named(writer)} fetches`, 0.8);
  if (command.input !== undefined && COMPILERS.test(command.name) && command.args.some(({ text }) => text === '-')) {
    const fetcher = sourcesOf(command, commands).find(({ name }) => FETCHERS.has(name));
    if (fetcher !== undefined)
      push(found, command, 'shell.download_execute', `makes a program of what ${named(fetcher.name)} fetches`, 0.8);
  }
  if (command.input !== undefined && runsItsInput(command))
    readSource(command, sourcesOf(command, commands), commands, found);
}

/** Whether `name` runs what it is handed as words: what takes a substitution as a mere value is not its consumer. */
function runsItsWords(name: string): boolean {
  return (
    SHELLS.has(name) ||
    interpreterOf(name) !== undefined ||
    /^(?:eval|source|\.|trap|iex|invoke-expression)$/.test(name)
  );
}

/** `cat <(curl …) | sh`: what the last of a pipeline hands on came in by a word of it. */
function fetcherWithin(sources: readonly ShellCommand[], commands: readonly ShellCommand[]): ShellCommand | undefined {
  const passers = sources.filter(({ name }) => PASSERS.has(name));
  if (passers.length === 0) return undefined;
  return commands.find(
    ({ name, consumer, origin }) =>
      FETCHERS.has(name) && passers.some((passer) => passer.name === consumer && isWithin(origin, passer.origin)),
  );
}

const PASSERS: ReadonlySet<string> = new Set('cat tac head tail sed tr tee gunzip zcat echo printf'.split(' '));

function readSource(
  command: ShellCommand,
  sources: readonly ShellCommand[],
  commands: readonly ShellCommand[],
  found: Action[],
): void {
  const fetcher = sources.find(fetches) ?? fetcherWithin(sources, commands);
  if (fetcher !== undefined) {
    const known = fetchesKnownInstaller(fetcher.args.map(({ text }) => text));
    push(
      found,
      command,
      'shell.pipe_to_shell',
      `runs what ${named(fetcher.name)} fetches`,
      0.88,
      known ? 'medium' : 'high',
    );
  }
  const socket = sources.find(
    (source) => SOCKETS.has(source.name) && !(source.name === 'openssl' && source.args[0]?.text !== 's_client'),
  );
  if (socket !== undefined) {
    push(found, command, 'shell.reverse_shell', `runs what comes in by ${named(socket.name)}`, 0.92, 'critical');
  }
  const clipboard = sources.find(({ name }) => CLIPBOARDS.has(name));
  if (clipboard !== undefined)
    push(found, command, 'shell.pipe_to_shell', `runs what is in the clipboard (${named(clipboard.name)})`, 0.8);
  const decoder = sources.find(decodes);
  if (decoder !== undefined) push(found, command, 'shell.obfuscated', `runs what ${named(decoder.name)} unpacks`, 0.85);
  if (
    fetcher === undefined &&
    socket === undefined &&
    decoder === undefined &&
    command.stdin === undefined &&
    command.consumer === undefined
  ) {
    push(found, command, 'shell.pipe_to_shell', 'runs what another command writes', 0.5, 'low');
  }
}

/** A command word that is put together while it runs. A plain variable or path is how scripts are written. */
function readDynamic(index: number, facts: EventFacts, found: Action[]): void {
  const command = facts.shell.commands[index];
  if (command === undefined) return;
  const clipboard = facts.shell.commands[index - 1];
  if (
    clipboard !== undefined &&
    CLIPBOARDS.has(clipboard.name) &&
    clipboard.consumer === '' &&
    command.args.length === 0
  )
    push(found, command, 'shell.pipe_to_shell', `runs what is in the clipboard (${named(clipboard.name)})`, 0.8);
  push(
    found,
    command,
    'shell.dynamic_command',
    'runs a command whose name is only known when it runs',
    0.4,
    'informational',
  );
}

function push(
  found: Action[],
  command: ShellCommand,
  kind: string,
  what: string,
  confidence: number,
  severity?: Action['severity'],
): void {
  const action = { kind, what: `${what} (${named(command.name)})`, confidence, origin: command.origin };
  found.push(severity === undefined ? action : { ...action, severity });
}
