import type { InputString } from '../input.ts';
import type { ShellCommand } from '../shell/model.ts';
import { optionNames, readOptions } from '../shell/options.ts';

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

/** `DROP DATABASE shop` where a command is expected: what is typed into a client that runs there. */
const TYPED = new Set(['drop', 'truncate', 'delete', 'update', 'alter']);
const TYPED_STATEMENT =
  /^(?:drop (?:table|database|schema|user|role|index|view)|truncate table|delete from|alter table|update \S{1,128} set \S{1,128}?\s{0,4}=)/i;

function typed({ name, args }: ShellCommand): string[] {
  const statement = [name, ...args.map(({ text }) => text)].join(' ');
  return TYPED_STATEMENT.test(statement) ? [statement] : [];
}

/** Options beside which nothing says that a client works elsewhere than on this machine. */
const HOME_OPTIONS = /^-(?:[qtAXbN]{1,5}|-quiet|-tuples-only)$/;
const HOME_VALUES = /^(?:-[cdeDUu]|--(?:command|dbname|execute|database|username|user))$/;
/** What is made to be thrown away says so by the end of its name. */
export const SCRATCH = /^[\w-]{0,64}[_-](?:dev|development|tests?|te?mp|scratch|sandbox|demo)$/i;

/** Whether `command` works on one database of development or tests, of this machine, by what it is called. */
export function worksOnScratch({ name, args, env }: ShellCommand): boolean {
  if (!/^(?:psql|mysql|mariadb)$/.test(name) || env.length > 0) return false;
  const databases: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as ShellCommand['args'][number];
    if (HOME_VALUES.test(text)) {
      at++;
      const value = args[at]?.text ?? '';
      if (/^-(?:[dD]|-dbname|-database)$/.test(text)) databases.push(value);
      // `\\c payroll`: a client's own word leads elsewhere.
      else if (value.includes('\\')) return false;
    } else if (!HOME_OPTIONS.test(text)) databases.push(text);
  }
  return databases.length === 1 && SCRATCH.test(databases[0] as string);
}

/** Names under which a call says which database it is about. */
const CONNECTION_NAMES: readonly string[] =
  'db database dbPath db_path databasePath database_path path file url uri dsn connection connectionString connection_string host server'.split(
    ' ',
  );
const IN_MEMORY = /^(?:sqlite:\/{0,3}|duckdb:\/{0,3}|jdbc:(?:sqlite|duckdb|h2:mem)?:?)?:memory:$/;

/** Tools of databases that know of such a one: to others the name says nothing. */
const HAVE_MEMORY = /sqlite|duckdb/i;

/** Whether a statement for the tool `toolName`, which stands beside the name of a database, is for one that is gone when it ends and for none that it attaches. */
export function worksInMemory(toolName: string, { text, owner }: Pick<InputString, 'text' | 'owner'>): boolean {
  if (!HAVE_MEMORY.test(toolName)) return false;
  let named = false;
  for (const name of CONNECTION_NAMES) {
    const value: unknown = Object.hasOwn(owner, name) ? (owner as Record<string, unknown>)[name] : undefined;
    if (typeof value !== 'string') continue;
    if (!IN_MEMORY.test(value)) return false;
    named = true;
  }
  return named && !/\battach\b/i.test(text);
}

/** The texts of statements that `command` hands to a database. */
export function statementTexts(command: ShellCommand): string[] {
  if (TYPED.has(command.name)) return typed(command);
  const names = CLIENTS.get(command.name);
  if (names === undefined) return [];
  const { values, operands } = readOptions(command.args, {
    valued: names,
    singleDash: command.name === 'sqlcmd' || command.name === 'invoke-sqlcmd',
  });
  const given = [...names].flatMap((name) => values.get(name) ?? []);
  if (command.name === 'sqlite3' || command.name === 'bq') given.push(...operands.slice(1));
  const texts = given.map(({ text }) => text);
  return command.stdin === undefined ? texts : [...texts, command.stdin];
}
