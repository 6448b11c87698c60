import { decodeBase64 } from '../decode.ts';
import { commandName, type ShellCommand, type ShellWord, word } from './model.ts';
import { Frame, type Walk } from './state.ts';

/**
 * A basic reading of PowerShell and cmd.exe text: words, quotes, pipelines, simple variables, the usual aliases and
 * `-EncodedCommand`. No expressions are evaluated; method calls are left to the scan of inline code.
 */
export function powerShellCommands(walk: Walk, text: string, frame: Frame): void {
  walk.code.push({ language: 'powershell', code: text, via: frame.via, origin: frame.origin });
  const variables = new Map<string, string>();
  let input: number | undefined;
  for (const statement of tokenize(text, variables)) {
    if (walk.stopped) return;
    const words = withoutAssignment(statement.words, variables);
    if (words.length === 0) continue;
    const index = record(walk, words, frame, statement.piped ? input : undefined);
    if (index === undefined) return;
    input = index;
    runInner(walk, walk.commands[index] as ShellCommand, frame);
  }
}

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

/** Aliases, to the cmdlet they stand for. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    rm: 'remove-item',
    del: 'remove-item',
    erase: 'remove-item',
    ri: 'remove-item',
    rd: 'remove-item',
    rmdir: 'remove-item',
    gc: 'get-content',
    cat: 'get-content',
    type: 'get-content',
    iwr: 'invoke-webrequest',
    wget: 'invoke-webrequest',
    curl: 'invoke-webrequest',
    irm: 'invoke-restmethod',
    iex: 'invoke-expression',
    gci: 'get-childitem',
    ls: 'get-childitem',
    dir: 'get-childitem',
    cp: 'copy-item',
    copy: 'copy-item',
    cpi: 'copy-item',
    mv: 'move-item',
    move: 'move-item',
    mi: 'move-item',
    sc: 'set-content',
    clc: 'clear-content',
    cd: 'set-location',
    sl: 'set-location',
    saps: 'start-process',
    start: 'start-process',
    icm: 'invoke-command',
    kill: 'stop-process',
  }),
);

interface Statement {
  words: ShellWord[];
  piped: boolean;
}

/** Splits `text` into commands. One pass; `variables` holds what simple assignments have set so far. */
function tokenize(text: string, variables: Map<string, string>): Statement[] {
  const statements: Statement[] = [];
  let words: ShellWord[] = [];
  let piped = false;
  let current = '';
  let present = false;
  let dynamic = false;
  const endWord = (): void => {
    if (present) words.push({ text: current, dynamic, glob: !dynamic && /[*?]/.test(current) });
    current = '';
    present = false;
    dynamic = false;
  };
  const endStatement = (pipe: boolean): void => {
    endWord();
    if (words.length > 0) statements.push({ words, piped });
    // Assignments take effect on what follows.
    noteAssignment(words, variables);
    words = [];
    piped = pipe;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "'" || char === '"') {
      const end = closingQuote(text, at, char);
      current += unquote(text.slice(at + 1, end), char, variables);
      present = true;
      at = end;
    } else if (char === '`') {
      current += text[at + 1] ?? '';
      present = true;
      at++;
    } else if (char === '$' && /[A-Za-z_]/.test(text[at + 1] ?? '')) {
      const name = /^[\w:]{1,64}/.exec(text.slice(at + 1, at + 65))?.[0] ?? '';
      const value = variables.get(name.toLowerCase());
      current += value ?? `$${name}`;
      dynamic ||= value === undefined && !/^(?:env:|home$|pwd$|true$|false$|null$)/i.test(name);
      present = true;
      at += name.length;
    } else if (char === '#' && !present) {
      const newline = text.indexOf('\n', at);
      at = newline < 0 ? text.length : newline - 1;
    } else if (char === '|' && text[at + 1] !== '|') endStatement(true);
    else if (/[;\n\r{}()|]/.test(char) || (char === '&' && text[at + 1] === '&')) endStatement(false);
    else if (/[\s&]/.test(char)) endWord();
    else {
      current += char;
      present = true;
    }
  }
  endStatement(false);
  return statements;
}

/** Index of the quote that closes the one at `open`; a doubled quote stands for itself. The end of the text closes too. */
function closingQuote(text: string, open: number, quote: string): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '`' && quote === '"') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at;
      at++;
    }
  }
  return text.length;
}

function unquote(body: string, quote: string, variables: ReadonlyMap<string, string>): string {
  if (quote === "'") return body.replaceAll("''", "'");
  return body
    .replace(/\$(\w{1,64})/g, (whole, name: string) => variables.get(name.toLowerCase()) ?? whole)
    .replace(/`([\s\S])/g, '$1')
    .replaceAll('""', '"');
}

const ASSIGNMENT = /^\$(\w{1,64})$/;

function noteAssignment(words: readonly ShellWord[], variables: Map<string, string>): void {
  const name = ASSIGNMENT.exec(words[0]?.text ?? '')?.[1];
  if (name === undefined || words[1]?.text !== '=' || variables.size > 256) return;
  const value = words[2];
  if (words.length === 3 && value !== undefined && !value.dynamic && value.text.length <= 8_192) {
    variables.set(name.toLowerCase(), value.text);
  } else {
    variables.delete(name.toLowerCase());
  }
}

/** The command of a statement: what stands behind `$x =`, and behind the call operators. */
function withoutAssignment(words: readonly ShellWord[], variables: ReadonlyMap<string, string>): readonly ShellWord[] {
  let rest = words;
  if (ASSIGNMENT.test(rest[0]?.text ?? '') && rest[1]?.text === '=') {
    rest = rest.slice(2);
    // A single word on the right is a value, unless it is a cmdlet.
    if (rest.length === 1 && !CMDLET.test(rest[0]?.text ?? '')) return [];
  }
  while (rest[0]?.text === '&' || rest[0]?.text === '.') rest = rest.slice(1);
  const [first] = rest;
  if (first === undefined) return rest;
  const value = variables.get(first.text.replace(/^\$/, '').toLowerCase());
  return first.text.startsWith('$') && value !== undefined ? [word(value), ...rest.slice(1)] : rest;
}

function record(walk: Walk, words: readonly ShellWord[], frame: Frame, input: number | undefined): number | undefined {
  const first = words[0] as ShellWord;
  const written = commandName(first.text);
  const index = walk.add({
    name: first.dynamic ? '' : (ALIASES.get(written) ?? written),
    args: words.slice(1),
    redirects: [],
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

function innerScript(command: ShellCommand): string | undefined {
  const { args } = command;
  const words = args.map((arg) => arg.text);
  switch (command.name) {
    case 'invoke-expression':
      return words.filter((text) => !/^-command$/i.test(text)).join(' ');
    case 'powershell':
    case 'pwsh': {
      const at = words.findIndex((text) => /^[-/](?:e(?:c|n[a-z]*)?|c(?:o[a-z]*)?)$/i.test(text));
      if (at < 0) return undefined;
      const encoded = /^[-/]e/i.test(words[at] as string);
      return encoded ? decodeBase64(words[at + 1] ?? '', 'utf16le') : words.slice(at + 1).join(' ');
    }
    case 'cmd': {
      const at = words.findIndex((text) => /^\/[ckr]$/i.test(text));
      return at < 0 ? undefined : words.slice(at + 1).join(' ');
    }
    case 'start-process':
      return words
        .filter((text) => !/^-(?:filepath|argumentlist|verb|wait|nonewwindow|windowstyle)$/i.test(text))
        .join(' ');
    default:
      return undefined;
  }
}
