import { tokensOf } from './cel/lexer.ts';

/** Finds where expressions ask whether the session is on hold, in their own text or through macros. */
export class HeldMentions {
  readonly #macros: ReadonlyMap<string, string>;
  readonly #known = new Map<string, boolean>();

  /** `macros`: their texts, of a set that was compiled, so that none is defined by itself. */
  constructor(macros: ReadonlyMap<string, string>) {
    this.#macros = macros;
  }

  /** The offset in `expression`, if it asks that. */
  in(expression: string): number | undefined {
    if (!/held|macros/.test(expression)) return undefined;
    const tokens = tokensOf(expression).filter(({ kind }) => kind !== 'end');
    return tokens.find(({ kind, text }, index) => {
      if (kind !== 'name' || tokens[index - 1]?.text === '.' || tokens[index + 1]?.text !== '.') return false;
      const field = tokens[index + 2]?.text ?? '';
      return text === 'session' ? field === 'held' : text === 'macros' && this.#isInMacro(field);
    })?.at;
  }

  #isInMacro(name: string): boolean {
    const known = this.#known.get(name) ?? this.in(this.#macros.get(name) ?? '') !== undefined;
    this.#known.set(name, known);
    return known;
  }
}
