import { tellingTokens } from './tokens.ts';

/**
 * What a result that gives orders names beside them: where to, which file, which key. Whoever follows the orders passes just that on,
 * whatever the user asked for in the same words ("make an entry", "download it").
 */

/** Code units behind an order that are read with it: what is ordered mostly stands behind what makes it an order. */
const BEHIND_CHARS = 320;
/** Tokens of one stretch of text, and code units of it that are read. */
const TOKENS_MAX = 64;
const TEXT_CHARS_MAX = 16_384;

/** The telling words of `text` around the order from `start` to `end`. */
export function wordsOfOrder(text: string, start: number, end: number): Set<string> {
  return orderTokens(text.slice(start, end + BEHIND_CHARS));
}

/** A path of a file or directory, and what is too long for a word: a key, a hash. */
const PATH = /(?:~|\.{0,2})\/[\w.@+-]{1,64}(?:\/[\w.@+-]{1,64}){0,16}\/?/g;
const LONG = /[A-Za-z0-9+/_=-]{16,256}/g;
/** A repository by its owner, and an address that is none of a host as they are spelled. */
const SLUG = /(?<![\w./~-])\w[\w.-]{1,40}\/\w[\w.-]{1,64}(?![\w./-])/g;
const SITE = /\b(?:https?:\/\/|www\.)[^\s"'<>()]{4,200}/g;

/** All that a text names: its telling tokens, and what it spells out. */
export function orderTokens(whole: string): Set<string> {
  const text = whole.slice(0, TEXT_CHARS_MAX);
  return spelledTokens(text, tellingTokens(text, TOKENS_MAX));
}

/** Adds to `found`, up to `TOKENS_MAX`, paths and long strings of signs, each as it is written but for case and a slash at its end. */
export function spelledTokens(whole: string, found = new Set<string>()): Set<string> {
  const text = whole.slice(0, TEXT_CHARS_MAX);
  const add = (pattern: RegExp, isOne: (token: string) => boolean): void => {
    for (const [token] of text.matchAll(pattern)) {
      if (found.size >= TOKENS_MAX) return;
      const bare = token.replace(/[/.,]$/, '').toLowerCase();
      if (bare.length >= CHARS_MIN && isOne(bare)) found.add(bare);
    }
  };
  add(PATH, (token) => token.lastIndexOf('/') > 0);
  add(LONG, (token) => /\d/.test(token));
  add(SLUG, () => true);
  add(SITE, () => true);
  return found;
}

/** A shorter one may stand anywhere. */
const CHARS_MIN = 6;

/** Whether a token is a path and no address. */
export function isPath(token: string): boolean {
  return /^(?:~|\.{0,2})\//.test(token);
}
