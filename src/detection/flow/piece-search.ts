import type { Place } from '../facts/input.ts';
import type { FlowEncoding } from './encodings.ts';
import { type Fingerprint, type ReadFingerprint, readFingerprint } from './fingerprint.ts';
import { GRAM_SYMBOLS, type KeyedHash, mixed, turn } from './keyed-hash.ts';
import type { Symbols } from './symbols.ts';

export type Direction = 'forward' | 'backward' | 'rotated';

/** What is being looked at: how it is written, and where it stands. */
export interface Sight {
  encoding: FlowEncoding;
  locate: (start: number, end: number) => { place: Place; start: number; end: number };
}

/** What was found of one fingerprint. */
export interface Found {
  read: ReadFingerprint;
  mask: number;
  /** Where most of it was found. */
  sight: Sight;
  start: number;
  end: number;
}

/** A piece of a fingerprint. */
interface Gram {
  print: number;
  index: number;
}

/** What was seen of a fingerprint. */
interface Trail {
  read: ReadFingerprint;
  mask: number;
  sight: Sight | undefined;
  start: number;
  end: number;
  /** The scan that the rest is of, which starts anew with each. */
  scan: number;
  scanMask: number;
  scanStart: number;
  scanEnd: number;
  /** The piece that was met last, and where. */
  lastIndex: number;
  lastAt: number;
  lastStart: number;
  lastEnd: number;
}

/** Bits of a hash that choose a bit of the filter, which most text never passes. */
const FILTER_BITS = 15;
const FILTER_MASK = (1 << FILTER_BITS) - 1;

/** Values that may share a piece, such as the prefix of a kind of token. Of more it counts for the first. */
const SAME_GRAMS_MAX = 8;

/** Pieces on the same line of a value may have one between them that another value's hash took. */
const INDEX_STEP_MAX = 2;

/** Looks for pieces of fingerprints in texts, in one pass over each whatever the number of fingerprints. */
export class PieceSearch {
  readonly #hash: KeyedHash;
  readonly #trails: (Trail | undefined)[];
  readonly #grams = new Map<number, Gram[]>();
  readonly #filter = new Uint32Array(1 << (FILTER_BITS - 5));
  readonly #met: Trail[] = [];
  #scan = 0;

  constructor(prints: readonly Fingerprint[], hash: KeyedHash) {
    this.#hash = hash;
    this.#trails = prints.map((print, index) => this.#add(print, index));
  }

  #add(print: Fingerprint, index: number): Trail | undefined {
    const read = readFingerprint(print);
    if (read === undefined) return undefined;
    for (const [gram, value] of read.grams.entries()) {
      const bit = value & FILTER_MASK;
      this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] as number) | (1 << (bit & 31));
      const known = this.#grams.get(value);
      if (known === undefined) this.#grams.set(value, [{ print: index, index: gram }]);
      else if (known.length < SAME_GRAMS_MAX) known.push({ print: index, index: gram });
    }
    return {
      read,
      mask: 0,
      sight: undefined,
      start: 0,
      end: 0,
      scan: 0,
      scanMask: 0,
      scanStart: 0,
      scanEnd: 0,
      lastIndex: 0,
      lastAt: 0,
      lastStart: 0,
      lastEnd: 0,
    };
  }

  /** Searches `text` in `direction`; `rotated` is rot13. */
  scan(text: Symbols, direction: Direction, sight: Sight): void {
    if (text.length < GRAM_SYMBOLS) return;
    this.#scan++;
    this.#met.length = 0;
    this.#scanSymbols(text, direction);
    for (const trail of this.#met) keep(trail, sight);
  }

  #scanSymbols({ symbols, offsets, length }: Symbols, direction: Direction): void {
    const { first, second } = this.#hash;
    const { entering, leaving } = direction === 'rotated' ? this.#hash.rotated : this.#hash;
    const filter = this.#filter;
    const backward = direction === 'backward';
    const step = backward ? -1 : 1;
    let rolling = 0;
    for (let read = 0, at = backward ? length - 1 : 0; read < length; read++, at += step) {
      const left = read < GRAM_SYMBOLS ? 0 : (leaving[symbols[at - step * GRAM_SYMBOLS] as number] as number);
      rolling = turn(rolling, entering[symbols[at] as number] as number, left);
      if (read < GRAM_SYMBOLS - 1) continue;
      const hash = mixed(rolling, first, second);
      const bit = hash & FILTER_MASK;
      if (((filter[bit >>> 5] as number) & (1 << (bit & 31))) === 0) continue;
      const grams = this.#grams.get(hash);
      if (grams === undefined) continue;
      const other = at - step * (GRAM_SYMBOLS - 1);
      const one = offsets[at] as number;
      const two = offsets[other] as number;
      const start = Math.min(one, two);
      const end = Math.max(one, two) + 1;
      for (const gram of grams) this.#meet(gram, read, start, end);
    }
  }

  /**
   * Takes a piece down. One of a value that is not random counts only next to another of its pieces: six letters in a
   * row may well be in any text.
   */
  #meet({ print, index }: Gram, at: number, start: number, end: number): void {
    const trail = this.#trails[print];
    if (trail === undefined) return;
    if (trail.scan !== this.#scan) this.#begin(trail);
    const { read, lastIndex, lastAt } = trail;
    const onward = index - lastIndex;
    const joined = onward >= 1 && onward <= INDEX_STEP_MAX && at - lastAt === onward * read.stride;
    if (read.dense || joined) {
      trail.scanMask |= (1 << index) | (joined ? 1 << lastIndex : 0);
      trail.scanStart = Math.min(trail.scanStart, start, joined ? trail.lastStart : start);
      trail.scanEnd = Math.max(trail.scanEnd, end, joined ? trail.lastEnd : end);
    }
    trail.lastIndex = index;
    trail.lastAt = at;
    trail.lastStart = start;
    trail.lastEnd = end;
  }

  #begin(trail: Trail): void {
    trail.scan = this.#scan;
    trail.scanMask = 0;
    trail.scanStart = Number.MAX_SAFE_INTEGER;
    trail.scanEnd = 0;
    trail.lastIndex = -INDEX_STEP_MAX - 1;
    this.#met.push(trail);
  }

  /** What all scans found of the fingerprint at `index`, if anything. */
  found(index: number): Found | undefined {
    const trail = this.#trails[index];
    if (trail?.sight === undefined) return undefined;
    const { read, mask, sight, start, end } = trail;
    return { read, mask, sight, start, end };
  }
}

function keep(trail: Trail, sight: Sight): void {
  if (trail.scanMask === 0) return;
  if (trail.sight === undefined || bits(trail.scanMask) > bits(trail.mask)) {
    trail.sight = sight;
    trail.start = trail.scanStart;
    trail.end = trail.scanEnd;
  }
  trail.mask |= trail.scanMask;
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
