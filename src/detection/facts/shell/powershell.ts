import { commandName, type ShellCommand, type ShellWord, word } from './model.ts';
import { cmdletOf } from './powershell-aliases.ts';
import { innerScript } from './powershell-inner.ts';
import { ASSIGNMENT, type Statement, statementsOf } from './powershell-words.ts';
import { Frame, type Walk } from './state.ts';

/**
 * A basic reading of PowerShell and cmd.exe text: words, quotes, pipelines, simple variables, the usual aliases and
 * `-EncodedCommand`. No expressions are evaluated; method calls are left to the scan of inline code.
 */
export function powerShellCommands(walk: Walk, text: string, frame: Frame): void {
  walk.code.push({ language: 'powershell', code: text, via: frame.via, origin: frame.origin });
  const variables = new Map<string, string>();
  let input: number | undefined;
  // `… | ForEach-Object { Remove-Item $_ }`: what the first statement of its block is handed.
  let each: number | undefined;
  for (const statement of statementsOf(text, variables)) {
    if (walk.stopped) return;
    const words = withoutAssignment(statement.words, variables);
    if (words.length === 0) continue;
    noteEnvironment(walk, words, frame);
    const feeds = statement.piped ? input : words.some(({ text }) => EACH_ITEM.test(text)) ? each : undefined;
    const index = record(walk, words, statement, frame, feeds);
    if (index === undefined) return;
    each = walk.commands[index]?.name === 'foreach-object' && statement.piped ? index : undefined;
    input = index;
    runInner(walk, walk.commands[index] as ShellCommand, frame);
  }
}

/** The item that a block is run for. */
export const EACH_ITEM = /^\$(?:_|psitem)(?:\.|$)/i;

/**
 * Whether a command of these names, which a POSIX reading found, belongs to PowerShell or cmd.exe: then the text is to
 * be read again their way, since backslashes and braces mean something else there.
 */
export function isWindowsCommand({ name, args }: ShellCommand): boolean {
  if (WINDOWS_COMMANDS.has(name) || (name.includes('-') && CMDLET.test(name))) return true;
  // `$x = Get-Content …` has a variable where a POSIX command has its name.
  return name === '' && args[0]?.text === '=' && CMDLET.test(args[1]?.text ?? '');
}

const WINDOWS_COMMANDS: ReadonlySet<string> = new Set(
  'del erase rd rmdir format copy xcopy robocopy move cipher vssadmin diskpart iex iwr irm gci'.split(' '),
);

const CMDLET =
  /^(?:get|set|remove|new|invoke|start|stop|clear|format|copy|move|rename|out|add|import|export|test|write|read|select|where|foreach|restart|disable|enable|uninstall|initialize)-[a-z]{2,32}$/i;

/** The command of a statement: what stands behind `$x =`, and behind the call operators. */
function withoutAssignment(words: readonly ShellWord[], variables: ReadonlyMap<string, string>): readonly ShellWord[] {
  let rest = words;
  if (ASSIGNMENT.test(rest[0]?.text ?? '') && rest[1]?.text === '=') {
    rest = rest.slice(2);
    // A single word on the right is a value, unless it is a cmdlet.
    if (rest.length === 1 && !CMDLET.test(rest[0]?.text ?? '')) return [];
  }
  rest = behindKeywords(rest);
  const [first] = rest;
  if (first === undefined) return rest;
  const value = variables.get(first.text.replace(/^\$/, '').toLowerCase());
  return first.text.startsWith('$') && value !== undefined ? [word(value), ...rest.slice(1)] : rest;
}

/** Words in front of a command that only say when it runs. */
const KEYWORDS = /^(?:&|\.|@|call|do|else|return|try|then)$/i;

function behindKeywords(words: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  for (;;) {
    const first = words[at];
    if (first === undefined) return [];
    const text = /^@[a-z"]/i.test(first.text) ? first.text.slice(1) : first.text;
    if (KEYWORDS.test(text)) at++;
    else if (/^if$/i.test(text) && words.length - at > 2) at = behindCondition(words, at + 1);
    else if (text !== first.text) return [{ ...first, text }, ...words.slice(at + 1)];
    else return at === 0 ? words : words.slice(at);
  }
}

/** Index of the command behind the condition that begins at `from`: `if not exist x command`, `if "%a%"=="b" command`. */
function behindCondition(words: readonly ShellWord[], from: number): number {
  let at = from;
  while (/^(?:\/i|not)$/i.test(words[at]?.text ?? '')) at++;
  if (/^(?:exist|defined|errorlevel|cmdextversion)$/i.test(words[at]?.text ?? '')) return at + 2;
  return at + (words[at]?.text.includes('==') === true ? 1 : 3);
}

/** `$env:NAME = value`, `set NAME=value`, `setx NAME value`. */
function noteEnvironment(walk: Walk, words: readonly ShellWord[], { origin }: Frame): void {
  const [first, second, third] = words.map(({ text }) => text);
  const name = /^\$env:(\w{1,64})$/i.exec(first ?? '')?.[1];
  if (name !== undefined && second === '=') walk.noteAssignment({ name, value: third ?? '', origin });
  else if (/^set$/i.test(first ?? '')) {
    const set = /^([a-z_]\w{0,63})=(.*)$/is.exec(second ?? '');
    if (set !== null) walk.noteAssignment({ name: set[1] as string, value: set[2] as string, origin });
  } else if (/^setx$/i.test(first ?? '') && second !== undefined) {
    walk.noteAssignment({ name: second, value: third ?? '', origin });
  }
}

/** A place that is not known, and behind it a name that is. */
const NAMED = /[\\/][\w.-]{3,64}$/;

function record(
  walk: Walk,
  words: readonly ShellWord[],
  { redirects }: Statement,
  frame: Frame,
  input: number | undefined,
): number | undefined {
  const first = words[0] as ShellWord;
  const written = commandName(first.text);
  const index = walk.add({
    name: first.dynamic && !NAMED.test(first.text) ? '' : cmdletOf(written, first.text, words[1]?.text),
    args: words.slice(1),
    redirects,
    env: [],
    via: frame.via,
    input,
    stdin: undefined,
    cwd: frame.cwd,
    consumer: frame.consumer,
    dynamic: first.dynamic,
    dialect: 'powershell',
    origin: frame.origin,
  });
  const command = index === undefined ? undefined : walk.commands[index];
  if (command?.name === 'set-location' && command.args[0] !== undefined) frame.cwd = command.args[0].text;
  return index;
}

/** Scripts in scripts: `iex '…'`, `powershell -EncodedCommand …`, `cmd /c …`, `Start-Process rm -ArgumentList …`. */
function runInner(walk: Walk, command: ShellCommand, frame: Frame): void {
  const text = innerScript(command);
  if (text === undefined || !walk.mayEnter(frame) || !walk.spend(text.length)) return;
  powerShellCommands(walk, text, new Frame(frame, { origin: frame.origin, via: [...frame.via, command.name] }));
}
