import { optionNames, readOptions } from './shell/options.ts';
import type { Origin, ShellCommand } from './shell.ts';

/** One statement of a database language that changes more than rows it names. */
export interface SqlStatement {
  /** First keyword, lower case: `drop`, `delete`, `truncate`, `update`, `select` … */
  verb: string;
  /** What it works on, for `drop` and `truncate`: `database`, `schema`, `table` …; else empty. */
  object: string;
  /** A `delete` or `update` without a condition. */
  unbounded: boolean;
  /** Its first words, lower case: quoted names as they are, a literal as `'`. Numbers and operators are left out. */
  words: readonly string[];
  origin: Origin;
}

const STATEMENTS_MAX = 64;
/** Words of one statement that are kept. */
const WORDS_MAX = 256;
const OBJECTS = new Set('database schema table view index user role tablespace keyspace collection'.split(' '));

/** The statements of `text`, comments and literals left out. One pass. */
export function sqlStatements(text: string, origin: Origin, into: SqlStatement[]): void {
  for (const words of statementsOf(text)) {
    if (into.length >= STATEMENTS_MAX) return;
    const at = words[0] === 'explain' ? (words[1] === 'analyze' ? 2 : words.length) : 0;
    const verb = words[at];
    if (verb === undefined) continue;
    const object =
      verb === 'drop' || verb === 'truncate'
        ? (words.slice(at + 1, at + 4).find((word) => OBJECTS.has(word)) ?? '')
        : '';
    const changesRows = verb === 'delete' || verb === 'update';
    into.push({
      verb,
      object,
      unbounded: changesRows && !words.includes('where') && !words.includes('limit'),
      words: words.slice(at, at + WORDS_MAX),
      origin,
    });
  }
}

/** A quoted name, as it is compared; too long to be one, only its quote. */
function unquoted(name: string): string {
  return name.length > 66 ? (name[0] as string) : name.slice(1, -1).toLowerCase();
}

/** Words of each statement, lower case. Literals are a word `'`. */
function* statementsOf(text: string): Generator<string[]> {
  const token =
    /--[^\n]*|\/\*(?!!)[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|[\p{L}_][\p{L}\p{N}_$]*|;/gu;
  let words: string[] = [];
  for (const match of text.matchAll(token)) {
    const [part] = match;
    if (part === ';') {
      if (words.length > 0) yield words;
      words = [];
    } else if (part.startsWith("'") || part.startsWith('"') || part.startsWith('`'))
      words.push(part.startsWith("'") ? "'" : unquoted(part));
    else if (!part.startsWith('--') && !part.startsWith('/*') && words.length < 4_096) words.push(part.toLowerCase());
  }
  if (words.length > 0) yield words;
}

/** Options with which database clients take a statement. */
const CLIENTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    psql: 'c command',
    mysql: 'e execute',
    mariadb: 'e execute',
    sqlcmd: 'Q q query',
    'clickhouse-client': 'q query',
    clickhouse: 'q query',
    duckdb: 'c cmd s',
    cockroach: 'e execute',
    cqlsh: 'e execute',
    snowsql: 'q query',
    usql: 'c command',
    isql: 'q',
    sqlite3: '',
    mycli: 'e execute',
    pgcli: 'c',
    bq: '',
    'invoke-sqlcmd': 'Query query',
  }).map(([name, options]) => [name, optionNames(options)]),
);

/** The statements that `command` hands to a database. */
export function statementsOfCommand(command: ShellCommand, into: SqlStatement[]): void {
  const names = CLIENTS.get(command.name);
  if (names === undefined) return;
  const options = readOptions(command.args, {
    valued: names,
    singleDash: command.name === 'sqlcmd' || command.name === 'invoke-sqlcmd',
  });
  for (const name of names)
    for (const value of options.values.get(name) ?? []) sqlStatements(value.text, command.origin, into);
  if (command.name === 'sqlite3' || command.name === 'bq') {
    for (const operand of options.operands.slice(1)) sqlStatements(operand.text, command.origin, into);
  }
  if (command.stdin !== undefined) sqlStatements(command.stdin, command.origin, into);
}
