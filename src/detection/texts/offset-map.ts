/** A stretch, in UTF-16 offsets. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Builds a text out of stretches of another one and what stands for them, and remembers where each came from. A
 * stretch as long as what it stands for maps unit by unit; any other maps as a whole.
 */
export class MappedText {
  #text = '';
  /** Of each stretch: where it begins in the text built, and where it stands in the text it came from. */
  readonly #outStarts: number[] = [];
  readonly #inStarts: number[] = [];
  readonly #inEnds: number[] = [];

  get text(): string {
    return this.#text;
  }

  get length(): number {
    return this.#text.length;
  }

  /** Appends `value`, which stands for `start` to `end` of the text it came from. */
  add(value: string, start: number, end: number): void {
    if (value === '') return;
    const last = this.#outStarts.length - 1;
    const goesOn =
      last >= 0 &&
      value.length === end - start &&
      this.#inEnds[last] === start &&
      this.#text.length - (this.#outStarts[last] as number) === start - (this.#inStarts[last] as number);
    if (goesOn) {
      this.#inEnds[last] = end;
    } else {
      this.#outStarts.push(this.#text.length);
      this.#inStarts.push(start);
      this.#inEnds.push(end);
    }
    this.#text += value;
  }

  /** Where `start` to `end` of the text built stand in the text it came from. */
  locate(start: number, end: number): Span {
    if (this.#outStarts.length === 0) return { start: 0, end: 0 };
    const from = this.#origin(start);
    if (end <= start) return { start: from.start, end: from.start };
    return { start: from.start, end: Math.max(this.#origin(end - 1).end, from.start) };
  }

  /** Where the unit at `at` came from. */
  #origin(at: number): Span {
    const index = this.#stretchOf(at);
    const outStart = this.#outStarts[index] as number;
    const outEnd = this.#outStarts[index + 1] ?? this.#text.length;
    const start = this.#inStarts[index] as number;
    const end = this.#inEnds[index] as number;
    if (outEnd - outStart !== end - start) return { start, end };
    const unit = start + Math.min(Math.max(at - outStart, 0), end - start - 1);
    return { start: unit, end: unit + 1 };
  }

  #stretchOf(at: number): number {
    let low = 0;
    let high = this.#outStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#outStarts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
