import type { Severity } from '../../../domain/decision.ts';

/** A secret in one reading of a text. */
export interface Seen {
  /** The kind's second half. */
  what: string;
  /** For the person: "a GitHub token". */
  title: string;
  severity: Severity;
  confidence: number;
  /** Where the secret itself stands in the reading. */
  start: number;
  end: number;
  value: string;
}

/** Looks at one place of a text, to which a fixed piece of text has led. */
export interface Probe {
  /** The pieces of text, ASCII, compared without regard to case. */
  marks: readonly string[];
  /** Asked only about marks at which a word starts. */
  wordsOnly?: boolean;
  /** `start` to `end` is the mark. Bounded work, apart from what `scan.skipTo` moves on. */
  look(scan: Scan, start: number, end: number): void;
}

/** One pass over one reading. */
export class Scan {
  readonly text: string;
  readonly seen: Seen[] = [];
  /**
   * Up to where each probe has read, by its number: it is not asked about places before that again, which is what keeps
   * a text of nothing but marks linear.
   */
  readonly #readUntil: Int32Array;
  #asked = 0;
  /** Where the last name of a secret ends, and how many of them stand in one word with it: see `assignments`. */
  nameEnd = 0;
  namesInWord = 0;

  /** `readUntil` is room for the scan to work in, which it clears. */
  constructor(text: string, readUntil: Int32Array) {
    this.text = text;
    this.#readUntil = readUntil.fill(0);
  }

  /** Has `probe`, by its number, look at the mark from `start` to `end`, unless it has read on beyond that. */
  ask(probe: Probe, number: number, start: number, end: number): void {
    if (start < (this.#readUntil[number] as number)) return;
    this.#asked = number;
    probe.look(this, start, end);
  }

  /** Up to where the probe that is asked has read before. */
  get readUntil(): number {
    return this.#readUntil[this.#asked] as number;
  }

  /** Has the probe that is asked say that it has read up to `end`. */
  skipTo(end: number): void {
    this.#readUntil[this.#asked] = end;
  }

  add(seen: Omit<Seen, 'value' | 'end'> & { value: string }): void {
    this.seen.push({ end: seen.start + seen.value.length, ...seen });
  }
}

/** Whether a token may start at `at`: not inside a word. Escapes such as `\n` and `%3D` in front end words too. */
export function startsWord(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === 45) return at < 2 || !isAlphanumeric(text.charCodeAt(at - 2));
  if (before === 95) return false;
  if (!isAlphanumeric(before)) return true;
  return ESCAPE_BEFORE.test(text.slice(Math.max(0, at - 6), at));
}

const ESCAPE_BEFORE = /\\[nrtbfv]$|%[0-9A-Fa-f]{2}$|\\u00[0-9A-Fa-f]{2}$|\\x[0-9A-Fa-f]{2}$|\\033$/;

export function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
