import { BUCKETS, Features } from './features.ts';
import { NUMBER_CLASS } from './lexicon.ts';
import { pieceSigns } from './piece-signs.ts';
import type { Piece } from './pieces.ts';
import { AFTER_CHARS_MAX, BEFORE_CHARS_MAX } from './role-markers.ts';
import { SIGN, SIGN_BITS } from './signs.ts';
import { Tokens } from './tokens.ts';
import { HEADS, type HeadName } from './weights.ts';

/** Scores are in 1/256 of a logit, as integers: the same on any machine. */
export const SCORE_UNIT = 256;

/** One of the linear models: for what users say, for what tools give back, and for how they describe themselves. */
interface Head {
  weights: Int8Array;
  signs: Int32Array;
  bias: number;
  /** What one step of a weight is, in score units. */
  step: number;
}

const heads: Readonly<Record<HeadName, Head>> = {
  user: decoded('user'),
  output: decoded('output'),
  description: decoded('description'),
};

function decoded(name: HeadName): Head {
  const { weights, signs, bias, step } = HEADS[name];
  const binary = atob(weights);
  const values = new Int8Array(BUCKETS);
  for (let index = 0; index < BUCKETS; index++) values[index] = (binary.charCodeAt(index) << 24) >> 24;
  return { weights: values, signs: Int32Array.from(signs), bias, step };
}

const tokens = new Tokens();
const features = new Features();

/** What one piece of a text scores, and its signs. Both hold until the next call. */
export interface PieceScore {
  score: number;
  signs: number;
}

const result: PieceScore = { score: 0, signs: 0 };

/** The lowest score, of what says nothing. */
export const SCORE_MIN = -32 * SCORE_UNIT;

/** Pieces of a text from which it is worth keeping what each scored. */
const KEPT_PIECES_MIN = 16;

/**
 * Scores the pieces of one text: one that came before, with the same around it, is not scored again. Logs repeat lines, and most of
 * what is made to be slow repeats itself.
 */
export class PieceScores {
  readonly #head: HeadName;
  readonly #text: string;
  readonly #known: Map<string, PieceScore> | undefined;

  /** Of `text`, which has `count` pieces. */
  constructor(head: HeadName, text: string, count: number) {
    this.#head = head;
    this.#text = text;
    this.#known = count < KEPT_PIECES_MIN ? undefined : new Map();
  }

  /** The score of a piece; `isHidden` where a reader does not see it. It holds until the next call. */
  of(piece: Piece, isHidden: boolean): PieceScore {
    if (this.#known === undefined) return this.#score(piece, isHidden);
    const { start, end } = piece;
    const around = this.#text.slice(Math.max(0, start - BEFORE_CHARS_MAX), end + AFTER_CHARS_MAX);
    const key = `${end - start}${isHidden ? '-' : '+'}${around}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const scored = this.#score(piece, isHidden);
    this.#known.set(key, { ...scored });
    return scored;
  }

  #score({ start, end }: Piece, isHidden: boolean): PieceScore {
    scoreText(this.#head, this.#text, start, end, isHidden);
    if (result.score <= 0) return result;
    const distinct = withoutRepeats(this.#text);
    if (distinct === undefined) return result;
    const { score, signs } = result;
    scoreText(this.#head, distinct, 0, distinct.length, isHidden);
    result.score = Math.min(score, result.score);
    result.signs = signs;
    return result;
  }
}

/** Tokens of which fewer cannot repeat themselves by much; and how many times fewer are left of what does. */
const REPEATING_TOKENS_MIN = 9;
const REPEATING_FACTOR = 3;

/**
 * The tokens just read without pairs that came before, where little is left: a line printed forty times is no longer text than
 * one, and the model, which adds up what it sees, has met no such thing. Whatever stands beside the repeated stays.
 */
function withoutRepeats(text: string): string | undefined {
  if (tokens.count < REPEATING_TOKENS_MIN) return undefined;
  const pairs = new Set<string>();
  const kept: string[] = [];
  let before = '';
  for (let at = 0; at < tokens.count; at++) {
    const word = text.slice(tokens.start[at], tokens.end[at]).toLowerCase();
    const pair = `${before} ${word}`;
    before = word;
    if (pairs.has(pair)) continue;
    pairs.add(pair);
    kept.push(word);
    if (kept.length * REPEATING_FACTOR > tokens.count) return undefined;
  }
  return kept.join(' ');
}

function scoreText(name: HeadName, text: string, start: number, end: number, hidden: boolean): void {
  tokens.read(text, start, end);
  result.signs = pieceSigns(tokens, text, start, end, hidden);
  if (saysNothing(tokens, result.signs)) {
    result.score = SCORE_MIN;
    return;
  }
  features.read(tokens, text, start, end);
  const { weights, signs, bias, step } = heads[name];
  const { bucket, count } = features;
  let sum = 0;
  for (let index = 0; index < count; index++) sum += weights[bucket[index] as number] as number;
  // Division and square root are exact to the last bit by IEEE 754, so rounding gives the same everywhere.
  let score = bias + Math.round((sum * step) / Math.sqrt(count + SMOOTHING));
  for (let bit = 0; bit < SIGN_BITS; bit++) if ((result.signs & (1 << bit)) !== 0) score += signs[bit] as number;
  result.score = score;
}

/** Words without which a piece says nothing; numbers are none. */
const WORDS_MIN = 3;

/** Whether a piece of these tokens and signs is not scored. */
export function saysNothing(tokens: Tokens, signs: number): boolean {
  if ((signs & ~SIGN.names) !== 0) return false;
  let words = 0;
  for (let at = 0; at < tokens.count && words < WORDS_MIN; at++) if (tokens.class[at] !== NUMBER_CLASS) words++;
  return words < WORDS_MIN;
}

/** Added to the number of features, so that a piece of few words is not all decided by one of them. */
export const SMOOTHING = 30;

/**
 * What the rest of a text adds to the score of its worst piece: whoever is after something leads up to it and presses on, and one
 * odd sentence among ordinary ones is mostly ordinary. Not for what tools give back, where orders are planted in other people's texts.
 */
export class RestOfText {
  #sum = 0;
  #count = 0;

  /** Adds what a piece scores by itself. Pieces that say nothing do not count. */
  add(score: number): void {
    if (score <= SCORE_MIN) return;
    this.#sum += bounded(score, PIECE_BOUND);
    this.#count++;
  }

  /** In score units, where the worst piece, which was added as well, scored `worst` by itself; 0 where it is alone. */
  besides(name: HeadName, worst: number): number {
    if (name === 'output' || this.#count < 2) return 0;
    const mean = Math.round((this.#sum - bounded(worst, PIECE_BOUND)) / (this.#count - 1));
    return Math.max(-REST_TAKES[name], Math.min(REST_ADDS, mean + ORDINARY));
  }
}

/** How far below zero, in score units, the pieces of harmless texts and of the rest of attacks part. */
const ORDINARY = 320;
/** What the rest adds at most, and takes away: of a message little, since whoever writes one can put any harmless paragraphs around an order. */
const REST_ADDS = 384;
const REST_TAKES: Readonly<Record<Exclude<HeadName, 'output'>, number>> = { user: 128, description: 384 };
/** What one piece counts at most. */
const PIECE_BOUND = 1_536;

function bounded(score: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, score));
}
