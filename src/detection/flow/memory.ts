import type { Action } from './actions.ts';
import { exactPart, type Fingerprint } from './fingerprint.ts';
import { appendWords, NO_WORDS, type WordHashes } from './word-hashes.ts';

/** Why a value is remembered. A policy may name its own labels too. */
export type FlowLabel = 'secret' | 'pii' | 'private' | (string & {});

/** Where something was seen: the event, and the tool whose result it was; empty for what a person wrote. */
export interface FlowOrigin {
  event: string;
  tool: string;
  /** Events of the session before it. */
  turn: number;
}

/** What the values of one event have in common. */
export interface FlowSource extends FlowOrigin {
  label: FlowLabel;
  /** The kind of the detection that found it: `secret.aws_access_key`. */
  kind: string;
}

export interface RememberedPrint {
  print: Fingerprint;
  /** Index into `sources`. */
  source: number;
  /** When it was last seen, in events of the session. */
  turn: number;
  /** Pieces of it that went out so far, and in which call the newest did. */
  sent?: number;
  sentTurn?: number;
}

/** A state that policies set and that lasts until it is released. */
export interface Taint {
  name: string;
  origin: FlowOrigin;
}

/**
 * What data flow knows of one session tree: plain data, a fold over stored effects, at most `FLOW_MEMORY_BYTES_MAX` as
 * JSON. Holds hashes, never content.
 */
export interface FlowMemory {
  sources: readonly FlowSource[];
  /** Least recently seen first. */
  prints: readonly RememberedPrint[];
  /** Where private data, and untrusted content, were first seen. */
  privateData?: FlowOrigin;
  untrusted?: FlowOrigin;
  taints: readonly Taint[];
  /** What kinds of action the user's messages, and the prose of untrusted results, speak of. */
  asked: readonly Action[];
  /** A user's message left the choice of action to something that was still to be read. */
  delegated?: true;
  proposed: readonly Action[];
  /** What the agent's last message spoke of, which the user may say yes to. */
  offered?: { words: WordHashes; actions: readonly Action[] };
  /** Keyed hashes of telling words, by who named them. */
  userWords: WordHashes;
  fieldWords: WordHashes;
  proseWords: WordHashes;
}

export const FLOW_MEMORY_BYTES_MAX = 16_384;

export const PRINTS_MAX = 40;
export const SOURCES_MAX = 20;
export const TAINTS_MAX = 6;
/** Characters that are kept of an event id, a tool name, a kind, a label; what is no printable ASCII as `?`. */
export const NAME_CHARS_MAX = 40;
export const WORDS_OF_USER_MAX = 160;
export const WORDS_OF_FIELDS_MAX = 96;
export const WORDS_OF_PROSE_MAX = 160;
export const WORDS_OFFERED_MAX = 32;

/** Events after which pieces that went out no longer count towards a whole. */
export const PIECES_WINDOW_EVENTS = 128;

export const NO_FLOW: FlowMemory = {
  sources: [],
  prints: [],
  taints: [],
  asked: [],
  proposed: [],
  userWords: NO_WORDS,
  fieldWords: NO_WORDS,
  proseWords: NO_WORDS,
};

/** A change to a session's flow memory. Plain data: it is stored with the decision and folded again on recovery. */
export type FlowEffect =
  | { kind: 'flow.remember'; source: FlowSource; prints: readonly Fingerprint[] }
  | { kind: 'flow.sent'; turn: number; pieces: readonly { print: Fingerprint; mask: number }[] }
  | { kind: 'flow.saw'; what: 'private' | 'untrusted'; origin: FlowOrigin }
  | { kind: 'flow.words'; from: 'user' | 'field' | 'prose'; words: WordHashes; actions: readonly Action[]; delegated?: true }
  | { kind: 'flow.offer'; words: WordHashes; actions: readonly Action[] }
  | { kind: 'flow.consent' }
  | { kind: 'flow.taint'; taint: Taint }
  | { kind: 'flow.release'; name: string };

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
    case 'flow.saw':
      return withSeen(memory, effect.what, effect.origin);
    case 'flow.words':
      return withWords(memory, effect);
    case 'flow.offer':
      return { ...memory, offered: { words: effect.words, actions: effect.actions } };
    case 'flow.consent':
      return memory.offered === undefined
        ? memory
        : withWords(memory, { kind: 'flow.words', from: 'user', ...memory.offered });
    case 'flow.taint':
      return withTaint(memory, effect.taint);
    case 'flow.release':
      return { ...memory, taints: memory.taints.filter((taint) => taint.name !== shortName(effect.name)) };
  }
}

function withPrints(memory: FlowMemory, source: FlowSource, prints: readonly Fingerprint[]): FlowMemory {
  const known = new Map(memory.prints.map((held) => [exactPart(held.print), held]));
  const named = shortened(source);
  let sources = memory.sources;
  let index = sources.findIndex((other) => sameSource(other, named));
  for (const print of prints) {
    const part = exactPart(print);
    const held = known.get(part);
    known.delete(part);
    if (held === undefined && index < 0) {
      index = sources.length;
      sources = [...sources, named];
    }
    // Seen again: the first origin stays, the value moves to the end of the queue.
    known.set(part, held === undefined ? { print, source: index, turn: source.turn } : { ...held, turn: source.turn });
  }
  return bounded({ ...memory, sources, prints: [...known.values()] });
}

/** Drops the prints, and then the sources, that do not fit, and the sources that no print names any more. */
function bounded(memory: FlowMemory): FlowMemory {
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

function withSeen(memory: FlowMemory, what: 'private' | 'untrusted', origin: FlowOrigin): FlowMemory {
  const name = what === 'private' ? 'privateData' : 'untrusted';
  return memory[name] === undefined ? { ...memory, [name]: shortened(origin) } : memory;
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
  }
}

function withTaint(memory: FlowMemory, taint: Taint): FlowMemory {
  if (memory.taints.some(({ name }) => name === shortName(taint.name))) return memory;
  const short = { name: shortName(taint.name), origin: shortened(taint.origin) };
  return { ...memory, taints: [...memory.taints, short].slice(-TAINTS_MAX) };
}

/**
 * What two agents of one session tree know together, as `child` reports back to `parent` or starts from it. Prints are
 * in order of when they were last seen; `parent`'s origins stay where both have one.
 */
export function mergeMemories(parent: FlowMemory, child: FlowMemory): FlowMemory {
  const shared = { ...parent, sources: [...parent.sources], prints: [...parent.prints] };
  for (const held of child.prints) {
    const at = shared.prints.findIndex(({ print }) => exactPart(print) === exactPart(held.print));
    const own = at < 0 ? undefined : shared.prints[at];
    if (own !== undefined) shared.prints[at] = together(own, held);
    else shared.prints.push({ ...held, source: sourceIn(shared.sources, child.sources[held.source] as FlowSource) });
  }
  shared.prints.sort((a, b) => a.turn - b.turn);
  const effects: FlowEffect[] = [
    ...child.taints.map((taint): FlowEffect => ({ kind: 'flow.taint', taint })),
    { kind: 'flow.words', from: 'user', words: child.userWords, actions: child.asked, ...(child.delegated ? { delegated: true } : {}) },
    { kind: 'flow.words', from: 'field', words: child.fieldWords, actions: [] },
    { kind: 'flow.words', from: 'prose', words: child.proseWords, actions: child.proposed },
  ];
  if (child.privateData) effects.push({ kind: 'flow.saw', what: 'private', origin: child.privateData });
  if (child.untrusted) effects.push({ kind: 'flow.saw', what: 'untrusted', origin: child.untrusted });
  return applyFlowEffects(bounded(shared), effects);
}

function together(own: RememberedPrint, other: RememberedPrint): RememberedPrint {
  const turn = Math.max(own.turn, other.turn);
  if (other.sent === undefined) return { ...own, turn };
  return { ...own, turn, sent: (own.sent ?? 0) | other.sent, sentTurn: Math.max(own.sentTurn ?? 0, other.sentTurn ?? 0) };
}

function sourceIn(sources: FlowSource[], source: FlowSource): number {
  const at = sources.findIndex((other) => sameSource(other, source));
  return at < 0 ? sources.push(source) - 1 : at;
}

function sameSource(a: FlowSource, b: FlowSource): boolean {
  return a.event === b.event && a.kind === b.kind && a.label === b.label;
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
