import { AhoCorasick } from '../../../lib/aho-corasick.ts';

/**
 * Tells texts that may be worth a closer look: in which one of `words` occurs, separated by white space and compared without
 * regard to case, or `rest` matches. One pass finds any of the words, however many they are, where an expression of as many
 * alternatives would try each of them at each place.
 */
export function hint(words: string, rest: RegExp): (text: string) => boolean {
  const automaton = new AhoCorasick(words.split(/\s+/), { ignoreCase: true });
  return (text) => automaton.occursIn(text) || rest.test(text);
}
