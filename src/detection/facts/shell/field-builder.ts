import type { ShellWord } from './model.ts';
import { type Walk, WORD_WORK } from './state.ts';

interface Open {
  text: string;
  dynamic: boolean;
  glob: boolean;
  content?: string;
}

/** Builds the fields of one word. Several fields are open at once where alternatives share what follows. */
export class FieldBuilder {
  readonly #walk: Walk;
  readonly #ifs: string;
  readonly #done: ShellWord[] = [];
  #open: Open[] = [{ text: '', dynamic: false, glob: false }];
  /** Something was quoted or spelt out: the word stays even if it is empty. */
  #present = false;
  #lastChar = '';

  constructor(walk: Walk, ifs: string) {
    this.#walk = walk;
    this.#ifs = ifs;
  }

  /** What the word that is being built holds so far. */
  get begun(): string {
    return (this.#open[0] as Open).text;
  }

  /** What that ends with. Kept beside it, since to look into a long text that grows is to copy it. */
  get lastChar(): string {
    return this.#lastChar;
  }

  add(text: string, marks: { dynamic?: boolean; glob?: boolean } = {}): void {
    if (text !== '') {
      this.#present = true;
      this.#lastChar = text.charAt(text.length - 1);
    }
    if (this.#open.length > 1 && !this.#walk.spend(text.length * this.#open.length)) this.#open.length = 1;
    for (const field of this.#open) {
      field.text += text;
      field.dynamic ||= marks.dynamic === true;
      field.glob ||= marks.glob === true;
    }
  }

  addQuoted(text: string): void {
    this.#present = true;
    const opensWithTilde = text.startsWith('~') && this.#open[0]?.text === '';
    this.add(opensWithTilde ? `./${text}` : text);
  }

  /** The value of an expansion: split at the separators unless it is quoted. */
  addExpansion(value: string, quoted: boolean): void {
    if (quoted || this.#ifs === '' || !this.#hasSeparator(value))
      return this.add(value, { glob: !quoted && /[*?[]/.test(value) });
    const pieces = this.#split(value);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#close();
      if (piece !== '') this.add(piece, { glob: /[*?[]/.test(piece) });
    }
  }

  #hasSeparator(value: string): boolean {
    for (const char of this.#ifs) if (value.includes(char)) return true;
    return false;
  }

  #split(value: string): string[] {
    const pieces: string[] = [];
    let piece = '';
    for (const char of value) {
      if (!this.#ifs.includes(char)) {
        piece += char;
      } else {
        // Runs of separators make no empty fields, but one at either end parts the word from its neighbours.
        if (piece !== '' || pieces.length === 0) pieces.push(piece);
        piece = '';
      }
    }
    pieces.push(piece);
    return pieces;
  }

  /** Each of `values` in turn: what a loop's variable stands for. */
  fork(values: readonly string[]): void {
    this.#present = true;
    const each = this.#walk.withinAlternatives(values);
    if (!this.#walk.spend(each.length * this.#open.length * ((this.#open[0] as Open).text.length + WORD_WORK))) {
      // The first will do where there is no time for all of them: the cut is on record.
      return this.add(values[0] ?? '');
    }
    const open = this.#open.flatMap((field) =>
      each.map((value) => ({ ...field, text: field.text + value, glob: field.glob || /[*?[]/.test(value) })),
    );
    this.#open = [...this.#walk.withinCombinations(open)];
    this.#lastChar = values[0]?.at(-1) ?? this.#lastChar;
  }

  addList(words: readonly ShellWord[]): void {
    for (const [index, word] of words.entries()) {
      if (index > 0) this.#close();
      this.add(word.text, word);
      this.#present = true;
    }
  }

  setContent(content: string): void {
    for (const field of this.#open) field.content = content;
  }

  #close(): void {
    if (this.#present) this.#done.push(...this.#open);
    this.#open = [{ text: '', dynamic: false, glob: false }];
    this.#present = false;
    this.#lastChar = '';
  }

  finish(into: ShellWord[]): ShellWord[] {
    this.#close();
    into.push(...this.#done);
    return into;
  }
}
