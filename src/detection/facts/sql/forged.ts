import { atTop, isWord } from './conditions.ts';
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
  const wait = called.find(({ text }) => !ERRORS.has(text));
  if (wait !== undefined && isConditional(tokens, wait.at)) return 'time';
  return joinsSecrets(tokens) ? 'union' : holdsBySpelling(tokens) ? 'tautology' : undefined;
}

const ERRORS: ReadonlySet<string> = new Set(['extractvalue', 'updatexml']);
const CALLS: ReadonlySet<string> = new Set([...ERRORS, 'sleep', 'pg_sleep', 'benchmark', 'randomblob']);

/** `extractvalue(1, concat(0x7e, (select …)))`. */
function spellsOut(tokens: readonly SqlToken[]): boolean {
  const concat = tokens.findIndex((token) => isWord(token, 'concat') || isWord(token, 'concat_ws'));
  return concat > 0 && tokens.slice(concat).some((token) => isWord(token, 'select') || isWord(token, 'version'));
}

/** Behind what a row is asked for: whether there is a wait tells the answer. */
function isConditional(tokens: readonly SqlToken[], at: number): boolean {
  return tokens.slice(0, at).some((token) => isWord(token, 'where') || isWord(token, 'case') || isWord(token, 'if'));
}

/** Where servers keep what tables there are. */
const CATALOGUE =
  /^(?:information_schema|sqlite_master|sqlite_schema|pg_shadow|pg_authid|all_tables|sysobjects)(?:\.|$)/;
const PASSWORD = /^(?:\w{1,32}\.)?(?:passw(?:or)?d|passwd|pwd|pass|password_hash|passwordhash)$/;

/** Behind a `union`, what the query before it does not speak of: the catalogue, or passwords. */
function joinsSecrets(tokens: readonly SqlToken[]): boolean {
  const union = tokens.findIndex((token) => isWord(token, 'union'));
  if (union < 0) return false;
  const speaks = (part: readonly SqlToken[], of: RegExp): boolean =>
    part.some(({ type, text }) => (type === 'word' || type === 'name') && of.test(text));
  const [before, behind] = [tokens.slice(0, union), tokens.slice(union)];
  return [CATALOGUE, PASSWORD].some((of) => speaks(behind, of) && !speaks(before, of));
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
