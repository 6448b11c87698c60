import { memoized } from '../../lib/memo.ts';
import { FULL_LIMITS, type Limits } from '../limits.ts';
import { LANGUAGE_NAMES } from './code-language.ts';
import { namesOf, normalizeKey } from './input.ts';
import { CODE_KEYS, COMMAND_KEYS, CONTENT_KEYS, isPathKey, list, PATH_KEYS, SQL_KEYS, URL_KEYS } from './input-keys.ts';

/** What a tool is for. `other` is a fact of its own: nothing is known of the tool. */
export const TOOL_KINDS = [
  'shell',
  'file_read',
  'file_write',
  'net',
  'code_exec',
  'db',
  'message',
  'vcs',
  'agent',
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const TOOL_EFFECTS = ['execute', 'read', 'write', 'delete', 'send', 'unknown'] as const;
export type ToolEffect = (typeof TOOL_EFFECTS)[number];

/** What the kind of a tool rests on: the policy set, the tool's name, the shape of its input, or nothing. */
export const TOOL_BASES = ['policy', 'name', 'shape', 'none'] as const;

export interface ToolFacts {
  name: string;
  kind: ToolKind;
  effect: ToolEffect;
  basis: (typeof TOOL_BASES)[number];
}

/** What a policy set says of a tool. Where it names no effect, that follows from the call as for other tools of the kind. */
export interface DeclaredTool {
  kind: ToolKind;
  effect?: ToolEffect;
}

/** What a policy set says of the tool of this name, if anything. */
export type ToolTaxonomy = (name: string) => DeclaredTool | undefined;

/**
 * The kind and effect of the tool `name`, called with an input that has the keys `keys` (see `normalizeKey`). `verb` is
 * the operation that the input itself names, for tools that have several. `declared` goes before all that.
 */
export function classifyTool(
  name: string,
  keys: ReadonlySet<string>,
  verb?: string,
  declared?: DeclaredTool,
): ToolFacts {
  const named = wordsOf(name);
  const kind = declared?.kind ?? kindByName(named, keys);
  // What the call says it does counts for more than what the tool can do.
  const words = verb !== undefined && (kind === 'file_read' || kind === 'file_write') ? wordsOf(verb) : named;
  if (declared !== undefined)
    return {
      name,
      kind: declared.kind,
      effect: declared.effect ?? effectOf(declared.kind, words, keys),
      basis: 'policy',
    };
  if (kind !== undefined) return { name, kind, effect: effectOf(kind, words, keys), basis: 'name' };
  const shape = kindByShape(keys);
  if (shape !== undefined) return { name, kind: shape, effect: effectOf(shape, words, keys), basis: 'shape' };
  return { name, kind: 'other', effect: 'unknown', basis: 'none' };
}

const NAME_CHARS_MAX = 256;

/** The words of a tool name, lower case: `mcp__shell__runCommand` is `mcp shell run command`. */
export const wordsOf = memoized((name): ReadonlySet<string> => {
  const parts = name
    .slice(0, NAME_CHARS_MAX)
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(parts.filter((part) => part !== ''));
});

const SHELL_WORDS = list(
  'bash shell sh zsh ksh fish terminal powershell pwsh cmd console commandline cli subprocess tmux ssh',
);
const RUN_WORDS = list('run exec execute spawn launch invoke start send eval evaluate process');
const CODE_WORDS = list(
  'code python javascript typescript js node ruby php lua perl notebook jupyter ipython repl interpreter cell sandbox wasm go golang rust java kotlin swift csharp dart scala osascript applescript',
);
/** What takes code under whatever key. */
const INTERPRETER_WORDS = list('python python3 javascript repl ipython jupyter interpreter osascript applescript');
const ASKED_KEYS = list('input query expression text script');
const ARGUMENT_KEYS = list('args arguments argv');
const KEYS_WORDS = list('keys keystrokes');
/** Those of `RUN_WORDS` that are said of code and of little else. */
const EXECUTE_WORDS = list('run exec execute eval evaluate');
const FILE_WORDS = list(
  'file files directory directories folder dir path paths document notebook filesystem fs editor',
);
const READ_WORDS = list('read view open cat get load head tail show list ls glob grep search find stat tree');
const WRITE_WORDS = list(
  'write edit create save append patch insert replace update rename move copy put touch mkdir multiedit modify apply',
);
const DELETE_WORDS = list('delete remove unlink rm rmdir trash erase destroy');
/** What takes a file from here and hands it on. */
const UPLOAD_WORDS = list('upload uploads attach');
/** What `put` hands a file on to. */
const STORE_WORDS = list('object objects blob blobs s3 gcs bucket');
/** Keys by which a tool is told where in a store, or the content itself. */
const STORE_KEYS = list('bucket bucketname container containername');
const HANDED_KEYS = list('content contents filecontent filecontents filedata data body base64 bytes blob');
const NET_WORDS = list(
  'fetch http https url web webpage website browser browse browsing navigate goto curl wget crawl scrape download webhook request requests api internet',
);
const DB_WORDS = list(
  'sql db database postgres postgresql mysql mariadb sqlite mongo mongodb redis valkey bigquery bq snowflake clickhouse duckdb oracle supabase databricks cypher neo4j cql cassandra elasticsearch opensearch psql pg mssql sqlite3 sqlcmd tsql cqlsh mongosh cockroach redshift trino presto athena',
);
const STORES = list('redis valkey mongo mongodb neo4j cassandra elasticsearch opensearch');
const MESSAGE_WORDS = list(
  'email mail gmail outlook sms slack message messages tweet chat discord telegram whatsapp notify notification teams',
);
const VCS_WORDS = list('git github gitlab bitbucket commit pull branch gh repository repo');
const AGENT_WORDS = list('agent subagent delegate handoff task crew assistant');

/** Beside arguments, as `execve` takes them. */
const PROGRAM_KEYS = list('program executable');
const LANGUAGE_KEYS: ReadonlySet<string> = new Set(LANGUAGE_NAMES.map(normalizeKey));
/** Those that mean code to whatever runs something. */
const SCRIPT_KEYS = list('code sourcecode script cell snippet codeblock');
/** Under which a request carries something, beside those. */
const PAYLOAD_KEYS = list('json payload form formdata jsonbody requestbody postdata formfields');

function has(set: ReadonlySet<string>, candidates: ReadonlySet<string>): boolean {
  for (const member of set) if (candidates.has(member)) return true;
  return false;
}

function kindByName(words: ReadonlySet<string>, keys: ReadonlySet<string>): ToolKind | undefined {
  const commanded = has(keys, COMMAND_KEYS);
  if (has(words, SHELL_WORDS)) return 'shell';
  const told = has(words, RUN_WORDS) || words.has('command') || words.has('commands');
  // What a store is told is a statement of its own.
  if (commanded && told && !has(words, STORES) && !sendsMessages(words)) return 'shell';
  if (runsCommands(words) || (words.size === 1 && has(words, EXECUTE_WORDS) && has(keys, LINE_KEYS))) return 'shell';
  if (has(words, CODE_WORDS) && (has(words, RUN_WORDS) || has(keys, CODE_KEYS))) return 'code_exec';
  if (has(words, INTERPRETER_WORDS) && has(keys, ASKED_KEYS) && !has(words, READ_WORDS)) return 'code_exec';
  if (programOf(words) !== undefined && (commanded || has(keys, ARGUMENT_KEYS))) return 'shell';
  if (words.has('stdin') || (words.has('send') && has(words, KEYS_WORDS))) return 'shell';
  if (words.has('process') && words.has('interact')) return 'shell';
  if ((has(words, RUN_WORDS) || words.has('command')) && (has(keys, PROGRAM_KEYS) || keys.has('argv'))) return 'shell';
  if (has(words, EXECUTE_WORDS) && (has(keys, SCRIPT_KEYS) || (has(keys, LANGUAGE_KEYS) && has(keys, CODE_KEYS))))
    return 'code_exec';
  if (has(words, AGENT_WORDS) && !has(keys, PATH_KEYS)) return 'agent';
  if (has(words, DB_WORDS) || (words.has('query') && has(keys, SQL_KEYS))) return 'db';
  if (words.has('git')) return 'vcs';
  if (has(words, MESSAGE_WORDS) && !has(keys, PATH_KEYS)) return 'message';
  if (words.has('patch') && (words.has('apply') || has(keys, PATCH_KEYS))) return 'file_write';
  const file = kindOfFileTool(words, keys);
  if (file !== undefined) return file;
  if (has(words, MESSAGE_WORDS)) return 'message';
  if (has(words, NET_WORDS)) return 'net';
  if (has(words, VCS_WORDS)) return 'vcs';
  return undefined;
}

/** `send_email`: whatever else it is given, a command is none of what it takes. */
function sendsMessages(words: ReadonlySet<string>): boolean {
  return has(words, MESSAGE_WORDS) && !has(words, EXECUTE_WORDS);
}

/** `run_command`, `execute_commands`: whatever they call what they are given. */
function runsCommands(words: ReadonlySet<string>): boolean {
  if (!words.has('command') && !words.has('commands')) return false;
  return has(words, EXECUTE_WORDS) && !has(words, STORES) && !has(words, DB_WORDS) && programOf(words) === undefined;
}

/** Keys by which what only says that it executes is given a line of a shell. */
const LINE_KEYS = list('bash sh shell exec line args');

/** Under which a tool is given what changes files. */
const PATCH_KEYS = list('patch patchtext diff');

/** A name that speaks of files, or a bare verb (`Read`, `Edit`, `LS`) with a path to work on. */
function kindOfFileTool(words: ReadonlySet<string>, keys: ReadonlySet<string>): ToolKind | undefined {
  const aboutFiles = has(words, FILE_WORDS);
  const uploading = uploads(words, keys);
  const withPath = has(keys, PATH_KEYS) || (uploading && namesSource(keys));
  if (!aboutFiles && !withPath) return undefined;
  if (aboutFiles && !withPath && has(keys, URL_KEYS)) return undefined;
  if (uploading) return 'file_read';
  if (has(words, UPLOAD_WORDS)) return 'file_write';
  if (has(words, WRITE_WORDS) || has(words, DELETE_WORDS)) return 'file_write';
  if (has(words, READ_WORDS)) return 'file_read';
  if (!aboutFiles) return undefined;
  return has(keys, CONTENT_KEYS) ? 'file_write' : 'file_read';
}

/**
 * Whether a tool sends a file that it is told the path of. One that is given the content too puts that where the path says.
 */
function uploads(words: ReadonlySet<string>, keys: ReadonlySet<string>): boolean {
  if (has(keys, HANDED_KEYS)) return false;
  return has(words, UPLOAD_WORDS) || (words.has('put') && (has(words, STORE_WORDS) || has(keys, STORE_KEYS)));
}

const UPLOADED_KEYS = list('source src localfile');

function namesSource(keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (UPLOADED_KEYS.has(key) || isPathKey(key)) return true;
  return false;
}

/** For tools whose name says nothing. Only shapes that mean the same to any tool. */
function kindByShape(keys: ReadonlySet<string>): ToolKind | undefined {
  if (has(keys, COMMAND_KEYS)) return 'shell';
  if (has(keys, SQL_KEYS)) return 'db';
  if (keys.has('url') || keys.has('urls')) return 'net';
  if (keys.has('filepath') || keys.has('filename') || keys.has('path')) {
    return has(keys, CONTENT_KEYS) ? 'file_write' : 'file_read';
  }
  return undefined;
}

const PROGRAMS: readonly string[] =
  'kubectl aws gcloud az terraform tofu helm docker podman gh git npm pip vercel flyctl heroku systemctl'.split(' ');

/**
 * The program that a tool of such words is called like, of those whose commands are worth reading: `run_kubectl`. What is run inside of a
 * container is no command of the program that runs it there: `docker_exec`.
 */
export function programOf(words: ReadonlySet<string>): string | undefined {
  const runs = words.has('exec') || words.has('run');
  if (words.has('redis') && words.has('cli')) return runs ? undefined : 'redis-cli';
  const program = PROGRAMS.find((name) => words.has(name));
  if (program === undefined || !runs) return program;
  const order = [...words];
  const at = order.indexOf(program);
  return /^(?:run|exec)$/.test(order[at - 1] ?? '') && at === order.length - 1 && !CONTAINERS.has(program)
    ? program
    : undefined;
}

const CONTAINERS = list('docker podman');

function effectOf(kind: ToolKind, words: ReadonlySet<string>, keys: ReadonlySet<string>): ToolEffect {
  switch (kind) {
    case 'shell':
    case 'code_exec':
    case 'agent':
      return 'execute';
    case 'file_read':
    case 'file_write':
      return kind === 'file_read' && uploads(words, keys) ? 'send' : effectOnFiles(kind, words);
    case 'message':
      return has(words, READ_WORDS) ? 'read' : 'send';
    case 'net':
      return has(keys, CONTENT_KEYS) || has(keys, PAYLOAD_KEYS) ? 'send' : 'read';
    case 'db':
    case 'vcs':
    case 'other':
      return 'unknown';
  }
}

function effectOnFiles(kind: 'file_read' | 'file_write', words: ReadonlySet<string>): ToolEffect {
  if (has(words, DELETE_WORDS)) return 'delete';
  if (has(words, WRITE_WORDS)) return 'write';
  return has(words, READ_WORDS) || kind === 'file_read' ? 'read' : 'write';
}

/** Words of names of tools that run queries, and say nothing of what is looked up. */
const QUERY_WORDS = list(
  'query run execute exec mcp tool server data warehouse dwh analytics reporting read only readonly write raw adhoc statement',
);

/** `query`, `run_query`: whether a whole statement is for this tool to run. A tool that names what it looks up (`query_docs`) takes words. */
export function runsQueries(toolName: string): boolean {
  const words = wordsOf(toolName);
  return words.has('query') && [...words].every((word) => QUERY_WORDS.has(word) || DB_WORDS.has(word));
}

/** The operation that `input` names by a single word under one of the usual keys, or undefined. */
export function verbOf(input: object): string | undefined {
  for (const key of ['command', 'action', 'operation', 'op', 'mode', 'method']) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '' && value.length <= 32 && !/\s/.test(value)) return value;
  }
  return undefined;
}

/** The keys of a tool input, normalized: its own, which are `names`, and those of the objects directly in it. An empty command, statement or address says nothing. */
export function shapeOf(
  input: object,
  names: readonly string[] = Object.keys(input),
  limits: Limits = FULL_LIMITS,
): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (name: string): unknown => keys.size < SHAPE_KEYS_MAX && keys.add(normalizeKey(name));
  for (const name of names.slice(0, SHAPE_KEYS_MAX)) {
    const member = (input as Record<string, unknown>)[name];
    if (member === '' && SAY_NOTHING_EMPTY.some((list) => list.has(normalizeKey(name)))) continue;
    add(name);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) continue;
    for (const inner of namesOf(member, limits).slice(0, SHAPE_KEYS_MAX)) add(inner);
  }
  return keys;
}

const SHAPE_KEYS_MAX = 128;
const SAY_NOTHING_EMPTY: readonly ReadonlySet<string>[] = [COMMAND_KEYS, SQL_KEYS, URL_KEYS];
