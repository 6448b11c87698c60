import { type KeyedHash, wordHash } from './keyed-hash.ts';

/** Keyed hashes of words, oldest first: 4 bytes each, as base64url. */
export type WordHashes = string;

export const NO_WORDS: WordHashes = '';

const BYTES = 4;

/** The hashes of `words`, each once, the first `countMax` of them. */
export function hashWords(words: Iterable<string>, hash: KeyedHash, countMax: number): WordHashes {
  const hashes = new Set<number>();
  for (const word of words) {
    if (hashes.size >= countMax) break;
    hashes.add(wordHash(word, hash));
  }
  return packed([...hashes]);
}

/** `words` with `more` behind them, each once; of more than `countMax` the newest. */
export function appendWords(words: WordHashes, more: WordHashes, countMax: number): WordHashes {
  if (more === NO_WORDS) return words;
  const added = unpacked(more);
  const repeated = new Set(added);
  const all = [...unpacked(words).filter((hash) => !repeated.has(hash)), ...added];
  return packed(all.slice(-countMax));
}

/** Those of `words` that `known` does not hold. */
export function unknownWords(words: WordHashes, known: WordHashes): WordHashes {
  if (words === NO_WORDS || words === known) return NO_WORDS;
  const have = wordSet(known);
  return packed(unpacked(words).filter((hash) => !have.has(hash)));
}

export function wordSet(words: WordHashes): ReadonlySet<number> {
  return new Set(unpacked(words));
}

function packed(hashes: readonly number[]): WordHashes {
  const bytes = Buffer.allocUnsafe(BYTES * hashes.length);
  for (const [index, hash] of hashes.entries()) bytes.writeInt32LE(hash, BYTES * index);
  return bytes.toString('base64url');
}

function unpacked(words: WordHashes): number[] {
  const bytes = Buffer.from(words, 'base64url');
  const hashes: number[] = [];
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) hashes.push(bytes.readInt32LE(at));
  return hashes;
}
