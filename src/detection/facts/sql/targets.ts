import { list } from '../input-keys.ts';
import { depthOf, isWord } from './conditions.ts';
import type { SqlToken } from './tokens.ts';

const CHANGING = list('drop truncate delete update merge alter');
/** Between the verb and the name. */
const AHEAD = list(
  'table collection view materialized index from into if exists only ignore low_priority quick concurrently temporary temp external',
);

const ALIASING = list('delete update');
/** In front of a table that a statement reads. */
const SOURCES = list('from using join ,');

/** What a statement that changes something works on, each by its whole name, lower case: `drop table a.b, c` is `a.b` and `c`. */
export function targetsOf(tokens: readonly SqlToken[]): string[] {
  const [verb] = tokens;
  if (verb?.type !== 'word' || !CHANGING.has(verb.text)) return [];
  const targets: string[] = [];
  let at = 1;
  while (at < tokens.length && isAhead(tokens[at])) at++;
  while (isName(tokens[at])) {
    const [name, end] = nameAt(tokens, at);
    targets.push(name);
    at = end;
    if (!isSign(tokens[at], ',')) break;
    at++;
  }
  return ALIASING.has(verb.text) ? withoutAliases(targets, tokens, at) : targets;
}

/** `delete t from orders as t` works on `orders`. What no table that it reads is called, though one has to be, has no name. */
function withoutAliases(targets: readonly string[], tokens: readonly SqlToken[], from: number): string[] {
  const isUpdate = isWord(tokens[0], 'update');
  const reading = tokens.findIndex((token, at) => at >= from && (isWord(token, 'from') || isWord(token, 'using')));
  if (reading < 0 || (!isUpdate && reading > from)) return [...targets];
  const tables = tablesRead(tokens, reading);
  const isNamedThere = !isUpdate && isWord(tokens[reading], 'from');
  return targets.map((target) => tables.get(target) ?? (isNamedThere && !target.includes('.') ? '' : target));
}

/** The tables of the clause that begins at `from`, by their names and by what else they are called. */
function tablesRead(tokens: readonly SqlToken[], from: number): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  let depth = 0;
  for (let at = from; at < tokens.length && !(depth === 0 && isWord(tokens[at], 'where')); at++) {
    depth += depthOf(tokens[at] as SqlToken);
    if (depth > 0 || !SOURCES.has(tokens[at]?.text ?? '') || !isName(tokens[at + 1])) continue;
    const [table, end] = nameAt(tokens, at + 1);
    if (!tables.has(bareName(table))) tables.set(bareName(table), table);
    const alias = tokens[isWord(tokens[end], 'as') ? end + 1 : end];
    if (alias !== undefined && isName(alias)) tables.set(alias.text, table);
  }
  return tables;
}

/** The whole name that begins at `at`, and where it ends. */
function nameAt(tokens: readonly SqlToken[], at: number): readonly [name: string, end: number] {
  let name = tokens[at]?.text ?? '';
  let end = at + 1;
  for (; isSign(tokens[end], '.') && end < tokens.length; end += 2) name += `.${tokens[end + 1]?.text ?? ''}`;
  return [name, end];
}

/** The name of `target` without what it is in. */
export function bareName(target: string): string {
  return target.slice(target.lastIndexOf('.') + 1);
}

function isAhead(token: SqlToken | undefined): boolean {
  return token?.type === 'word' && AHEAD.has(token.text);
}

function isName(token: SqlToken | undefined): boolean {
  return token?.type === 'word' || token?.type === 'name';
}

function isSign(token: SqlToken | undefined, sign: string): boolean {
  return token?.type === 'sign' && token.text === sign;
}
