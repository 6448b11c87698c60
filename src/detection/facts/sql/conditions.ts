import type { SqlToken } from './tokens.ts';

/** Conditions inside of conditions that are looked at. */
const DEPTH_MAX = 16;
/** Tokens of a condition that are looked at: a longer one is taken for one. */
const TOKENS_MAX = 256;
/** Rows up to which `LIMIT` bounds a change. */
const LIMIT_ROWS_MAX = 10_000;

/** Words at which the condition of a `delete` or `update` ends. */
const CONDITION_ENDS: ReadonlySet<string> = new Set(['returning', 'limit', 'order', 'option', 'output', 'fetch']);

/** Whether a `delete` or `update` of `table` is of all its rows: without a condition, or with one that every row fulfils. */
export function changesEveryRow(statement: readonly SqlToken[], table: string): boolean {
  const outside = atTop(statement);
  const limit = outside.find((at) => isWord(statement[at], 'limit'));
  const rows = limit === undefined ? undefined : statement[limit + 1];
  // A number that is put in later, or worked out, is taken for a small one.
  if (rows !== undefined && (rows.type !== 'number' || Number(rows.text) <= LIMIT_ROWS_MAX)) return false;
  const where = outside.find((at) => isWord(statement[at], 'where'));
  // Values that are looked up for each row by a condition of their own are what such an update is for.
  if (where === undefined) return isWord(statement[0], 'delete') || !statement.some((token) => isWord(token, 'where'));
  const end = outside.find((at) => at > where && isOneOf(statement[at], CONDITION_ENDS)) ?? statement.length;
  const condition = statement.slice(where + 1, end);
  return condition.length <= TOKENS_MAX && holdsAlways(condition, table, DEPTH_MAX);
}

/**
 * Whether a statement that changes rows in another form is of all of them: `merge … on 1 = 1 when matched then delete`,
 * ClickHouse's `alter table … delete where 1`.
 */
export function mergesEveryRow(statement: readonly SqlToken[]): boolean {
  const top = atTop(statement);
  const isMerge = isWord(statement[0], 'merge');
  const opening = top.find((at) => isWord(statement[at], isMerge ? 'on' : 'where'));
  if (opening === undefined || !statement.some((token) => isWord(token, 'delete') || isWord(token, 'update')))
    return false;
  const closing = isMerge ? (top.find((at) => at > opening && isWord(statement[at], 'when')) ?? opening) : undefined;
  // What is matched may have a condition of its own.
  const isNarrowed = isMerge && statement.slice(closing).some((token) => isWord(token, 'and'));
  const condition = statement.slice(opening + 1, closing);
  return !isNarrowed && condition.length <= TOKENS_MAX && holdsAlways(condition, '', DEPTH_MAX);
}

/** Whether `condition` is one that every row fulfils. Told of the usual ways to write one; else it is taken for a real one. */
function holdsAlways(condition: readonly SqlToken[], table: string, depth: number): boolean {
  if (depth === 0 || condition.length === 0) return false;
  const bare = withoutParentheses(condition);
  const disjuncts = splitAt(bare, 'or', '||');
  if (disjuncts.length > 1) return disjuncts.some((part) => holdsAlways(part, table, depth - 1));
  const conjuncts = splitAt(bare, 'and', '&&');
  if (conjuncts.length > 1) return conjuncts.every((part) => holdsAlways(part, table, depth - 1));
  return isAlwaysTrue(bare, table);
}

function isAlwaysTrue(atom: readonly SqlToken[], table: string): boolean {
  const [first, second, third] = atom;
  if (first === undefined) return false;
  if (atom.length === 1) return isWord(first, 'true') || isNonzero(first);
  if (isWord(first, 'not') && atom.length === 2) return isWord(second, 'false') || second?.text === '0';
  if (isWord(first, 'exists')) return isConstantQuery(atom.slice(1));
  const text = textOf(atom.slice(1));
  if (text === 'is not null') return isKey(first, table) || isConstant(first);
  if (text === 'is null') return isWord(first, 'null');
  if (isWord(second, 'like') || isWord(second, 'ilike')) return atom.length === 3 && /^%+$/.test(third?.text ?? '');
  if (isWord(second, 'in')) return isWholeTable(atom.slice(2), first, table);
  const at = atom.findIndex(({ type, text: sign }) => type === 'sign' && COMPARISONS.has(sign));
  return at > 0 && comparesAlways(atom.slice(0, at), (atom[at] as SqlToken).text, atom.slice(at + 1), table);
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '==', '<=>', '<', '>', '<=', '>=', '<>', '!=']);

function comparesAlways(left: readonly SqlToken[], sign: string, right: readonly SqlToken[], table: string): boolean {
  const [a, b] = [left[0], right[0]];
  if (a === undefined || b === undefined) return false;
  if (left.length === 1 && right.length === 1 && isConstant(a) && isConstant(b)) return compares(a, sign, b);
  if (textOf(left) === textOf(right)) return sign.includes('=') && sign !== '!=';
  const number =
    right.length === 2 && b.text === '-' ? -Number(right[1]?.text) : right.length === 1 ? Number(b.text) : Number.NaN;
  if (left.length !== 1 || !isKey(a, table) || Number.isNaN(number)) return false;
  if (sign === '>') return number <= 0;
  if (sign === '>=') return number <= 1;
  return sign === '<>' || sign === '!=';
}

function compares(a: SqlToken, sign: string, b: SqlToken): boolean {
  const [left, right] =
    a.type === 'number' && b.type === 'number' ? [Number(a.text), Number(b.text)] : [a.text, b.text];
  switch (sign) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
    case '<>':
    case '!=':
      return left !== right;
    default:
      return left === right;
  }
}

/** `(select 1)`. */
function isConstantQuery(tokens: readonly SqlToken[]): boolean {
  const inner = withoutParentheses(tokens);
  return (
    inner.length === 2 && isWord(inner[0], 'select') && (isConstant(inner[1] as SqlToken) || inner[1]?.text === '*')
  );
}

/** `(select id from users)`, of a change of `users`. */
function isWholeTable(tokens: readonly SqlToken[], column: SqlToken, table: string): boolean {
  return textOf(withoutParentheses(tokens)) === `select ${column.text} from ${table}`;
}

function isConstant({ type, text }: SqlToken): boolean {
  return type === 'number' || type === 'string' || (type === 'word' && (text === 'true' || text === 'false'));
}

function isNonzero({ type, text }: SqlToken): boolean {
  return type === 'number' && Number(text) !== 0;
}

/** What is there in every row, and no two rows have in common. */
function isKey({ type, text }: SqlToken, table: string): boolean {
  if (type !== 'word' && type !== 'name') return false;
  return /^(?:_?id|uuid|guid|pk|rowid|_rowid_|ctid|oid)$/.test(text) || text === `${table.replace(/s$/, '')}_id`;
}

function withoutParentheses(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let bare = tokens;
  while (bare.length > 2 && bare[0]?.text === '(' && closing(bare) === bare.length - 1) bare = bare.slice(1, -1);
  return bare;
}

/** Where the parenthesis that `tokens` begin with is closed. */
function closing(tokens: readonly SqlToken[]): number {
  let depth = 0;
  return tokens.findIndex((token) => {
    depth += depthOf(token);
    return depth === 0;
  });
}

function splitAt(tokens: readonly SqlToken[], word: string, sign: string): (readonly SqlToken[])[] {
  const parts: (readonly SqlToken[])[] = [];
  let start = 0;
  // `between 1 and 2` is no conjunction.
  let isBetween = false;
  for (const at of atTop(tokens)) {
    const token = tokens[at] as SqlToken;
    if (isWord(token, 'between')) isBetween = true;
    if (!isWord(token, word) && !(token.type === 'sign' && token.text === sign)) continue;
    if (isBetween && word === 'and') isBetween = false;
    else {
      parts.push(tokens.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, tokens.slice(start)];
}

/** Positions that are inside of no parentheses. */
export function atTop(tokens: readonly SqlToken[]): number[] {
  const positions: number[] = [];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    depth = Math.max(0, depth + depthOf(token));
    if (depth === 0) positions.push(at);
  }
  return positions;
}

/** What a token adds to the depth of parentheses. */
export function depthOf({ type, text }: SqlToken): -1 | 0 | 1 {
  if (type !== 'sign') return 0;
  return text === '(' ? 1 : text === ')' ? -1 : 0;
}

export function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.type === 'word' && token.text === word;
}

function isOneOf(token: SqlToken | undefined, words: ReadonlySet<string>): boolean {
  return token?.type === 'word' && words.has(token.text);
}

function textOf(tokens: readonly SqlToken[]): string {
  return tokens.map(({ text }) => text).join(' ');
}
