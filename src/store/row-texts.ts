/**
 * Rows as JSON texts, each a parameter of one statement, that `json_to_recordset` turns into rows again.
 */

/** Rows of one kind, in texts of a bounded size. */
export interface RowTexts {
  count: number;
  texts: string[];
}

/** Bounds of one text: what PostgreSQL parses in one go. */
const TEXT_ROWS_MAX = 125;
const TEXT_CHARS_MAX = 128 * 1024;

export class RowTextsBuilder {
  #count = 0;
  readonly #texts: string[] = [];
  #rows: object[] = [];
  #chars = 0;

  /** `chars`: about how long the row's own texts are. */
  add(row: object, chars: number): void {
    this.#count++;
    this.#rows.push(row);
    this.#chars += chars;
    if (this.#rows.length >= TEXT_ROWS_MAX || this.#chars >= TEXT_CHARS_MAX) this.#close();
  }

  finish(): RowTexts {
    if (this.#rows.length > 0) this.#close();
    return { count: this.#count, texts: this.#texts };
  }

  #close(): void {
    // One call for many rows: half the cost of putting each row together by hand.
    this.#texts.push(JSON.stringify(this.#rows));
    this.#rows = [];
    this.#chars = 0;
  }
}
