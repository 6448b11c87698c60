import type { AgentEvent } from '../../domain/event.ts';
import type { Allowance } from '../cuts.ts';
import type { Limits } from '../limits.ts';
import { type CodeCall, codeCalls } from './code.ts';
import { mappedStatements, opensScratchOnly } from './code-databases.ts';
import { codeLanguage, languageNamed, mayBeCommand } from './code-language.ts';
import { type CodeFact, type EventFacts, NO_FACTS, type Parameter } from './event-facts.ts';
import { accessesOfCommand, type FileAccess, TAKES_AWAY } from './file-access.ts';
import { mayBePatch, operationOf, takesWhole } from './file-tools.ts';
import { filesOfPatch } from './files/patches.ts';
import type { FileOperation } from './files/touched.ts';
import { hostFact, hostsOfUrl, shortenedUrl, urlsIn } from './hosts.ts';
import { INPUT_PLACE, type InputString, inputStrings, namesOf, TOOL_NAME_PLACE } from './input.ts';
import { roleOf } from './input-roles.ts';
import { namedOperation } from './named-operations.ts';
import { accessesOfNetCommand, type NetAccess } from './net-access.ts';
import { endpoint } from './net-contacts.ts';
import { canonicalPath } from './paths.ts';
import type { InlineCode, Origin, ShellCommand } from './shell/model.ts';
import { type ShellInput, shellFacts } from './shell.ts';
import { shellInputsOf, typesOnScreen } from './shell-inputs.ts';
import { accessesOfStatements } from './sql/accesses.ts';
import { statementTexts, worksInMemory, worksOnScratch } from './sql/clients.ts';
import { SqlStatements } from './sql/statements.ts';
import { classifyTool, shapeOf, type ToolFacts, type ToolTaxonomy, verbOf, wordsOf } from './tools.ts';
import { fromGiven, fromLeft, namedDirectory, namesShell, namesWorkDirectory } from './work-directory.ts';

/** What facts rest on beside the event. */
export interface FactsContext {
  /** The tools that a tenant names itself. */
  tools?: ToolTaxonomy | undefined;
  /** The directory that the session's shell was left in. */
  cwd?: string | undefined;
}

/** The facts of `event`. Stops where the allowance ends, which the allowance then says. */
export function eventFacts(
  event: AgentEvent,
  limits: Limits,
  allowance: Allowance,
  { tools, cwd }: FactsContext = {},
): EventFacts {
  if (event.event_type !== 'tool_invocation' && event.event_type !== 'tool_result') return NO_FACTS;
  const { name, input } = event.tool;
  const names = namesOf(input, limits);
  const tool = classifyTool(name, shapeOf(input, names, limits), verbOf(input), tools?.(name));
  const gathering = new Gathering(tool, names, limits, allowance);
  const reading = { root: INPUT_PLACE, limits, allowance, names, readsJson: true };
  for (const string of inputStrings(input, reading)) gathering.take(string);
  gathering.takeName(input);
  return gathering.finish(cwd);
}

/** What runs a command where it stands. */
const SAME_PLACE: ReadonlySet<string> = new Set(
  'sudo doas env nohup time nice xargs find command exec eval bash sh zsh dash'.split(' '),
);

/** Sorts the strings of a tool's input by what they mean to the tool, and reads each accordingly. */
class Gathering {
  readonly #tool: ToolFacts;
  readonly #names: readonly string[];
  readonly #limits: Limits;
  readonly #allowance: Allowance;
  readonly #shellInputs: ShellInput[] = [];
  readonly #code: InlineCode[] = [];
  readonly #codeFacts: CodeFact[] = [];
  readonly #files: FileAccess[] = [];
  readonly #hosts: NetAccess[] = [];
  readonly #sql: SqlStatements;
  readonly #parameters: Parameter[] = [];
  readonly #scripts: InlineCode[] = [];
  readonly #words: ReadonlySet<string>;
  /** The directory that an earlier call left the shell in. */
  #leftIn: string | undefined;

  constructor(tool: ToolFacts, names: readonly string[], limits: Limits, allowance: Allowance) {
    this.#tool = tool;
    this.#names = names;
    this.#limits = limits;
    this.#allowance = allowance;
    this.#sql = new SqlStatements(limits, allowance);
    this.#words = wordsOf(tool.name);
  }

  take(string: InputString): void {
    this.#read(string);
    this.#keepBounds();
  }

  #read(string: InputString): void {
    const role = roleOf(string, this.#tool);
    const { key, text, place, isWritten } = string;
    this.#parameters.push({ key, text, role, place, isWritten });
    if (mayBePatch(this.#words, string.key)) this.#takePatch(string.text, whole(string));
    if (typesOnScreen(this.#tool, this.#words, string)) return this.#takeCommand(string);
    switch (role) {
      case 'command':
        return this.#takeCommand(string);
      case 'code':
        return this.#takeCode(string);
      case 'path':
        return this.#takePath(string);
      case 'url':
      case 'host':
        return this.#takeUrl(string, role);
      case 'sql':
        for (const statement of mappedStatements(string.text)) this.#sql.read(statement, whole(string));
        return this.#sql.read(string.text, whole(string), worksInMemory(this.#tool.name, string));
      case 'text':
        return;
    }
  }

  /** What the tool is called says what it does, where that is a program and its verb. */
  takeName(input: object): void {
    const words = this.#tool.kind === 'shell' ? undefined : namedOperation(this.#tool.name, input, this.#names);
    if (words === undefined) return;
    this.#shellInputs.push({
      place: TOOL_NAME_PLACE,
      words,
      origin: { place: TOOL_NAME_PLACE, start: 0, end: this.#tool.name.length },
    });
  }

  #takeCode(string: InputString): void {
    const { owner, place, text } = string;
    const origin = whole(string);
    const language = codeLanguage(owner, text) ?? languageNamed(this.#words, text);
    if (language === 'sql') this.#sql.read(text, origin);
    const asCommand =
      language === 'shell' || language === 'powershell' || (language === undefined && mayBeCommand(text));
    if (asCommand) {
      this.#shellInputs.push({ place, text, origin, powerShell: language === 'powershell' ? 'too' : 'if_like' });
    }
    // Whatever it is called, it is read as code, too: that costs little, and may be what the tool takes it for.
    this.#code.push({
      language: typeof language === 'object' ? language.called : 'unknown',
      code: text,
      via: [this.#tool.name],
      origin,
    });
  }

  #takeCommand(string: InputString): void {
    this.#shellInputs.push(...shellInputsOf(string, this.#tool, this.#limits));
  }

  readonly #pathWithin = (path: string): string => {
    const { pathCharsMax } = this.#limits;
    if (path.length <= pathCharsMax) return path;
    this.#allowance.cut('path', `chars ${pathCharsMax}`);
    return path.slice(0, pathCharsMax);
  };

  #takePath(string: InputString): void {
    const { text } = string;
    if (/^[a-z][a-z0-9+.-]{1,31}:\/\//i.test(text) && !/^file:/i.test(text)) return this.#takeUrl(string, 'url');
    const path = this.#pathWithin(text);
    if (text.includes('\n') && this.#tool.kind !== 'file_read') return;
    this.#files.push({
      operation: operationOf(this.#tool, this.#words, string.key),
      path: canonicalPath(path),
      glob: false,
      recursive: takesWhole(this.#tool, this.#words),
      by: this.#tool.name,
      command: undefined,
      origin: whole(string),
    });
  }

  #takePatch(text: string, origin: Origin): void {
    const { filesMax } = this.#limits;
    // One more than there is room for, so that the rest is missed and said to be cut.
    for (const { operation, path } of filesOfPatch(text, filesMax + 1)) {
      const touched = { glob: false, recursive: false, by: this.#tool.name, command: undefined, origin };
      this.#files.push({ operation, path: canonicalPath(this.#pathWithin(path)), ...touched });
    }
  }

  #takeUrl(string: InputString, role: 'url' | 'host'): void {
    const { urlCharsMax, hostsMax } = this.#limits;
    const text = string.text.trim();
    if (/^(?:file|netdoc):/i.test(text)) return this.#takePath({ ...string, text: text.replace(/^netdoc:/i, 'file:') });
    if (text.length > urlCharsMax) this.#allowance.cut('url', `chars ${urlCharsMax}`);
    const single = role === 'url' && !/\s/.test(text.slice(0, urlCharsMax));
    const found = single ? hostsOfUrl(shortenedUrl(text, urlCharsMax)) : [];
    if (role === 'host' && !text.includes('://')) {
      const fact = hostFact(text.replace(/:\d+$/, ''));
      if (fact !== undefined) found.push({ scheme: undefined, port: undefined, path: '', ...fact });
    } else if (!single) {
      for (const { url } of urlsIn(text, hostsMax, urlCharsMax)) found.push(...hostsOfUrl(url));
    }
    for (const host of found) {
      this.#hosts.push({ host, method: undefined, by: this.#tool.name, command: undefined, origin: whole(string) });
    }
  }

  finish(leftIn: string | undefined): EventFacts {
    const given = this.#parameters.find(({ key }) => namesWorkDirectory(key));
    const cwd = given === undefined ? undefined : namedDirectory(given.text);
    if (cwd !== undefined && this.#tool.kind.startsWith('file_')) this.#place(cwd, 0, fromGiven);
    const shell = shellFacts(this.#shellInputs, this.#limits, this.#allowance, cwd);
    if (given === undefined && !this.#parameters.some(({ key }) => namesShell(key))) this.#leftIn = leftIn;
    const commands = [...shell.commands];
    let code: readonly InlineCode[] = [...shell.code, ...this.#code];
    for (let round = 0; code.length > 0 && round < CODE_ROUNDS_MAX; round++) code = this.#readRound(code, commands);
    if (code.length > 0) this.#allowance.cut('code', `depth ${CODE_ROUNDS_MAX}`);
    for (const [index, command] of commands.entries()) {
      if ((index & 63) === 63 && this.#allowance.over('facts')) break;
      this.#readCommand(command, index);
      this.#keepBounds();
    }
    accessesOfStatements(this.#sql.found, this.#tool.name, this.#limits, { hosts: this.#hosts, files: this.#files });
    return {
      tool: this.#tool,
      inputNames: this.#names,
      parameters: this.#parameters,
      shell: commands.length === shell.commands.length ? shell : { ...shell, commands },
      scripts: this.#scripts,
      code: this.#codeFacts,
      files: this.#files,
      hosts: this.#hosts,
      sql: this.#sql.found,
    };
  }

  /** Reads `code` and the commands that it starts, which are added to `commands`. Returns code found in those. */
  #readRound(code: readonly InlineCode[], commands: ShellCommand[]): readonly InlineCode[] {
    const started: ShellInput[] = [];
    for (const item of code) {
      if (this.#allowance.over('code')) return [];
      this.#scripts.push(item);
      for (const fact of this.#readCode(item)) started.push(...startedBy(fact, item));
    }
    const inner = shellFacts(started, this.#limits, this.#allowance);
    const base = commands.length;
    for (const command of inner.commands) {
      commands.push(command.input === undefined ? command : { ...command, input: command.input + base });
    }
    return inner.code;
  }

  /** Leaves out files and hosts for which there is no room, and says so. A full list ends the reading of nothing else. */
  #keepBounds(): void {
    this.#keepBound('files', this.#files, this.#limits.filesMax);
    this.#keepBound('hosts', this.#hosts, this.#limits.hostsMax);
  }

  #keepBound(what: string, list: unknown[], max: number): void {
    if (list.length <= max) return;
    list.length = max;
    this.#allowance.cut(what, `count ${max}`);
  }

  #readCommand(whole: ShellCommand, index: number): void {
    const { wordsMax } = this.#limits;
    const isCut = whole.args.length > wordsMax;
    // What is read or printed may be a long list; of what is deleted, any word may be all there is.
    if (isCut) this.#allowance.cut(TAKES_AWAY.has(whole.name) ? 'deletion' : 'command', `words ${wordsMax}`);
    const command = isCut ? { ...whole, args: whole.args.slice(0, wordsMax) } : whole;
    const before = this.#files.length;
    accessesOfCommand(command, index, this.#pathWithin, this.#files);
    if (this.#leftIn !== undefined && command.via.every((name) => SAME_PLACE.has(name)))
      this.#place(this.#leftIn, before, fromLeft);
    accessesOfNetCommand(command, index, this.#limits, this.#hosts);
    for (const text of statementTexts(command)) this.#sql.read(text, command.origin, worksOnScratch(command));
    if (command.name === 'apply_patch')
      for (const text of [command.args[0]?.text, command.stdin])
        if (text !== undefined) this.#takePatch(text, command.origin);
  }

  /** Reads the paths of the files from index `from` on from `directory`, as far as `read` knows where they lead. */
  #place(directory: string, from: number, read: typeof fromLeft): void {
    for (let at = from; at < this.#files.length; at++) {
      const access = this.#files[at] as FileAccess;
      const path = read(directory, access.path);
      if (path !== undefined) this.#files[at] = { ...access, path };
    }
  }

  #readCode(code: InlineCode): CodeFact[] {
    const { codeCharsMax, tailCharsMax } = this.#limits;
    const text = code.code;
    if (text.length > codeCharsMax) this.#allowance.cut('code', `chars ${codeCharsMax}`);
    const head = this.#readPiece(text.slice(0, codeCharsMax), code);
    if (text.length <= codeCharsMax && !head.isCut) return head.facts;
    // Neither much text nor many calls in front hide what stands at the end.
    return [...head.facts, ...this.#readPiece(text.slice(text.length - tailCharsMax), code).facts];
  }

  #readPiece(text: string, { language, origin }: InlineCode): { facts: CodeFact[]; isCut: boolean } {
    const { codeCallsMax, hostsMax, urlCharsMax } = this.#limits;
    let isCut = false;
    const cut = () => {
      isCut = true;
      this.#allowance.cut('code', `calls ${codeCallsMax}`);
    };
    const read = codeCalls(text, { max: codeCallsMax, cut });
    const quotes = QUOTES_BY_BACKTICKS.test(language) && !OTHER_CELL.test(text);
    const calls = quotes ? read.filter(({ callee }) => callee !== '`') : read;
    const facts = calls.map((call) => ({ language, origin, ...call }));
    const isScratch = facts.some(({ action }) => action === 'query') && opensScratchOnly(text);
    for (const fact of facts) this.#addCall(fact, isScratch);
    for (const { url } of urlsIn(text, hostsMax, urlCharsMax)) {
      for (const host of hostsOfUrl(url)) {
        this.#hosts.push({ host, method: undefined, by: language, command: undefined, origin });
      }
    }
    return { facts, isCut };
  }

  /** `isScratch`: what it tells a database is for one that is made to be thrown away. */
  #addCall(fact: CodeFact, isScratch: boolean): void {
    const { action, strings, recursive, callee, origin } = fact;
    if (action === 'connect') {
      for (const { host } of endpoint(strings[0] ?? '')) {
        this.#hosts.push({ host, method: undefined, by: callee, command: undefined, origin });
      }
      return;
    }
    this.#codeFacts.push(fact);
    if (action === 'query') for (const statement of strings) this.#sql.read(statement, origin, isScratch);
    const operation = FILE_OPERATIONS[action];
    const target = action === 'path' ? strings.join('/') : strings[0];
    if (operation === undefined || target === undefined || target.length > this.#limits.pathCharsMax) return;
    const touched = { glob: false, recursive, by: callee, command: undefined, origin };
    const moved = action === 'move' ? { moved: true } : {};
    this.#files.push({ operation, path: canonicalPath(target), ...moved, ...touched });
    const copy = action === 'copy' || action === 'move' ? strings[1] : undefined;
    if (copy !== undefined && copy.length <= this.#limits.pathCharsMax)
      this.#files.push({ operation: 'write', path: canonicalPath(copy), ...touched });
  }
}

/** A cell of a notebook in another language. */
const OTHER_CELL = /^\s{0,16}%%/m;
/** Languages in which what stands in backticks is not run. */
const QUOTES_BY_BACKTICKS =
  /^(?:python[\d.]{0,4}|node|js|javascript|typescript|ts|java|go|golang|rust|kotlin|swift|csharp|lua)$/;

/** What a call does to the file that it names. A path that is put together is put together to be read. */
const FILE_OPERATIONS: Partial<Record<CodeCall['action'], FileOperation>> = {
  delete: 'delete',
  read: 'read',
  write: 'write',
  append: 'append',
  copy: 'read',
  move: 'read',
  path: 'read',
};

/** Code in commands in code: how often that is followed. */
const CODE_ROUNDS_MAX = 3;

/** What a call that starts a process hands to a shell, or to the system as words. */
function startedBy(fact: CodeFact, code: InlineCode): ShellInput[] {
  const [first] = fact.strings;
  if (fact.action !== 'process' || first === undefined || first === '') return [];
  const from = { place: fact.origin.place, origin: fact.origin, via: [...code.via, code.language] };
  // Whose second text is a whole command line's rest.
  if (/Process(?:\.Start|StartInfo)$/.test(fact.callee))
    return [{ ...from, text: fact.strings.slice(0, 2).join(' '), powerShell: 'if_like' }];
  const isList = fact.strings.length > 1 && !/\s/.test(first);
  return [isList ? { ...from, words: fact.strings } : { ...from, text: first, powerShell: 'if_like' }];
}

function whole(string: InputString): Origin {
  return { place: string.place, start: 0, end: string.text.length };
}
