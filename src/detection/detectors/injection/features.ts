import { FOLD } from './fold.ts';
import { EMAIL_CLASS, NUMBER_CLASS, URL_CLASS } from './lexicon.ts';
import type { Tokens } from './tokens.ts';

/** Buckets that features are hashed into, a power of two. */
export const BUCKETS = 131_072;

/** Features that one segment may have; a segment of 400 code units has seldom more than 900. */
export const FEATURES_MAX = 4_096;

/** The features of one segment, as bucket numbers; a feature that is there twice counts twice. */
export class Features {
  count = 0;
  readonly bucket = new Uint32Array(FEATURES_MAX);
  readonly #chain = new Int32Array(3);

  /**
   * Words, pairs of words, class sequences (with and without what stands between), letter 4-grams, how the segment
   * begins, and how it looks.
   */
  read(tokens: Tokens, text: string, start: number, end: number): void {
    this.count = 0;
    this.#readTokens(tokens);
    this.#readLook(tokens, text, start, end);
    this.#readLetters(tokens, text);
  }

  #readTokens(tokens: Tokens): void {
    const chain = this.#chain;
    chain.fill(0);
    let word1 = BEGIN;
    let sort1 = BEGIN;
    let sort2 = BEGIN;
    for (let at = 0; at < tokens.count; at++) {
      const word = tokens.hash[at] as number;
      const kind = tokens.class[at] as number;
      const sort = kind === 0 ? OTHER : kind;
      this.#add(mix(SALT.word, word));
      this.#add(mix(mix(SALT.words, word1), word));
      this.#add(mix(mix(SALT.sorts, sort1), sort));
      this.#add(mix(mix(mix(SALT.sorts3, sort2), sort1), sort));
      if (kind !== 0 && kind < URL_CLASS) this.#add(mix(mix(SALT.after, word1), kind));
      if (kind !== 0 && kind !== NUMBER_CLASS) this.#readChain(kind);
      word1 = word;
      sort2 = sort1;
      sort1 = sort;
    }
  }

  /** Sequences of classes, whatever stands between them. */
  #readChain(kind: number): void {
    const chain = this.#chain;
    const one = chain[0] as number;
    const two = chain[1] as number;
    if (one !== kind) {
      this.#add(mix(mix(SALT.chain, one), kind));
      this.#add(mix(mix(mix(SALT.chain3, two), one), kind));
      this.#add(mix(mix(mix(mix(SALT.chain4, chain[2] as number), two), one), kind));
      chain[2] = two;
      chain[1] = one;
      chain[0] = kind;
    }
    this.#add(mix(SALT.sort, kind));
  }

  /** What the segment looks like: shouting, code, markup, how long it is. */
  #readLook(tokens: Tokens, text: string, start: number, end: number): void {
    let marks = 0;
    let code = 0;
    let upper = 0;
    for (let at = start; at < end; at++) {
      const char = text.charCodeAt(at);
      if (char === 0x21) marks++;
      else if (char >= 0x41 && char <= 0x5a) upper++;
      else if (char < 0x80 && (CODE_MARK[char] as number) !== 0) code++;
    }
    const length = end - start;
    if (marks > 2) this.#add(mix(SALT.look, 1));
    if (tokens.shouted > 0) this.#add(mix(SALT.look, tokens.shouted > 2 ? 2 : 3));
    this.#add(mix(SALT.code, Math.min(15, Math.floor((code * 64) / (length + 8)))));
    this.#add(mix(SALT.upper, Math.min(7, Math.floor((upper * 16) / (length + 8)))));
    this.#add(mix(SALT.length, Math.min(15, tokens.count >> 2)));
    const last = text.charCodeAt(end - 1);
    if (last < 0x80 && (last < 0x30 || (last > 0x39 && last < 0x41) || last > 0x5a)) this.#add(mix(SALT.last, last));
    const first = text.charCodeAt(start);
    if (first < 0x80)
      this.#add(mix(SALT.first, first >= 0x41 && first <= 0x5a ? 0x41 : first >= 0x61 && first <= 0x7a ? 0x61 : first));
  }

  /** Letter 4-grams inside words, with their ends: for inflections, misspellings and languages without a word list. */
  #readLetters(tokens: Tokens, text: string): void {
    for (let at = 0; at < tokens.count; at++) {
      const kind = tokens.class[at] as number;
      if (kind === URL_CLASS || kind === EMAIL_CLASS || kind === NUMBER_CLASS) continue;
      const from = tokens.start[at] as number;
      const to = tokens.end[at] as number;
      if (to - from < 4) continue;
      let gram = 0x7f;
      for (let index = from; index < to; index++) {
        gram = (gram << 8) ^ ((FOLD[text.charCodeAt(index)] as number) & 0xff);
        if (index >= from + 2) this.#add(mix(SALT.letters, gram));
      }
      this.#add(mix(SALT.letters, (gram << 8) ^ 0x7f));
    }
  }

  #add(hash: number): void {
    if (this.count < FEATURES_MAX) this.bucket[this.count++] = (hash ^ (hash >>> 15)) & (BUCKETS - 1);
  }
}

const BEGIN = 0x3e91;
const OTHER = 0x3e92;

const SALT = {
  word: 0x1b873593,
  words: 0x2c1b3c6d,
  sorts: 0x297a2d39,
  sorts3: 0x165667b1,
  sort: 0x27d4eb2f,
  after: 0x7feb352d,
  chain: 0x046ac4cb,
  chain3: 0x31848bab,
  chain4: 0x5f356495,
  look: 0x3c6ef372,
  code: 0x1f83d9ab,
  upper: 0x5be0cd19,
  length: 0x510e527f,
  last: 0x428a2f98,
  first: 0x71374491,
  letters: 0x35ae4b87,
} as const;

function mix(seed: number, value: number): number {
  const hash = Math.imul(seed ^ value, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

const CODE_MARK = new Uint8Array(0x80);
for (const mark of '{}[]()<>=;|$&*_/\\#"\':@+`~^%') CODE_MARK[mark.charCodeAt(0)] = 1;
