import { atTop, depthOf, isWord } from './conditions.ts';
import type { SqlToken } from './tokens.ts';

/** What a value did to the query that it was put into. */
export type Forgery = 'tautology' | 'union' | 'time' | 'error';

/** Tokens of a query that are looked at. */
const TOKENS_MAX = 1_024;

/**
 * What shows that a query is not as its author wrote it: `… or '1'='1'`, accounts or the catalogue behind a `union` with something else, a
 * wait inside of a condition, an error that spells out what was found. A query that does one of these on purpose and nothing else (`select
 * pg_sleep(5)`, a list of tables) is none.
 */
export function forgeryOf(query: readonly SqlToken[]): Forgery | undefined {
  const tokens = query.slice(0, TOKENS_MAX);
  const called = tokens.flatMap(({ type, text }, at) =>
    type === 'word' && CALLS.has(text) && tokens[at + 1]?.text === '(' ? [{ text, at }] : [],
  );
  const error = called.find(({ text }) => ERRORS.has(text));
  if (error !== undefined && spellsOut(tokens.slice(error.at))) return 'error';
  const waits = called.filter(({ text, at }) => !ERRORS.has(text) && (text !== 'randomblob' || isLarge(tokens, at)));
  // Whether there is a wait behind what a row is asked for tells the answer.
  if (waits.length > 0) {
    const isConditional = standBehind(tokens, CONDITIONS);
    if (waits.some(({ at }) => isConditional[at])) return 'time';
  }
  return joinsSecrets(tokens) ? 'union' : holdsBySpelling(tokens) ? 'tautology' : undefined;
}

const ERRORS: ReadonlySet<string> = new Set(['extractvalue', 'updatexml']);
const CALLS: ReadonlySet<string> = new Set([...ERRORS, 'sleep', 'pg_sleep', 'benchmark', 'randomblob']);

/** `extractvalue(1, concat(0x7e, (select …)))`. */
function spellsOut(tokens: readonly SqlToken[]): boolean {
  const concat = tokens.findIndex((token) => isWord(token, 'concat') || isWord(token, 'concat_ws'));
  return concat > 0 && tokens.slice(concat).some((token) => isWord(token, 'select') || isWord(token, 'version'));
}

const CONDITIONS: ReadonlySet<string> = new Set(['where', 'case', 'if']);
const UNION: ReadonlySet<string> = new Set(['union']);

/** Bytes from which on it takes time to make them up: fewer are a key. */
const BLOB_BYTES_MIN = 1_000_000;
/** Tokens of what a call is given that are looked at. */
const ARGUMENT_TOKENS_MAX = 16;

/** `randomblob(500000000/2)`. */
function isLarge(tokens: readonly SqlToken[], call: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(call + 1, call + 1 + ARGUMENT_TOKENS_MAX)) {
    depth += depthOf(token);
    if (depth === 0) return false;
    if (token.type === 'number' && Number(token.text.replaceAll('_', '')) >= BLOB_BYTES_MIN) return true;
  }
  return false;
}

/** Of each token whether one of `words` stands before it, in the same parentheses or in those around them. */
function standBehind(tokens: readonly SqlToken[], words: ReadonlySet<string>): boolean[] {
  const around: boolean[] = [];
  let isBehind = false;
  return tokens.map((token) => {
    const depth = depthOf(token);
    if (depth > 0) around.push(isBehind);
    else if (depth < 0) isBehind = around.pop() ?? isBehind;
    else if (token.type === 'word' && words.has(token.text)) isBehind = true;
    return isBehind;
  });
}

/** Where servers keep what tables there are. */
const CATALOGUE =
  /^(?:information_schema|sqlite_master|sqlite_schema|pg_shadow|pg_authid|all_tables|sysobjects)(?:\.|$)/;
const PASSWORD = /^(?:\w{1,32}\.)?(?:passw(?:or)?d|passwd|pwd|pass|password_hash|passwordhash)$/;

/** Behind a `union`, what the query before it does not speak of: the catalogue, or passwords. */
function joinsSecrets(tokens: readonly SqlToken[]): boolean {
  if (!tokens.some((token) => isWord(token, 'union'))) return false;
  const isJoined = standBehind(tokens, UNION);
  return [CATALOGUE, PASSWORD].some((secret) => {
    const first = tokens.findIndex(({ type, text }) => (type === 'word' || type === 'name') && secret.test(text));
    return isJoined[first] === true;
  });
}

/** `where name = '' or '1' = '1'`: two literals that are the same, behind a condition. */
function holdsBySpelling(tokens: readonly SqlToken[]): boolean {
  const top = atTop(tokens);
  const where = top.find((at) => isWord(tokens[at], 'where'));
  return (
    where !== undefined &&
    top.some((at) => {
      const [left, sign, right] = tokens.slice(at + 1, at + 4);
      return (
        at > where + 1 &&
        isWord(tokens[at], 'or') &&
        isLiteral(left) &&
        sign?.text === '=' &&
        isLiteral(right) &&
        left.text === right.text
      );
    })
  );
}

function isLiteral(token: SqlToken | undefined): token is SqlToken {
  return token?.type === 'string' || token?.type === 'number';
}
