import type { FileOperation } from './files/touched.ts';
import type { ToolFacts } from './tools.ts';

/** What tools for files do, by the words of their names. */

const PATCH_WORDS = ['patch', 'diff'];
/** Whether a string under `key` may be a patch. */
export function mayBePatch(words: ReadonlySet<string>, key: string): boolean {
  return has(words, PATCH_WORDS) || PATCH_WORDS.includes(key);
}

/** Whether what the tool does to a directory it does to all in it. */
export function takesWhole(tool: ToolFacts, words: ReadonlySet<string>): boolean {
  return tool.effect === 'delete' || has(words, WHOLE_WORDS);
}

const LISTING_WORDS = ['list', 'ls', 'glob', 'find', 'stat', 'tree', 'exists'];
/** Tools that take a directory whole. */
const WHOLE_WORDS = ['grep', 'search', 'archive', 'zip', 'compress', 'copy', 'upload', 'sync', 'backup', 'ripgrep'];
/** Where what is uploaded goes, and how it is called there. */
const REMOTE_KEYS =
  /^(?:destination|dest|destinationpath|destpath|target|targetpath|to|remote(?:path|file|dir|directory|filename)|(?:s3|blob|object|upload)(?:path|uri)|filename|folder(?:path)?|dir|directory)$/;
const SOURCE_KEYS = ['source', 'src', 'from', 'sourcepath', 'srcpath'];

function has(words: ReadonlySet<string>, candidates: readonly string[]): boolean {
  return candidates.some((word) => words.has(word));
}

/** What a tool does to the path under `key` of its input. */
export function operationOf(tool: ToolFacts, words: ReadonlySet<string>, key: string): FileOperation {
  if (tool.effect === 'delete') return 'delete';
  if (tool.effect === 'send' && tool.kind === 'file_read') return REMOTE_KEYS.test(key) ? 'write' : 'read';
  if (tool.effect === 'write') return SOURCE_KEYS.includes(key) ? 'read' : 'write';
  return tool.kind === 'file_read' && has(words, LISTING_WORDS) ? 'list' : 'read';
}
