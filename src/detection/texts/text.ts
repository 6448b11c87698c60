import type { Place } from '../facts/input.ts';

/**
 * Who wrote a text. Who may ask for what depends on it: a user may give the assistant orders, a tool's output may not.
 */
export const TEXT_SOURCES = ['user', 'agent', 'tool_input', 'tool_output', 'tool_description'] as const;
export type TextSource = (typeof TEXT_SOURCES)[number];

/** One string of an event, as it came. */
export interface EventText {
  place: Place;
  /** The nearest property name as it is compared: see `normalizeKey`. */
  key: string;
  text: string;
  source: TextSource;
}

/** A layer of encoding that was taken off a text. */
export const ENCODINGS = ['url', 'html', 'base64', 'hex', 'gzip', 'escape', 'reversed', 'rot13'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * What was in a text that a reader does not see, or sees as something else: how many of each. What belongs where it
 * stands is not counted (joiners in Persian or in emoji, selectors of emoji, tags of flags, colours of a terminal).
 * Of a plain ASCII text it is the one object `NO_HIDDEN`.
 */
export interface HiddenCounts {
  zeroWidth: number;
  bidi: number;
  /** Tag characters (U+E0000…), which spell ASCII invisibly. */
  tag: number;
  variationSelector: number;
  /** Letters of another script inside a word of Latin ones. */
  homoglyph: number;
  control: number;
}

/**
 * One reading of a text: as it stands, or what it says decoded. Folded (NFKC, without what is invisible, look-alike
 * letters as the Latin ones), so that a pattern need not know the disguises.
 */
export interface Reading {
  text: string;
  /** What was taken off, outermost first; empty for the text as it stands. */
  encodings: readonly Encoding[];
  /** Where `start` to `end` of this reading stand in the text as it came; the whole encoded piece where it was decoded. */
  locate(start: number, end: number): { start: number; end: number };
}

/** A text with everything it may be read as. The first reading is of the text as it stands. */
export interface ReadText {
  source: EventText;
  readings: readonly Reading[];
  hidden: HiddenCounts;
}
