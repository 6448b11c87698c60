import type { Allowance } from '../cuts.ts';
import type { Limits } from '../limits.ts';
import type { Place } from './input.ts';
import { type Origin, type ShellFacts, word } from './shell/model.ts';
import { isWindowsCommand, powerShellCommands } from './shell/powershell.ts';
import { Frame, NO_FEED, Walk } from './shell/state.ts';
import { runText, runWords } from './shell/walk.ts';
import { isWindowsText } from './shell/windows-text.ts';

export type { InlineCode, Origin, ShellCommand, ShellFacts, ShellWord } from './shell/model.ts';

/** Whether a text is PowerShell's, may be read as its and as POSIX's alike, or is its only where it looks so. */
export type PowerShell = 'only' | 'too' | 'if_like';

/** Something that a tool hands to a shell: a text, or the words of one command. */
export type ShellInput = Source & ({ text: string; powerShell: PowerShell } | { words: readonly string[] });

interface Source {
  place: Place;
  /** For texts that are not a whole string of the event: what they were found in, and what runs them. */
  origin?: Origin;
  via?: readonly string[];
}

const NOTHING: ShellFacts = {
  commands: [],
  assignments: [],
  code: [],
  parseErrorsCount: 0,
  dynamicCount: 0,
  forkBombs: [],
};

/** What the shell texts of one event would run. */
export function shellFacts(inputs: readonly ShellInput[], limits: Limits, allowance: Allowance): ShellFacts {
  if (inputs.length === 0) return NOTHING;
  const walk = new Walk(limits, allowance);
  for (const input of inputs) {
    if (walk.stopped || allowance.over('shell')) break;
    readInput(walk, input);
  }
  const { commands, assignments, code, parseErrorsCount, dynamicCount, forkBombs } = walk;
  return { commands, assignments, code, parseErrorsCount, dynamicCount, forkBombs };
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
  runWords(
    walk,
    words.map((text) => word(text)),
    frame,
  );
}

function readText(walk: Walk, input: Source & { text: string; powerShell: PowerShell }): void {
  const { shellCharsMax, shellTailCharsMax } = walk.limits;
  const { text } = input;
  if (text.length > shellCharsMax) walk.allowance.cut('shell', `chars ${shellCharsMax}`);
  readPiece(walk, input, 0, Math.min(text.length, shellCharsMax));
  const tail = startOfStatement(text, text.length - shellTailCharsMax);
  const unread = walk.stopped || text.length > shellCharsMax;
  if (unread && tail > 0 && walk.reopen(shellTailCharsMax)) readPiece(walk, input, tail, text.length);
}

function readPiece(
  walk: Walk,
  input: Source & { text: string; powerShell: PowerShell },
  start: number,
  end: number,
): void {
  const via = input.via ?? [];
  const text = input.text.slice(start, end);
  const origin = input.origin ?? { place: input.place, start, end };
  const offset = input.origin === undefined ? { offset: start } : {};
  const before = walk.commands.length;
  if (input.powerShell !== 'only') {
    runText(walk, text, new Frame(undefined, { origin, via, ...offset }), NO_FEED, false);
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
