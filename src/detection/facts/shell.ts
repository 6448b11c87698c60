import type { Allowance } from '../cuts.ts';
import type { Limits } from '../limits.ts';
import type { Place } from './input.ts';
import { condense } from './shell/condense.ts';
import { type Origin, type ShellFacts, word } from './shell/model.ts';
import { isWindowsCommand, powerShellCommands } from './shell/powershell.ts';
import { Frame, NO_FEED, Walk } from './shell/state.ts';
import { runText, runWords } from './shell/walk.ts';
import { isWindowsText } from './shell/windows-text.ts';

/** Whether a text is PowerShell's, may be read as its and as POSIX's alike, or is its only where it looks so. */
export type PowerShell = 'only' | 'too' | 'if_like';

/** Something that a tool hands to a shell: a text, or the words of one command. */
export type ShellInput = TextInput | (Source & { words: readonly string[] });

type TextInput = Source & { text: string; powerShell: PowerShell };

interface Source {
  place: Place;
  /** For texts that are not a whole string of the event: what they were found in, and what runs them. */
  origin?: Origin;
  via?: readonly string[];
}

/** Of an event that runs nothing. */
export const NO_SHELL_FACTS: ShellFacts = {
  commands: [],
  assignments: [],
  code: [],
  parseErrorsCount: 0,
  dynamicCount: 0,
  forkBombs: [],
  leftIn: undefined,
};

/** What the shell texts of one event would run, each beginning in `cwd`; undefined where that is not known. */
export function shellFacts(
  inputs: readonly ShellInput[],
  limits: Limits,
  allowance: Allowance,
  cwd?: string,
): ShellFacts {
  if (inputs.length === 0) return NO_SHELL_FACTS;
  const walk = new Walk(limits, allowance, cwd);
  for (const input of inputs) {
    if (walk.stopped || allowance.over('shell')) break;
    readInput(walk, input);
  }
  const { commands, assignments, code, parseErrorsCount, dynamicCount, forkBombs, leftIn } = walk;
  return { commands, assignments, code, parseErrorsCount, dynamicCount, forkBombs, leftIn };
}

/** The parser recovers from anything but nesting that exhausts the stack; what was found before that counts. */
function readInput(walk: Walk, input: ShellInput): void {
  try {
    if ('words' in input) readWords(walk, input);
    else readText(walk, input);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    walk.allowance.cut('shell', 'nesting');
  }
}

function readWords(walk: Walk, { words, place, origin, via }: Source & { words: readonly string[] }): void {
  const frame = new Frame(undefined, {
    origin: origin ?? { place, start: 0, end: words[0]?.length ?? 0 },
    via: via ?? [],
  });
  frame.cwd = walk.beganIn;
  runWords(
    walk,
    words.map((text) => word(text)),
    frame,
  );
}

/**
 * Ways in which the end of a text that is too long is read: as it stands, and as if it began inside a string of either kind, since
 * what stood before it is not known. One of them is how the shell reads it.
 */
const TAIL_OPENINGS = ['', '"', "'"];

function readText(walk: Walk, input: TextInput): void {
  const { shellCharsMax, tailCharsMax } = walk.limits;
  const given = input.text.length > shellCharsMax ? withoutBulk(walk, input) : input;
  const { text } = given;
  readPiece(walk, given, { start: 0, end: Math.min(text.length, shellCharsMax) });
  const tail = startOfStatement(text, text.length - tailCharsMax);
  const unread = walk.stopped || text.length > shellCharsMax;
  if (!unread || tail <= 0 || !walk.reopen(tailCharsMax * TAIL_OPENINGS.length)) return;
  for (const opening of TAIL_OPENINGS) readPiece(walk, given, { start: tail, end: text.length, opening });
}

/** A text that is too long, without what in it is no script. Where that does not make it short enough, it is made to be long. */
function withoutBulk(walk: Walk, input: TextInput): TextInput {
  const { shellCharsMax, tailCharsMax } = walk.limits;
  walk.allowance.cut('shell', `chars ${shellCharsMax}`);
  if (tailCharsMax === 0 || input.powerShell === 'only') return input;
  const text = condense(input.text);
  if (text.length > shellCharsMax) walk.allowance.cut('shell', `script ${shellCharsMax}`);
  return text === input.text ? input : { ...input, text, origin: input.origin ?? wholeOf(input) };
}

function wholeOf({ place, text }: TextInput): Origin {
  return { place, start: 0, end: text.length };
}

function readPiece(
  walk: Walk,
  input: TextInput,
  { start, end, opening = '' }: { start: number; end: number; opening?: string },
): void {
  const via = input.via ?? [];
  const text = opening + input.text.slice(start, end);
  const origin = input.origin ?? { place: input.place, start, end };
  const offset = input.origin === undefined ? { offset: start - opening.length } : {};
  const before = walk.commands.length;
  if (input.powerShell !== 'only') {
    const frame = new Frame(undefined, { origin, via, ...offset });
    frame.cwd = walk.beganIn;
    runText(walk, text, frame, NO_FEED, false);
    walk.leftIn = frame.cwd;
    if (walk.stopped) return;
    const reads = input.powerShell === 'too' || isWindowsText(text);
    if (!reads && !walk.commands.slice(before, before + 64).some(isWindowsCommand)) return;
  }
  powerShellCommands(walk, text, new Frame(undefined, { origin, via }));
}

/** The first position from `from` on at which a statement may begin, or `from`. */
function startOfStatement(text: string, from: number): number {
  if (from <= 0) return 0;
  const offset = text.slice(from).search(/[\n;&|]/);
  return offset < 0 ? from : from + offset + 1;
}
