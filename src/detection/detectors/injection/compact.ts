import { FOLD } from './fold.ts';
import { SIGN } from './signs.ts';
import type { Tokens } from './tokens.ts';

/** A word of this many letters is several that were run together, if it is prose at all. */
const RUN_TOGETHER_CHARS_MIN = 24;
/** Single letters in a row of tokens, and their share, from which a text is taken for a spaced-out one. */
const SPACED_TOKENS_MIN = 12;

/** What spaced-out or run-together text is searched for, letters only. */
const PHRASES: readonly (readonly [phrase: string, sign: number])[] = [
  ['previousinstruction', SIGN.override],
  ['priorinstruction', SIGN.override],
  ['aboveinstruction', SIGN.override],
  ['ignoreall', SIGN.override],
  ['ignoreprevious', SIGN.override],
  ['disregardall', SIGN.override],
  ['disregardprevious', SIGN.override],
  ['disregardthe', SIGN.override],
  ['disregardyour', SIGN.override],
  ['ignoreyour', SIGN.override],
  ['forgetyour', SIGN.override],
  ['earlierinstruction', SIGN.override],
  ['forgetall', SIGN.override],
  ['forgetprevious', SIGN.override],
  ['forgeteverything', SIGN.override],
  ['bypassapproval', SIGN.override],
  ['bypassall', SIGN.override],
  ['allrules', SIGN.override],
  ['previousrules', SIGN.override],
  ['overrideall', SIGN.override],
  ['systemprompt', SIGN.promptLeak],
  ['yourinstructions', SIGN.promptLeak],
  ['hiddeninstructions', SIGN.promptLeak],
  ['norestrictions', SIGN.jailbreak | SIGN.unruled],
  ['withoutrestrictions', SIGN.jailbreak | SIGN.unruled],
  ['developermode', SIGN.jailbreak],
  ['jailbreak', SIGN.jailbreak],
  ['donottelltheuser', SIGN.concealment],
  ['withouttelling', SIGN.concealment],
];

/** The signs of a piece whose words cannot be told apart: "I g n o r e  a l l", "i.g.n.o.r.e", "ignoreall". */
export function compactSigns(tokens: Tokens, text: string, start: number, end: number): number {
  const isSpaced = isSpacedOut(tokens);
  if (!isSpaced && !isRunTogether(tokens)) return 0;
  const letters = lettersOf(text, start, end);
  let signs = 0;
  for (const [phrase, sign] of PHRASES) if (letters.includes(phrase)) signs |= sign | SIGN.disguised;
  // Identifiers run words together; nobody spaces such words out but to hide them.
  return isSpaced && (signs & SIGN.override) !== 0 ? signs | SIGN.plain : signs;
}

const LEET = Buffer.from('oizeasgtbg', 'latin1');
const OTHER_LETTER = 0x3f;
let room = Buffer.alloc(512);

/** The letters between, digits read as the letters that they resemble; `?` for each that is not ASCII, which no phrase has. */
function lettersOf(text: string, start: number, end: number): string {
  if (room.length < end - start) room = Buffer.alloc(end - start);
  let count = 0;
  for (let at = start; at < end; at++) {
    const letter = FOLD[text.charCodeAt(at)] as number;
    if (letter === 0) continue;
    const isDigit = letter >= 0x30 && letter <= 0x39;
    room[count++] = isDigit ? (LEET[letter - 0x30] as number) : letter < 0x80 ? letter : OTHER_LETTER;
  }
  return room.toString('latin1', 0, count);
}

function isRunTogether(tokens: Tokens): boolean {
  for (let at = 0; at < tokens.count; at++) {
    const length = (tokens.end[at] as number) - (tokens.start[at] as number);
    if (length >= RUN_TOGETHER_CHARS_MIN && tokens.class[at] === 0) return true;
  }
  return false;
}

function isSpacedOut(tokens: Tokens): boolean {
  let single = 0;
  for (let at = 0; at < tokens.count; at++) {
    if ((tokens.end[at] as number) - (tokens.start[at] as number) === 1) single++;
  }
  return single >= SPACED_TOKENS_MIN && single * 3 > tokens.count * 2;
}
