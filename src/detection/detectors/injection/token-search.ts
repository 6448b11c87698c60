import { CLASS } from './lexicon.ts';
import type { Tokens } from './tokens.ts';

/** 1 for each class that is in the set. */
export type Classes = Uint8Array;

export function of(...numbers: number[]): Classes {
  const classes = new Uint8Array(256);
  for (const number of numbers) classes[number] = 1;
  return classes;
}

export const ORDERING = of(CLASS.act, CLASS.send, CLASS.reveal, CLASS.respond, CLASS.override, CLASS.pretend);
const OPENING = of(
  CLASS.please,
  CLASS.can,
  CLASS.you,
  CLASS.must,
  CLASS.urgent,
  CLASS.now,
  CLASS.assistant,
  CLASS.me,
  CLASS.greet,
  CLASS.not,
);

/** Whether a token of `classes` stands at most `reach` tokens from `at`, on either side. */
export function near(tokens: Tokens, at: number, reach: number, classes: Classes): boolean {
  const last = Math.min(tokens.count - 1, at + reach);
  for (let other = Math.max(0, at - reach); other <= last; other++) {
    if (other !== at && classes[tokens.class[other] as number] === 1) return true;
  }
  return false;
}

/** Whether a token of `kind` stands in the `reach` tokens before `at`. */
export function before(tokens: Tokens, at: number, reach: number, kind: number): boolean {
  for (let other = Math.max(0, at - reach); other < at; other++) if (tokens.class[other] === kind) return true;
  return false;
}

/** Whether it begins with a verb to act on, perhaps behind "please", "you must" or "can you". */
export function isRequest(tokens: Tokens): boolean {
  const last = Math.min(tokens.count, 6);
  for (let at = 0; at < last; at++) {
    const kind = tokens.class[at] as number;
    if (ORDERING[kind] === 1) return true;
    if (OPENING[kind] === 0) return false;
  }
  return false;
}
