import { list } from '../input-keys.ts';
import type { SqlToken } from './tokens.ts';

const CHANGING = list('drop truncate delete update merge alter');
/** Between the verb and the name. */
const AHEAD = list(
  'table collection view materialized index from into if exists only ignore low_priority quick concurrently temporary temp external',
);

/** What a statement that changes something works on, each by its whole name, lower case: `drop table a.b, c` is `a.b` and `c`. */
export function targetsOf(tokens: readonly SqlToken[]): string[] {
  const [verb] = tokens;
  if (verb?.type !== 'word' || !CHANGING.has(verb.text)) return [];
  const targets: string[] = [];
  let at = 1;
  while (at < tokens.length && isAhead(tokens[at])) at++;
  while (isName(tokens[at])) {
    let name = tokens[at++]?.text ?? '';
    for (; isSign(tokens[at], '.') && at < tokens.length; at += 2) name += `.${tokens[at + 1]?.text ?? ''}`;
    targets.push(name);
    if (!isSign(tokens[at], ',')) break;
    at++;
  }
  return targets;
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
