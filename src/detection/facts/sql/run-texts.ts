import { list } from '../input-keys.ts';
import { depthOf, isWord } from './conditions.ts';
import type { SqlToken } from './tokens.ts';

/** Code units of a literal that can be a statement. */
const STATEMENT_CHARS_MIN = 6;
/** Variables and functions of one text whose literals are remembered. */
const NAMED_MAX = 32;

const RUNS_TEXT = list('execute exec immediate prepare sp_executesql');
const CALLS = list('select call exec execute perform do');
const GIVES = list('set declare select');
const CONCATENATES = list('concat concat_ws');
/** In front of a literal: how it is written. */
const LITERAL_PREFIXES = list('n e u');

/** The literals that the statements of one text run: at once, or later by the name of a variable or a function that holds them. */
export class RunTexts {
  readonly #named = new Map<string, string>();

  /** The texts that the next statement runs. What has a name is read once. */
  of(statement: readonly SqlToken[]): string[] {
    const runs = runsText(statement);
    const texts = runs ? literalsOf(statement) : [];
    if (this.#named.size > 0) texts.push(...this.#takeCalled(statement, runs));
    this.#remember(statement);
    return texts.filter((text) => text.length >= STATEMENT_CHARS_MIN);
  }

  /** Of variables where it runs a text, of functions where it is a call: `grant execute on function f` is none. */
  #takeCalled(statement: readonly SqlToken[], runs: boolean): string[] {
    const calls = statement[0]?.type === 'word' && CALLS.has(statement[0].text);
    const texts: string[] = [];
    for (const { type, text } of statement) {
      if (type !== 'word' && type !== 'name') continue;
      const held = (text.startsWith('@') ? runs : calls) ? this.#named.get(text) : undefined;
      if (held === undefined) continue;
      texts.push(held);
      this.#named.delete(text);
    }
    return texts;
  }

  /** `set @t = concat('a', 'b')`, `create function f() … as $$ … $$`. */
  #remember(statement: readonly SqlToken[]): void {
    const [verb] = statement;
    if (verb?.type !== 'word' || this.#named.size >= NAMED_MAX) return;
    const name = GIVES.has(verb.text) ? givenVariable(statement) : definedFunction(statement);
    const held = name === undefined ? undefined : literalsOf(statement).join(' ');
    if (name !== undefined && held !== undefined && held !== '') this.#named.set(name, held);
  }
}

function givenVariable(statement: readonly SqlToken[]): string | undefined {
  return statement.find(({ type, text }) => type === 'word' && text.startsWith('@'))?.text;
}

/** Words of `create or replace function` before its name. */
const DEFINITION_WORDS_MAX = 6;

function definedFunction(statement: readonly SqlToken[]): string | undefined {
  if (!isWord(statement[0], 'create')) return undefined;
  const head = statement.slice(0, DEFINITION_WORDS_MAX);
  const at = head.findIndex((token) => isWord(token, 'function') || isWord(token, 'procedure'));
  return at < 0 ? undefined : statement[at + 1]?.text;
}

/** Whether literals in it are statements that run. `on conflict do nothing` runs none; lines of psql's own (`\timing`) end without `;`. */
function runsText(tokens: readonly SqlToken[]): boolean {
  return (
    isWord(tokens[0], 'do') ||
    tokens.some((token, at) => {
      if (token.type !== 'word') return false;
      const next = tokens[at + 1];
      return (
        RUNS_TEXT.has(token.text) || (token.text === 'do' && (next?.type === 'string' || isWord(next, 'language')))
      );
    })
  );
}

/** The literals of `tokens`, those that are put together (`'a' || 'b'`, `concat('a', 'b')`) as one. */
function literalsOf(tokens: readonly SqlToken[]): string[] {
  const literals: string[] = [];
  let depth = 0;
  /** How deep in parentheses the innermost `concat(` is. */
  let concat = 0;
  let joins = false;
  for (const [at, token] of tokens.entries()) {
    depth += depthOf(token);
    if (token.type === 'string') {
      if (joins) literals.push(`${literals.pop() ?? ''}${token.text}`);
      else literals.push(token.text);
      joins = true;
      continue;
    }
    if (token.text === '(' && CONCATENATES.has(tokens[at - 1]?.text ?? '')) concat = depth;
    if (depth < concat) concat = 0;
    joins &&= isJoint(token, concat > 0);
  }
  return literals;
}

/** Whether a literal before `token` and one behind it are one. */
function isJoint({ type, text }: SqlToken, isConcatenated: boolean): boolean {
  if (type === 'word') return LITERAL_PREFIXES.has(text);
  return type === 'sign' && (text === '||' || text === '+' || (text === ',' && isConcatenated));
}
