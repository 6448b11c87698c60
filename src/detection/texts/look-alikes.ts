/**
 * Letters of other alphabets that look like Latin ones (a part of the Unicode confusables, UTS #39 §4: those that one
 * font can hardly tell apart), each with the Latin letter.
 */
const PAIRS: readonly string[] = [
  // Cyrillic
  'аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl ԛq ԝw ѵv ґr кk тt мm нh вb гr пn АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS ҮY ԌG ԜW ԚQ ѴV ӀI ҺH ԍg ҽe ѐe ёe їi',
  // Greek
  'οo αa νv ρp υu ιi κk γy χx τt ηn ωw ϲc ϳj βb ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ϒY ͿJ εe σo ςc',
  // Armenian, Cherokee, Lisu, Coptic
  'օo ոn սu հh զq ցg ՏS ՍU ԼL օo Օ0 յj ԱU ՕO',
  'ᎠD ᎡR ᎢT ᎥI ᎪA ᎫJ ᎬE ᎳW ᎷM ᎻH ᎽY ᏀG ᏂH ᏃZ ᏚS ᏞL ᏟC ᏢP ᏦK ᏙV ᏴB ᏏB ᏔW Ꮓ2',
  'ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU',
  'ⲟo ⲣp ⲥc ⲓi ⲕk ⲭx ⲎH ⲘM ⲚN ⲞO ⲢP ⲤC ⲦT ⲨY ⲬX',
];

const LATIN = new Map<number, number>();
for (const pairs of PAIRS) {
  for (const pair of pairs.split(' ')) LATIN.set(pair.charCodeAt(0), pair.charCodeAt(1));
}

/** Letters that only look alike to one who does not look closely: folded inside a mixed word, but no sign of a trick. */
const LOOSE = new Set([...'ґктмнвгпёїѐκγχτηωβεσςμ'].map((char) => char.charCodeAt(0)));

/** A text with its look-alikes as Latin letters, of the same length, and how many stood in words of Latin ones. */
export interface Unmasked {
  text: string;
  count: number;
}

/**
 * Writes look-alike letters in words that have Latin letters too as Latin. Where a text has such words, its words of
 * look-alikes only are taken for Latin as well. Words wholly of another alphabet stay.
 */
export function unmask(text: string): Unmasked {
  const words = foreignWords(text);
  const mixed = words.filter(({ latin }) => latin > 0);
  const count = mixed.reduce((sum, word) => sum + disguisedIn(text, word), 0);
  const folded = count > 0 ? words : mixed;
  return folded.length === 0 ? { text, count } : { text: withLatin(text, folded), count };
}

export interface ForeignWord {
  start: number;
  end: number;
  /** Letters that are Latin, that look Latin though they are not, and that look like none. */
  latin: number;
  alike: number;
  foreign: number;
}

/** The words of `text` with letters that look Latin but are not, where none of their letters is plainly another one. */
export function foreignWords(text: string): ForeignWord[] {
  const found: ForeignWord[] = [];
  let at = 0;
  while (at < text.length) {
    if (!isLetter(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const word: ForeignWord = { start: at, end: at, latin: 0, alike: 0, foreign: 0 };
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (!isLetter(code)) break;
      if (code < 0x250) word.latin++;
      else if (LATIN.has(code)) word.alike++;
      else word.foreign++;
    }
    word.end = at;
    if (word.alike > 0 && word.foreign === 0) found.push(word);
  }
  return found;
}

/** A letter of the alphabets above, Latin included. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  if (code < 0x590) return (code >= 0xc0 && code < 0x250 && code !== 0xd7 && code !== 0xf7) || code >= 0x370;
  return (code >= 0x13a0 && code <= 0x13fd) || (code >= 0x2c80 && code <= 0x2cff) || (code >= 0xa4d0 && code <= 0xa4f7);
}

/**
 * How many letters of the word `text` from `start` to `end` are there to deceive. Greek letters in formulas, units and
 * names of substances (`TNFα`, `NFκB`) stand alone or at the end.
 */
function disguisedIn(text: string, { start, end, latin }: ForeignWord): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (!LATIN.has(code) || LOOSE.has(code)) continue;
    const isGreek = code >= 0x3ac && code < 0x400 && code !== OMICRON;
    if (isGreek && (latin < 2 || at === start || !isLowerLatin(text.charCodeAt(at + 1)))) continue;
    count++;
  }
  return count;
}

const OMICRON = 0x3bf;

function isLowerLatin(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function withLatin(text: string, words: readonly ForeignWord[]): string {
  let out = '';
  let last = 0;
  for (const { start, end } of words) {
    out += text.slice(last, start);
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      out += String.fromCharCode(LATIN.get(code) ?? code);
    }
    last = end;
  }
  return out + text.slice(last);
}
