import { FOLD, isPaired } from './fold.ts';
import { classOf, EMAIL_CLASS, NUMBER_CLASS, URL_CLASS, WORD_PRIME, WORD_SEED } from './lexicon.ts';

/** Tokens of one segment that are looked at: a segment of 400 code units has seldom more than a hundred. */
export const TOKENS_MAX = 512;

/**
 * The words of one segment, as numbers in arrays that are used again for the next: a scan allocates nothing. Holds
 * nothing from one segment to the next.
 */
export class Tokens {
  count = 0;
  readonly hash = new Int32Array(TOKENS_MAX);
  readonly class = new Uint8Array(TOKENS_MAX);
  readonly start = new Int32Array(TOKENS_MAX);
  readonly end = new Int32Array(TOKENS_MAX);
  /** Words in capitals throughout, of four letters and more. */
  shouted = 0;

  /** Reads `text` from `from` to `to`. What goes beyond `TOKENS_MAX` is left out. */
  read(text: string, from: number, to: number): void {
    this.count = 0;
    this.shouted = 0;
    let at = from;
    while (at < to && this.count < TOKENS_MAX) {
      const code = text.charCodeAt(at);
      const letter = FOLD[code] as number;
      if (letter === 0) at++;
      else if (letter >= 0x3040 && isPaired(letter)) at = this.#readPair(text, at, to);
      else at = this.#readWord(text, at, to);
    }
  }

  /** Two characters as one token, the second of which starts the next. */
  #readPair(text: string, at: number, to: number): number {
    const first = FOLD[text.charCodeAt(at)] as number;
    const next = at + 1 < to ? (FOLD[text.charCodeAt(at + 1)] as number) : 0;
    let hash = Math.imul(WORD_SEED ^ first, WORD_PRIME);
    const paired = isPaired(next);
    if (paired) hash = Math.imul(hash ^ next, WORD_PRIME);
    this.#add(hash, classOf(hash), at, at + (paired ? 2 : 1));
    return at + 1;
  }

  #readWord(text: string, start: number, to: number): number {
    let plain = WORD_SEED;
    let unmasked = WORD_SEED;
    let digits = 0;
    let lower = 0;
    let at = start;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      const letter = FOLD[code] as number;
      if (letter === 0) {
        // An apostrophe does not part a word: "don't" is "dont".
        if ((code === 0x27 || code === 0x2019) && at > start && at + 1 < to && FOLD[text.charCodeAt(at + 1)] !== 0)
          continue;
        break;
      }
      if (letter >= 0x3040 && isPaired(letter)) break;
      if (letter >= 0x30 && letter <= 0x39) digits++;
      else if (code === letter) lower++;
      plain = Math.imul(plain ^ letter, WORD_PRIME);
      unmasked = Math.imul(unmasked ^ (letter < 0x40 ? (UNMASKED[letter] as number) : letter), WORD_PRIME);
    }
    const length = at - start;
    if (digits === length) this.#addNumber(start, at);
    else {
      if (lower === 0 && digits === 0 && length >= 4) this.shouted++;
      const hash = digits > 0 ? unmasked : plain;
      const address = addressClass(text, start, at, to);
      if (address === 0) this.#add(hash, classOf(hash), start, at);
      else return this.#readAddress(text, start, to, address);
    }
    return at;
  }

  #addNumber(start: number, end: number): void {
    this.#add(NUMBER_HASH, NUMBER_CLASS, start, end);
  }

  /** A URL or e-mail address is one token, whatever it says. */
  #readAddress(text: string, start: number, to: number, kind: number): number {
    let at = start;
    while (at < to && !endsAddress(text.charCodeAt(at))) at++;
    this.#add(kind === URL_CLASS ? URL_HASH : EMAIL_HASH, kind, start, at);
    return at;
  }

  #add(hash: number, kind: number, start: number, end: number): void {
    const index = this.count++;
    this.hash[index] = hash;
    this.class[index] = kind;
    this.start[index] = start;
    this.end[index] = end;
  }
}

const NUMBER_HASH = 0x11_0001;
const URL_HASH = 0x11_0002;
const EMAIL_HASH = 0x11_0003;

/** Digits that stand for letters where a word has both. */
const UNMASKED = new Uint16Array(0x40);
for (let digit = 0; digit < 10; digit++) UNMASKED[0x30 + digit] = 'oizeasgtbg'.charCodeAt(digit);

/** What the word from `start` to `end` begins: a URL, an e-mail address or neither (0). */
function addressClass(text: string, start: number, end: number, to: number): number {
  if (end >= to) return 0;
  const code = text.charCodeAt(end);
  if (code === 0x3a) return text.startsWith('://', end) ? URL_CLASS : 0;
  if (code === 0x40) return end + 1 < to && FOLD[text.charCodeAt(end + 1)] !== 0 ? EMAIL_CLASS : 0;
  if (code === 0x2e && end - start === 3 && (text.startsWith('www.', start) || text.startsWith('WWW.', start)))
    return URL_CLASS;
  return 0;
}

function endsAddress(code: number): boolean {
  return (
    code <= 0x20 ||
    code === 0x22 ||
    code === 0x27 ||
    code === 0x3c ||
    code === 0x3e ||
    code === 0x29 ||
    code === 0x2c ||
    code === 0x5d ||
    code === 0x60
  );
}
