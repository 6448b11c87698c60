import type { SqlStatement } from '../../facts/sql/statements.ts';
import { bareName } from '../../facts/sql/targets.ts';
import { type Action, actionDetector } from './action.ts';
import { THROWAWAY as NAMED_THROWAWAY } from './control-programs.ts';

/** What statements for a database do, where the statement is what the tool or client is for. */
export const sqlStatements = actionDetector({
  id: 'sql_statements',
  version: 3,
  severity: 'high',
  title:
    'Drops or empties databases and tables, changes every row, hands out rights, or reaches files and commands of the server.',
  kinds: [
    'sql.destructive',
    'sql.unbounded',
    'sql.privilege',
    'sql.file_access',
    'sql.os_access',
    'sqli.tautology',
    'sqli.union',
    'sqli.time',
    'sqli.error',
    'exfiltration.command',
  ],
  falsePositives: ['migrations that drop what they replace', 'emptying a table of test data'],
  find({ facts }, found) {
    for (const [index, statement] of facts.sql.entries()) {
      const around = { before: facts.sql.slice(0, index), after: facts.sql.slice(index + 1, index + 9) };
      readStatement(statement, around, found);
    }
  },
});

const OS_ACCESS =
  /^(?:xp_cmdshell|xp_regwrite|xp_regread|xp_dirtree|sp_oacreate|sp_oamethod|sp_makewebtask|sp_start_job|sp_add_job|sys_exec|sys_eval|dbms_scheduler|dbms_java|utl_http|utl_smtp|utl_tcp|lo_export|lo_import|load_extension|plpython\w*|plperlu|pltclu|plsh)$/;
const FILE_ACCESS =
  /^(?:load_file|pg_read_file|pg_read_binary_file|pg_ls_dir|pg_stat_file|openrowset|opendatasource|bulk|outfile|dumpfile|utl_file|infile|readfile|writefile)$/;
/** Files and directories that are none of a database's own. */
const SYSTEM_FILE =
  /^\/(?:etc|root|home|proc|boot|usr|bin|sbin|var\/(?:www|spool|log)|private\/etc)\/|^[a-z]:\\(?:windows|users)\\/i;
/** Tables and columns in which servers keep who may log in. */
const ACCOUNTS = /^(?:pg_shadow|pg_authid|authentication_string|sql_logins|syslogins|password_hash_value)$/;
/** Names of what is made to be thrown away. */
const THROWAWAY =
  /^(?:te?mp|caches?|test|tests|staging|stage|stg|backup|bak|old|new|dummy|sample|scratch|foo|bar|example)(?:_|$)|_(?:te?mp|caches?|test|old|bak|backup|staging|stg|new|copy|v\d)$|^#/;

/** `MATCH (n:User) DETACH DELETE n`: with a property to match there are more. */
const CYPHER_WORDS_MAX = 6;

/** The statements that are given together with one. */
interface Around {
  before: readonly SqlStatement[];
  after: readonly SqlStatement[];
}

function readStatement(statement: SqlStatement, around: Around, found: Action[]): void {
  const { verb, words, targets, origin } = statement;
  const report = (kind: string, what: string, confidence: number, severity: Action['severity'] = 'high'): void => {
    const isSpared = statement.scratch === true && /^(?:destructive|unbounded)$/.test(kind) && staysWithin(statement);
    found.push({ kind: `sql.${kind}`, what, confidence, severity: isSpared ? 'medium' : severity, origin });
  };
  const os =
    words.find((word) => OS_ACCESS.test(word)) ??
    (verb === 'copy' && words.includes('program') ? 'program' : undefined) ??
    (makesNativeFunction(words) ? 'c' : undefined) ??
    (verb === 'alter' && words[1] === 'system' ? words.find((word) => RUN_BY_SERVER.test(word)) : undefined) ??
    (sendsByFunction(words) ? 'function' : undefined) ??
    (selectsFrom(words, 'executable') ? 'executable' : undefined);
  if (os !== undefined)
    report('os_access', 'has the database server run a command or reach another machine', 0.9, 'critical');
  else if ((words.some((word) => FILE_ACCESS.test(word)) && !isClientLoad(words)) || selectsFrom(words, 'file'))
    report('file_access', 'reads or writes files of the database server', 0.8);
  else if (statement.file !== undefined && SYSTEM_FILE.test(statement.file))
    report('file_access', 'copies from or into a file of the system of the database server', 0.8);
  if (words.some((word) => ACCOUNTS.test(word)) && verb !== 'flush')
    report('privilege', 'reads or changes the accounts of a database with their passwords', 0.75);
  if (statement.forged !== undefined)
    found.push({ kind: `sqli.${statement.forged}`, what: FORGED[statement.forged], confidence: 0.75, origin });
  if (verb === 'copy' && copiesToOwnStage(words, around.before))
    found.push({
      kind: 'exfiltration.command',
      what: 'copies rows into a store for which the same call brings the keys',
      confidence: 0.75,
      origin,
    });
  if (verb === 'shutdown') return report('destructive', 'stops the database server', 0.75);
  if (verb === 'flushall' || verb === 'flushdb') return report('destructive', 'empties a whole store', 0.85);
  if (verb === 'match' && words.includes('detach') && words.length <= CYPHER_WORDS_MAX && !words.includes('where'))
    return report('unbounded', 'deletes every node of a graph, or of a kind', 0.8);
  if (verb === 'drop') return readDrop(statement, around, report);
  if (verb === 'truncate') {
    const own = around.before.some(({ words: made }) => isOf(targets, madeTemporary(made)));
    return report('destructive', 'empties a table', own || isThrownAway(targets) ? 0.5 : 0.8);
  }
  if (statement.unbounded) {
    const deletes = words.includes('delete');
    return report(
      'unbounded',
      `${deletes ? 'deletes' : 'changes'} every row of a table`,
      isThrownAway(targets) ? 0.5 : deletes ? 0.8 : 0.72,
    );
  }
  if (verb === 'alter' && words[1] === 'table' && words.includes('drop'))
    return report('destructive', 'drops a part of a table', 0.7, 'medium');
  readRights(verb, words, report);
}

const FORGED: Readonly<Record<NonNullable<SqlStatement['forged']>, string>> = {
  tautology: 'asks for every row by a condition that a value added',
  union: 'adds rows of accounts or of the catalogue to those of another table',
  time: 'waits, if a guess about a row is right',
  error: 'has an error spell out what a query finds',
};

type Report = (kind: string, what: string, confidence: number, severity?: Action['severity']) => void;

/** It empties or drops a table of the database that the client is told, and names no other. */
function staysWithin({ verb, object, words, targets }: SqlStatement): boolean {
  const isTable = /^(?:truncate|delete|update)$/.test(verb) || (verb === 'drop' && object === 'table');
  if (!isTable || words.some((word) => /^(?:use|database|schema|connect|dblink)$/.test(word))) return false;
  return targets.every((target) => !target.includes('.') || /^(?:public|dbo|main)\.[^.]*$/.test(target));
}

/** Whether all that a statement works on is made to be thrown away, by its names. */
function isThrownAway(targets: readonly string[]): boolean {
  return targets.length > 0 && targets.every((target) => THROWAWAY.test(bareName(target)));
}

/** Whether a statement works on `table` and nothing else. */
function isOf([target, ...others]: readonly string[], table: string | undefined): boolean {
  return target !== undefined && others.length === 0 && target === table;
}

/** Whether the name of each is among `words`. */
function areIn(targets: readonly string[], words: readonly string[]): boolean {
  return targets.length > 0 && targets.every((target) => words.includes(bareName(target)));
}

/** `LOAD DATA LOCAL INFILE`, `\copy`: the file is the client's. */
function isClientLoad(words: readonly string[]): boolean {
  return words.includes('infile') && words.includes('local');
}

/** `SELECT * FROM file('/etc/passwd', …)`, `… FROM executable('x.sh', …)`, as ClickHouse has it. */
function selectsFrom(words: readonly string[], source: string): boolean {
  const at = words.indexOf(source);
  return words[0] === 'select' && words[at - 1] === 'from' && words[at + 1] === "'";
}

function readDrop({ object, words, targets }: SqlStatement, { before, after }: Around, report: Report): void {
  const dropped = words.slice(words.indexOf(object) + 1).find((word) => word !== 'if' && word !== 'exists') ?? '';
  if (object === 'database' && NAMED_THROWAWAY.test(dropped))
    return report('destructive', 'drops a database of tests', 0.5, 'medium');
  if (/^(?:database|schema|keyspace|tablespace)$/.test(object))
    return report('destructive', `drops a whole ${object}`, 0.9, 'critical');
  if (words[1] === 'owned') return report('destructive', 'drops all that an account owns', 0.8);
  if (object === 'user' || object === 'role') return report('privilege', 'drops an account of the database', 0.75);
  if (object !== 'table' && object !== 'collection')
    return report('destructive', 'drops a part of a database', 0.6, 'low');
  // `#stage` is a comment to one dialect, and a temporary table to another.
  if (targets.length === 0 && before.some((statement) => statement.words.includes('object_id'))) return;
  const remade = after.some(({ verb, words: next }) => (verb === 'create' || verb === 'alter') && areIn(targets, next));
  // A temporary table hides one of the same name that stays.
  if (before.some(({ words: made }) => isOf(targets, madeTemporary(made)))) return;
  const careful = words.includes('exists') && words.includes('if');
  if (remade || words.includes('temporary') || words.includes('temp') || isThrownAway(targets))
    return report('destructive', 'drops a table', 0.5, 'medium');
  report('destructive', 'drops a table', careful ? 0.72 : 0.8);
}

/** Settings that are commands of the server's system. */
const RUN_BY_SERVER =
  /^(?:archive_command|restore_command|archive_cleanup_command|recovery_end_command|ssl_passphrase_command|shared_preload_libraries|session_preload_libraries|local_preload_libraries|dynamic_library_path)$/;

/** `CREATE STAGE x URL='s3://…' CREDENTIALS=(…); COPY INTO @x/rows.csv FROM (…)`: a place that is nobody's who keeps this database. */
function copiesToOwnStage(words: readonly string[], before: readonly SqlStatement[]): boolean {
  const stage = words[1] === 'into' && words[2]?.startsWith('@') ? words[2].slice(1) : undefined;
  return (
    stage !== undefined &&
    before.some(
      ({ words: made }) =>
        made[0] === 'create' && made.includes('stage') && made.includes('credentials') && made.includes(stage),
    )
  );
}

/** `INSERT INTO FUNCTION url('http://…')`: rows that the server of ClickHouse sends to another one. */
function sendsByFunction(words: readonly string[]): boolean {
  const at = words.indexOf('function');
  return (
    words[0] === 'insert' &&
    at > 0 &&
    at < 3 &&
    /^(?:url|remote|remotesecure|s3|hdfs|mysql|postgresql)$/.test(words[at + 1] ?? '')
  );
}

/** `CREATE FUNCTION … AS '…/libc.so.6', 'system' LANGUAGE C`: code of a library, run as the server. */
function makesNativeFunction(words: readonly string[]): boolean {
  return words[0] === 'create' && words.includes('function') && words[words.indexOf('language') + 1] === 'c';
}

/** The temporary table that a statement makes. */
function madeTemporary(words: readonly string[]): string | undefined {
  if (words[0] !== 'create' || (words[1] !== 'temp' && words[1] !== 'temporary') || words[2] !== 'table')
    return undefined;
  return words.slice(3, 7).find((word) => word !== 'if' && word !== 'not' && word !== 'exists');
}

function readRights(verb: string, words: readonly string[], report: Report): void {
  const joined = words.slice(0, 24).join(' ');
  if (
    verb === 'grant' &&
    /^grant (?:all|super|superuser|dba|file|process|execute any|db_owner|sysadmin)\b|with (?:grant|admin) option|to (?:public|(?:specialgroup:)?all(?:authenticated)?users)\b|^grant (?:role )?(?:accountadmin|securityadmin|orgadmin|sysadmin|db_owner|dba|superuser|rds_superuser|cloudsqlsuperuser|sysdba|pg_(?:read_all_data|write_all_data|execute_server_program|read_server_files|write_server_files))\b/.test(
      joined,
    )
  ) {
    report('privilege', 'hands out wide rights in a database', 0.75);
  } else if (/^(?:create|alter) (?:user|role|login)\b/.test(joined)) {
    // An account of its own for a program has a password.
    const wide =
      /\b(?:superuser|createrole|replication|bypassrls|sysadmin)\b/.test(joined) ||
      /^alter .*\b(?:password|identified)\b|^create \w+ (?:if not exists )?(?:postgres|root|admin|sa|sys|system)\b/.test(
        joined,
      );
    report('privilege', 'makes or changes an account of a database', wide ? 0.72 : 0.6, wide ? 'high' : 'medium');
  } else if (
    /^(?:exec(?:ute)? )?(?:sp_addsrvrolemember|sp_addrolemember|sp_addlogin|sp_configure)\b|^alter server role\b|^set (?:global|persist) (?:general_log|log_bin|secure_file_priv|local_infile|validate_password)/.test(
      joined,
    )
  ) {
    report('privilege', 'changes rights or safeguards of a database server', 0.8);
  } else if (verb === 'alter' && /^alter system\b/.test(joined))
    report('privilege', 'changes the configuration of a database server', 0.6, 'medium');
}
