import type { Severity } from '../../../domain/decision.ts';

/** A kind of personal number, by its shape, its check, and what must stand near it. */
export interface PiiFormat {
  /** The kind's second half: `iban`. */
  what: string;
  /** For the person: "an IBAN". */
  title: string;
  severity: Severity;
  /**
   * How it may be written: pieces of digits (`9`) and letters (`A`), apart by one separator: `999-99-9999`. A `-`
   * stands for any of them.
   */
  shapes: readonly string[];
  /** Separators that it is written with. */
  separators: string;
  /** Whether text of that shape, in capitals and without separators, is one. */
  valid: (compact: string) => boolean;
  /** How sure it is where nothing near says so; 0 refuses it. */
  alone: number;
  /** How sure it is written in one piece, where nothing near says so. */
  bare: number;
  /** How sure it is as the whole value of a field. */
  whole: number;
  /** How sure it is beside one of its words. */
  near: number;
  words: readonly string[];
  /** Whether a number of that shape is one that manuals and tests are full of, and that nobody has. */
  sample?: (compact: string) => boolean;
}

const SAMPLE_CONFIDENCE_MAX = 0.5;

/** As a sample is told of: whoever tries one out sees it found, and no policy that asks for a severity acts on it. */
export function ofSamples<Found extends { title: string }>(
  found: Found,
  confidence = SAMPLE_CONFIDENCE_MAX,
): Found & { severity: 'informational'; confidence: number } {
  return {
    ...found,
    title: `${found.title} of manuals and tests`,
    severity: 'informational',
    confidence: Math.min(confidence, SAMPLE_CONFIDENCE_MAX),
  };
}
