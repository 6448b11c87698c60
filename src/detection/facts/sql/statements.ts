import type { Allowance } from '../../cuts.ts';
import type { Limits } from '../../limits.ts';
import type { Origin } from '../shell/model.ts';
import { changesEveryRow, depthOf, isWord, mergesEveryRow } from './conditions.ts';
import { type Forgery, forgeryOf } from './forged.ts';
import { type Reached, reachedBy } from './reached.ts';
import { RunTexts } from './run-texts.ts';
import { bareName, targetsOf } from './targets.ts';
import { dialectsOf, type SqlDialect, type SqlToken, statementTokens, withoutSplitWords } from './tokens.ts';

/** One statement of a database language. */
export interface SqlStatement {
  /** First keyword, lower case: `drop`, `delete`, `truncate`, `update`, `select` … */
  verb: string;
  /** What it works on, for `drop` and `truncate`: `database`, `schema`, `table` …; else empty. */
  object: string;
  /** What it drops, empties or changes, by its whole name: `shop.public.orders`. */
  targets: readonly string[];
  /** A `delete` or `update` without a condition, or with one that every row fulfils. */
  unbounded: boolean;
  /** What a value did to it that was put into it, where it is a query and that shows. */
  forged?: Forgery;
  /** The file of the server that a `copy` or an `attach` names, where it does. */
  file?: string;
  reached: Reached;
  /** It is for a database of development or tests, by what that is called. */
  scratch?: true;
  /** Its first words, lower case: quoted names as they are, a literal as `'`. Numbers and operators are left out. */
  words: readonly string[];
  origin: Origin;
}

/** Statements of one event that only read or add, and all others: of those no text that is short enough to be read whole has as many. */
const READING_MAX = 64;
const OTHERS_MAX = 1_024;
/** Words of one statement that are kept. */
const WORDS_MAX = 256;
/** Statements in literals that a statement runs. */
const DEPTH_MAX = 3;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const OBJECTS = words('database schema table view index user role tablespace keyspace collection');
/** Statements of which there may be any number before one that matters. */
const READING = words(
  'select with values show use set describe desc begin start commit end rollback savepoint insert pragma go print declare return fetch open close analyze vacuum',
);
/** What defines something that runs later: what is inside of it is not done now. */
const DEFINED = words('function procedure trigger event rule package');
/** Behind these another statement begins. */
const OPENERS = words('( begin then else loop do as analyze analyse verbose explain');

interface Reading {
  origin: Origin;
  /** Statements in literals of statements that are still read. */
  depth: number;
  /** What was read in the first dialect, which the second one does not say again. */
  seen: Set<string>;
  isFirst: boolean;
}

/** The statements of one event, gathered from what its tools and commands are given. */
export class SqlStatements {
  readonly found: SqlStatement[] = [];
  readonly #limits: Limits;
  readonly #allowance: Allowance;
  #reading = 0;
  #chars = 0;

  constructor(limits: Limits, allowance: Allowance) {
    this.#limits = limits;
    this.#allowance = allowance;
  }

  /** The statements of `text`, which are for a database that is made to be thrown away where `scratch` says so, without comments and what stands in literals, unless a statement runs that. */
  read(text: string, origin: Origin, scratch = false): void {
    const count = this.found.length;
    this.#readText(withoutSplitWords(text), origin);
    if (scratch) for (const statement of this.found.slice(count)) statement.scratch = true;
  }

  #readText(text: string, origin: Origin): void {
    const { codeCharsMax, tailCharsMax } = this.#limits;
    const room = codeCharsMax - this.#chars;
    this.#chars += text.length;
    if (text.length <= room) return this.#readPiece(text, origin, DEPTH_MAX);
    this.#allowance.cut('sql', `chars ${codeCharsMax}`);
    const end = Math.max(0, room);
    this.#readPiece(text.slice(0, end), origin, DEPTH_MAX);
    // Something long in front hides nothing at the end, which may begin inside a literal.
    const tail = text.slice(Math.max(end, text.length - tailCharsMax));
    for (const opening of ['', "'"]) this.#readPiece(opening + tail, origin, DEPTH_MAX);
  }

  #readPiece(text: string, origin: Origin, depth: number): void {
    const [standard, other] = dialectsOf(text);
    const seen = new Set<string>();
    this.#readAs(standard, text, { origin, depth, seen, isFirst: true });
    if (other !== undefined) this.#readAs(other, text, { origin, depth, seen, isFirst: false });
  }

  #readAs(dialect: SqlDialect, text: string, reading: Reading): void {
    const runs = new RunTexts();
    for (const tokens of statementTokens(text, dialect)) {
      if (this.#allowance.over('sql')) return;
      this.#readStatement(tokens, reading);
      if (reading.depth === 0) continue;
      for (const run of runs.of(tokens)) this.#readPiece(run, reading.origin, reading.depth - 1);
    }
  }

  #readStatement(tokens: readonly SqlToken[], { origin, seen, isFirst }: Reading): void {
    for (const part of partsOf(tokens)) {
      const statement = statementOf(part, origin);
      const key = `${statement.unbounded} ${statement.words.join(' ')}`;
      if (statement.verb !== '' && (isFirst || !seen.has(key))) this.#add(statement);
      seen.add(key);
    }
  }

  #add(statement: SqlStatement): void {
    const onlyReads = READING.has(statement.verb) && !isOfNote(statement);
    const [count, max] = onlyReads ? [this.#reading, READING_MAX] : [this.found.length - this.#reading, OTHERS_MAX];
    if (count >= max) return this.#allowance.cut('sql', `${onlyReads ? 'queries' : 'statements'} ${max}`);
    if (onlyReads) this.#reading++;
    this.found.push(statement);
  }
}

/** Whether a statement that only reads or adds does so as few do. */
function isOfNote({ forged, file, reached }: SqlStatement): boolean {
  return forged !== undefined || file !== undefined || reached.urls.length > 0 || reached.clientFile !== undefined;
}

/** A statement, and each that it contains and that changes something: of a `with`, of a block, behind `explain analyze`. */
function partsOf(tokens: readonly SqlToken[]): (readonly SqlToken[])[] {
  const [lead] = tokens;
  if (isWord(lead, 'explain') && !tokens.slice(0, 8).some(({ text }) => text === 'analyze' || text === 'analyse'))
    return [];
  if (isWord(lead, 'grant') || isWord(lead, 'revoke') || defines(tokens)) return [tokens];
  const parts: (readonly SqlToken[])[] = [];
  const rest: SqlToken[] = [];
  for (let at = 0; at < tokens.length; ) {
    if (at > 0 && beginsChange(tokens, at)) {
      const end = endOf(tokens, at);
      parts.push(tokens.slice(at, end));
      at = end;
    } else rest.push(tokens[at++] as SqlToken);
  }
  return isWord(lead, 'explain') ? parts : [rest, ...parts];
}

function defines(tokens: readonly SqlToken[]): boolean {
  if (!isWord(tokens[0], 'create') && !isWord(tokens[0], 'alter')) return false;
  return tokens.slice(1, 8).some(({ type, text }) => type === 'word' && DEFINED.has(text));
}

/** Whether a statement that changes something begins at `at`, which is not the first. */
function beginsChange(tokens: readonly SqlToken[], at: number): boolean {
  const token = tokens[at] as SqlToken;
  if (token.type !== 'word') return false;
  const next = tokens[at + 1];
  const before = tokens[at - 1] as SqlToken;
  const isOpen =
    before.type !== 'string' && before.type !== 'name' && (OPENERS.has(before.text) || before.text === ')');
  switch (token.text) {
    // These pairs mean nothing else, and one dialect needs no `;` between statements.
    case 'delete':
      return isWord(next, 'from') && before.text !== 'on';
    case 'drop':
      return next?.type === 'word' && OBJECTS.has(next.text) && (isOpen || !isWord(tokens[0], 'alter'));
    case 'truncate':
      return isWord(next, 'table');
    case 'update':
      // `on conflict do update set` names no table.
      return isOpen && tokens.slice(at + 2, at + 8).some((each) => isWord(each, 'set')) && !isWord(next, 'set');
    case 'alter':
      return isOpen && next?.type === 'word';
    default:
      return false;
  }
}

/** Where the statement ends that begins at `start`: with the parenthesis around it, or where another begins. */
function endOf(tokens: readonly SqlToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    depth += depthOf(tokens[at] as SqlToken);
    if (depth < 0 || (at > start && beginsChange(tokens, at))) return at;
  }
  return tokens.length;
}

function statementOf(tokens: readonly SqlToken[], origin: Origin): SqlStatement {
  const said = wordsOf(tokens);
  const [verb = ''] = said;
  const object =
    verb === 'drop' || verb === 'truncate' ? (said.slice(1, 4).find((word) => OBJECTS.has(word)) ?? '') : '';
  const targets = targetsOf(tokens);
  const unbounded =
    verb === 'merge' || (verb === 'alter' && said[1] === 'table')
      ? mergesEveryRow(tokens)
      : ((verb === 'delete' && namesWhatItDeletes(tokens, targets)) || verb === 'update') &&
        changesEveryRow(tokens, bareName(targets[0] ?? ''));
  const file = verb === 'copy' || verb === 'attach' ? tokens.find(({ type }) => type === 'string')?.text : undefined;
  const forged = verb === 'select' || verb === 'with' ? forgeryOf(tokens) : undefined;
  return {
    verb,
    object,
    targets,
    unbounded,
    reached: reachedBy(tokens),
    words: said,
    origin,
    ...(forged === undefined ? {} : { forged }),
    ...(file === undefined ? {} : { file }),
  };
}

/** What may stand behind the name of what is deleted, where a dialect leaves out `from`. */
const BEHIND_DELETED = words('where as with option output returning limit order top partition use (');
/** With these before another word begins a sentence: "delete the file". */
const DETERMINERS = words('a all an any every it its my our that the them these this those your');

/** Whether a `delete` names what it deletes as a statement does: "delete the old files" is none. */
function namesWhatItDeletes(tokens: readonly SqlToken[], [target]: readonly string[]): boolean {
  if (tokens.some((token) => isWord(token, 'from')) || target === undefined) return true;
  const [next, afterNext] = tokens.slice(2 * target.split('.').length);
  const leadsOn = (token: SqlToken | undefined): boolean => token === undefined || BEHIND_DELETED.has(token.text);
  return leadsOn(next) || (leadsOn(afterNext) && !DETERMINERS.has(target));
}

function wordsOf(tokens: readonly SqlToken[]): string[] {
  const said: string[] = [];
  for (const { type, text } of tokens) {
    if (said.length >= WORDS_MAX) break;
    if (type === 'word' || type === 'name') said.push(text);
    else if (type === 'string') said.push("'");
  }
  return said;
}
