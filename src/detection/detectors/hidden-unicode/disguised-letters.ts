import { disguisedIn, type ForeignWord, foreignWords } from '../../texts/look-alikes.ts';
import type { Sighting } from './sighting.ts';

/** Words of a text in two scripts in which a letter of the other one may be a slip of the keyboard. */
const SLIPS_MAX = 4;

/** Latin words with letters of other alphabets that look the same, in names above all. */
export function lookAlikes(text: string, isExact: boolean): Sighting[] {
  const words = foreignWords(text);
  const host = words.find((word) => isHostLabel(text, word));
  if (host !== undefined) {
    const { start, end } = host;
    const what = 'names a host with letters of another alphabet that look Latin';
    return [{ kind: 'unicode.look_alike_host', severity: 'high', confidence: 0.9, what, start, end }];
  }
  const mixed = words.filter((word) => word.latin > 0 && disguisedIn(text, word) > 0);
  const [first] = mixed;
  if (first === undefined) return [];
  const letters = mixed.reduce((sum, word) => sum + word.alike, 0);
  const isSlip = !isExact && isBilingual(text) && mixed.length <= SLIPS_MAX;
  const isClear = !isSlip && (isExact || letters >= 3);
  const what = 'disguises words with letters of another alphabet that look Latin';
  const severity = isSlip ? 'low' : isClear ? 'high' : 'medium';
  const confidence = isSlip ? 0.3 : isClear ? 0.92 : 0.6;
  return [{ kind: 'unicode.look_alike', severity, confidence, what, start: first.start, end: first.end }];
}

/**
 * A label of a host name, by what stands behind it: `аррӏе.com`. A label wholly of another alphabet counts if nothing
 * in it tells it from Latin and the name ends as most do.
 */
function isHostLabel(text: string, word: ForeignWord): boolean {
  const { start, end, latin } = word;
  if (end - start < 3) return false;
  if (!HOST_END.test(text.slice(end, end + HOST_END_CHARS_MAX))) return false;
  return latin > 0 ? disguisedIn(text, word) > 0 : disguisedIn(text, { ...word, latin: 2 }) >= end - start - 1;
}

const HOST_END_CHARS_MAX = 80;
const HOST_END = /^(?:[-\w]{0,32}\.){1,3}(?:com|org|net|io|dev|app|ai|co|me|gov|edu|info|xyz|us|uk|de)(?![\w.])/;

/** Whether a good part of the letters of `text` is Cyrillic or Greek: looks at the start of a long one. */
function isBilingual(text: string): boolean {
  let latin = 0;
  let other = 0;
  for (let at = 0; at < text.length && at < SAMPLE_CHARS; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) latin += (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a ? 1 : 0;
    else if (code >= 0x370 && code < 0x590) other += PLAINLY_OTHER.test(text[at] as string) ? 1 : 0;
  }
  return other * 8 > latin;
}

const SAMPLE_CHARS = 8_192;
/** Letters that look like no Latin one. */
const PLAINLY_OTHER = /[бджзилфцчшщъыьэюяБГДЖЗИЛПФЦЧШЩЪЫЬЭЮЯєґδζθλμξπσφψΓΔΘΛΞΠΣΦΨΩ]/;

const FULL_WIDTH_WORD = /[\uff21-\uff3a\uff41-\uff5a]{2,64}/g;
const MATHEMATICAL_WORD = /(?:\ud835[\udc00-\udfff]){3,64}/g;
const EAST_ASIAN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const WORDS_MAX = 32;

/** Latin words in full-width or mathematical letters: East Asian text has some of the one, formulas single other ones. */
export function styledLetters(text: string): Sighting[] {
  const wide = matches(text, FULL_WIDTH_WORD);
  const [first] = wide;
  const enough = first !== undefined && wide.length >= (EAST_ASIAN.test(text) ? 8 : 2);
  if (enough) {
    const sure = wide.length >= 4;
    const what = 'writes Latin words in full-width letters';
    return [
      {
        kind: 'unicode.styled_letters',
        severity: sure ? 'high' : 'medium',
        confidence: sure ? 0.85 : 0.6,
        what,
        ...first,
      },
    ];
  }
  const styled = matches(text, MATHEMATICAL_WORD);
  const [one] = styled;
  if (one === undefined || styled.length < 3) return [];
  const what = 'writes words in mathematical letters';
  return [{ kind: 'unicode.styled_letters', severity: 'medium', confidence: 0.6, what, ...one }];
}

function matches(text: string, pattern: RegExp): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { index, 0: word } of text.matchAll(pattern)) {
    if (found.push({ start: index, end: index + word.length }) >= WORDS_MAX) break;
  }
  return found;
}
