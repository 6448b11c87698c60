import type { Severity } from '../../../domain/decision.ts';
import type { Allowance } from '../../cuts.ts';
import { normalizeKey } from '../../facts/input.ts';
import { isAlphanumericAt, isDigitAt, kindAt, LETTER } from './characters.ts';
import {
  BIRTH_FORMAT,
  type Contact,
  colonAddressAt,
  emailAt,
  GROUPED_PHONE,
  groupedPhoneAt,
  ipv4At,
  isMobile,
  PHONE_FORMATS,
  phoneAt,
} from './contacts.ts';
import { ContextWords, type Surroundings } from './context.ts';
import { isBase58Address, isBech32Address } from './crypto-addresses.ts';
import { ofSamples, type PiiFormat } from './format.ts';
import { inWordsAt } from './in-words.ts';
import { ibanEnd, isSampleIban, MONEY_FORMATS } from './money.ts';
import { NATIONAL_IDS } from './national-ids.ts';
import { type ShapeNode, shapeOf, shapeTree } from './shapes.ts';
import { fits, mayBeMixed, mayBeWhole, Written } from './written.ts';

/** Checksums of cryptocurrency addresses that one text may cost. */
const ADDRESS_CHECKS_MAX = 256;
/** Numbers and signs between two looks at the clock: some tenths of a millisecond. */
const CLOCK_EVERY = 256;
/** Items in one text after which it is read no further. */
const SEEN_MAX = 256;

const FORMATS: readonly PiiFormat[] = [
  ...MONEY_FORMATS,
  ...NATIONAL_IDS,
  ...PHONE_FORMATS,
  GROUPED_PHONE,
  BIRTH_FORMAT,
];
const TREE = shapeTree(FORMATS);
const WORDS = new ContextWords(FORMATS);

/** Nobody's: zero, where tokens are burned, compilers and registers of the chain itself; the first block's, and the one of manuals. */
const NO_WALLETS =
  /^0x(?:0{24}|0{36}dead$|e{40}$|(?:dead){10}$)|^(?:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa|1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2|1BoatSLRHtKNngkdXEeobR76b53LETtpyT)$/i;

/** Personal data in a text. */
export interface SeenPii {
  what: string;
  title: string;
  severity: Severity;
  confidence: number;
  start: number;
  end: number;
}

/** The number of a house or of a day, with what may stand right behind it. */
const IN_WORDS_CHARS_MAX = 6;

const AT = 64;
const COLON = 58;

/** What leads to something. Jumping to it is several times faster than looking at each character. */
const LEADS = /[0-9@]|:(?=[0-9A-Fa-f:])|[+(](?=[0-9])/g;

/** Letters alone that a number may begin with. */
const LETTERS_MAX = 2;
/** A longer piece is nothing that is looked for. */
const PIECE_CHARS_MAX = 90;

/** One pass over a text, from one alphanumeric piece to the next. */
export class Walk {
  readonly #text: string;
  readonly #allowance: Allowance;
  readonly #around: Surroundings;
  readonly #isCalledOtherwise: boolean;
  readonly #seen: SeenPii[] = [];
  #addressChecks = 0;
  /** What the number that is looked at is called, where nothing stands between. */
  #called: string | undefined;

  constructor(text: string, key: string, allowance: Allowance) {
    this.#text = text;
    this.#allowance = allowance;
    this.#around = WORDS.of(text, key);
    this.#isCalledOtherwise = key !== '' && isCalledOtherwise(text, key);
  }

  seen(): SeenPii[] {
    const text = this.#text;
    LEADS.lastIndex = 0;
    let leads = 0;
    for (let from = 0; this.#seen.length < SEEN_MAX && LEADS.test(text); LEADS.lastIndex = from) {
      if (++leads % CLOCK_EVERY === 0 && this.#allowance.over('pii')) break;
      const at = LEADS.lastIndex - 1;
      from = isDigitAt(text, at) ? this.#piece(from, at) : this.#sign(text.charCodeAt(at), at);
    }
    if (this.#seen.length >= SEEN_MAX) this.#allowance.cut('pii', `items ${SEEN_MAX}`);
    return this.#seen;
  }

  /** Looks at the sign at `at`; returns where to go on. */
  #sign(code: number, at: number): number {
    let contact: Contact | undefined;
    if (code === AT) contact = emailAt(this.#text, at);
    else if (code === COLON) contact = this.#colons(at);
    else contact = phoneAt(this.#text, at);
    return contact === undefined ? at + 1 : this.#add(contact);
  }

  /** Addresses of the network are looked for at their first colon only. */
  #colons(at: number): Contact | undefined {
    const text = this.#text;
    let start = at;
    while (start > 0 && at - start < 5 && isAlphanumericAt(text, start - 1)) start--;
    return text[start - 1] === ':' ? undefined : colonAddressAt(text, at);
  }

  /** Looks at the alphanumeric piece around the digit at `digit`, none of it before `from`; returns where to go on. */
  #piece(from: number, digit: number): number {
    const text = this.#text;
    let at = digit;
    while (at > from && isAlphanumericAt(text, at - 1)) at--;
    let end = digit + 1;
    while (isAlphanumericAt(text, end)) end++;
    if (end - at > PIECE_CHARS_MAX) return end;
    const letters = at === digit ? lettersBefore(text, at, from) : at;
    this.#called = undefined;
    if (letters < at && !isLinked(text, letters)) {
      const found = (letters === at - 3 ? this.#iban(letters) : undefined) ?? this.#shaped(letters, at - 1);
      if (found !== undefined) return this.#add(found);
    }
    this.#called = calledAt(text, at);
    if (this.#called === undefined && isLinked(text, at)) return end;
    const found = this.#special(at, end) ?? this.#shaped(at, end) ?? this.#grouped(at, end) ?? this.#inWords(at, end);
    return found === undefined ? end : this.#add(found);
  }

  #add(seen: SeenPii): number {
    const before = this.#seen.at(-1);
    if (before !== undefined && seen.start < before.end) this.#seen.pop();
    this.#seen.push(seen);
    return seen.end;
  }

  /** IBANs, network and cryptocurrency addresses, which have no fixed shape. */
  #special(at: number, end: number): SeenPii | undefined {
    const text = this.#text;
    const first = text.charCodeAt(at);
    if (first <= 57 && end - at <= 3 && text[end] === '.') return ipv4At(text, at);
    if (end - at >= 4 && first >= 65 && first <= 90 && isDigitAt(text, at + 2) && isDigitAt(text, at + 3)) {
      const iban = this.#iban(at);
      if (iban !== undefined) return iban;
    }
    if (end - at >= 26) return this.#address(at, end);
    return undefined;
  }

  #iban(at: number): SeenPii | undefined {
    const end = ibanEnd(this.#text, at);
    if (end === undefined) return undefined;
    const iban = { what: 'iban', title: 'an IBAN', start: at, end };
    const isSample = isSampleIban(this.#text.slice(at, end)) && !isJoined(this.#text, end);
    return isSample ? ofSamples(iban) : { severity: 'high', confidence: 0.97, ...iban };
  }

  #grouped(at: number, end: number): SeenPii | undefined {
    if (this.#called !== undefined || !isAlphanumericAt(this.#text, end + 1) || !isDigitAt(this.#text, at))
      return undefined;
    const phone = groupedPhoneAt(this.#text, at);
    if (phone === undefined) return undefined;
    const isPhone =
      isMobile(this.#text.slice(phone.start, phone.end)) ||
      this.#around.speakFor(GROUPED_PHONE, phone.start, phone.end);
    return isPhone ? phone : undefined;
  }

  #inWords(at: number, end: number): SeenPii | undefined {
    return end - at <= IN_WORDS_CHARS_MAX && isDigitAt(this.#text, at) ? inWordsAt(this.#text, at) : undefined;
  }

  #address(at: number, end: number): SeenPii | undefined {
    const title = 'a cryptocurrency address';
    const address = { what: 'crypto_address', title, severity: 'medium' as const, start: at, end };
    const text = this.#text.slice(at, end);
    if (NO_WALLETS.test(text)) return ofSamples(address);
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return { confidence: 0.55, ...address };
    if (!/^(?:[13LMDTXtmn2][1-9A-HJ-NP-Za-km-z]{25,34}|(?:bc|tb|ltc|BC|TB)1[0-9A-Za-z]{20,87})$/.test(text))
      return undefined;
    if (++this.#addressChecks > ADDRESS_CHECKS_MAX) {
      this.#allowance.cut('pii.crypto_address', `checks ${ADDRESS_CHECKS_MAX}`);
      return undefined;
    }
    return isBase58Address(text) || isBech32Address(text) ? { confidence: 0.95, ...address } : undefined;
  }

  /** The surest of the numbers whose shape begins with the piece from `at` to `end`; of equals the longest. */
  #shaped(at: number, end: number): SeenPii | undefined {
    const text = this.#text;
    let best: SeenPii | undefined;
    let node: ShapeNode | undefined = TREE.next.get(shapeOf(text, at, end));
    let separators = '';
    while (node !== undefined) {
      if (node.formats.length > 0 && !isContinued(text, end)) {
        const found = this.#surest(node.formats, at, end, separators);
        if (found !== undefined && found.confidence >= (best?.confidence ?? 0)) best = found;
      }
      if (node.next.size === 0 || !isAlphanumericAt(text, end + 1) || isAlphanumericAt(text, end)) break;
      separators += text[end] as string;
      const from = end + 1;
      end = from;
      while (end - from < 32 && isAlphanumericAt(text, end)) end++;
      node = node.next.get(shapeOf(text, from, end));
    }
    return best;
  }

  #surest(formats: readonly PiiFormat[], start: number, end: number, separators: string): SeenPii | undefined {
    let number: Written | undefined;
    let best: SeenPii | undefined;
    const whole = mayBeWhole(this.#text, start, end);
    for (const format of formats) {
      if (this.#called !== undefined && !isCalled(this.#called, format)) continue;
      const unusual = !fits(format, separators);
      if (unusual && !mayBeMixed(format, separators)) continue;
      if ((unusual || needsWords(format, separators, whole)) && !this.#around.speakFor(format, start, end)) continue;
      // Most numbers are of no format's separators: only those that are pay for being read.
      number ??= new Written(this.#text, start, end, separators);
      if (format.what === 'phone' && number.isPieceOfRow) continue;
      const confidence = this.#confidence(format, number);
      if (confidence === 0 || confidence < (best?.confidence ?? 0)) continue;
      const { what, title, severity } = format;
      // What nobody has is no other number either.
      if (format.sample?.(number.compact) === true && !isJoined(this.#text, end))
        return ofSamples({ what, title, start, end }, confidence);
      best = { what, title, severity, confidence, start, end };
    }
    return best;
  }

  #confidence(format: PiiFormat, number: Written): number {
    // The check digit first: what stands around a number costs more to look at.
    if (!format.valid(number.compact)) return 0;
    const unaided = this.#isCalledOtherwise && format.what !== 'credit_card' ? 0 : number.unaided(format);
    if (unaided === 0 && !this.#around.hasWords) return 0;
    if (this.#around.speakFor(format, number.start, number.end)) return format.near;
    return unaided;
  }
}

/** Whether something goes on behind a sign at `end`: of two numbers in one piece only the first is read, and counts for both. */
function isJoined(text: string, end: number): boolean {
  return /[-/_.+]/.test(text[end] ?? '') && isAlphanumericAt(text, end + 1);
}

/** Whether only a word near it could make it a number of `format`. */
function needsWords(format: PiiFormat, separators: string, whole: boolean): boolean {
  return (separators === '' ? format.bare : format.alone) === 0 && (format.whole === 0 || !whole);
}

/** Where one or two letters start that stand before the piece at `at`, apart by one character; else `at`. */
function lettersBefore(text: string, at: number, from: number): number {
  let start = at - 1;
  while (start > from && at - start <= LETTERS_MAX + 1 && kindAt(text, start - 1) === LETTER) start--;
  return start < at - 1 && at - 1 - start <= LETTERS_MAX && !isAlphanumericAt(text, start - 1) ? start : at;
}

/** Properties that hold numbers of things and companies, some of which would do as one of a person. */
const OTHER_NUMBERS =
  /^(?:ean(?:8|13)?|gtin(?:\d{1,2})?|upc|jan|barcode|sku|org(?:anisasjons|anisations)?n(?:umme)?r|organi[sz]ationnumber|companynumber|trackingnumber)$/;
/** Those of which it is known how they are made. */
const MADE_SO: readonly (readonly [key: RegExp, number: RegExp])[] = [
  [/^e?isbn(?:10|13)?$/, /^(?:97[89]\d{10}|\d{9}[\dXx])$/],
  [/^e?issn$/, /^\d{7}[\dXx]$/],
  [/^imei$/, /^\d{14,17}$/],
  [/^mmsi$/, /^\d{9}$/],
];
/** Nobody writes the number of a thing so. */
const WRITTEN_AS_PERSONS = /^\s*\d{3}-\d{2}-\d{4}\s*$/;
const OTHER_CHARS_MAX = 64;

/** Whether `text`, under `key`, is the number of something else than a person. */
function isCalledOtherwise(text: string, key: string): boolean {
  if (OTHER_NUMBERS.test(key)) return !WRITTEN_AS_PERSONS.test(text.slice(0, OTHER_CHARS_MAX));
  const made = MADE_SO.find(([pattern]) => pattern.test(key))?.[1];
  return made !== undefined && text.length <= OTHER_CHARS_MAX && made.test(text.replace(/[\s-]/g, ''));
}

const CALLED = /(?:^|[^\w./@:#-])([A-Za-z][\w.-]{1,22}):$/;
const NAME_CHARS_MAX = 25;

/** What the number at `at` is called right before it, without a blank: `ssn:856-45-6789`. */
function calledAt(text: string, at: number): string | undefined {
  return text[at - 1] === ':' ? CALLED.exec(text.slice(Math.max(0, at - NAME_CHARS_MAX), at))?.[1] : undefined;
}

/** Whether a number under `name` is of `format` for nothing but that: logs have a number behind many a colon. */
function isCalled(name: string, format: PiiFormat): boolean {
  if (/id$/i.test(name) || !WORDS.nameOne(normalizeKey(name), format)) return false;
  return format.what !== 'phone' || /phone|tel|fax|whatsapp/i.test(name);
}

/** Whether the piece at `at` is the rest of something longer: a path, a name, a decimal number. */
function isLinked(text: string, at: number): boolean {
  if (at === 0) return false;
  const before = text[at - 1] as string;
  if (before === ' ') return false;
  if ('_$%&@\\'.includes(before)) return !/^\\[nrt]$/.test(text.slice(Math.max(0, at - 2), at));
  if (before === '#') return text[at - 2] !== ' ';
  if ('-./:+'.includes(before))
    return isAlphanumericAt(text, at - 2) || (before === '-' && /[-_]/.test(text[at - 2] ?? ''));
  return before > '\u007f' && before < '\u2000';
}

/** What it is, behind a number: `070 123 4567-Office`. */
const NOTE = /^-[A-Z][a-z]{2}/;

/** Whether what ends at `end` goes on: with a word, or a further part. */
function isContinued(text: string, end: number): boolean {
  const behind = text[end];
  if (behind === undefined || behind === ' ') return false;
  if (behind === '_' || behind === '@') return true;
  if (behind === '-' && NOTE.test(text.slice(end, end + 4))) return false;
  if ('-./:'.includes(behind)) return isAlphanumericAt(text, end + 1);
  return behind > '\u007f' && behind < '\u2000';
}
