import { credentialKind } from '../facts/credential-files.ts';
import { type CanonicalPath, canonicalPath } from '../facts/paths.ts';
import { namesAsked, namesOf, suffixesOf } from './file-names.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import { NAMES_OF_USER_FILES_MAX } from './memory.ts';
import { hashWords, NO_WORDS, type WordHashes, wordSet } from './word-hashes.ts';

/** Code units of one text, and files of it, that are looked at. */
const TEXT_CHARS_MAX = 16_384;
const FILES_MAX = 8;

/** A word that may name a file: with a dot, a slash, a backslash or an underscore. What stands around it is cut off below. */
const WORD = /(?:\b[A-Za-z]:(?=[\\/]))?[^\s"'`<>()[\]{},;:|*?!=«»„“”‘’、。，]{3,256}/g;
const FILE_LIKE = /[./\\_]/;
/** A full stop or a slash behind a name is not its own; a dot in front is. */
const TRAILING = /[./\\]+$/;

/** Ends of what belongs together: a mark with a blank behind it, so that it is none inside of a name. */
const CLAUSE_END = /[.!?;,:—–](?=\s|$)|\n|[。！？；，]/;

/**
 * Words by which a clause may say that a file is *not* to be read, or is to be kept away from something. One in the clause is
 * enough, wherever it stands: a file that is not counted is held back as it would be without.
 */
const REFUSES =
  /\b(?:not|never|without|\w{2,8}n['’]?t|no|avoid|except|exclud\w*|skip|ignor\w*|gitignore\w*|dockerignore\w*|leak\w*|commit\w*|nicht|nie|kein\w*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|nunca|sin|salvo|não|sem|mai|senza|niet|nooit|zonder|nie|bez|aldrig|utan|ikke|inte|ei|asla)\b|(?:не|без|никогда|кроме|не\s)|[不别別勿未]|ない|しないで|除/iu;

/** The files with credentials that a person's `text` names, and does not refuse: `the token is in ~/.npmrc`. */
export function credentialFilesSaid(text: string): CanonicalPath[] {
  const found: CanonicalPath[] = [];
  for (const clause of text.slice(0, TEXT_CHARS_MAX).split(CLAUSE_END)) {
    if (!FILE_LIKE.test(clause) || REFUSES.test(clause)) continue;
    for (const [word] of clause.matchAll(WORD)) {
      const name = word.replace(TRAILING, '');
      if (name.length < 3 || !FILE_LIKE.test(name)) continue;
      const path = canonicalPath(name);
      if (holdsCredentials(path) && found.push(path) >= FILES_MAX) return found;
    }
  }
  return found;
}

/** By itself or in a home: `.npmrc` and `.aws/credentials` are said of the one at home. */
function holdsCredentials(path: CanonicalPath): boolean {
  const home = path.anchor === 'work_tree' ? canonicalPath(`~/${path.text}`) : path;
  return credentialKind(path) !== undefined || credentialKind(home) !== undefined;
}

/** Keyed hashes of the names by which the files that `text` names are known again. */
export function namesSaid(text: string, key: Uint8Array): WordHashes {
  const paths = credentialFilesSaid(text);
  return paths.length === 0 ? NO_WORDS : hashWords(paths.flatMap(namesOf), keyedHash(key), NAMES_OF_USER_FILES_MAX);
}

/**
 * Whether the file at `path` is one of those that `said` has the names of: by its whole path, or by the end of it, since a
 * person says `.env` of a file that lies somewhere in the project.
 */
export function isNamedIn(said: WordHashes, path: CanonicalPath, key: Uint8Array): boolean {
  if (path.dynamic) return false;
  const names = wordSet(said);
  const hash = keyedHash(key);
  const asked = [...namesAsked(path), ...suffixesOf(path.key).map((suffix) => `…/${suffix}`)];
  return asked.some((name) => names.has(wordHash(name, hash)));
}
