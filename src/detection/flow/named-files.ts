import { credentialKind } from '../facts/credential-files.ts';
import { belowHome, type CanonicalPath, canonicalPath } from '../facts/paths.ts';
import { namesAsked, namesOf, suffixesOf } from './file-names.ts';
import { keyedHash, wordHash } from './keyed-hash.ts';
import { NAMES_OF_USER_FILES_MAX, type Wish } from './memory.ts';
import { hashWords, type WordHashes, wordSet } from './word-hashes.ts';

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

/** Words of a clause about where a file is not to go, which says nothing of reading it. */
const KEPT_OUT = /ignore|commit|leak|publish/i;

/** Words by which a clause may say that a file is *not* to be read. One in the clause is enough, wherever it stands. */
const REFUSES =
  /\b(?:not|never|without|(?:do|does|did|is|are|was|were|wo|ca|could|should|would|must|may|might|need|ought|dare|has|have|had|sha|ai)n['’]?t|cannot|no|avoid|except|exclud\w*|skip|off.limits|forbidden|prohibited|stay away|keep away|hands off|alone|stop|nicht|nie|kein\w*|ohne|au(?:ß|ss)er|pas|jamais|sans|sauf|nunca|sin|salvo|não|sem|mai|senza|niet|nooit|zonder|bez|aldrig|utan|ikke|inte|ei|asla)\b|не|без|никогда|кроме|[不别別勿未]|ない|しないで|除/iu;

/** "Don't open it": said of what was named before. */
const REFUSES_IT =
  /\b(?:do not|don['’]?t|never|without)\b.{0,40}\b(?:read|open|show|print|cat|touch|look|us|access)\w{0,4}\s(?:at\s|into\s)?(?:it|that|this|them|those|the file)\b/i;

/** Files with credentials, and of the system, of which a person's text speaks. */
export interface FilesSaid {
  /** `the token is in ~/.npmrc` */
  named: readonly CanonicalPath[];
  /** `never open .env` */
  refused: readonly CanonicalPath[];
}

/** The guarded files that `text` names, and those that it does not want read. What it refuses, it does not name. */
export function guardedFilesSaid(text: string): FilesSaid {
  const named: CanonicalPath[] = [];
  const refused: CanonicalPath[] = [];
  for (const clause of text.slice(0, TEXT_CHARS_MAX).split(CLAUSE_END)) {
    if (named.length + refused.length >= FILES_MAX) break;
    if (REFUSES_IT.test(clause)) refused.push(...named.splice(0));
    if (!FILE_LIKE.test(clause) || KEPT_OUT.test(clause)) continue;
    const into = REFUSES.test(clause) ? refused : named;
    for (const path of filesIn(clause)) if (named.length + refused.length < FILES_MAX) into.push(path);
  }
  const keys = new Set(refused.map(({ key }) => key));
  return { named: named.filter(({ key }) => !keys.has(key)), refused };
}

function* filesIn(clause: string): Generator<CanonicalPath> {
  for (const { 0: word, index } of clause.matchAll(WORD)) {
    const name = word.replace(TRAILING, '');
    if (name.length < 3 || !FILE_LIKE.test(name)) continue;
    const path = canonicalPath(name);
    if (holdsCredentials(path) || (isOfSystem(path) && isSaid(clause, index))) yield path;
  }
}

/** Whether what begins at `index` is a word of a sentence, and no part of an address, a request or an assignment. */
function isSaid(clause: string, index: number): boolean {
  return /(?:^|[\s("'`“„])$/.test(clause.slice(Math.max(0, index - 1), index)) && !REQUESTS.test(clause);
}

const REQUESTS = /:\/\/|\b(?:GET|POST|HEAD|PUT) \//;

/** By itself or in a home: `.npmrc` and `.aws/credentials` are said of the one at home. */
function holdsCredentials(path: CanonicalPath): boolean {
  const home = path.anchor === 'work_tree' ? canonicalPath(`~/${path.text}`) : path;
  return credentialKind(path) !== undefined || credentialKind(home) !== undefined;
}

/** What the system is set up by and has recorded, which tools for files are kept from unless somebody names it. */
function isOfSystem(path: CanonicalPath): boolean {
  return path.anchor === 'root' ? /^\/(?:etc|var\/log)\/./.test(path.key) : belowHome(path) === '.ssh/config';
}

/** Keyed hashes of the names by which the files that `text` names are known again, and behind them of those that it refuses. */
export function filesOfWish(text: string, key: Uint8Array): Pick<Wish, 'files'> {
  const { named, refused } = guardedFilesSaid(text);
  const wanted = named.flatMap(namesOf);
  // "Load it from .env. Never touch ~/prod/.env": the one that is named in the same breath is another one.
  const unwanted = refused.flatMap(namesOf).filter((name) => !wanted.includes(name));
  const names = [...wanted, ...unwanted.map(refusedName)];
  return names.length === 0 ? {} : { files: hashWords(names, keyedHash(key), NAMES_OF_USER_FILES_MAX) };
}

/** What stands for the refusal of a name. No path has the character. */
const refusedName = (name: string): string => `\0${name}`;

/**
 * Whether the file at `path` is one of those that `said` has the names of: by its whole path, or by the end of it, since a
 * person says `.env` of a file that lies somewhere in the project. What was said last counts: "don't read .env" is of
 * `/srv/rag/.env` as well.
 */
export function isNamedIn(said: WordHashes, path: CanonicalPath, key: Uint8Array): boolean {
  if (path.dynamic) return false;
  const words = [...wordSet(said)];
  const hash = keyedHash(key);
  const asked = [...namesAsked(path), ...suffixesOf(path.key).map((suffix) => `…/${suffix}`)];
  const lastOf = (names: readonly string[]): number =>
    Math.max(...names.map((name) => words.indexOf(wordHash(name, hash))));
  return lastOf(asked) > lastOf(asked.map(refusedName));
}
