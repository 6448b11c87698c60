/**
 * What a star means. In a path or host, `*` stands for any characters but a slash, `**` for any, and `?` for one
 * that is no slash; a directory pattern such as `.ssh/` with two stars behind matches the directory too. In a name
 * (of a tool, an agent, a user, a kind), a star stands for any characters.
 */
export type GlobSyntax = 'path' | 'name';

/** What may stand at a place of a pattern: a character, by its code point, or one of these. */
const ONE = -1;
const ONE_BUT_SLASH = -2;
const SOME = -3;
const SOME_BUT_SLASH = -4;
/** `**` and a slash: nothing, or any characters up to a slash. Two places: at its beginning, and behind its first character. */
const DIRECTORIES = -5;
const UP_TO_SLASH = -6;
/** A slash and `**` at the end: nothing, or a slash and what follows. */
const BELOW = -7;

const SLASH = 0x2f;

const PARTS: Readonly<Record<GlobSyntax, RegExp>> = {
  path: /\/\*\*$|\*\*\/|\*+|\?|[^*?/]+|\//g,
  name: /\*+|\?|[^*?]+/g,
};

function placesOf(glob: string, syntax: GlobSyntax): Int32Array {
  const isPath = syntax === 'path';
  const places: number[] = [];
  for (const [part] of glob.matchAll(PARTS[syntax])) {
    if (part === '?') places.push(isPath ? ONE_BUT_SLASH : ONE);
    else if (part === '/**') places.push(BELOW, SOME);
    else if (part === '**/') places.push(DIRECTORIES, UP_TO_SLASH);
    else if (part.startsWith('*')) places.push(isPath && part.length === 1 ? SOME_BUT_SLASH : SOME);
    else for (const char of part) places.push(char.codePointAt(0) as number);
  }
  return Int32Array.from(places);
}

/** One pattern, of which the whole text must be. */
export class Wildcard {
  /** What each text that fits has in it, each somewhere: asked for first, since nearly none has all. */
  readonly #literals: readonly string[];
  readonly #glob: string;
  readonly #syntax: GlobSyntax;
  /** Made when they are first needed: of a list of ten thousand, few ever are. */
  #places: Int32Array | undefined;

  constructor(glob: string, syntax: GlobSyntax) {
    this.#glob = glob;
    this.#syntax = syntax;
    this.#literals = glob.split(/[*?/]+/).filter((part) => part !== '');
  }

  /** How many characters and signs it has: what a test may cost for each character of a text. */
  get size(): number {
    return this.#glob.length;
  }

  /** Whether `text` has all that each text has that fits. */
  mayFit(text: string): boolean {
    return this.#literals.every((literal) => text.includes(literal));
  }

  /**
   * Whether it fits `text`. Keeps every place that the pattern may be at, so that it takes the text's length times the pattern's
   * at most, whatever the stars (Thompson 1968).
   */
  test(text: string): boolean {
    this.#places ??= placesOf(this.#glob, this.#syntax);
    return new Stepping(this.#places).leadsThrough(text);
  }
}

/** The places that a pattern may be at, character by character. */
class Stepping {
  readonly #places: Int32Array;
  /** Where it may be now, and after the next character; the step at which a place was last entered. */
  #at: number[] = [];
  #next: number[] = [];
  readonly #entered: Int32Array;
  #step = 1;

  constructor(places: Int32Array) {
    this.#places = places;
    this.#entered = new Int32Array(places.length + 1);
  }

  leadsThrough(text: string): boolean {
    this.#enter(0);
    for (let index = 0; index < text.length; index++) {
      [this.#at, this.#next] = [this.#next, this.#at];
      if (this.#at.length === 0) return false;
      this.#next.length = 0;
      this.#step++;
      const code = text.codePointAt(index) as number;
      if (code > 0xffff) index++;
      for (let at = 0; at < this.#at.length; at++) this.#advance(this.#at[at] as number, code);
    }
    return this.#entered[this.#places.length] === this.#step;
  }

  /** Adds `place`, and those that follow it without a character. */
  #enter(place: number): void {
    if (this.#entered[place] === this.#step) return;
    this.#entered[place] = this.#step;
    this.#next.push(place);
    const kind = this.#places[place];
    if (kind === SOME || kind === SOME_BUT_SLASH) this.#enter(place + 1);
    else if (kind === DIRECTORIES || kind === BELOW) this.#enter(place + 2);
  }

  /** Adds where the character `code` leads to from `place`. */
  #advance(place: number, code: number): void {
    switch (this.#places[place]) {
      case undefined:
        return;
      case ONE:
        return this.#enter(place + 1);
      case ONE_BUT_SLASH:
        if (code !== SLASH) this.#enter(place + 1);
        return;
      case SOME:
        return this.#enter(place);
      case SOME_BUT_SLASH:
        if (code !== SLASH) this.#enter(place);
        return;
      case DIRECTORIES:
        this.#enter(place + 1);
        if (code === SLASH) this.#enter(place + 2);
        return;
      case UP_TO_SLASH:
        this.#enter(place);
        if (code === SLASH) this.#enter(place + 1);
        return;
      case BELOW:
        if (code === SLASH) this.#enter(place + 1);
        return;
      case code:
        return this.#enter(place + 1);
    }
  }
}
