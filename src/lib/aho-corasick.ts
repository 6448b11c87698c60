/** Characters that keywords may consist of: ASCII, so that a table by character code stays small. */
const CHARS = 128;

/**
 * Finds every occurrence of many keywords in one pass over a text, in time linear in its length whatever it holds
 * (A. Aho, M. Corasick: "Efficient string matching", 1975).
 *
 * The automaton is complete: one table look-up per character, no fall-back at run time. Characters that are in no
 * keyword share one column, so the table has as many columns as keywords have different characters.
 */
export class AhoCorasick {
  readonly #columnOf = new Uint8Array(CHARS);
  readonly #columns: number;
  /**
   * The move from a state by a column. A state is kept as where its row starts, shifted left by one; the low bit says
   * whether a keyword ends there.
   */
  readonly #next: Int32Array;
  /** First of the keywords that end in a state, plus one; 0 for none. */
  readonly #ends: Int32Array;
  /** The next keyword that ends where this one does, plus one. */
  readonly #also: Int32Array;

  /** Keywords are ASCII and not empty; equal ones are all reported. */
  constructor(keywords: readonly string[], { ignoreCase }: { ignoreCase: boolean }) {
    const words = keywords.map((word) => (ignoreCase ? word.toLowerCase() : word));
    this.#columns = this.#assignColumns(words, ignoreCase);
    const states = 1 + words.reduce((sum, word) => sum + word.length, 0);
    const next = new Int32Array(states * this.#columns);
    this.#ends = new Int32Array(states);
    this.#also = new Int32Array(words.length);
    const used = this.#plant(words, next);
    this.#connect(next, used);
    this.#next = next.slice(0, used * this.#columns);
  }

  /**
   * Tells `visit` of each occurrence: which keyword, and where it ends (exclusive). In order of the ends; of keywords
   * that end at one place the longest first.
   */
  scan(text: string, visit: (keyword: number, end: number) => void): void {
    const next = this.#next;
    const columnOf = this.#columnOf;
    const ends = this.#ends;
    const columns = this.#columns;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = code < CHARS ? (next[(state >> 1) + (columnOf[code] as number)] as number) : 0;
      if ((state & 1) === 0) continue;
      let end = ends[(state >> 1) / columns] as number;
      while (end !== 0) {
        visit(end - 1, at + 1);
        end = this.#also[end - 1] as number;
      }
    }
  }

  /** Whether any keyword occurs in `text`. */
  occursIn(text: string): boolean {
    const next = this.#next;
    const columnOf = this.#columnOf;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = code < CHARS ? (next[(state >> 1) + (columnOf[code] as number)] as number) : 0;
      if ((state & 1) === 1) return true;
    }
    return false;
  }

  #assignColumns(words: readonly string[], ignoreCase: boolean): number {
    let columns = 1;
    for (const word of words) {
      if (word === '') throw new RangeError('a keyword is empty');
      for (let at = 0; at < word.length; at++) {
        const code = word.charCodeAt(at);
        if (code >= CHARS) throw new RangeError(`keyword ${JSON.stringify(word)} is not ASCII`);
        if (this.#columnOf[code] === 0) this.#columnOf[code] = columns++;
      }
    }
    if (ignoreCase) {
      for (let code = 65; code <= 90; code++) this.#columnOf[code] = this.#columnOf[code + 32] as number;
    }
    return columns;
  }

  /** Builds the trie of the keywords and returns how many states it has. */
  #plant(words: readonly string[], next: Int32Array): number {
    let used = 1;
    for (const [index, word] of words.entries()) {
      let state = 0;
      for (let at = 0; at < word.length; at++) {
        const cell = state * this.#columns + (this.#columnOf[word.charCodeAt(at)] as number);
        if (next[cell] === 0) next[cell] = used++;
        state = next[cell] as number;
      }
      this.#also[index] = this.#ends[state] as number;
      this.#ends[state] = index + 1;
    }
    return used;
  }

  /** Breadth first: gives each state the moves and the ends of its longest proper suffix that is a state. */
  #connect(next: Int32Array, used: number): void {
    const columns = this.#columns;
    const suffixOf = new Int32Array(used);
    const queue = new Int32Array(used);
    let tail = 1;
    for (let head = 0; head < tail; head++) {
      const state = queue[head] as number;
      for (let column = 1; column < columns; column++) {
        const cell = state * columns + column;
        const onward = state === 0 ? 0 : (next[(suffixOf[state] as number) * columns + column] as number);
        const child = next[cell] as number;
        // A suffix's row is finished, and holds moves rather than plain numbers, before the row of any longer state.
        if (child === 0) {
          next[cell] = onward;
          continue;
        }
        const suffix = (onward >> 1) / columns;
        suffixOf[child] = suffix;
        this.#chain(child, suffix);
        queue[tail++] = child;
        next[cell] = ((child * columns) << 1) | (this.#ends[child] === 0 ? 0 : 1);
      }
    }
  }

  #chain(state: number, suffix: number): void {
    const inherited = this.#ends[suffix] as number;
    if (this.#ends[state] === 0) {
      this.#ends[state] = inherited;
      return;
    }
    let last = this.#ends[state] as number;
    while (this.#also[last - 1] !== 0) last = this.#also[last - 1] as number;
    this.#also[last - 1] = inherited;
  }
}
