import { AhoCorasick } from '../../../lib/aho-corasick.ts';
import type { PiiFormat } from './format.ts';

/** Code units before and behind a number in which a word speaks for it. */
const BEFORE_CHARS_MAX = 72;
const BEHIND_CHARS_MAX = 32;

/** The words that the formats ask for, found at most once in a text, and only where a number depends on them. */
export class ContextWords {
  readonly #words: string[];
  /** As the name of a property may be: without what stands between words. */
  readonly #flat: string[];
  readonly #flatOfFormat = new Map<PiiFormat, readonly string[]>();
  readonly #automaton: AhoCorasick;
  readonly #ofFormat = new Map<PiiFormat, Uint8Array>();

  constructor(formats: readonly PiiFormat[]) {
    this.#words = [...new Set(formats.flatMap((format) => format.words.flatMap(spellings)))];
    this.#flat = [...new Set(this.#words.map(flatOf))];
    this.#automaton = new AhoCorasick(this.#words.map(folded), { ignoreCase: true });
    for (const format of formats) {
      const own = new Set(format.words.flatMap(spellings));
      this.#ofFormat.set(
        format,
        Uint8Array.from(this.#words, (word) => Number(own.has(word))),
      );
      this.#flatOfFormat.set(format, [...new Set(format.words.map(flatOf))]);
    }
  }

  /** What is near what in `text`, the value of a property called `key`. */
  of(text: string, key: string): Surroundings {
    return new Surroundings(text, key, this);
  }

  hits(text: string): { ends: number[]; words: number[] } {
    const ends: number[] = [];
    const words: number[] = [];
    this.#automaton.scan(folded(text), (word, end) => {
      const start = end - (this.#words[word] as string).length;
      if (!isWord(text, start, end)) return;
      ends.push(end);
      words.push(word);
    });
    return { ends, words };
  }

  /** Whether a property called `key` is called by any of the words. */
  nameAny(key: string): boolean {
    return this.#flat.some((word) => isKey(key, word));
  }

  /** Whether a property called `key` is called by one of the words of `format`. */
  nameOne(key: string, format: PiiFormat): boolean {
    return (this.#flatOfFormat.get(format) as readonly string[]).some((word) => isKey(key, word));
  }

  wordsOf(format: PiiFormat): Uint8Array {
    return this.#ofFormat.get(format) as Uint8Array;
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Letters that Unicode does not take apart. */
const WHOLE: Readonly<Record<string, string>> = { ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i' };
/** Latin, Greek and Cyrillic letters: up to here case and accents are looked at. */
const CASED_END = 0x530;
/** What letters of other scripts become: signs that no text has, so that they are no letters of ours. */
const SIGNS = Uint8Array.from({ length: 27 }, (_, index) => (index < 8 ? index + 1 : index + 5));
const SIGN = (code: number): number => SIGNS[code % SIGNS.length] as number;
const CASED = Uint8Array.from({ length: CASED_END }, (_, code) => {
  if (code < 128) return code;
  const letter = String.fromCharCode(code);
  const plain = WHOLE[letter] ?? letter.normalize('NFD').charAt(0);
  return plain < '\x80' ? plain.charCodeAt(0) : SIGN(plain.toLowerCase().charCodeAt(0));
});

/**
 * `text` in ASCII and as long, as the automaton takes it: `Fødselsnummer` is `Fodselsnummer`, and letters of other scripts are signs, of
 * which each stands for many. Two words of three letters are taken for each other once in 20,000 times.
 */
function folded(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const codes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    codes[at] = code < CASED_END ? (CASED[code] as number) : SIGN(code);
  }
  return Buffer.from(codes.buffer).toString('latin1');
}

/** `account number` is also `account_number`, `account-number` and `accountNumber`. */
function spellings(word: string): string[] {
  return word.includes(' ') ? [word, ...['_', '-', ''].map((between) => word.replaceAll(' ', between))] : [word];
}

/** Whether `start` to `end` is a word, or a part of a compound name: `phoneNumber`, `phone_2`. */
function isWord(text: string, start: number, end: number): boolean {
  const before = text[start - 1] ?? ' ';
  const behind = text.slice(end, end + 2);
  const opens = !/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && /[A-Z]/.test(text[start] as string));
  // `TEL` in `TELEGRAPH`, but not in `TELNumber`.
  if (/^[A-Z](?:[^a-z]|$)/.test(behind) && /[A-Z]/.test(text[end - 1] as string)) return false;
  return opens && (/^(?:[^a-z]|$)/.test(behind) || /^s(?:[^a-z]|$)/.test(behind));
}

/** The surroundings of the numbers of one text. */
export class Surroundings {
  readonly #text: string;
  readonly #key: string;
  readonly #context: ContextWords;
  /** Whether the property is called by a word of a format, once it was asked for. */
  #keyed: Map<PiiFormat, boolean> | undefined;
  #keyedAtAll: boolean | undefined;
  #hits: { ends: number[]; words: number[] } | undefined;

  constructor(text: string, key: string, context: ContextWords) {
    this.#text = text;
    this.#key = key;
    this.#context = context;
  }

  /** Whether anything in the text or its property's name could speak for a number. */
  get hasWords(): boolean {
    this.#hits ??= this.#context.hits(this.#text);
    if (this.#hits.ends.length > 0) return true;
    this.#keyedAtAll ??= this.#key !== '' && this.#context.nameAny(this.#key);
    return this.#keyedAtAll;
  }

  /** Whether a word of `format` is near `start` to `end`, or the property is called so. */
  speakFor(format: PiiFormat, start: number, end: number): boolean {
    if (this.#key !== '' && this.#isKeyed(format)) return true;
    this.#hits ??= this.#context.hits(this.#text);
    const { ends, words } = this.#hits;
    if (ends.length === 0) return false;
    const wanted = this.#context.wordsOf(format);
    for (let at = firstAbove(ends, start - BEFORE_CHARS_MAX); at < ends.length; at++) {
      if ((ends[at] as number) > end + BEHIND_CHARS_MAX) return false;
      if (wanted[words[at] as number] === 1) return true;
    }
    return false;
  }

  /** Asked for every number of a text, of which there may be very many. */
  #isKeyed(format: PiiFormat): boolean {
    this.#keyed ??= new Map();
    let keyed = this.#keyed.get(format);
    if (keyed === undefined) {
      keyed = this.#context.nameOne(this.#key, format);
      this.#keyed.set(format, keyed);
    }
    return keyed;
  }
}

function flatOf(word: string): string {
  return word.replace(/[^\p{L}0-9]/gu, '');
}

function isKey(key: string, flat: string): boolean {
  return key === flat || (flat.length >= 4 && key.includes(flat));
}

/** Index of the first item above `bound`, of items in ascending order. */
function firstAbove(items: readonly number[], bound: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as number) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
