import { decodePercent } from '../../facts/decode.ts';
import type { EventFacts, Parameter } from '../../facts/event-facts.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import { type ToolFacts, wordsOf } from '../../facts/tools.ts';
import { type Action, actionDetector } from './action.ts';
import { isOwnText } from './own-texts.ts';
import { type SqlShape, sqlInjection } from './sqli/shapes.ts';

/** UTF-16 code units of one parameter that are read. */
const PARAMETER_CHARS_MAX = 2_048;
/** Of a longer one its end is read too: that is where an injection stands behind what fills it. */
const PARAMETER_TAIL_CHARS_MAX = 512;
const PARAMETERS_MAX = 64;

/** Parameters that hold texts of their own rather than values for somebody's query. */
const TEXT_KEYS =
  /^(?:content|contents|newstring|oldstring|newstr|oldstr|newtext|oldtext|filetext|body|prompt|title|subject|description|instruction|instructions|message|messages|patch|diff|edits|script|template|html|markdown|explanation|thought|reason|pattern|regex|regexp|format|expression|formula|function|equation)$/;

/** A value that would change a statement it is put into. */
export const sqlInjectionDetector = actionDetector({
  id: 'sql_injection',
  version: 6,
  severity: 'high',
  title: 'Passes a value that would break out of a database statement and change what it does.',
  kinds: ['sqli.*'],
  falsePositives: [
    'searching for texts about injection',
    'fragments of SQL given to a tool that is not known to take SQL',
  ],
  find({ facts, allowance }, found) {
    const { tool, parameters } = facts;
    for (const command of facts.shell.commands) readRequest(command, found);
    if (tool === undefined || tool.kind === 'shell' || tool.kind === 'code_exec') return;
    if (searchesTexts(tool)) {
      if (!TEXTS.test(tool.kind)) for (const parameter of parameters) readReach(parameter, tool, found);
      return;
    }
    let readCount = 0;
    for (const parameter of parameters) {
      if (isSentDocument(parameter)) readDocument(parameter, found);
      if (isOwnText(parameter, tool) || !mayCarry(parameter) || isTerminalLine(parameter, facts)) continue;
      if (++readCount > PARAMETERS_MAX) return allowance.cut('sql_injection', `parameters ${PARAMETERS_MAX}`);
      if (parameter.text.length > PARAMETER_CHARS_MAX) allowance.cut('sql_injection', `chars ${PARAMETER_CHARS_MAX}`);
      readParameter(parameter, found);
    }
  },
});

/** `find . -name "*a*"`, typed on a screen: a line for a terminal, which no statement is made with. */
function isTerminalLine({ place, text }: Parameter, { shell }: EventFacts): boolean {
  return TERMINAL_LINE.test(text) && shell.commands.some(({ origin }) => origin.place === place);
}

const TERMINAL_LINE =
  /^\s{0,4}(?:sudo\s{1,4})?(?:find|[efz]?grep|rg|ls|cat|sed|awk|sort|cut|head|tail|wc|git|docker|tar|npm|cd|mkdir|cp|mv|chmod)\s{1,4}(?:-{1,2}\w|[.~/]|["'][^"'\n]{0,128}["']\s)/;

/** What people write is looked for in texts: there is no statement to break out of. */
const TEXTS = /^(?:file_read|net|vcs)$/;
const TEXT_WORDS =
  'web internet google bing duckduckgo brave tavily exa splunk siem loki kibana logs docs documentation kb knowledge wiki wikipedia code codebase stackoverflow'.split(
    ' ',
  );

function searchesTexts({ name, kind }: ToolFacts): boolean {
  const words = wordsOf(name);
  if (!['search', 'grep', 'find', 'rg', 'ripgrep'].some((word) => words.has(word))) return false;
  return TEXTS.test(kind) || TEXT_WORDS.some((word) => words.has(word));
}

/** Whatever is searched, nobody looks for a value that ends there and reaches the server's files or commands behind it. */
function readReach(parameter: Parameter, tool: ToolFacts, found: Action[]): void {
  const { role, text, place } = parameter;
  if (role !== 'text' || isOwnText(parameter, tool) || !REACHES_SERVER.test(text.slice(0, PARAMETER_CHARS_MAX))) return;
  report({ kind: 'schema', confidence: 0.9, start: 0, end: text.length }, { place, start: 0, end: text.length }, found);
}

const REACHES_SERVER =
  /^[^'"\n]{0,64}['"][^\n]{0,512}(?:\binto\s{1,8}(?:out|dump)file\s{0,8}['"]|;\s{0,8}copy\b[^;\n]{1,256}\b(?:to|from)\s{1,8}program\s{0,8}['"]|;\s{0,8}exec\w{0,4}\s{1,8}(?:master\.{1,2}(?:dbo\.)?)?xp_cmdshell\b)/i;

/** A coupon's or a country's code is a value, and is short. */
const VALUE_CODE_CHARS_MAX = 64;
/** Behind one word a string ends: of a value, however long what follows. */
const ENDS_VALUE = /^[\w-]{3,64}['"]\)?\s/;
/** The string around a text ends where the text begins. */
const ENDS_TEXT = /^\s{0,4}['"]\){0,4}\s{1,8}(?:or|and|union|\|\||&&)\s/i;
const TITLE_CHARS_MAX = 128;

function holdsText({ key, text }: Parameter): boolean {
  if (TEXT_KEYS.test(key)) return text.length > TITLE_CHARS_MAX || !ENDS_TEXT.test(text);
  if (key !== 'code') return false;
  return text.includes('\n') || (text.length > VALUE_CODE_CHARS_MAX && !ENDS_VALUE.test(text));
}

function mayCarry(parameter: Parameter): boolean {
  const { role, text: whole } = parameter;
  const isLong = whole.length > PARAMETER_CHARS_MAX;
  const text = isLong ? `${whole.slice(0, PARAMETER_CHARS_MAX)} ${whole.slice(-PARAMETER_TAIL_CHARS_MAX)}` : whole;
  if (role === 'text') return (!holdsText(parameter) || FORM.test(text)) && SPECIAL.test(text);
  return role === 'url' && SPECIAL.test(text) && /[?%]/.test(text);
}

/** Something of which every injection has at least one. */
const SPECIAL = /['"#;=<>()*|&%`]|--|\b(?:union|select|having|waitfor|order\s+by|group\s+by)\b|^\s*(?:\d+|and|or)\b/i;

/** What a form sends, encoded as a URL's query is. */
const FORM = /^(?=[^%]*%)[\w.[\]-]{1,64}=[^\s&]{0,512}(?:&[\w.[\]-]{1,64}=[^\s&]{0,512}){0,32}$/;

const WORDS = {
  tautology: 'a condition that always holds',
  union: 'rows of another table',
  stacked: 'a statement of its own',
  time: 'a wait that tells by its length',
  error: 'an error that tells by its text',
  comment: 'a comment that cuts the statement off',
  schema: 'what only the database itself should see',
  probe: 'a clause that tells how the statement is made',
  subquery: 'a query inside the query',
  statement: 'a whole statement',
  obfuscated: 'keywords in disguise',
} as const;

/** A text that is an address with a query of several values. */
const ADDRESS = /^(?:\/|https?:)[^\s?]{0,512}\?[\w-]{1,64}=[^\s&]{0,512}&[\w-]{1,64}=/i;

function readParameter({ text, role, place }: Parameter, found: Action[]): void {
  const isUrl = role === 'url' || ADDRESS.test(text) || FORM.test(text);
  const start = isUrl ? text.indexOf('?') + 1 : 0;
  const raw = text.slice(start, start + PARAMETER_CHARS_MAX);
  const tail = text.slice(Math.max(start + PARAMETER_CHARS_MAX, text.length - PARAMETER_TAIL_CHARS_MAX));
  const seen =
    brokenOut(plain(raw)) ??
    sqlInjection(isUrl ? valuesOf(raw) : plain(raw)) ??
    (tail === '' ? undefined : sqlInjection(plain(tail)));
  if (seen !== undefined) report(seen, { place, start: 0, end: text.length }, found);
}

/** `x', is_admin=1, bio='y`, `bob'}) DETACH DELETE n`, `7") { id } users { …`: out of a value, and into what sets others, another clause of a graph's query or another field. */
function brokenOut(text: string): SqlShape | undefined {
  if (SETS_OTHERS.test(text)) return { kind: 'statement', confidence: 0.8, start: 0, end: text.length };
  return OF_GRAPH.test(text) || OF_SELECTION.test(text)
    ? { kind: 'stacked', confidence: 0.85, start: 0, end: text.length }
    : undefined;
}

const SETS_OTHERS =
  /^[^'"\n]{0,64}['"]\s{0,4},\s{0,4}\w{1,32}\s{0,4}=\s{0,4}[^,\n'"]{1,64},\s{0,4}\w{1,32}\s{0,4}=\s{0,4}['"]/;
const OF_GRAPH =
  /^[^'"\n]{0,64}['"]\s{0,4}\}\s{0,4}\)\s{0,4}(?:detach|delete|match|return|with|union|set|remove|create|merge|call)\b/i;

/** Fields of what a query of GraphQL asks for, and then another one. */
const OF_SELECTION = /^[^'"\n]{0,64}['"]\s{0,4}[}\]]{0,4}\s{0,4}\)\s{0,4}\{[\s\w,]{1,128}\}\s{0,4}\w{1,64}\s{0,4}[:({]/;

function report({ kind, confidence }: SqlShape, origin: Action['origin'], found: Action[]): void {
  found.push({ kind: `sqli.${kind}`, confidence, what: `puts ${WORDS[kind]} into a value for a database`, origin });
}

/** `curl 'https://shop/items?id=1%20UNION%20SELECT…'`: the values of a URL that a command asks for. */
function readRequest({ name, args, origin }: ShellCommand, found: Action[]): void {
  if (!CLIENTS.test(name)) return;
  for (const { text } of args) {
    if (!/^["']?https?:/i.test(text) || !text.includes('?')) continue;
    const seen = sqlInjection(valuesOf(text.slice(text.indexOf('?') + 1).slice(0, PARAMETER_CHARS_MAX)));
    if (seen !== undefined) report(seen, origin, found);
  }
}

const CLIENTS = /^(?:curl|wget|http|https|xh|invoke-webrequest|invoke-restmethod)$/;

/** A document that is sent: its values are what a form's are. */
function isSentDocument({ role, key, text }: Parameter): boolean {
  return role === 'text' && /^(?:body|data|json|payload)$/.test(key) && /^\s{0,8}\{\s{0,8}"/.test(text);
}

function readDocument({ text, place }: Parameter, found: Action[]): void {
  if (text.length > PARAMETER_CHARS_MAX) return;
  for (const value of valuesOfDocument(text)) {
    // Whoever asks for data by SQL or GraphQL sends a statement on purpose.
    const seen = STATEMENT.test(value) ? undefined : sqlInjection(plain(value));
    if (seen !== undefined) return report(seen, { place, start: 0, end: text.length }, found);
  }
}

const STATEMENT = /^\s*(?:select|insert|update|delete|with|query|mutation|subscription|fragment|\{)\b/i;

function valuesOfDocument(text: string): string[] {
  try {
    const members: unknown[] = Object.values(JSON.parse(text) as object);
    return members
      .filter((each): each is string => typeof each === 'string' && SPECIAL.test(each))
      .slice(0, VALUES_MAX);
  } catch {
    return [];
  }
}

const VALUES_MAX = 32;

/** Without the encodings of a URL, up to two layers of them. */
function plain(text: string): string {
  let decoded = text;
  for (let layer = 0; layer < 2 && /%[0-9a-f]{2}|%u00/i.test(decoded); layer++) decoded = decodePercent(decoded).text;
  return /\s/.test(decoded) || !decoded.includes('+') ? decoded : decoded.replaceAll('+', ' ');
}

/** The value of a query that is most unlike a word. */
function valuesOf(query: string): string {
  const values = query.split('&').map((part) => part.slice(part.indexOf('=') + 1));
  return plain(values.find((value) => /%27|%22|'|"|%20|\+|--|%23/i.test(value)) ?? '');
}
