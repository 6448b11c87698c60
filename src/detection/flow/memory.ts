import type { Fingerprint } from './fingerprint.ts';
import type { Action } from './wanted-action.ts';
import { NO_WORDS, type WordHashes } from './word-hashes.ts';

/** Why a value is remembered. A policy may name its own labels too. */
export type FlowLabel = 'secret' | 'pii' | 'private' | (string & {});

/** Where something was seen: the event, and the tool whose result it was; empty for what a person or the agent wrote. */
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
  /** Keyed hashes of the hosts that they are for. */
  homes?: WordHashes;
  /** Keyed hashes of the names of the files that hold them. */
  files?: WordHashes;
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

/** What a message names and asks for, in keyed hashes. */
export interface Wish {
  words: WordHashes;
  actions: readonly Action[];
  /** Names of files with credentials that it names, and behind them of those that it does not want read: see `isNamedIn`. */
  files?: WordHashes;
}

/** A file that the session wrote and may run: what it held when it was written last. */
export interface WrittenScript {
  /** Keyed hashes of its names. */
  files: WordHashes;
  /** The event that wrote it. */
  event: string;
  /** The policy that would have stopped the same as a command; undefined where none would. */
  policy?: string;
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
  /** What kinds of action the user's messages, and the prose of untrusted results, speak of. */
  asked: readonly Action[];
  /** A user's message left the choice of action to something that was still to be read. */
  delegated?: true;
  proposed: readonly Action[];
  /** What the agent's last message spoke of, which the user may say yes to. */
  offered?: Wish;
  /** Keyed hashes of telling words, by who named them. */
  userWords: WordHashes;
  /** Keyed hashes of the names of files with credentials that the user's messages named or refused. */
  userFiles?: WordHashes;
  fieldWords: WordHashes;
  proseWords: WordHashes;
  /** The same of what results that gave orders named beside them. */
  orderWords?: WordHashes;
  /** Scripts that policies would stop, and what was written over them, in the order of time. */
  scripts?: readonly WrittenScript[];
}

export const FLOW_MEMORY_BYTES_MAX = 16_384;

export const PRINTS_MAX = 40;
export const SOURCES_MAX = 20;
/** Characters that are kept of an event id, a tool name, a kind, a label; what is no printable ASCII as `?`. */
export const NAME_CHARS_MAX = 40;
/** Hosts of one source: their hashes stay within `NAME_CHARS_MAX`. */
export const HOMES_MAX = 7;
/** Names of the files of one source, of which each has up to four. */
export const NAMES_OF_FILES_MAX = 12;
export const WORDS_OF_USER_MAX = 160;
export const WORDS_OF_FIELDS_MAX = 96;
export const WORDS_OF_PROSE_MAX = 160;
export const WORDS_OF_ORDERS_MAX = 64;
export const WORDS_OFFERED_MAX = 32;
export const NAMES_OF_USER_FILES_MAX = 32;

/** Events after which pieces that went out no longer count towards a whole. */
export const PIECES_WINDOW_EVENTS = 128;

export const NO_FLOW: FlowMemory = {
  sources: [],
  prints: [],
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
  | { kind: 'flow.kept'; prints: readonly Fingerprint[]; files: WordHashes }
  | { kind: 'flow.wrote'; script: WrittenScript }
  | { kind: 'flow.saw'; what: 'private' | 'untrusted'; origin: FlowOrigin }
  | ({ kind: 'flow.words'; from: 'user' | 'field' | 'prose' | 'order'; delegated?: true } & Wish)
  | ({ kind: 'flow.offer' } & Wish)
  | { kind: 'flow.consent' };
