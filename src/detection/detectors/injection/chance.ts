import { SIGN } from './signs.ts';
import type { HeadName } from './weights.ts';

/** Signs that tell an attack from an order that merely stands in a text. */
const NAMED =
  SIGN.override |
  SIGN.roleMarker |
  SIGN.exfiltration |
  SIGN.concealment |
  SIGN.jailbreak |
  SIGN.promptLeak |
  SIGN.address |
  SIGN.unruled |
  SIGN.answer |
  SIGN.disguised |
  SIGN.unguarded |
  SIGN.precondition;

/** Signs that are there by chance next to never in what a tool gives back. */
const TELLING =
  SIGN.override |
  SIGN.roleMarker |
  SIGN.exfiltration |
  SIGN.concealment |
  SIGN.jailbreak |
  SIGN.unruled |
  SIGN.disguised |
  SIGN.unguarded |
  SIGN.precondition;

/** How much less than of other pieces is asked of one with such a sign that nobody quotes or speaks about, in score units. */
const TELLING_BONUS = 512;

/** Pieces of a text that need no allowance, and what each doubling of them asks for, in score units: the logarithm of two. */
const FEW_PIECES = 8;
const DOUBLING = 177;
/** The same of a piece with a sign. What tools say is longer, and full of orders to others. */
const DOUBLING_NAMED: Readonly<Record<HeadName, number>> = { user: 64, output: 128, description: 128 };

/** A piece that was scored by itself: where it begins, in UTF-16 offsets, and its score, in score units. */
export interface ScoredPiece {
  start: number;
  score: number;
  signs: number;
}

/**
 * What is taken off the scores of a text's pieces: among a hundred sentences of a manual or a story, one or the other looks
 * like an order. A structural sign is less likely to be there by chance, so that in what a tool says one counts for more than
 * the words do. An order that stands out of such a text, where nothing else comes near to one, was planted rather than met
 * by chance: of it half is taken off.
 */
export class ChanceAllowance {
  readonly #name: HeadName;
  readonly #doublings: number;
  /** Highest score first. */
  readonly #highest: ScoredPiece[] = [];

  /** For the pieces of a text of `count`, of which those that say something were scored. */
  constructor(name: HeadName, count: number, scored: readonly ScoredPiece[]) {
    this.#name = name;
    this.#doublings = 31 - Math.clz32(Math.floor(count / FEW_PIECES) | 1);
    if (name === 'output' && this.#doublings > 0) for (const piece of scored) this.#rank(piece);
  }

  #rank(piece: ScoredPiece): void {
    const highest = this.#highest;
    if (highest.length === HIGHEST_MAX && piece.score <= (highest[HIGHEST_MAX - 1] as ScoredPiece).score) return;
    let at = highest.length;
    while (at > 0 && (highest[at - 1] as ScoredPiece).score < piece.score) at--;
    highest.splice(at, 0, piece);
    if (highest.length > HIGHEST_MAX) highest.pop();
  }

  /** In score units; negative where a sign is not there by chance. */
  of({ start, signs }: ScoredPiece): number {
    const isTold = (signs & TELLING) !== 0 && (signs & (SIGN.quoted | SIGN.mentioned)) === 0;
    const bonus = this.#name !== 'user' && isTold ? TELLING_BONUS : 0;
    if (this.#doublings === 0) return -bonus;
    const doubling = (signs & NAMED) === 0 ? DOUBLING : DOUBLING_NAMED[this.#name];
    return Math.round(this.#doublings * doubling * this.#share(start)) - bonus;
  }

  /** How much of it is taken off the piece at `start`: half where the three highest that stand apart from it are ordinary. */
  #share(start: number): number {
    if (this.#name !== 'output') return 1;
    let sum = 0;
    let count = 0;
    for (const other of this.#highest) {
      if (Math.abs(other.start - start) <= APART_CHARS) continue;
      sum += other.score;
      if (++count === OTHERS) break;
    }
    const mean = count === OTHERS ? sum / OTHERS : ORDINARY;
    return (1 + Math.max(0, Math.min(1, mean / ORDER_LIKE))) / 2;
  }
}

/** Pieces that one is compared with, how far from it they begin, in code units, and how many are kept to find them among. */
const OTHERS = 3;
const APART_CHARS = 700;
const HIGHEST_MAX = 24;
/** What others score, in score units, that are ordinary, and that are so much like orders that one more says nothing. */
const ORDINARY = 0;
const ORDER_LIKE = 256;
