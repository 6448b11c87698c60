import { MappedText } from './offset-map.ts';
import type { Encoding } from './text.ts';

/** What an escape stands for, and where it ends. */
export interface Escape {
  value: string;
  end: number;
  /** It is worth a reading of its own: one that ordinary text of the kind is not full of. */
  telling: boolean;
}

/** A way of writing characters by others in the middle of a text. */
export interface Notation {
  encoding: Encoding;
  /** The character that each escape begins with. */
  mark: string;
  read(text: string, at: number): Escape | undefined;
}

/** What was decoded in a text. */
export interface Decoded {
  encoding: Encoding;
  out: MappedText;
  /** Not all of it: the bound was met. */
  cut: boolean;
}

/** Code units to each side of an escape that are read with it, where its line is longer. */
const WINDOW_CHARS = 240;

/**
 * The lines of `text` that hold escapes of `notation` (at most 240 code units to each side), decoded, one below the
 * other. Undefined where there are none worth it. No more is begun once there are `charsMax` code units.
 */
export function substitute(text: string, notation: Notation, charsMax: number): Decoded | undefined {
  const lines = new DecodedLines(text);
  let telling = false;
  let at = text.indexOf(notation.mark);
  while (at >= 0 && lines.out.length < charsMax) {
    const found = notation.read(text, at);
    if (found !== undefined) {
      lines.replace(at, found);
      telling ||= found.telling;
    }
    at = text.indexOf(notation.mark, found?.end ?? at + 1);
  }
  const cut = at >= 0;
  return telling || cut ? { encoding: notation.encoding, out: lines.finish(), cut } : undefined;
}

/** Collects the lines around what was decoded. */
class DecodedLines {
  readonly out = new MappedText();
  readonly #text: string;
  /** Up to where the text is taken, where the lines begun end, and where the line of the last escape does. */
  #taken = 0;
  #windowEnd = 0;
  #lineEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  replace(at: number, found: Escape): void {
    if (at >= this.#windowEnd) this.#begin(at);
    this.#takeUntil(at);
    this.out.add(found.value, at, found.end);
    this.#taken = found.end;
    if (this.#lineEnd < found.end) {
      const lineEnd = this.#text.indexOf('\n', found.end);
      this.#lineEnd = lineEnd < 0 ? this.#text.length : lineEnd;
    }
    this.#windowEnd = Math.max(found.end, Math.min(this.#lineEnd, found.end + WINDOW_CHARS));
  }

  finish(): MappedText {
    this.#takeUntil(this.#windowEnd);
    return this.out;
  }

  /** Ends the lines begun, and begins with the one that holds `at`. */
  #begin(at: number): void {
    this.#takeUntil(this.#windowEnd);
    const from = Math.max(this.#windowEnd, at - WINDOW_CHARS);
    const start = from + this.#text.slice(from, at).lastIndexOf('\n') + 1;
    if (this.out.length > 0 && start > this.#windowEnd) this.out.add('\n', this.#windowEnd, start);
    this.#taken = start;
  }

  #takeUntil(end: number): void {
    if (end > this.#taken) this.out.add(this.#text.slice(this.#taken, end), this.#taken, end);
    this.#taken = Math.max(this.#taken, end);
  }
}
