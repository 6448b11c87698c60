import { SCRATCH } from './sql/clients.ts';

/** `db = sqlite3.connect(":memory:")`, `with sqlite3.connect(':memory:') as db`, `db = new Database(':memory:')`. */
const OPENED = new RegExp(
  String.raw`(?<![\w.$])(?:([A-Za-z_$]\w{0,63})\s{0,4}=|with\s)\s{0,4}(?:await\s|new\s)?\s{0,4}[\w.]{1,64}\(\s{0,4}` +
    String.raw`["'](?::memory:|sqlite:\/\/(?:\/:memory:)?)["'][^()\n]{0,128}\)(?:\s{1,4}as\s{1,4}([A-Za-z_]\w{0,63}))?`,
  'g',
);
/** `cur = db.cursor()`, `with engine.begin() as db`. */
const DERIVED =
  /(?<![\w.$])([A-Za-z_$]\w{0,63})\s{0,4}=\s{0,4}([A-Za-z_$]\w{0,63})\.(?:cursor|connect|begin)\(\)|\bwith\s{1,4}([A-Za-z_$]\w{0,63})\.(?:connect|begin)\(\)\s{1,4}as\s{1,4}([A-Za-z_]\w{0,63})/g;
/** Whatever gives names something: `a = 1`, `a, b = c`, `(a := 1)`, `import b as a`, `for a in b`. */
const GIVEN =
  /(?<![\w.$])((?:[A-Za-z_$]\w{0,63}\s{0,4},\s{0,4}){0,8}[A-Za-z_$]\w{0,63})\s{0,4}:?=(?!=)|\bas\s{1,4}([A-Za-z_]\w{0,63})|\bfor\s{1,4}([A-Za-z_]\w{0,63})\s/g;
const NAMES_MAX = 32;

/**
 * The names in `code` that stand for a database that lives in memory only, or a cursor of one, and for nothing else anywhere: what it
 * is told ends with the process.
 */
export function memoryDatabases(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!/:memory:|sqlite:\/\/["']/.test(code)) return names;
  const given = new Map<string, number>();
  const count = (name: string, by: number) => given.set(name, (given.get(name) ?? 0) + by);
  for (const [, assigned, as, each] of code.matchAll(GIVEN))
    for (const name of (assigned ?? as ?? each ?? '').split(',')) count(name.trim(), 1);
  for (const [, assigned, as] of code.matchAll(OPENED)) {
    const name = assigned ?? as ?? '';
    if (name !== '' && names.size < NAMES_MAX) names.add(name);
    count(name, -1);
  }
  for (const [, cursor, from, engine, as] of code.matchAll(DERIVED)) {
    const name = cursor ?? as ?? '';
    if (!names.has(from ?? engine ?? '') || names.size >= NAMES_MAX) continue;
    names.add(name);
    count(name, -1);
  }
  for (const name of names) if ((given.get(name) ?? 0) > 0) names.delete(name);
  return names;
}

/** A database that code names where it opens it: `dbname=shop_test`, `postgresql://localhost/shop_test`. */
const NAMED =
  /\b(?:dbname|database)["']?\s{0,4}[=:]\s{0,4}["']?([\w-]{1,64})|\b(?:postgres(?:ql)?|mysql|mariadb)(?:\+\w{1,16})?:\/\/(?:[^\s"'/@]{0,128}@)?(?:localhost|127\.0\.0\.1)?(?::\d{1,5})?\/([\w-]{1,64})/g;
const OPENS =
  /(?:\bconnect(?!\(\))|\bcreate_engine|\bcreateConnection|\bcreatePool|\bnew\s{1,4}(?:Client|Pool|PDO))\s{0,4}\(/g;
/** What is opened may be elsewhere, or another one. */
const ELSEWHERE =
  /\bhost(?:name|addr)?["']?\s{0,4}[=:](?!\s{0,4}["']?(?:localhost|127\.0\.0\.1)\b)|\benv(?:iron)?\b|\bgetenv\b/;

/** Calls that open a database, of which more are not looked at. */
const OPENED_MAX = 8;
const ARGUMENTS_CHARS_MAX = 512;
const LITERALS = /'[^'\n]*'|"[^"\n]*"/g;
/** A literal (`\uFFFC`), or what is given by its name; where to is not looked up elsewhere. */
const ARGUMENT = /^\s*(?:\uFFFC|(?:\w+|\uFFFC)\s*[=:]\s*[\w.\uFFFC]+)?\s*$/;
const WHERE_TO = /\b(?:dsn|ur[il]|database|dbname|db|host\w*|service|connectionstring|conninfo)\s*[=:]\s*[\w.]/i;

/** Whether all databases that `code` opens are of tests or development on this machine, by what they are called where they are opened. */
export function opensScratchOnly(code: string): boolean {
  if (!namesScratchOnly(code) || ELSEWHERE.test(code)) return false;
  const opened = [...code.matchAll(OPENS)];
  if (opened.length === 0 || opened.length > OPENED_MAX) return false;
  return opened.every(({ 0: call, index }) => {
    const start = index + call.length;
    const given = code
      .slice(start, start + ARGUMENTS_CHARS_MAX)
      .match(/^[^()]*(?=\))/)?.[0]
      .trim();
    return given !== undefined && (isScratch(given) || isScratch(literalOf(given, code)));
  });
}

/** Whether `text` names databases, and none but such that are made to be thrown away. */
function namesScratchOnly(text: string): boolean {
  const names = [...text.matchAll(NAMED)].map(([, named, inAddress]) => named ?? inAddress ?? '');
  return names.length > 0 && names.every((name) => SCRATCH.test(name));
}

/** Whether the arguments `given` say by themselves that it is such a database that is opened. */
function isScratch(given: string): boolean {
  if (!namesScratchOnly(given)) return false;
  const bare = given.replace(LITERALS, '\uFFFC').replace(/^\{|\}$/g, '');
  return bare.split(',').every((argument) => ARGUMENT.test(argument)) && !WHERE_TO.test(bare);
}

/** The literal that the variable `name` stands for, where the code says nothing else of it than that, and opens one database by it. */
function literalOf(name: string, code: string): string {
  if (!/^[A-Za-z_]\w{0,63}$/.test(name) || code.split(new RegExp(`\\b${name}\\b`)).length !== 3) return '';
  return (
    new RegExp(`^(?:const |let |var )?${name} {0,4}= {0,4}((['"])[^'"\\n]{1,400}\\2);?[ \\t]{0,8}$`, 'm').exec(
      code,
    )?.[1] ?? ''
  );
}

/** Calls by which libraries that map tables to objects empty or drop them, and the statement that does the same. */
const MAPPED: readonly { call: RegExp; statement: (table: string) => string }[] = [
  {
    call: /\b(?:metadata|db|sequelize)\.drop(?:_all)?\(\s{0,4}(?:engine|bind|\w{0,16}\.engine|\)|\{)/g,
    statement: () => 'drop schema mapped',
  },
  { call: /\b([A-Za-z_]\w{0,63})\.objects\.all\(\)\.delete\(/g, statement: (table) => `delete from ${table}` },
  {
    call: /\b([A-Za-z_]\w{0,63})\.(?:deleteMany|delete_many)\(\s{0,8}(?:\{\s{0,8}\}\s{0,8})?\)/g,
    statement: (table) => `delete from ${table}`,
  },
  {
    call: /\bdb\.(?:dropDatabase|getSiblingDB\([^()\n]{0,64}\)\.dropDatabase)\(/g,
    statement: () => 'drop database mapped',
  },
  { call: /\b([A-Z]\w{0,63})\.(?:destroy_all|delete_all)\b/g, statement: (table) => `delete from ${table}` },
  { call: /\.query\(\s{0,4}([A-Za-z_]\w{0,63})\s{0,4}\)\.delete\(/g, statement: (table) => `delete from ${table}` },
  {
    call: /\bschema\.dropTable(?:IfExists)?\(\s{0,4}["'`]([\w.]{1,64})["'`]/g,
    statement: (table) => `drop table ${table}`,
  },
  {
    call: /\bdb(?:\.|\[["'])([A-Za-z_]\w{0,63})(?:["']\])?\.drop\(\s{0,4}\)/g,
    statement: (table) => `drop table ${table}`,
  },
];
/** Whether any of these may be there: most code has none. */
const MAY_BE_MAPPED = /\.drop|\.delete|_all\b/;
const MAPPED_MAX = 16;

/** What `code` tells a database through such a library, as statements; nothing where the database lives in memory only. */
export function mappedStatements(code: string): string[] {
  if (!MAY_BE_MAPPED.test(code) || /:memory:|sqlite:\/\/["']/.test(code)) return [];
  return MAPPED.flatMap(({ call, statement }) => {
    const found: string[] = [];
    for (const [, table = ''] of code.matchAll(call)) if (found.push(statement(table)) === MAPPED_MAX) break;
    return found;
  });
}
