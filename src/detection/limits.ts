import { POLICY_LIMITS } from './policy/limits.ts';

/**
 * Bounds of one inspection. All are counts, so that the same event is cut at the same place on any machine; time is
 * only ever bounded by the budget that the caller hands in.
 */
export interface Limits {
  /** Code units of one shell text that are parsed. */
  shellCharsMax: number;
  /**
   * Code units at the end of a text that are read after all where a bound cut it short, once for an event: else it
   * would be enough to put something long in front.
   */
  tailCharsMax: number;
  /** Commands of all shell texts of one event. */
  shellCommandsMax: number;
  /** Scripts inside scripts: `bash -c "eval '…'"`, substitutions, functions. */
  shellDepthMax: number;
  /**
   * Code units that expansion may produce and nested scripts may make the parser read again, over one event. Without
   * it a few bytes such as `$(` repeated, or doubling variables, buy unbounded work.
   */
  shellWorkCharsMax: number;
  /** Alternatives of one word, of a brace expansion or of a loop's variable, and what comes of several of them in one word. */
  shellFieldsMax: number;
  /** Expansions inside expansions, of one text: the parser reads the inner ones once for each level. */
  shellNestingMax: number;
  /** Here-documents of one text: the parser's time is quadratic in those that are never closed. */
  shellHeredocsMax: number;
  /** Values of a tool input that are looked at, and how deep. */
  inputValuesMax: number;
  inputDepthMax: number;
  /**
   * Whether the names of an object's properties are listed; else only well-known ones are looked up. There is no listing
   * a part: the engine sorts all names before it hands out the first, 30 ms for 100,000, also to a loop that stops there.
   */
  listsNames: boolean;
  /** Code units of one path, host or URL. A longer one is cut. */
  pathCharsMax: number;
  urlCharsMax: number;
  /** Words of one command that are looked at for files and hosts. */
  wordsMax: number;
  /** Hosts, and files, that one event may contribute. */
  hostsMax: number;
  filesMax: number;
  /** Code units of inline code (`python -c`, a code tool) that are scanned. */
  codeCharsMax: number;
  /** Calls in one piece of inline code. */
  codeCallsMax: number;
  /** Strings of one event that detectors read, and their code units together. What is behind is not read. */
  textsMax: number;
  textCharsMax: number;
  /** Code units that may be decoded out of all layers of one text: each piece inside a piece counts again. */
  decodedCharsMax: number;
  /** Encodings inside encodings. */
  decodeDepthMax: number;
  /** Readings of one text, the one as it stands included. */
  readingsMax: number;
  /** Steps that one policy may take: see `POLICY_LIMITS.evaluationStepsMax`. */
  policyStepsMax: number;
}

/** For a worker, which has the rest of the request's deadline. */
export const FULL_LIMITS: Limits = {
  shellCharsMax: 65_536,
  tailCharsMax: 2_048,
  shellCommandsMax: 1_024,
  shellDepthMax: 64,
  shellWorkCharsMax: 131_072,
  shellFieldsMax: 256,
  shellNestingMax: 32,
  shellHeredocsMax: 256,
  inputValuesMax: 2_000,
  inputDepthMax: 64,
  listsNames: true,
  pathCharsMax: 4_096,
  urlCharsMax: 4_096,
  wordsMax: 2_048,
  hostsMax: 512,
  filesMax: 4_096,
  codeCharsMax: 65_536,
  codeCallsMax: 256,
  textsMax: 4_096,
  textCharsMax: 1_048_576,
  decodedCharsMax: 131_072,
  decodeDepthMax: 2,
  readingsMax: 32,
  policyStepsMax: POLICY_LIMITS.evaluationStepsMax,
};

/** For the main thread: see `inspectQuickly`. */
export const QUICK_LIMITS: Limits = {
  shellCharsMax: 1_024,
  tailCharsMax: 0,
  shellCommandsMax: 24,
  shellDepthMax: 6,
  shellWorkCharsMax: 1_024,
  shellFieldsMax: 16,
  shellNestingMax: 8,
  shellHeredocsMax: 8,
  inputValuesMax: 64,
  inputDepthMax: 8,
  listsNames: true,
  pathCharsMax: 512,
  urlCharsMax: 512,
  wordsMax: 64,
  hostsMax: 8,
  filesMax: 64,
  codeCharsMax: 1_024,
  codeCallsMax: 16,
  textsMax: 64,
  textCharsMax: 1_024,
  decodedCharsMax: 1_024,
  decodeDepthMax: 1,
  readingsMax: 4,
  policyStepsMax: 4_096,
};

/** Longest event, in code units of its text, whose properties the main thread lists: at most some 2,700 of them. */
export const QUICK_LISTED_CHARS_MAX = 16_384;

/** For the main thread and a longer event, which may be all names. */
export const QUICK_LONG_LIMITS: Limits = { ...QUICK_LIMITS, listsNames: false };
