export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const DIGITS = '0123456789';
export const HEX = '0123456789abcdef';
export const BASE62 = DIGITS + LOWER + LOWER.toUpperCase();
export const UPPER = DIGITS + LOWER.toUpperCase();

/** Made up here, the same on every run: no secret stands in this file. */
export function made(alphabet: string, chars: number, seed = 7): string {
  let state = seed;
  let text = '';
  while (text.length < chars) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    text += alphabet[((mixed ^ (mixed >>> 14)) >>> 0) % alphabet.length];
  }
  return text;
}
