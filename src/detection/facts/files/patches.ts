import type { FileOperation } from './touched.ts';

/** `*** Update File: a`, `*** Move to: b`, as coding agents write patches; `--- a/a`, `+++ b/a`, as `diff -u` does. */
const HEADER =
  /^\*\*\* (?:(Add|Update|Delete) File|Move to): ([^\n]{1,4096})$|^(---|\+\+\+) (?:[ab]\/)?([^\t\n\r]{1,4096})/gm;

/** The files that the patch `text` changes, as it names them, and what it does to them: the first `max`. */
export function filesOfPatch(text: string, max: number): { operation: FileOperation; path: string }[] {
  const found: { operation: FileOperation; path: string }[] = [];
  let before = '';
  for (const [, verb, path, side, plain = ''] of text.matchAll(HEADER)) {
    if (path !== undefined) found.push({ operation: verb === 'Delete' ? 'delete' : 'write', path: path.trim() });
    else if (side === '---') before = plain;
    else if (plain === '/dev/null') found.push({ operation: 'delete', path: before });
    else found.push({ operation: 'write', path: plain });
    if (found.length >= max) break;
  }
  return found;
}
