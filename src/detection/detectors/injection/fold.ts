/** Scripts that are written without spaces, or glue particles on: read in overlapping pairs of characters. */
export function isPaired(code: number): boolean {
  return code >= 0x3040 && ((code < 0xa000 && code !== 0x30fb) || (code >= 0xac00 && code < 0xd7b0));
}

function foldTable(): Uint16Array {
  const table = new Uint16Array(65_536);
  for (const [first, last] of LETTERS) for (let code = first; code <= last; code++) table[code] = code;
  for (let code = 0x41; code <= 0x5a; code++) table[code] = code + 32;
  for (const [base, forms] of Object.entries(ACCENTED)) {
    for (const form of forms) table[form.charCodeAt(0)] = base.charCodeAt(0);
  }
  for (let code = 0x0391; code <= 0x03a9; code++) table[code] = code + 32;
  for (let code = 0x0400; code <= 0x040f; code++) table[code] = code + 80;
  for (let code = 0x0410; code <= 0x042f; code++) table[code] = code + 32;
  table[0x451] = 0x435;
  return table;
}

const LETTERS: readonly (readonly [number, number])[] = [
  [0x30, 0x39],
  [0x61, 0x7a],
  [0x100, 0x2ff],
  [0x370, 0x1fff],
  [0x2c00, 0x2dff],
  [0x3040, 0xd7ff],
  [0xf900, 0xfdff],
  [0xfe70, 0xfefe],
  [0xff10, 0xff19],
  [0xff21, 0xff5a],
];

const ACCENTED: Readonly<Record<string, string>> = {
  a: 'àáâãäåāăąÀÁÂÃÄÅĀĂĄªæÆ',
  c: 'çćĉċčÇĆĈĊČ',
  d: 'ďđĎĐðÐ',
  e: 'èéêëēĕėęěÈÉÊËĒĔĖĘĚ',
  g: 'ĝğġģĜĞĠĢ',
  h: 'ĥħĤĦ',
  i: 'ìíîïĩīĭįıÌÍÎÏĨĪĬĮİ',
  j: 'ĵĴ',
  k: 'ķĶ',
  l: 'ĺļľŀłĹĻĽĿŁ',
  n: 'ñńņňÑŃŅŇ',
  o: 'òóôõöøōŏőÒÓÔÕÖØŌŎŐºœŒ',
  r: 'ŕŗřŔŖŘ',
  s: 'śŝşšßŚŜŞŠșȘ',
  t: 'ţťŧŢŤŦțȚ',
  u: 'ùúûüũūŭůűųÙÚÛÜŨŪŬŮŰŲ',
  w: 'ŵŴ',
  y: 'ýÿŷÝŸŶ',
  z: 'źżžŹŻŽ',
};

/**
 * How the scorer reads a character: 0 for what parts words, else the letter or digit that it counts as. A table of our
 * own rather than `normalize` and `toLowerCase`, since those follow the Unicode version of the runtime, and a decision
 * has to come out the same on any machine.
 */
export const FOLD: Uint16Array = foldTable();
