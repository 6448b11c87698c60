import { belowHome, type CanonicalPath } from '../facts/paths.ts';
import { keyedHash } from './keyed-hash.ts';
import { NAMES_OF_FILES_MAX } from './memory.ts';
import { hashWords, type WordHashes } from './word-hashes.ts';

/** Last segments of a whole path by which it may be called from a directory that is not known here. */
const SUFFIX_SEGMENTS_MAX = 3;

/** The one notation of `path` where it starts at the root or a home; undefined where it depends on the directory. */
function wholeKey(path: CanonicalPath): string | undefined {
  const below = belowHome(path);
  if (below !== undefined) return `~/${below}`;
  return path.anchor === 'work_tree' ? undefined : path.key;
}

export function suffixesOf(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '' && segment !== '~');
  return Array.from({ length: Math.min(SUFFIX_SEGMENTS_MAX, segments.length) }, (_, index) =>
    segments.slice(-1 - index).join('/'),
  );
}

/** The names by which a file at `path` is known again: a whole path is called by its end as well, and the other way round. */
export function namesOf(path: CanonicalPath): string[] {
  const whole = wholeKey(path);
  return whole === undefined ? [path.key, `…/${path.key}`] : [whole, ...suffixesOf(whole)];
}

/** The names under which the file that is called `path` may be known. */
export function namesAsked(path: CanonicalPath): string[] {
  const whole = wholeKey(path);
  return whole === undefined ? [path.key] : [whole, ...suffixesOf(whole).map((suffix) => `…/${suffix}`)];
}

/** Keyed hashes of the names of the files at `paths`. */
export function fileNames(paths: readonly CanonicalPath[], key: Uint8Array): WordHashes {
  return hashWords(paths.flatMap(namesOf), keyedHash(key), NAMES_OF_FILES_MAX);
}
