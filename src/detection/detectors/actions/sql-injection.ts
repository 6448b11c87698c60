import { decodePercent } from '../../facts/decode.ts';
import type { Parameter } from '../../facts/event-facts.ts';
import { type ToolFacts, wordsOf } from '../../facts/tools.ts';
import { type Action, actionDetector } from './action.ts';
import { sqlInjection } from './sqli/shapes.ts';

/** UTF-16 code units of one parameter that are read. */
const PARAMETER_CHARS_MAX = 2_048;
/** Of a longer one its end is read too: that is where an injection stands behind what fills it. */
const PARAMETER_TAIL_CHARS_MAX = 512;
const PARAMETERS_MAX = 64;

/** Parameters that hold texts of their own rather than values for somebody's query. */
const TEXT_KEYS =
  /^(?:content|contents|newstring|oldstring|newstr|oldstr|newtext|oldtext|filetext|body|prompt|title|subject|description|instruction|instructions|message|messages|patch|diff|edits|code|script|template|html|markdown|explanation|thought|reason|pattern|regex|regexp|format|expression|formula|function|equation)$/;

/** A value that would change a statement it is put into. */
export const sqlInjectionDetector = actionDetector({
  id: 'sql_injection',
  version: 2,
  severity: 'high',
  title: 'Passes a value that would break out of a database statement and change what it does.',
  kinds: ['sqli.*'],
  falsePositives: [
    'searching for texts about injection',
    'fragments of SQL given to a tool that is not known to take SQL',
  ],
  find({ facts, allowance }, found) {
    const { tool, parameters } = facts;
    if (tool === undefined || tool.kind === 'shell' || tool.kind === 'code_exec' || searchesTexts(tool)) return;
    let readCount = 0;
    for (const parameter of parameters) {
      if (!mayCarry(parameter)) continue;
      if (++readCount > PARAMETERS_MAX) return allowance.cut('sql_injection', `parameters ${PARAMETERS_MAX}`);
      if (parameter.text.length > PARAMETER_CHARS_MAX) allowance.cut('sql_injection', `chars ${PARAMETER_CHARS_MAX}`);
      readParameter(parameter, found);
    }
  },
});

/** What people write is looked for in texts: there is no statement to break out of. */
const TEXTS = /^(?:file_read|net|vcs)$/;
const TEXT_WORDS =
  'web internet google bing duckduckgo brave tavily exa docs documentation kb knowledge wiki wikipedia code codebase stackoverflow'.split(
    ' ',
  );

function searchesTexts({ name, kind }: ToolFacts): boolean {
  const words = wordsOf(name);
  if (!['search', 'grep', 'find', 'rg', 'ripgrep'].some((word) => words.has(word))) return false;
  return TEXTS.test(kind) || TEXT_WORDS.some((word) => words.has(word));
}

function mayCarry({ role, key, text: whole }: Parameter): boolean {
  const isLong = whole.length > PARAMETER_CHARS_MAX;
  const text = isLong ? `${whole.slice(0, PARAMETER_CHARS_MAX)} ${whole.slice(-PARAMETER_TAIL_CHARS_MAX)}` : whole;
  if (role === 'text') return (!TEXT_KEYS.test(key) || FORM.test(text)) && SPECIAL.test(text);
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
    sqlInjection(isUrl ? valuesOf(raw) : plain(raw)) ?? (tail === '' ? undefined : sqlInjection(plain(tail)));
  if (seen === undefined) return;
  found.push({
    kind: `sqli.${seen.kind}`,
    confidence: seen.confidence,
    what: `puts ${WORDS[seen.kind]} into a value for a database`,
    origin: { place, start: 0, end: text.length },
  });
}

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
