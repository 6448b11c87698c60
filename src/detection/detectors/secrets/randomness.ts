/** How a value looks, from one pass over it: what tells a generated secret from words, numbers and names. */
export interface Look {
  length: number;
  digits: number;
  lowers: number;
  uppers: number;
  /** Whether all of it is hexadecimal digits, dashes and dots apart. */
  hex: boolean;
  /** Shannon entropy of its characters, in bits per character. */
  entropyBits: number;
  /** Characters in the longest run of one character. */
  longestRun: number;
  /** Characters in the longest run that counts up or down by one, or repeats: `abcdef`, `9876`, `xxxx`. */
  longestSequence: number;
  /** Characters in all such runs of three and more: `abc123xyz456` has nothing else. */
  sequenced: number;
  /** Letters that are the next or the one before of the letter before them, whatever stands between: `a1b2c3d4`. */
  stepped: number;
  /** Share of the characters that stand in pieces that read like words, 0 to 1. */
  wordy: number;
}

/** A longer value is judged by its start. */
const LOOK_CHARS_MAX = 256;

const counts = new Uint16Array(128);

export function lookOf(value: string): Look {
  const length = Math.min(value.length, LOOK_CHARS_MAX);
  const look: Look = {
    length,
    digits: 0,
    lowers: 0,
    uppers: 0,
    hex: true,
    entropyBits: 0,
    longestRun: 0,
    longestSequence: 0,
    sequenced: 0,
    stepped: 0,
    wordy: 0,
  };
  counts.fill(0);
  let run = 0;
  let sequence = 0;
  let step = 2;
  let before = -1;
  let letterBefore = -1;
  for (let at = 0; at < length; at++) {
    const code = value.charCodeAt(at);
    counts[code & 127] = (counts[code & 127] as number) + 1;
    countClass(look, code);
    run = code === before ? run + 1 : 1;
    const by = code - before;
    sequence = by >= -1 && by <= 1 && by === step ? sequence + 1 : by >= -1 && by <= 1 ? 2 : 1;
    step = by;
    before = code;
    const letter = code | 32;
    if (letter >= 97 && letter <= 122) {
      if (letter - letterBefore === 1 || letterBefore - letter === 1) look.stepped++;
      letterBefore = letter;
    }
    if (run > look.longestRun) look.longestRun = run;
    if (sequence > look.longestSequence) look.longestSequence = sequence;
    if (sequence >= 3) look.sequenced += sequence === 3 ? 3 : 1;
  }
  look.entropyBits = entropyOf(length);
  look.wordy = length === 0 ? 0 : wordyChars(value, length) / length;
  return look;
}

function countClass(look: Look, code: number): void {
  if (code >= 48 && code <= 57) look.digits++;
  else if (code >= 97 && code <= 122) {
    look.lowers++;
    if (code > 102) look.hex = false;
  } else if (code >= 65 && code <= 90) {
    look.uppers++;
    if (code > 70) look.hex = false;
  } else if (code !== 45 && code !== 46) look.hex = false;
}

function entropyOf(length: number): number {
  let sum = 0;
  for (let code = 0; code < 128; code++) {
    const count = counts[code] as number;
    if (count > 0) sum += count * Math.log2(count);
  }
  return length === 0 ? 0 : Math.log2(length) - sum / length;
}

/** The pairs of letters that make up most of English text: about 85 % of its pairs, and 30 % of random ones. */
const COMMON_PAIRS =
  'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ' +
  'ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un ' +
  'lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ' +
  'ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag ey ap if bo uc ue ck up gr bu pi od cl va ew qu sp ff da ov ' +
  'gi ak ok ky my by au ub ob ep eg ga go gu ru lu nu fu av iz ze cr br dr fl gl sc sk sl sm sn sw tw pt ft lt xt ef ' +
  'eb ib ip ik im um ug ud og oc oa oi nk nf nv mm tt pp rr nn dd cc gn rn rd rk rm rc rv lf ls lk rl yp ys ym sy kn';

const common = new Uint8Array(26 * 26);
for (const pair of COMMON_PAIRS.split(' ')) {
  common[(pair.charCodeAt(0) - 97) * 26 + pair.charCodeAt(1) - 97] = 1;
}

/** How many of the first `length` characters stand in pieces of three letters and more that read like a word. */
function wordyChars(value: string, length: number): number {
  let wordy = 0;
  let pairs = 0;
  let known = 0;
  let before = -1;
  let upperBefore = false;
  for (let at = 0; at <= length; at++) {
    const code = at < length ? value.charCodeAt(at) : 0;
    const upper = code >= 65 && code <= 90;
    const letter = upper ? code - 65 : code >= 97 && code <= 122 ? code - 97 : -1;
    // A capital after a small letter starts the next word of a compound name.
    if (letter < 0 || (upper && !upperBefore && before >= 0)) {
      if (pairs >= 2 && known >= pairs * 0.6) wordy += pairs + 1;
      pairs = 0;
      known = 0;
    } else if (before >= 0) {
      pairs++;
      known += common[before * 26 + letter] as number;
    }
    before = letter;
    upperBefore = upper;
  }
  return wordy;
}

/** Characters of a run that no generator makes by chance: one in some 100,000 values has it. */
const SEQUENCE_CHARS_MAX = 7;

/** Whether somebody went along the alphabet or the digits to write it. */
function isCountedOut({ hex, lowers, uppers, longestSequence, stepped }: Look): boolean {
  const letters = lowers + uppers;
  return longestSequence >= SEQUENCE_CHARS_MAX || (letters >= 10 && stepped > (letters - 1) * (hex ? 0.78 : 0.6));
}

/**
 * Whether a value of that look was most likely generated: hexadecimal or base64 text, not a name, a word or a number.
 * `charsMin` is the least length that counts as such.
 */
export function isRandom(look: Look, charsMin: number): boolean {
  const { length, digits, lowers, uppers } = look;
  if (length < charsMin || look.sequenced > length * 0.5 || look.longestRun > length * 0.4) return false;
  if (isCountedOut(look)) return false;
  if (look.hex) return digits > 0 && lowers + uppers > 0 && look.entropyBits >= Math.min(3, Math.log2(length) - 1.2);
  if (lowers + uppers === 0) return false;
  const varied = look.entropyBits >= Math.min(3.6, Math.log2(length) - 0.75);
  if (!varied || look.wordy > (digits > 0 ? 0.5 : 0.34)) return false;
  // Letters of one case alone are seldom generated: only a long piece that is no word at all.
  if (digits === 0 && (lowers === 0 || uppers === 0)) return length >= Math.max(16, charsMin) && look.wordy < 0.2;
  return digits > 0 || (lowers > 1 && uppers > 1);
}
