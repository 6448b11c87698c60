import { CodeNames, readExpression } from './code-values.ts';

/** Calls that delete what they are handed, but for a file that is named outright. */
const DELETES =
  /\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.rmtree|rmtree|(?:fs\.|fsp\.|promises\.)?(?:rm|rmdir|unlink)(?:Sync)?|rimraf(?:\.sync)?|Deno\.remove(?:Sync)?|File\.(?:delete|unlink)|FileUtils\.(?:rm(?:_r|_rf|tree)?|remove_dir|remove_entry)|unlink|rmtree)\s?\((?!\s{0,4}["'][^"'\n]{0,256}["']\s{0,4}[,)])|\w\.(?:unlink|rmdir)\(/;
/** What leaves some of the listed out. */
const CHOOSES =
  /\b(?:if|unless|continue|next|when|match|case)\b|endswith|endsWith|startswith|startsWith|fnmatch|suffix|\.filter\(|\?[^?:\n]{1,128}:|\bgrep\b|getmtime|st_mtime|mtime/;
/** Calls that list a directory, up to where their argument begins; methods of a path stand behind it. */
const LISTS =
  /(?<![\w.])(?:os\.(?:walk|listdir|scandir)|(?:fs\.|fsp\.|promises\.)?readdir(?:Sync)?|Deno\.readDir(?:Sync)?|Dir\.(?:children|entries|each_child|foreach|new)|opendir)\(\s{0,8}/g;
const LISTS_PATH = /(?:\bPath\(|\bPath\.home\(\))/g;
const PATH_LISTED = /\s{0,4}\.(?:iterdir|rglob|walk)\(/y;

/**
 * The directories that `code` lists and whose entries it deletes, all of them: nothing in it chooses among what was
 * found. Paths as far as names and expressions tell; at most `max`.
 */
export function walksDeleted(code: string, max: number): string[] {
  if (!/walk|listdir|scandir|[rR]ead[dD]ir|iterdir|rglob|Dir\.|opendir/.test(code)) return [];
  if (!DELETES.test(code) || CHOOSES.test(code)) return [];
  const names = new CodeNames(code, () => undefined);
  const found: string[] = [];
  for (const match of code.matchAll(LISTS)) {
    if (found.length >= max) break;
    const start = match.index + match[0].length;
    const [path] = readExpression(code, start, names.at(match.index))?.value ?? [];
    if (path !== undefined) found.push(path);
  }
  const paths = new CodeNames(code, () => undefined);
  for (const match of code.matchAll(LISTS_PATH)) {
    if (found.length >= max) break;
    const path = readExpression(code, match.index, paths.at(match.index));
    PATH_LISTED.lastIndex = path?.end ?? 0;
    const [directory] = path?.value ?? [];
    if (directory !== undefined && PATH_LISTED.test(code)) found.push(directory);
  }
  return found;
}
