import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Allowance } from '../../cuts.ts';
import type { Limits } from '../../limits.ts';
import type { InlineCode, Origin, ShellAssignment, ShellCommand, ShellWord } from './model.ts';
import { initialValue, UNKNOWN, type Value } from './parameters.ts';

/** Longest value that a variable keeps. Beyond it the value counts as unknown. */
const VALUE_CHARS_MAX = 8_192;
const VARIABLES_MAX = 1_024;
/** Work, in code units, that a word of an argument list costs: see `Walk.spend`. */
export const WORD_WORK = 8;
const FILES_MAX = 64;

/** Each made with the first of its kind: most scripts have none. */
interface Names {
  variables: Map<string, Value> | undefined;
  functions: Map<string, SyntaxNode> | undefined;
}

interface FrameFields {
  origin: Origin;
  offset?: number | undefined;
  via?: readonly string[];
  positional?: readonly ShellWord[] | undefined;
  consumer?: string | undefined;
}

/** Where a piece of script stands: its variables and functions, its directory, and what runs it. */
export class Frame {
  readonly parent: Frame | undefined;
  /** Shared with the frame it was taken from, where both are one shell. */
  #names: Names;
  /** `$1` … of the function or script; undefined where they are not known. */
  positional: readonly ShellWord[] | undefined;
  cwd: string | undefined;
  readonly via: readonly string[];
  readonly depth: number;
  /** The command that takes the output of this substitution as its words. */
  readonly consumer: string | undefined;
  /** The place that facts of nested scripts point at: nested texts have no place of their own in the event. */
  readonly origin: Origin;
  /** Whether positions of the syntax tree are offsets into the event's string, and where that tree starts in it. */
  readonly offset: number | undefined;

  /** `shares`: an assignment or a function in the new frame is one in `from`. */
  constructor(from: Frame | undefined, fields: FrameFields, shares = false) {
    this.parent = from;
    this.#names = shares && from !== undefined ? from.#names : { variables: undefined, functions: undefined };
    this.positional = 'positional' in fields ? fields.positional : from?.positional;
    this.cwd = from?.cwd;
    this.via = fields.via ?? from?.via ?? [];
    this.depth = from === undefined ? 0 : from.depth + 1;
    this.consumer = fields.consumer ?? from?.consumer;
    this.origin = fields.origin;
    this.offset = fields.offset;
  }

  lookup(name: string): Value {
    const value = this.#names.variables?.get(name);
    if (value !== undefined) return value;
    // At most as deep as frames are.
    return this.parent === undefined ? initialValue(name) : this.parent.lookup(name);
  }

  assign(name: string, value: Value): void {
    const tooLarge = value.known && value.values.some((text) => text.length > VALUE_CHARS_MAX);
    this.#names.variables ??= new Map();
    const { variables } = this.#names;
    if (variables.size >= VARIABLES_MAX && !variables.has(name)) return;
    variables.set(name, tooLarge ? UNKNOWN : value);
  }

  /** The body of a function, as far as this shell or one around it has it. */
  functionNamed(name: string): SyntaxNode | undefined {
    return this.#names.functions?.get(name) ?? this.parent?.functionNamed(name);
  }

  define(name: string, body: SyntaxNode): void {
    this.#names.functions ??= new Map();
    this.#names.functions.set(name, body);
  }
}

/** What comes into a command from outside of its words. */
export interface Feed {
  input: number | undefined;
  stdin: string | undefined;
}

export const NO_FEED: Feed = { input: undefined, stdin: undefined };

/** The state of reading all shell texts of one event. */
export class Walk {
  readonly commands: ShellCommand[] = [];
  readonly assignments: ShellAssignment[] = [];
  readonly code: InlineCode[] = [];
  readonly forkBombs: Origin[] = [];
  parseErrorsCount = 0;
  dynamicCount = 0;
  /** What the script wrote into files, by path as written: a later `sh x` runs it. */
  readonly files = new Map<string, string>();
  /** Programs that it copied or linked, by path as written: `cp /bin/rm x`, then `./x`. */
  readonly #copied = new Map<string, string>();
  readonly #aliases = new Map<string, string>();
  /** How often the function with this body is being walked right now. */
  readonly activeCalls = new Map<SyntaxNode, number>();
  readonly limits: Limits;
  readonly allowance: Allowance;
  /** The directory that each script begins in, and the one that the last left its shell in. */
  readonly beganIn: string | undefined;
  leftIn: string | undefined;
  #work = 0;
  #commandsMax: number;
  #workCharsMax: number;
  #outOfTime = false;
  #reopened = false;
  #stopped = false;

  constructor(limits: Limits, allowance: Allowance, beganIn?: string) {
    this.limits = limits;
    this.allowance = allowance;
    this.beganIn = beganIn;
    this.leftIn = beganIn;
    this.#commandsMax = limits.shellCommandsMax;
    this.#workCharsMax = limits.shellWorkCharsMax;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Spends `chars` of the work allowance. False, with a cut, where it is used up: then what it was asked for stays as it
   * was written, and the rest of the script is still walked.
   */
  spend(chars: number): boolean {
    if (this.#stopped) return false;
    this.#work += chars;
    if (this.#work <= this.#workCharsMax) return true;
    this.allowance.cut('shell', `work ${this.limits.shellWorkCharsMax}`);
    return false;
  }

  /** As many of `alternatives`, which the script lists for one word, as are followed. A cut is recorded. */
  withinAlternatives<T>(alternatives: readonly T[]): readonly T[] {
    return this.#within(alternatives, 'alternatives');
  }

  /** As many of `fields`, what comes of several alternatives in one word, as are followed: a date of one loop's days may be a million. A cut is recorded. */
  withinCombinations<T>(fields: readonly T[]): readonly T[] {
    return this.#within(fields, 'combinations');
  }

  #within<T>(fields: readonly T[], what: string): readonly T[] {
    const { shellFieldsMax } = this.limits;
    if (fields.length <= shellFieldsMax) return fields;
    this.allowance.cut('shell', `${what} ${shellFieldsMax}`);
    return fields.slice(0, shellFieldsMax);
  }

  /** Whether a script may be entered from `frame`. */
  mayEnter(frame: Frame): boolean {
    if (this.#stopped) return false;
    if (frame.depth < this.limits.shellDepthMax) return true;
    this.allowance.cut('shell', `depth ${this.limits.shellDepthMax}`);
    return false;
  }

  /** Adds a command, or stops at the bounds. Returns its index. */
  add(command: ShellCommand): number | undefined {
    if (this.#stopped) return undefined;
    if (this.commands.length >= this.#commandsMax) {
      this.stop(`commands ${this.limits.shellCommandsMax}`);
      return undefined;
    }
    if ((this.commands.length & 31) === 31 && this.allowance.over('shell')) {
      this.#stopped = true;
      this.#outOfTime = true;
      return undefined;
    }
    if (command.dynamic) this.dynamicCount++;
    this.commands.push(command);
    return this.commands.length - 1;
  }

  /** Allows for a short text more, as many commands as it can hold. False where that was done already, or time is up. */
  reopen(chars: number): boolean {
    if (this.#reopened || this.#outOfTime || chars === 0) return false;
    this.#reopened = true;
    this.#stopped = false;
    this.#commandsMax = this.commands.length + Math.ceil(chars / 2);
    this.#workCharsMax = this.#work + chars * 8;
    return true;
  }

  /** Ends the reading of shell texts for this event, and says so. Always false. */
  stop(bound: string): false {
    this.allowance.cut('shell', bound);
    this.#stopped = true;
    return false;
  }

  noteAssignment(assignment: ShellAssignment): void {
    if (this.assignments.length < VARIABLES_MAX) this.assignments.push(assignment);
  }

  remember(path: string, content: string): void {
    if (this.files.size < FILES_MAX && content.length <= this.limits.shellCharsMax)
      this.files.set(plainName(path), content);
  }

  /** From now on the file `path` is a copy of the program `name`. */
  copy(path: string, name: string): void {
    if (this.#copied.size < FILES_MAX) this.#copied.set(plainName(path), name);
  }

  /** From now on the bare word `alias` stands for the program `name`. */
  alias(alias: string, name: string): void {
    if (this.#aliases.size < FILES_MAX) this.#aliases.set(alias, name);
  }

  /** The program that `text` in a command's place is another name of. A copy is found by its path only: `rm` stays `rm`, with a `./rm` beside it. */
  renamed(text: string): string | undefined {
    if (text.includes('/')) return this.#copied.size === 0 ? undefined : this.#copied.get(plainName(text));
    const name = this.#aliases.size === 0 ? undefined : this.#aliases.get(text);
    return name ?? (text.length <= 2 ? CUSTOMARY_ALIASES.get(text) : undefined);
  }

  written(path: string): string | undefined {
    return this.files.size === 0 ? undefined : this.files.get(plainName(path));
  }
}

/** Aliases that so many have in their profile that no script needs to say so. */
const CUSTOMARY_ALIASES: ReadonlyMap<string, string> = new Map([
  ['k', 'kubectl'],
  ['tf', 'terraform'],
]);

function plainName(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

/** What a script writes to standard output. */
export interface Output {
  text: string;
  /** Nothing is missing between the parts that are known. */
  complete: boolean;
}

export const NOTHING_WRITTEN: Output = { text: '', complete: true };

export function joinOutputs(before: Output, part: Output | undefined): Output {
  if (part === undefined) return { text: `${before.text}\n`, complete: false };
  return { text: before.text + part.text, complete: before.complete && part.complete };
}

/** What a command or a file gets of `output`: unknown parts left out, since the known ones run all the same. */
export function stdinOf(output: Output | undefined): string | undefined {
  if (output === undefined || (!output.complete && output.text.trim() === '')) return undefined;
  return output.text;
}

/** Runs scripts found inside words. Given to the word expansion, which must not know the walk itself. */
export type RunScript = (script: ParsedScript, frame: Frame, place: SubstitutionPlace) => Output | undefined;

export interface SubstitutionPlace {
  /** Its word up to it. */
  before: string;
  /** `>(…)`: it reads what its command writes. */
  isFed: boolean;
}
