import type { Bound } from './code-commands.ts';
import { CodeNames, readExpression } from './code-values.ts';

/** Calls that delete what they are handed, but for a file that is named outright. */
const DELETES =
  /\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.rmtree|rmtree|(?:fs\.|fsp\.|promises\.)?(?:rm|rmdir|unlink)(?:Sync)?|rimraf(?:\.sync)?|Deno\.remove(?:Sync)?|File\.(?:delete|unlink)|FileUtils\.(?:rm(?:_r|_rf|tree)?|remove_dir|remove_entry)|unlink|rmtree)\s?\((?!\s{0,4}["'][^"'\n]{0,256}["']\s{0,4}[,)])|\w\.(?:unlink|rmdir)\(/;
/** What leaves some of the listed out. */
const CHOOSES =
  /\b(?:if|unless|continue|next|when|match|case)\b|endswith|endsWith|startswith|startsWith|fnmatch|suffix|\.filter\(|\?[^?:\n]{1,128}:|\bgrep\b|getmtime|st_mtime|mtime/;
/** Calls that list a directory, up to where their argument begins; methods of a path stand behind it. */
const LISTS =
  /\bPath\((?=["'\w])|\bPath\.home\(\)|(?<![\w.])(?:os\.(?:walk|listdir|scandir)|(?:fs\.|fsp\.|promises\.)?readdir(?:Sync)?|Deno\.readDir(?:Sync)?|Dir\.(?:children|entries|each_child|foreach|new)|opendir)\(\s{0,8}/g;
/** A pattern chooses where it is one literal with something in it that not everything has, other than the ending of papers and pictures. */
const PATH_LISTED =
  /\s{0,32}\.(?:(?:iterdir|walk)\(|r?glob\(\s{0,32}(?!["'](?![*./]{0,6}\.(?:doc|xls|ppt|pdf|jpe?g|png|txt|conf|key|pem|sql|db|zip|od[tsp]))[^"'[\]\n]{0,64}[\w-]{2}[^"'[\]\n]{0,64}["']\s{0,8}\)))/y;

/**
 * The directories that `code` lists and whose entries it deletes, all of them: nothing in it chooses among what was
 * found. Paths as far as names and expressions tell.
 */
export function walksDeleted(code: string, { max, cut }: Bound): string[] {
  if (!/walk|listdir|scandir|[rR]ead[dD]ir|iterdir|glob|Dir\.|opendir/.test(code)) return [];
  if (!DELETES.test(code) || CHOOSES.test(code)) return [];
  const names = new CodeNames(code, cut);
  const found: string[] = [];
  for (const match of code.matchAll(LISTS)) {
    if (found.length >= max) {
      cut();
      break;
    }
    const isPath = match[0].startsWith('Path');
    const listed = readExpression(code, isPath ? match.index : match.index + match[0].length, names.at(match.index));
    const [directory] = listed?.value ?? [];
    PATH_LISTED.lastIndex = listed?.end ?? 0;
    if (directory !== undefined && (!isPath || PATH_LISTED.test(code))) found.push(directory);
  }
  return found;
}
