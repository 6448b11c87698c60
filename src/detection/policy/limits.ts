/**
 * Bounds of policy sets, of their evaluation, and of the state that they keep. All are counts, so that the same set
 * and event are cut at the same place on any machine.
 */
export const POLICY_LIMITS = {
  /** UTF-8 bytes of one file. */
  fileBytesMax: 8_388_608,
  /** Policies of all documents together. */
  policiesMax: 10_000,
  /** UTF-16 code units of one expression. */
  expressionCharsMax: 4_096,
  /** Expressions inside expressions. */
  expressionDepthMax: 32,
  listsMax: 256,
  listItemsMax: 10_000,
  listItemCharsMax: 1_024,
  macrosMax: 256,
  /** Names and patterns of tools that one set declares. */
  toolsMax: 1_024,
  /** YAML aliases of one document. */
  aliasesMax: 64,
  /** Lists and mappings inside each other, in YAML. */
  yamlDepthMax: 48,
  /** Faults that one parse or compilation reports. */
  faultsMax: 50,
  /**
   * What one policy may cost on one event, in steps: a round of a loop, 64 characters that are searched for a text, 4 that are held against a pattern, or 128
   * against a repetition of it that is written out. A step takes ten microseconds at most. */
  evaluationStepsMax: 50_000,
  /** Code units of one text that `matches()` looks at; it fails on a longer one. */
  matchCharsMax: 16_384,
  /** Code units of one pattern of `matches()`, and instructions that it is compiled to. */
  patternCharsMax: 1_024,
  patternSizeMax: 1_536,
  /** Policies that matched, and policies that failed, of which one decision tells; the gravest come first. */
  matchesMax: 64,
  errorsMax: 64,
  /** Counters and sequences that one session keeps. Shadow policies have as many of their own. */
  countersMax: 128,
  chainsMax: 128,
  /** Distinct values that one `value_count` can tell apart, and so its largest `gt`, plus one. */
  counterValuesMax: 256,
  /** Points in time that one counter keeps; above, time is rounded. */
  counterTimesMax: 64,
  /** Taint labels that one session keeps. */
  taintsMax: 64,
} as const;
