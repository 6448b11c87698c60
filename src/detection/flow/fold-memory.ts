import { exactPart, type Fingerprint } from './fingerprint.ts';
import {
  type FlowEffect,
  type FlowMemory,
  type FlowOrigin,
  type FlowSource,
  NAME_CHARS_MAX,
  NAMES_OF_FILES_MAX,
  NAMES_OF_USER_FILES_MAX,
  PIECES_WINDOW_EVENTS,
  PRINTS_MAX,
  type RememberedPrint,
  SOURCES_MAX,
  type Wish,
  WORDS_OF_FIELDS_MAX,
  WORDS_OF_ORDERS_MAX,
  WORDS_OF_PROSE_MAX,
  WORDS_OF_USER_MAX,
  type WrittenScript,
} from './memory.ts';
import type { Action } from './wanted-action.ts';
import { appendWords, NO_WORDS, type WordHashes } from './word-hashes.ts';
import { withScript } from './written-scripts.ts';

/** `memory` after `effects`, in order. Pure; what exceeds a bound pushes out the oldest. */
export function applyFlowEffects(memory: FlowMemory, effects: readonly FlowEffect[]): FlowMemory {
  return effects.reduce(apply, memory);
}

function apply(memory: FlowMemory, effect: FlowEffect): FlowMemory {
  switch (effect.kind) {
    case 'flow.remember':
      return withPrints(memory, effect.source, effect.prints);
    case 'flow.sent':
      return { ...memory, prints: memory.prints.map((held) => withSent(held, effect.pieces, effect.turn)) };
    case 'flow.kept':
      return withKept(memory, effect.prints, effect.files);
    case 'flow.wrote':
      return withWritten(memory, effect.script);
    case 'flow.saw':
      return withSeen(memory, effect.what, effect.origin);
    case 'flow.words':
      return withWords(memory, effect);
    case 'flow.offer':
      return { ...memory, offered: wishOf(effect) };
    case 'flow.consent':
      return memory.offered === undefined
        ? memory
        : withWords(memory, { kind: 'flow.words', from: 'user', ...memory.offered });
  }
}

function withPrints(memory: FlowMemory, source: FlowSource, prints: readonly Fingerprint[]): FlowMemory {
  const known = new Map(memory.prints.map((held) => [labelledPart(held, memory.sources), held]));
  const named = shortened(source);
  let sources = memory.sources;
  let index = sources.findIndex((other) => sameSource(other, named));
  for (const print of prints) {
    const part = `${exactPart(print)} ${named.label}`;
    const held = known.get(part);
    known.delete(part);
    if (held === undefined && index < 0) {
      index = sources.length;
      sources = [...sources, named];
    }
    const place = held?.source ?? index;
    sources = sources.map((other, at) => (at === place ? withFiles(other, named.files) : other));
    // Seen again: the first origin stays, the value moves to the end of the queue.
    known.set(part, held === undefined ? { print, source: index, turn: source.turn } : { ...held, turn: source.turn });
  }
  return bounded({ ...memory, sources, prints: [...known.values()] });
}

/** That the files named `files` hold the values `prints`, whatever of them was known. */
function withKept(memory: FlowMemory, prints: readonly Fingerprint[], files: WordHashes): FlowMemory {
  const parts = new Set(prints.map(exactPart));
  const kept = new Set(memory.prints.filter(({ print }) => parts.has(exactPart(print))).map(({ source }) => source));
  return { ...memory, sources: memory.sources.map((source, at) => (kept.has(at) ? withFiles(source, files) : source)) };
}

/** `source` with more names of files, the newest of which are kept. */
export function withFiles(source: FlowSource, files: WordHashes = NO_WORDS): FlowSource {
  if (files === NO_WORDS || files === source.files) return source;
  return { ...source, files: appendWords(source.files ?? NO_WORDS, files, NAMES_OF_FILES_MAX) };
}

/** What names a value and the label that it has: a policy's label stands beside that of the detector. */
export function labelledPart({ print, source }: RememberedPrint, sources: readonly FlowSource[]): string {
  return `${exactPart(print)} ${(sources[source] as FlowSource).label}`;
}

/** Drops the prints, and then the sources, that do not fit, and the sources that no print names any more. */
export function bounded(memory: FlowMemory): FlowMemory {
  let prints = memory.prints.slice(-PRINTS_MAX);
  const wanted = (): Set<number> => new Set(prints.map((held) => held.source));
  while (wanted().size > SOURCES_MAX) {
    const [oldest] = prints as [RememberedPrint, ...RememberedPrint[]];
    prints = prints.filter((held) => held.source !== oldest.source);
  }
  const kept = [...wanted()].sort((a, b) => a - b);
  const moved = new Map(kept.map((source, index) => [source, index]));
  return {
    ...memory,
    sources: kept.map((source) => memory.sources[source] as FlowSource),
    prints: prints.map((held) => ({ ...held, source: moved.get(held.source) as number })),
  };
}

function withSent(
  held: RememberedPrint,
  pieces: readonly { print: Fingerprint; mask: number }[],
  turn: number,
): RememberedPrint {
  const piece = pieces.find(({ print }) => exactPart(print) === exactPart(held.print));
  if (piece === undefined) return held;
  return { ...held, sent: sentOf(held, turn) | piece.mask, sentTurn: turn };
}

/** The pieces of `held` that went out in the window before `turn`. */
export function sentOf(held: RememberedPrint, turn: number): number {
  return held.sentTurn === undefined || turn - held.sentTurn > PIECES_WINDOW_EVENTS ? 0 : (held.sent ?? 0);
}

function withWritten(memory: FlowMemory, { files, event, policy }: WrittenScript): FlowMemory {
  const script = { files, event: shortName(event), ...(policy === undefined ? {} : { policy: shortName(policy) }) };
  const { scripts = [] } = memory;
  const after = withScript(scripts, script);
  return after === scripts ? memory : { ...memory, scripts: after };
}

function withSeen(memory: FlowMemory, what: 'private' | 'untrusted', origin: FlowOrigin): FlowMemory {
  const name = what === 'private' ? 'privateData' : 'untrusted';
  return memory[name] === undefined ? { ...memory, [name]: shortened(origin) } : memory;
}

/** The newest of what the user named and refused stands last, and counts. */
function userFilesAfter({ userFiles = NO_WORDS }: FlowMemory, { files }: Wish): Pick<FlowMemory, 'userFiles'> {
  return files === undefined ? {} : { userFiles: appendWords(userFiles, files, NAMES_OF_USER_FILES_MAX) };
}

function wishOf({ words, actions, files }: Wish): Wish {
  return files === undefined ? { words, actions } : { words, actions, files };
}

function withWords(memory: FlowMemory, effect: Extract<FlowEffect, { kind: 'flow.words' }>): FlowMemory {
  const { words, actions } = effect;
  const also = (own: readonly Action[]): readonly Action[] => [...new Set([...own, ...actions])];
  switch (effect.from) {
    case 'user':
      return {
        ...memory,
        userWords: appendWords(memory.userWords, words, WORDS_OF_USER_MAX),
        asked: also(memory.asked),
        ...userFilesAfter(memory, effect),
        ...(effect.delegated ? { delegated: true } : {}),
      };
    case 'field':
      return { ...memory, fieldWords: appendWords(memory.fieldWords, words, WORDS_OF_FIELDS_MAX) };
    case 'prose':
      return {
        ...memory,
        proseWords: appendWords(memory.proseWords, words, WORDS_OF_PROSE_MAX),
        proposed: also(memory.proposed),
      };
    case 'order':
      return { ...memory, orderWords: appendWords(memory.orderWords ?? NO_WORDS, words, WORDS_OF_ORDERS_MAX) };
  }
}

function shortened<T extends FlowOrigin>(origin: T): T {
  const entries = Object.entries(origin).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? shortName(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** `name` as it is kept: one byte for each character, whatever it is made of. */
function shortName(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).replace(/[^\x20-\x7e]|["\\]/g, '?');
}

/** Whether `a` and `b` say the same of where a value came from. */
export function sameSource(a: FlowSource, b: FlowSource): boolean {
  return a.event === b.event && a.kind === b.kind && a.label === b.label && a.homes === b.homes;
}
