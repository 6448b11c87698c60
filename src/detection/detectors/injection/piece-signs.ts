import { compactSigns } from './compact.ts';
import { SIGN, signsOf } from './signs.ts';
import type { Tokens } from './tokens.ts';

/** All signs of the piece of `text` from `start` to `end`; `hidden` where a reader does not see it. */
export function pieceSigns(tokens: Tokens, text: string, start: number, end: number, hidden: boolean): number {
  return signsOf(tokens, text, start, end) | compactSigns(tokens, text, start, end) | (hidden ? SIGN.hidden : 0);
}
