import { optionNames, readOptions } from '../shell/options.ts';
import type { ShellCommand } from '../shell.ts';

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

/** The database that `command` works on, as its words name it. */
function databaseNamed({ name, args }: ShellCommand): string | undefined {
  if (!/^(?:psql|mysql|mariadb|sqlite3)$/.test(name)) return undefined;
  const { values, operands } = readOptions(args, { valued: NAMING });
  const named = ['d', 'dbname', 'D', 'database'].flatMap((option) => values.get(option) ?? [])[0] ?? operands[0];
  return named?.text;
}

const NAMING = optionNames('d dbname D database c command e execute U u user username h host p port f file');
/** What is made to be thrown away says so by the end of its name. */
const SCRATCH =
  /(?:^|[_\-/])(?:dev|development|tests?|te?mp|scratch|sandbox|demo|local)(?:_?\d{1,4})?(?:\.(?:db|sqlite3?))?$/i;

/** Whether `command` works on a database of development or tests, by what it is called. */
export function worksOnScratch(command: ShellCommand): boolean {
  return SCRATCH.test(databaseNamed(command)?.slice(-128) ?? '');
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
