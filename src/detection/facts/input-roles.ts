import type { InputString } from './input.ts';
import { CODE_KEYS, COMMAND_KEYS, CONTENT_KEYS, isPathKey, isUrlKey, list, SQL_KEYS } from './input-keys.ts';
import { isWholeStatement } from './sql/whole-statement.ts';
import { runsQueries, type ToolFacts, type ToolKind } from './tools.ts';

/** What a string of a tool's input means to the tool. */
export type InputRole = 'command' | 'code' | 'path' | 'url' | 'host' | 'sql' | 'text';

/** Keys that hold a command, code or statement only where the kind of the tool says so. */
const SHELL_ONLY_KEYS = list(
  'input script code text line shell bash keystrokes keys chars arg0 args argv arguments query prompt run exec program executable binary',
);
const DB_ONLY_KEYS = list('query q statement command text input expression args');
const CODE_ONLY_KEYS = list('input text query content command args expression');
const CODE_KEY = /(?:code|script|snippet|source)$/;
const FILE_ONLY_KEYS = list('source src destination dest target from to directory dir folder root uri cwd workdir');
const HOST_KEYS = list('host hostname server domain ip ipaddress address addr remote proxy target');
/** Keys that hold what goes along with a message. */
const ATTACHMENT_KEYS = list('attachment attachments attachedfile attachedfiles');
/** A file by its address, under whatever key. */
const FILE_URL = /^file:\/\/\S{1,4096}$/i;
/** One name of a file: no text that is to be attached, nor what somebody encoded. */
const ATTACHED_PATH = /^(?![[{<])[^\n\0]{1,512}$/;
/** Keys that say which of its operations a tool is to do. */
const VERB_KEYS = list('command action operation op mode method');
/** What an assistant is asked in words: a URL in it is not one that the tool will call. */
const PROSE_KEYS = list('prompt query q question description instruction instructions title reason thought');

/** Keys that say how, where or why something is done, whatever the tool is for. */
const ASIDE_KEYS = list(
  'cwd workdir workingdir workingdirectory directory dir folder root description title reason thought thoughts explanation justification ' +
    'purpose intent goal label name note notes comment comments summary user username host hostname language lang timeout encoding ' +
    'format type kind mode role status pattern patterns regex regexp glob include exclude',
);

/** What `string` means to `tool`. */
export function roleOf(string: InputString, tool: Pick<ToolFacts, 'name' | 'kind' | 'basis'>): InputRole {
  const role = roleByKey(string, tool.kind);
  if (role !== 'text') return role;
  // Who declares a tool knows what it takes, and may call that anything.
  if (tool.basis === 'policy') return roleByKind(string, tool.kind);
  return DB_ONLY_KEYS.has(string.key) && runsQueries(tool.name) && isWholeStatement(string.text) ? 'sql' : 'text';
}

/** What a string means to a tool that is known to be of `kind`, where its key does not tell. */
function roleByKind({ key, text }: InputString, kind: ToolKind): InputRole {
  if (ASIDE_KEYS.has(key) || key.endsWith('id')) return 'text';
  switch (kind) {
    case 'shell':
      return 'command';
    case 'code_exec':
      return /[("'`=\n]/.test(text) ? 'code' : 'text';
    case 'db':
      // What is no statement is a value for one.
      return STATEMENT.test(text) ? 'sql' : 'text';
    case 'file_read':
    case 'file_write':
      return !CONTENT_KEYS.has(key) && PATH.test(text) ? 'path' : 'text';
    case 'net':
      return /^[a-z][a-z0-9+.-]{1,31}:\/\/\S+$/i.test(text) ? 'url' : 'text';
    default:
      return 'text';
  }
}

/** Comments and brackets, the verb of a statement, and more behind it: a verb alone names an operation. */
const STATEMENT =
  /^(?:[\s(;]|--[^\n]{0,200}\n|\/\*[^*]{0,200}\*\/){0,64}(?:select|insert|update|delete|drop|truncate|alter|create|grant|revoke|merge|replace|with|call|exec(?:ute)?|do|begin|start|set|use|copy|load|explain|attach|pragma|declare|rename)\b[\s;(/[$"'`]{1,64}[^\s]/i;
/** One line that leads somewhere: by its dots where it is one word, else by a slash. */
const PATH = /^(?:[^\s/\\.~]{0,256}[.~/\\]\S{0,4096}|[^\n/\\]{0,256}[/\\][^\n]{0,4096})$/;

function roleByKey(string: InputString, kind: ToolKind): InputRole {
  const { key } = string;
  // Editors take `command: "view"`.
  if ((kind === 'file_read' || kind === 'file_write') && VERB_KEYS.has(key) && !/\s/.test(string.text)) return 'text';
  if (COMMAND_KEYS.has(key) || key.endsWith('command'))
    return kind === 'db' ? statementRole(string.text) : kind === 'code_exec' ? 'code' : 'command';
  switch (kind) {
    case 'shell':
      if (SHELL_ONLY_KEYS.has(key)) return 'command';
      break;
    case 'code_exec':
      if (CODE_KEYS.has(key) || CODE_ONLY_KEYS.has(key) || CODE_KEY.test(key)) return 'code';
      break;
    case 'db':
      if (SQL_KEYS.has(key) || DB_ONLY_KEYS.has(key)) return 'sql';
      break;
    case 'file_read':
    case 'file_write':
      if (FILE_ONLY_KEYS.has(key)) return 'path';
      if (CONTENT_KEYS.has(key)) return 'text';
      break;
    case 'net':
      if (HOST_KEYS.has(key)) return 'host';
      if (PROSE_KEYS.has(key)) return 'text';
      if (!isUrlKey(key) && string.text.includes('://')) return 'url';
      break;
    default:
      break;
  }
  if (SQL_KEYS.has(key)) return 'sql';
  if (isUrlKey(key)) return 'url';
  if (isPathKey(key)) return 'path';
  if (kind === 'other' && FILE_URL.test(string.text)) return 'path';
  if (ATTACHMENT_KEYS.has(key) && ATTACHED_PATH.test(string.text)) return 'path';
  return 'text';
}

/** `psql -d shop -c "…"`, where a tool that is called like a database takes the whole line. */
const CLIENT_LINE =
  /^\s{0,8}(?:(?:sudo|env|PGPASSWORD=\S{1,128})\s{1,4})?(?:psql|mysql\w*|mariadb|sqlite3|mongo(?:sh|dump|restore|export|import)?|redis-cli|valkey-cli|sqlcmd|cqlsh|cockroach|clickhouse(?:-client)?|duckdb|pg_\w+|createdb|dropdb|docker|kubectl)\s{1,8}\S/;

function statementRole(text: string): InputRole {
  return CLIENT_LINE.test(text) ? 'command' : 'sql';
}
