import {
  type Command,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { applyBuiltin } from './builtins.ts';
import { CommandParts } from './command-parts.ts';
import { nameOf, WHOLE_VARIABLE } from './command-word.ts';
import { consumerOf, readerOf, writerOf } from './consumer.ts';
import { isForkBomb } from './fork-bombs.ts';
import { innerOf } from './inner.ts';
import { type Inner, posix, type Script } from './inner-model.ts';
import { literalOutput } from './literal-output.ts';
import { type Origin, type ShellCommand, type ShellRedirect, type ShellWord, word } from './model.ts';
import { known, UNKNOWN } from './parameters.ts';
import { parseScript } from './parse-script.ts';
import { powerShellCommands } from './powershell.ts';
import { keepRenamed } from './renamed-programs.ts';
import {
  type Feed,
  Frame,
  joinOutputs,
  NO_FEED,
  NOTHING_WRITTEN,
  type Output,
  type SubstitutionPlace,
  stdinOf,
  type Walk,
  WORD_WORK,
} from './state.ts';
import { Expansion } from './words.ts';
import { keepWritten, withContent, writtenScript } from './written-files.ts';

/** Reads `text` as a script in `frame`. Returns what it writes to standard output, where that is known and `wanted`. */
export function runText(walk: Walk, text: string, frame: Frame, feed: Feed, wanted: boolean): Output | undefined {
  if (!walk.mayEnter(frame) || (frame.depth > 0 && !walk.spend(text.length))) return undefined;
  const script = parseScript(walk, text);
  if (script === undefined) return undefined;
  const output = new ScriptWalk(walk, frame).script(script, feed, wanted);
  if (script.errors !== undefined) runBehindError(walk, text, script, frame, feed);
  return output;
}

/** A text that is no valid script as a whole may be one from its next line or command on, to another shell at least. */
function runBehindError(walk: Walk, text: string, script: ParsedScript, frame: Frame, feed: Feed): void {
  const read = script.commands.at(-1)?.end ?? 0;
  const next = text.slice(read).search(/[\n;&|(){}]/);
  const rest = next < 0 ? '' : text.slice(read + next + 1);
  if (rest.trim() === '' || rest.length >= text.length) return;
  const { origin, offset } = frame;
  const from = { origin, offset: offset === undefined ? undefined : offset + read + next + 1 };
  runText(walk, rest, new Frame(frame, from, true), feed, false);
}

/** Runs the words of one command that was never written as a script: a tool's argument list. */
export function runWords(walk: Walk, words: readonly ShellWord[], frame: Frame): void {
  new ScriptWalk(walk, frame).words(words, { redirects: [], env: [], origin: frame.origin, feed: NO_FEED }, false);
}

/** What stands around the words of a command. */
interface Surroundings {
  redirects: readonly ShellRedirect[];
  env: readonly { name: string; value: string }[];
  origin: Origin;
  feed: Feed;
}

const NO_REDIRECTS: readonly ShellRedirect[] = [];
const NO_ENV: readonly { name: string; value: string }[] = [];

/** Walks the syntax tree of one script and records the commands that it would run. */
class ScriptWalk {
  readonly #walk: Walk;
  readonly #frame: Frame;
  readonly #expansion: Expansion;
  readonly #parts: CommandParts;
  /** Of the command whose words or redirections are being expanded: how to tell what takes a substitution's output. */
  #consumer: ((place: SubstitutionPlace) => string | undefined) | undefined;
  /** What that command is fed. */
  #fed: Feed = NO_FEED;

  constructor(walk: Walk, frame: Frame) {
    this.#walk = walk;
    this.#frame = frame;
    this.#expansion = new Expansion(walk, frame, (script, outer, place) => this.#substitution(script, outer, place));
    this.#parts = new CommandParts(walk, frame, this.#expansion);
  }

  script(script: ParsedScript, feed: Feed, wanted: boolean): Output | undefined {
    if (script.errors !== undefined) this.#walk.parseErrorsCount += script.errors.length;
    return this.#list(script.commands, feed, wanted);
  }

  /** A substitution runs in a subshell, and its output always matters. */
  #substitution(script: ParsedScript, outer: Frame, place: SubstitutionPlace): Output | undefined {
    const offset = script.source === undefined ? outer.offset : undefined;
    const frame = new Frame(outer, { origin: outer.origin, consumer: this.#consumer?.(place), offset });
    return new ScriptWalk(this.#walk, frame).script(script, place.isFed ? this.#fed : NO_FEED, true);
  }

  #list(statements: readonly Statement[], feed: Feed, wanted: boolean): Output | undefined {
    let output = NOTHING_WRITTEN;
    for (const statement of statements) {
      if (this.#walk.stopped) return undefined;
      output = joinOutputs(output, this.#node(statement.command, feed, wanted));
    }
    return wanted ? output : undefined;
  }

  #body(list: CompoundList, feed: Feed, wanted: boolean): Output | undefined {
    return this.#list(list.commands, feed, wanted);
  }

  /** A compound command in a frame of its own, one level deeper. */
  #deeper(wanted: boolean, run: (walk: ScriptWalk) => Output | undefined, isolated = false): Output | undefined {
    if (!this.#walk.mayEnter(this.#frame)) return undefined;
    const { origin, offset } = this.#frame;
    const frame = new Frame(this.#frame, { origin, offset }, !isolated);
    const output = run(new ScriptWalk(this.#walk, frame));
    if (!isolated) this.#frame.cwd = frame.cwd;
    return wanted ? output : undefined;
  }

  #node(node: SyntaxNode, feed: Feed, wanted: boolean): Output | undefined {
    if (isForkBomb(node)) this.#walk.forkBombs.push(this.#originOf(node));
    switch (node.type) {
      case 'Command':
        return this.#command(node, feed, wanted);
      case 'Pipeline':
        return this.#pipeline(node, feed, wanted);
      case 'AndOr': {
        let output = NOTHING_WRITTEN;
        for (const command of node.commands) output = joinOutputs(output, this.#node(command, feed, wanted));
        return output;
      }
      case 'Subshell':
        return this.#deeper(wanted, (inner) => inner.#body(node.body, feed, wanted), true);
      case 'BraceGroup':
        return this.#deeper(wanted, (inner) => inner.#body(node.body, feed, wanted));
      case 'Redirected': {
        const redirected = this.#parts.redirections(node.redirects, feed);
        this.#bare(redirected.redirects, redirected.feed, this.#originOf(node));
        return this.#node(node.command, redirected.feed, wanted);
      }
      case 'Function':
        this.#define(node);
        return NOTHING_WRITTEN;
      default:
        this.#deeper(false, (inner) => inner.#control(node, feed));
        return undefined;
    }
  }

  /** Loops, conditions and whatever else holds lists: every branch is walked once. */
  #control(node: SyntaxNode, feed: Feed): undefined {
    if (this.#walk.stopped) return undefined;
    switch (node.type) {
      case 'For':
      case 'Select': {
        const words = node.wordlist?.flatMap((item) => this.#expansion.fields(item));
        const unknown = words === undefined || words.length === 0 || words.some((item) => item.dynamic);
        this.#frame.assign(node.name.value, unknown ? UNKNOWN : known(...words.map((item) => item.text)));
        this.#body(node.body, feed, false);
        return undefined;
      }
      case 'Statement':
        this.#node(node.command, feed, false);
        return undefined;
      case 'CompoundList':
        this.#body(node, feed, false);
        return undefined;
      case 'Word':
        this.#expansion.text(node);
        return undefined;
      case 'Command':
      case 'Pipeline':
      case 'AndOr':
      case 'Subshell':
      case 'BraceGroup':
      case 'Redirected':
      case 'Function':
        this.#node(node, feed, false);
        return undefined;
      case 'ArithmeticCommandExpansion':
      case 'CommandExpansion':
      case 'ProcessSubstitution':
        if (this.#walk.spend(node.text.length) && node.script !== undefined)
          this.#substitution(node.script, this.#frame, { before: '', isFed: false });
        return undefined;
      default:
        if (!this.#walk.mayEnter(this.#frame)) return undefined;
        forEachChild(node, (child) => {
          this.#deeper(false, (inner) => inner.#control(child, feed));
        });
        return undefined;
    }
  }

  #pipeline(node: Pipeline, feed: Feed, wanted: boolean): Output | undefined {
    let next = feed;
    let output: Output | undefined;
    const last = node.commands.length - 1;
    const { cwd } = this.#frame;
    for (const [index, member] of node.commands.entries()) {
      const before = this.#walk.commands.length;
      output = this.#node(member, next, index < last || wanted);
      const ran = this.#walk.commands.length > before;
      next = { input: ran ? this.#source(before) : next.input, stdin: stdinOf(output) };
    }
    // Each member of several is a subshell.
    if (last > 0) this.#frame.cwd = cwd;
    return output;
  }

  /** Of the commands that one member of a pipeline ran, the one that its output is named after: the last outermost. */
  #source(from: number): number {
    const { commands } = this.#walk;
    for (let index = commands.length - 1; index > from; index--) {
      const via = (commands[index] as ShellCommand).via.at(-1);
      if (via !== 'find' && via !== 'xargs') return index;
    }
    return from;
  }

  #command(node: Command, feed: Feed, wanted: boolean): Output | undefined {
    if (this.#walk.stopped) return undefined;
    const words: ShellWord[] = [];
    if (node.name !== undefined) this.#expansion.fields(node.name, words);
    this.#fed = feed;
    let assigned = '';
    this.#consumer = ({ before }) => consumerOf(words, assigned + before);
    for (const item of node.suffix) {
      if (this.#walk.stopped) return undefined;
      assigned = item.type === 'Assignment' ? `${item.name}=` : '';
      if (item.type === 'Word') this.#expansion.fields(item, words);
      else if (item.type === 'Assignment') words.push(this.#parts.assignmentWord(item));
    }
    // `bash <<< "$(curl …)"`: without a script among its words, what comes in is what runs.
    this.#consumer = ({ isFed }) => (isFed ? writerOf(words) : readerOf(words));
    const redirected =
      node.redirects.length === 0 ? { redirects: NO_REDIRECTS, feed } : this.#parts.redirections(node.redirects, feed);
    this.#consumer = undefined;
    this.#fed = NO_FEED;
    const env = node.prefix.length === 0 ? NO_ENV : this.#parts.environment(node, words.length === 0);
    const origin = this.#originOf(node);
    if (words.length === 0) for (const item of env) this.#walk.noteAssignment({ origin, ...item });
    if (words.length === 0) return this.#bare(redirected.redirects, redirected.feed, origin);
    const surroundings = { redirects: redirected.redirects, env, origin, feed: redirected.feed };
    return this.words(words, surroundings, wanted);
  }

  /** Redirections without a command: `> file` empties it. */
  #bare(redirects: readonly ShellRedirect[], feed: Feed, origin: Origin): Output | undefined {
    if (redirects.length > 0) this.#record('', [], { redirects, env: NO_ENV, origin, feed }, false);
    return NOTHING_WRITTEN;
  }

  #originOf(node: { pos: number; end: number }): Origin {
    const { origin, offset } = this.#frame;
    if (offset === undefined) return origin;
    return { place: origin.place, start: offset + node.pos, end: offset + node.end };
  }

  /** Runs a command of these words: records it, then whatever it runs in turn. */
  words(words: readonly ShellWord[], around: Surroundings, wanted: boolean): Output | undefined {
    const first = words[0];
    if (first === undefined || this.#walk.stopped) return undefined;
    const name = this.#walk.renamed(first.text) ?? nameOf(first);
    const index = this.#record(name ?? '', withContent(this.#walk, words.slice(1)), around, name === undefined);
    if (index === undefined) return undefined;
    // `$SUDO rm …`: unset variables leave the next word as the command.
    if (name === undefined && WHOLE_VARIABLE.test(first.text)) {
      const next = words.findIndex(({ text }) => !WHOLE_VARIABLE.test(text));
      if (next > 0) this.words(words.slice(next), around, false);
    }
    const command = this.#walk.commands[index] as ShellCommand;
    const output = this.#follow(command, first, index, wanted);
    keepWritten(this.#walk, command, output);
    keepRenamed(this.#walk, command);
    return output;
  }

  #record(name: string, args: readonly ShellWord[], around: Surroundings, dynamic: boolean): number | undefined {
    return this.#walk.add({
      name,
      args,
      redirects: around.redirects,
      env: around.env,
      via: this.#frame.via,
      input: around.feed.input,
      stdin: around.feed.stdin,
      cwd: this.#frame.cwd,
      consumer: this.#frame.consumer,
      dynamic,
      dialect: 'posix',
      origin: around.origin,
    });
  }

  #follow(command: ShellCommand, first: ShellWord, index: number, wanted: boolean): Output | undefined {
    const { cwd } = this.#frame;
    // The function may stand where nothing runs: then the word is what it is without it.
    const body = this.#frame.functionNamed(first.text);
    const called = body === undefined ? undefined : this.#call(body, command, wanted);
    if (this.#frame.cwd === cwd && applyBuiltin(command, this.#frame)) return called ?? NOTHING_WRITTEN;
    const file = writtenScript(this.#walk, command, first);
    if (file !== undefined) this.#runScript(command, posix(word(file)), wanted);
    let output: Output | undefined;
    for (const inner of innerOf(command)) output = this.#runInner(inner, command, index, wanted);
    if (body !== undefined) return called;
    if (!wanted && command.redirects.length === 0) return undefined;
    if (output !== undefined) return output;
    const text = literalOutput(command);
    return text === undefined ? undefined : { text, complete: true };
  }

  #runInner(inner: Inner, command: ShellCommand, index: number, wanted: boolean): Output | undefined {
    if (inner.kind === 'script') return this.#runScript(command, inner, wanted);
    const via = [...command.via, command.name];
    if (inner.kind === 'code') {
      if (inner.text.text !== '') {
        this.#walk.code.push({ language: inner.language, code: inner.text.text, via, origin: command.origin });
      }
      return undefined;
    }
    if (!this.#walk.mayEnter(this.#frame)) return undefined;
    const paid = this.#walk.spend(inner.words.length * WORD_WORK);
    if (!paid || inner.isCut === true) this.#walk.allowance.cut('shell', 'wrappers');
    if (!paid) return undefined;
    const frame = new Frame(this.#frame, { origin: command.origin, via }, true);
    const feed =
      inner.feed === 'own' ? { input: index, stdin: undefined } : { input: command.input, stdin: command.stdin };
    const around = { redirects: command.redirects, env: command.env, origin: command.origin, feed };
    const output = new ScriptWalk(this.#walk, frame).words(inner.words, around, wanted);
    // `command cd x`, `builtin cd x` move this shell.
    if (command.name === 'command' || command.name === 'builtin') this.#frame.cwd = frame.cwd;
    return output;
  }

  #runScript(command: ShellCommand, script: Script, wanted: boolean): Output | undefined {
    const { text, named, positional, dialect } = script;
    const via = [...command.via, command.name];
    if (text.dynamic) this.#walk.dynamicCount++;
    const sameShell = /^(?:eval|\.|source|trap)$/.test(command.name);
    const fields = { origin: command.origin, via };
    const frame = new Frame(this.#frame, positional === undefined ? fields : { ...fields, positional }, sameShell);
    // `A=1 bash -c '…'`: what is set for a command alone, it is started with.
    if (!sameShell)
      for (const { name, value } of command.env) frame.assign(name, /[$`]/.test(value) ? UNKNOWN : known(value));
    if (named !== undefined) frame.assign('0', named.dynamic ? UNKNOWN : known(named.text));
    if (dialect === 'powershell') {
      if (this.#walk.mayEnter(this.#frame) && this.#walk.spend(text.text.length))
        powerShellCommands(this.#walk, text.text, frame);
      return undefined;
    }
    // A script that came in on standard input leaves nothing there to read.
    const stdin = text.text === command.stdin ? undefined : command.stdin;
    const output = runText(this.#walk, text.text, frame, { input: command.input, stdin }, wanted);
    if (sameShell) this.#frame.cwd = frame.cwd;
    return output;
  }

  #call(body: SyntaxNode, command: ShellCommand, wanted: boolean): Output | undefined {
    const active = this.#walk.activeCalls.get(body) ?? 0;
    if (active >= RECURSION_MAX || !this.#walk.mayEnter(this.#frame)) return undefined;
    this.#walk.activeCalls.set(body, active + 1);
    const { origin, offset } = this.#frame;
    const frame = new Frame(this.#frame, { origin, positional: command.args, offset }, true);
    const feed = { input: command.input, stdin: command.stdin };
    const output = new ScriptWalk(this.#walk, frame).#node(body, feed, wanted);
    this.#walk.activeCalls.set(body, active);
    this.#frame.cwd = frame.cwd;
    return output;
  }

  /** Keeps a function for its calls, and walks it once on its own: what is defined here may be called elsewhere. */
  #define(node: FunctionNode): void {
    this.#deeper(
      false,
      (inner) => {
        inner.#frame.positional = undefined;
        return inner.#control(node.body, NO_FEED);
      },
      true,
    );
    this.#frame.define(node.name.value, node.body);
  }
}

/** A function that is already being walked this many times is not entered again. */
const RECURSION_MAX = 2;
