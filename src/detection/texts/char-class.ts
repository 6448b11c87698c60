/**
 * What a code point is to a reader. Invisible ones are told apart because each has its own honest uses (Unicode 15.1,
 * Default_Ignorable_Code_Point; UTS #39, §3 and §5.4).
 */
export type CharClass = number;

export const UNKNOWN: CharClass = 0;
/** Stands for itself. */
export const PLAIN: CharClass = 1;
/** NFKC makes something else of it. */
export const CHANGES: CharClass = 2;
/** A combining mark that may melt with the letter before it. */
export const MARK: CharClass = 3;
export const ZERO_WIDTH: CharClass = 4;
export const BIDI: CharClass = 5;
export const TAG: CharClass = 6;
export const SELECTOR: CharClass = 7;
export const CONTROL: CharClass = 8;
/** A letter of an alphabet that has look-alikes of Latin letters. */
export const FOREIGN: CharClass = 9;
/** White space or a line break by another code. */
export const BLANK: CharClass = 10;

/** A memo of the classes of the basic plane: what it holds is a function of the code point alone. */
const classes = new Uint8Array(0x1_0000);
const astral = new Map<number, CharClass>();
const ASTRAL_MAX = 4_096;

/** The class of `point`, which is not printable ASCII. */
export function classOf(point: number): CharClass {
  if (point < 0x1_0000) {
    const known = classes[point] as number;
    if (known !== UNKNOWN) return known;
    const found = classify(point);
    classes[point] = found;
    return found;
  }
  if (point >= 0x2_0000 && point < 0x2_f800) return PLAIN;
  if (point >= 0xe_0000)
    return point < 0xe_0080 ? TAG : point < 0xe_0100 || point > 0xe_01ef ? classify(point) : SELECTOR;
  const known = astral.get(point);
  if (known !== undefined) return known;
  const found = classify(point);
  if (astral.size >= ASTRAL_MAX) astral.clear();
  astral.set(point, found);
  return found;
}

const IGNORABLE = /^\p{Default_Ignorable_Code_Point}$/u;
const BIDI_CONTROL = /^\p{Bidi_Control}$/u;
const VARIATION = /^\p{Variation_Selector}$/u;
const COMPOSING_MARK =
  /^[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u3099\u309a\u1161-\u1175\u11a8-\u11c2]$/;
const LOOK_ALIKE_SCRIPT =
  /^[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}]$/u;

function classify(point: number): CharClass {
  if (point === 0x09 || point === 0x0a || point === 0x0d) return PLAIN;
  if (point === 0x0b || point === 0x0c || point === 0x85 || point === 0x2028 || point === 0x2029) return BLANK;
  if (point === 0x2800 || point === 0x1680) return BLANK;
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return CONTROL;
  if (point >= 0xd800 && point < 0xe000) return PLAIN;
  const char = String.fromCodePoint(point);
  if (VARIATION.test(char)) return SELECTOR;
  if (BIDI_CONTROL.test(char)) return BIDI;
  if (COMPOSING_MARK.test(char)) return MARK;
  if (IGNORABLE.test(char) || (point >= 0xfff9 && point <= 0xfffb)) return ZERO_WIDTH;
  if (styledLetter(point) !== undefined || char.normalize('NFKC') !== char) return CHANGES;
  return LOOK_ALIKE_SCRIPT.test(char) ? FOREIGN : PLAIN;
}

const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ';

/** Letters in disguises that NFKC leaves alone: small capitals, negative circled and negative squared letters. */
export function styledLetter(point: number): string | undefined {
  if (point >= 0x1_f150 && point <= 0x1_f169) return String.fromCharCode(0x41 + point - 0x1_f150);
  if (point >= 0x1_f170 && point <= 0x1_f189) return String.fromCharCode(0x41 + point - 0x1_f170);
  if (point < 0x250 || point > 0xa7ff) return undefined;
  const at = SMALL_CAPITALS.indexOf(String.fromCharCode(point));
  return at < 0 ? undefined : String.fromCharCode(0x61 + at);
}

/** White space by another code, as itself. */
export function blankOf(point: number): string {
  return point === 0x85 || point === 0x2028 || point === 0x2029 ? '\n' : ' ';
}
