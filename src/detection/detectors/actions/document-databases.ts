import type { Parameter } from '../../facts/event-facts.ts';
import { INPUT_PLACE, normalizeKey, type Place } from '../../facts/input.ts';
import { type ToolFacts, wordsOf } from '../../facts/tools.ts';
import { type Action, actionDetector } from './action.ts';
import { THROWAWAY } from './control-programs.ts';

/** Databases that take their statements as documents, words or code instead of SQL. */
export const documentDatabases = actionDetector({
  id: 'document_databases',
  version: 1,
  severity: 'high',
  title:
    'Puts an operator in place of a name or password, or has a document database, store or search engine drop all, run code or make an administrator.',
  kinds: ['sqli.operator', 'sql.destructive', 'sql.privilege', 'sql.os_access'],
  falsePositives: ['a test of how one’s own login treats such values', 'emptying a database of tests'],
  find({ facts, event, limits }, found) {
    const { tool, parameters } = facts;
    if (tool === undefined || event.event_type !== 'tool_invocation') return;
    if (/^(?:other|net)$/.test(tool.kind)) {
      if (limits.listsNames) readCredentials(event.tool.input, INPUT_PLACE, found, DEPTH_MAX);
      for (const parameter of parameters) readWrittenOperator(parameter, found);
    }
    if (/^(?:db|other|net)$/.test(tool.kind)) for (const parameter of parameters) readCode(parameter, found);
    if (/^(?:db|other|shell)$/.test(tool.kind))
      for (const parameter of parameters.slice(0, PARAMETERS_MAX))
        if (parameter.role !== 'command') readSigns(JAVA_DATABASES, parameter, found);
    const asked = databaseOf(tool);
    if (asked === undefined) return;
    for (const parameter of parameters.slice(0, PARAMETERS_MAX)) readSigns(SIGNS[asked], parameter, found);
    if (asked === 'mongo' && limits.listsNames)
      readCredentials(event.tool.input, INPUT_PLACE, found, DEPTH_MAX, PASSWORD_KEYS);
    if (asked === 'redis') readWords(event.tool.input, found);
    readCommandDocument(event.tool.input, found);
    if (asked === 'search') readSearchRequest(event.tool.input, found);
  },
});

const PARAMETERS_MAX = 64;
const PROPERTIES_MAX = 64;
const DEPTH_MAX = 3;
const CHARS_MAX = 4_096;

/** What somebody is known by, and nobody compares by anything but equality. */
const CREDENTIAL_KEYS = /^(?:user|username|login|loginname|pass|passwd|password|passphrase|pwd|pin|otp|resettoken)$/;
/** Below these stands a condition, in which operators are at home. */
const CONDITIONS = /^(?:filter|query|where|selector|match|criteria|conditions?|pipeline)$/;
const OPERATORS = 'ne|gt|gte|lt|lte|nin|in|not|regex|exists|where|expr';
const OPERATOR = new RegExp(`^\\$(?:${OPERATORS})$`);
/** `user[$ne]=`, `"password": {"$gt": ""}` within a text that is sent. */
const WRITTEN_OPERATOR = new RegExp(
  `(?:^|[?&"'{,\\s])(?:user(?:name)?|login|pass(?:word|wd)?|pwd|pin|otp)(?:(?:\\[|%5b)(?:\\$|%24)(?:${OPERATORS})(?:\\]|%5d)\\s{0,4}=|["']?\\s{0,4}:\\s{0,4}\\{\\s{0,4}["']?\\$(?:${OPERATORS})["']?\\s{0,4}:)`,
  'i',
);

const OPERATOR_FOUND = {
  kind: 'sqli.operator',
  what: 'compares a name or password by an operator, where a value belongs',
  confidence: 0.85,
};

/** What nobody asks a database for but by its digest. */
const PASSWORD_KEYS = /^(?:pass|passwd|password|passphrase|pwd|pin|otp)$/;

function readCredentials(
  value: unknown,
  parent: Place,
  found: Action[],
  depth: number,
  keys: RegExp = CREDENTIAL_KEYS,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const name of Object.keys(value).slice(0, PROPERTIES_MAX)) {
    const member = (value as Record<string, unknown>)[name];
    const place = { name, parent };
    if (hasOperator(member) && keys.test(normalizeKey(name))) {
      found.push({ ...OPERATOR_FOUND, origin: { place, start: 0, end: 0 } });
      return;
    }
    const isCondition = keys === CREDENTIAL_KEYS && CONDITIONS.test(normalizeKey(name));
    if (depth > 0 && !isCondition) readCredentials(member, place, found, depth - 1, keys);
  }
}

function hasOperator(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value)
    .slice(0, PROPERTIES_MAX)
    .some((name) => OPERATOR.test(name));
}

function readWrittenOperator({ role, text, place }: Parameter, found: Action[]): void {
  if (role !== 'text' && role !== 'url') return;
  if (!/\$|%24/.test(text) || text.length > CHARS_MAX || !WRITTEN_OPERATOR.test(text)) return;
  found.push({ ...OPERATOR_FOUND, origin: { place, start: 0, end: text.length } });
}

type Database = 'mongo' | 'redis' | 'search';

function databaseOf(tool: ToolFacts): Database | undefined {
  const words = wordsOf(tool.name);
  // A shell that is named after a database is that database's own.
  if (!/^(?:db|other|net)$/.test(tool.kind) && !(tool.kind === 'shell' && words.has('shell'))) return undefined;
  if (words.has('mongo') || words.has('mongodb') || words.has('mongosh')) return 'mongo';
  if (words.has('redis') || words.has('valkey')) return 'redis';
  return SEARCH_ENGINES.some((word) => words.has(word)) ? 'search' : undefined;
}

const SEARCH_ENGINES = ['elasticsearch', 'opensearch', 'elastic', 'es'];

interface Sign {
  pattern: RegExp;
  kind: string;
  what: string;
  severity?: Action['severity'];
}

const SIGNS: Readonly<Record<Database, readonly Sign[]>> = {
  mongo: [
    {
      pattern:
        /\bdropDatabase\s{0,4}\(|\.drop\s{0,4}\(\s{0,4}\)|\b(?:deleteMany|remove)\s{0,4}\(\s{0,4}\{\s{0,4}\}\s{0,4}[,)]/,
      kind: 'sql.destructive',
      what: 'drops a database or a collection',
    },
    {
      pattern:
        /\b(?:createUser|grantRolesToUser|updateUser)\s{0,4}\([\s\S]{0,400}\b(?:root|dbOwner|(?:userAdmin|readWrite|dbAdmin)AnyDatabase)\b/,
      kind: 'sql.privilege',
      what: 'makes an administrator of a database',
    },
    {
      pattern: /\bwhile\s{0,4}\(\s{0,4}(?:true|1|!0)\s{0,4}\)|\bsleep\s{0,4}\(\s{0,4}\d{3,}\s{0,4}\)/,
      kind: 'sql.os_access',
      what: 'keeps the database server busy with code',
    },
  ],
  redis: [
    {
      pattern:
        /^\s{0,8}config\s{1,8}set\s{1,8}["']?(?:dir|dbfilename|logfile|rdbcompression|slave-read-only|replica-read-only|protected-mode\s{1,8}["']?no|enable-(?:module|debug)-command)\b/i,
      kind: 'sql.os_access',
      what: 'has the store write its data where it is told',
      severity: 'critical',
    },
    {
      pattern:
        /^\s{0,8}(?:slaveof|replicaof)\s{1,8}(?!no\b)\S|^\s{0,8}module\s{1,8}load(?:ex)?\s|^\s{0,8}migrate\s{1,8}\S/i,
      kind: 'sql.os_access',
      what: 'has the store load code, or copy itself to or from another machine',
      severity: 'critical',
    },
    {
      pattern: /\b(?:package\.loadlib|io\.popen|os\.execute|loadstring)\b/,
      kind: 'sql.os_access',
      what: 'has the store run a command',
      severity: 'critical',
    },
    {
      pattern: /^\s{0,8}acl\s{1,8}setuser\s[^\n]{0,200}(?:\+@all|allcommands|nopass)/i,
      kind: 'sql.privilege',
      what: 'hands out wide rights in a store',
    },
  ],
  search: [
    {
      pattern: /\bgetRuntime\s{0,4}\(|java\.lang\.(?:Runtime|ProcessBuilder)|\bProcessBuilder\b/,
      kind: 'sql.os_access',
      what: 'has the search engine run a command',
      severity: 'critical',
    },
  ],
};

/** Databases in Java, whose address or statements have them load and run code. */
const JAVA_DATABASES: readonly Sign[] = [
  {
    pattern:
      /\bINIT\s{0,2}=\s{0,2}RUNSCRIPT\b|\bRUNSCRIPT\s{1,4}FROM\s{1,4}'https?:|\bCREATE\s{1,4}ALIAS\b[\s\S]{0,200}\bgetRuntime\b/i,
    kind: 'sql.os_access',
    what: 'has the database load and run code',
    severity: 'critical',
  },
];

/** `{ args: ["CONFIG", "SET", "dir", …] }`: a command word by word. */
function readWords(input: object, found: Action[]): void {
  for (const name of ['args', 'command', 'arguments', 'argv']) {
    const words: unknown = (input as Record<string, unknown>)[name];
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) continue;
    const text = words.slice(0, WORDS_MAX).join(' ');
    readSigns(SIGNS.redis, { text, place: { name, parent: INPUT_PLACE } }, found);
  }
}

const WORDS_MAX = 16;

function readSigns(signs: readonly Sign[], { text, place }: Pick<Parameter, 'text' | 'place'>, found: Action[]): void {
  const read = text.slice(0, CHARS_MAX);
  for (const { pattern, kind, what, severity } of signs) {
    if (!pattern.test(read)) continue;
    const action: Action = { kind, what, confidence: 0.82, origin: { place, start: 0, end: text.length } };
    found.push(severity === undefined ? action : { ...action, severity });
  }
}

const ADMINISTRATOR = /^(?:root|dbOwner|(?:userAdmin|readWrite|dbAdmin)AnyDatabase|clusterAdmin|__system)$/;

/** `{ command: { dropDatabase: 1 } }`, `{ createUser: "x", roles: ["root"] }`: commands as documents. */
function readCommandDocument(input: unknown, found: Action[]): void {
  if (typeof input !== 'object' || input === null) return;
  const members = input as Record<string, unknown>;
  for (const name of ['command', 'runCommand', 'document']) {
    const command = members[name];
    if (typeof command !== 'object' || command === null) continue;
    const origin = { place: { name, parent: INPUT_PLACE }, start: 0, end: 0 };
    const own = command as Record<string, unknown>;
    if (Object.hasOwn(own, 'dropDatabase'))
      found.push({ kind: 'sql.destructive', what: 'drops a database or a collection', confidence: 0.85, origin });
    const hands = ['createUser', 'grantRolesToUser', 'updateUser'].some((verb) => Object.hasOwn(own, verb));
    if (hands && rolesOf(own['roles']).some((role) => ADMINISTRATOR.test(role)))
      found.push({ kind: 'sql.privilege', what: 'makes an administrator of a database', confidence: 0.82, origin });
  }
}

function rolesOf(roles: unknown): string[] {
  if (!Array.isArray(roles)) return [];
  return roles.slice(0, PROPERTIES_MAX).flatMap((each: unknown) => {
    const role = typeof each === 'object' && each !== null ? (each as Record<string, unknown>)['role'] : each;
    return typeof role === 'string' ? [role] : [];
  });
}

/** Every index of a search engine, by the pattern that names them all. */
const EVERY_INDEX =
  /^\/?(?:\*|_all|\*,[^/?]{0,128}|[^/?]{1,128},(?:\*|_all)(?:,[^/?]{0,128})?)(?:\/_delete_by_query)?(?:$|[/?])/;
const DELETES_BY_QUERY = /^\/?([^/?]{1,128})\/_delete_by_query(?:$|\?)/;

function readSearchRequest(input: unknown, found: Action[]): void {
  if (typeof input !== 'object' || input === null) return;
  const members = input as Record<string, unknown>;
  const { method, path, index, body } = members;
  const target = [path, index].find((each) => typeof each === 'string');
  if (typeof method !== 'string' || typeof target !== 'string') return;
  const what = deletedBy(method.toUpperCase(), target.slice(0, 256), body);
  if (what === undefined) return;
  const origin = {
    place: { name: path === target ? 'path' : 'index', parent: INPUT_PLACE },
    start: 0,
    end: target.length,
  };
  found.push({ kind: 'sql.destructive', what, confidence: 0.85, origin });
}

function deletedBy(method: string, target: string, body: unknown): string | undefined {
  if (method === 'DELETE' && EVERY_INDEX.test(target)) return 'deletes every index';
  const index = method === 'POST' ? DELETES_BY_QUERY.exec(target)?.[1] : undefined;
  if (index === undefined) return undefined;
  if (!EVERY_INDEX.test(index) && (!matchesAll(body) || index.split(',').every(isThrownAway))) return undefined;
  return 'deletes every document of an index';
}

function isThrownAway(index: string): boolean {
  return THROWAWAY.test(index);
}

/** `{ query: { match_all: {} } }`, as a document or as a text. */
function matchesAll(body: unknown): boolean {
  if (typeof body === 'string') return MATCHES_ALL.test(body.slice(0, CHARS_MAX));
  const query: unknown = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)['query'] : body;
  return typeof query === 'object' && query !== null && Object.hasOwn(query, 'match_all');
}

const MATCHES_ALL = /^\s{0,8}\{\s{0,8}"query"\s{0,8}:\s{0,8}\{\s{0,8}"match_all"/;

/** What a document database is given to run as code: `{ $where: 'sleep(5000)' }`, `{ $function: { body: 'function () { … }' } }`. */
function readCode({ role, text, place }: Parameter, found: Action[]): void {
  if (role === 'sql' || !isCodeOperator(place) || !HOSTILE_CODE.test(text.slice(0, CHARS_MAX))) return;
  const origin = { place, start: 0, end: text.length };
  const what = 'has a document database run code that reaches further than its rows';
  found.push({ kind: 'sql.os_access', what, confidence: 0.8, origin });
}

function isCodeOperator({ name, parent }: Place): boolean {
  return [name, parent?.name].some((each) => typeof each === 'string' && CODE_OPERATOR.test(each));
}

const CODE_OPERATOR = /^\$(?:where|function|accumulator)$/;
/** A condition that is nothing but true, or becomes so where a literal ends, is one of every row; in a function it is an answer. */
const HOSTILE_CODE =
  /\bprocess\.|\brequire\s{0,4}\(|\bsleep\s{0,4}\(|\bwhile\s{0,4}\(\s{0,4}(?:true|1|!0)|\bconstructor\b|\bnew\s{1,4}Function\b|\bglobalThis\b|^\s{0,8}return\s{1,4}true\s{0,4};?\s{0,8}$|['"]\s{0,4};\s{0,4}return\s{1,4}true\b|(?:\|\||&&)\s{0,4}(?:1\s{0,2}===?\s{0,2}1|'1'\s{0,2}===?\s{0,2}'1)/;
