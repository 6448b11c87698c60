import { Turns } from './turns.ts';

export interface SharesBounds {
  /** Pieces of work under way and waiting, of everybody. */
  allMax: number;
  /** Of one owner. */
  ofOneMax: number;
}

/** Why a piece of work was not taken: its owner has too much here already, or all together. */
type ShareFull = 'own_full' | 'all_full';

/**
 * Bounded work of many owners. One piece of each is done at a time and others of its wait, so that whoever brings much
 * waits for itself.
 */
export class Shares {
  readonly #bounds: SharesBounds;
  readonly #owners = new Map<string, { turns: Turns; count: number }>();
  #all = 0;

  constructor(bounds: SharesBounds) {
    this.#bounds = bounds;
  }

  /** Does `work` when its turn comes. Rejects where it does. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<{ full: ShareFull } | { result: T }> {
    const { allMax, ofOneMax } = this.#bounds;
    if (this.#all >= allMax) return { full: 'all_full' };
    const own = this.#owners.get(owner) ?? { turns: new Turns(1, ofOneMax - 1), count: 0 };
    const turn = own.turns.run(work);
    if (turn === undefined) return { full: 'own_full' };
    this.#owners.set(owner, own);
    own.count++;
    this.#all++;
    try {
      return { result: await turn };
    } finally {
      own.count--;
      this.#all--;
      if (own.count === 0) this.#owners.delete(owner);
    }
  }
}
