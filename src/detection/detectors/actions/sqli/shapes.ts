import { withoutSplitWords } from '../../../facts/sql/tokens.ts';
import { folded, readTokens, type Tokens } from './tokens.ts';

/** What an injection is there for. */
export type SqlInjection =
  | 'tautology'
  | 'union'
  | 'stacked'
  | 'time'
  | 'error'
  | 'comment'
  | 'schema'
  | 'probe'
  | 'subquery'
  | 'statement'
  | 'obfuscated';

export interface SqlShape {
  kind: SqlInjection;
  confidence: number;
  start: number;
  end: number;
}

interface Shape {
  kind: SqlInjection;
  confidence: number;
  pattern: RegExp;
}

const shape = (kind: SqlInjection, confidence: number, pattern: RegExp): Shape => ({ kind, confidence, pattern });

/** A value or the beginning of one. */
const V = '[1snfmtx]';

/** Behind a string that a quote has ended: what follows is the statement's, not the value's. */
const BEHIND_QUOTE: readonly Shape[] = [
  shape('time', 0.95, /^s\)*[&|;ao,k(]*[^c]{0,40}t/),
  shape('error', 0.95, /^s\)*[&|;ao,k(]+[^c]{0,40}x\(/),
  shape('union', 0.95, /^s\)*[^;c]{0,24}Uk*\(*(?:E|$)/),
  shape('stacked', 0.9, /^s\)*;+\(*[Ekm]/),
  shape('tautology', 0.92, new RegExp(`^s\\)*[&|]\\(*${V}[^c;&|]{0,12}o`)),
  shape('subquery', 0.92, /^s\)*[&|oa,]+k*\(*(?:E|k\(|f\(|m|\(E|k*\(*E)/),
  shape('tautology', 0.88, /^s\)*[&|]\(*[1sm]\)*(?:c|[;&|])/),
  shape('tautology', 0.85, /^s\)*[&|]\(*[1m]\)*$/),
  shape('tautology', 0.88, /^s\)*[&|]\(*s[oa]+s/),
  shape('tautology', 0.85, /^s\)*[ao]+\(*[1nf][^c;]{0,12}[&|oa]+\(*s$/),
  shape('tautology', 0.85, /^s\)*[&|]\(*n\)*(?:c|o)/),
  shape('tautology', 0.9, /^s\)*[&|]\(*1\)*B1?[;c]/),
  shape('stacked', 0.9, /^s\)+,\([1snf,]{1,40}\)[;,]*c/),
  shape('probe', 0.88, /^s\)*B[^c]{0,12}(?:[1nsf(]|$)/),
  shape('comment', 0.85, /^s\)*;*c$/),
  shape('tautology', 0.85, /^s\)*[ao]+\(*[n1f]\)*c$/),
  shape('tautology', 0.82, /^s\)*&\(*n\([1sn,]{0,12}\)+[;c]$/),
  shape('tautology', 0.85, /^s\)*[&|]\(*[nf]\([^;c]{0,40}\)(?:[&|oa]+s|;?c|;)$/),
  shape('comment', 0.6, /^s\)+;?$/),
  shape('tautology', 0.82, /^s[|oa]+s[|oa&c]/),
  shape('tautology', 0.8, /^s\)*[o]\(*[1s]\)*[&|c;]/),
  shape('tautology', 0.82, /^s\)*[ao]+\(*[1mf(][^;n]{0,24}c$/),
  shape('stacked', 0.8, /^s,[^c]{0,60}\)*(?:c|;E)/),
  shape('schema', 0.9, /^s[^c]{0,60}E[^c]{0,40}m/),
  shape('comment', 0.6, /^s\)*;+$/),
];

/** As it stands: where the statement puts the value in without quotes. */
const BARE: readonly Shape[] = [
  shape('union', 0.95, /Uk*\(*E(?:[1sfamtxk(]|n[,)(kc]|$|c)/),
  shape('time', 0.95, /(?:^|[&|;,(oaEUsk1)])t\([^)]{0,24}\)/),
  shape('error', 0.95, /(?:^|[&|;,(oaEUsk1)])x\(/),
  shape('schema', 0.92, /(?:E[^;]{0,60}|[&|(oU;][^;]{0,12}|k)m/),
  shape('tautology', 0.92, /(?:^|[1sn)])\)*[&|]\(*1\)*o\(*[1snf]/),
  shape('tautology', 0.9, /(?:^|[1sn)])\)*[&|]\(*s\)*o\(*s/),
  shape('tautology', 0.9, /^\(*1\)*&\(*(?:[nfms]\(?[^&|c]{0,16}o|k\(|\(E|f\(|[1sm]\)*c)/),
  shape('tautology', 0.6, /^1&1$/),
  shape('tautology', 0.85, /^&\(*no[n1s]c/),
  shape('tautology', 0.8, /^f\([^&|]{0,16}\)[&|][^c]{0,16}o/),
  shape('probe', 0.78, /^\(+[^c]{1,80}\)c$/),
  shape('union', 0.8, /^[1s]\)*[ca]*U[kcU1a]*(?:$|\(E)/),
  shape('probe', 0.82, /^1?\)*B(?:1c?$|1o1)/),
  shape('statement', 0.6, /^E[1snfm(ak].{0,120}k[nm]/),
  shape('tautology', 0.85, /^\(*1\)+[&|;BU]/),
  shape('subquery', 0.9, /(?:^|[&|oa,(1])\(+E[k1sfnam(]/),
  shape('subquery', 0.88, /^1?[&|]\(*(?:f\(+[^c]{0,30}[Eo]|k\(+E|k?\(E)/),
  shape('probe', 0.85, /^1?\)*B(?:k|f)*[1n(][^E]{0,40}c|^1\)*B[^E]{0,6}[1o]/),
  shape('comment', 0.72, /^1\)*;*c$/),
  shape('tautology', 0.8, /^[&|]\(*[1s]\)*(?:o|c|$)/),
  shape('tautology', 0.82, /^&\(*f\([^c]{0,24}\)(?:[oc]|$)/),
  shape('tautology', 0.82, /^&\(*nof\(/),
  shape('subquery', 0.85, /^\|\(*f\([^c]{0,24}f\(/),
  shape('tautology', 0.85, /^\(*1\)*[&|]\(+1[1&|()]*\)+(?:c|$)/),
  shape('probe', 0.75, /^1?\)*Bk1$/),
];

const STACKED =
  /;\s{0,8}(?:\/\*.{0,20}\*\/\s{0,8})?(?:drop\s+(?:table|database|user|schema|view|procedure|function|login|column|index)\b|delete\s+(?:\w{1,16}\s+)?from\b|drop\s+\w{1,64}\s*--|insert\s+into\s+(?!(?:the|an?|this|that|it)\b)|update\s+\S{1,64}\s+set\b|select\s+(?:[*@\d('"]|\w+\s*\(|\w+(?:\s*,\s*\w+)*\s+from\b|(?:pg_|current_|case|sleep|version))|exec(?:ute)?\s*[( ]\s*(?:['"@(]|master|xp_|sp_|immediate)|create\s+(?:table|user|login|function|procedure|database|or\s+replace|alias|trigger)\b|alter\s+(?:table|user|login|database|role)\b|truncate\s+table\b|declare\s+@|shutdown\b|waitfor\s+(?:delay|time)\b|if\s*\(|begin\s+(?:declare|dbms|exec)|grant\s+\w+(?:[\s,]+\w+){0,4}\s+(?:on|to)\b|copy\s+\w+\s*(?:\(|from\b|to\b)|copy\s*\(|backup\s+database|load_extension|call\s+\w+\()/i;
const WAITFOR = /\bwaitfor[\s/*]{1,16}(?:delay|time)[\s/*]{0,16}['"(@]/i;
const OUTFILE = /\binto\s{1,8}(?:out|dump)file\b/i;
const CONDITIONAL =
  /\/\*!\d{0,6}\s{0,8}(?:and|or|union|select|all|from|concat|where|group|order|information|table|sleep|if)/i;
const BUILT =
  /(?:\b(?:char|chr|nchar)\s{0,4}\(\s{0,4}\d{1,6}\s{0,4}(?:,\s{0,4}\d{1,6}\s{0,4}){0,64}\)\s{0,4}(?:\+|\|\||%2b|,|&)\s{0,4}){2}/i;

/** A quote that ends an attribute of HTML, and the tag with it: what follows is markup. */
const ENDS_TAG = /^\s*\/?>\s*(?:<|$)/;
/** A word in quotes, which happens to be an operator. */
const QUOTED_WORD = /^\s*(['"])(?:mod|div|like|in|is|match|glob|between)\1\s*$/i;
/** Phrases for a search engine: `"oak table" + "round" - "used"`. */
const PHRASES = /^(?!.*--)(?!.*\b(?:and|or|xor)\b)(?=.*"\s?[+-]\s?"[^"]*[\p{L}\p{N}]{3})[\p{L}\p{N}\s"+.,-]+$/iu;

/** With the quotes and dashes that keyboards and editors put in the place of ASCII's. */
function straightened(text: string): string {
  if (!/[\u00b4\u02bc\u2013-\u201f\u2032-\u2036]/.test(text)) return text;
  return text
    .replace(/[\u00b4\u02bc\u2018-\u201b\u2032\u2035]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u2036]/g, '"')
    .replace(/[\u2013\u2014]\s*$/, '--');
}

/** A comment in the place of a space. */
const COMMENT = /\/\*(?!!)[^*]{0,64}\*\//g;

/** The gravest shape of an injection in `text`, or undefined. */
export function sqlInjection(text: string): SqlShape | undefined {
  const straight = straightened(text);
  return straight === text ? shapeOf(text) : graver(shapeOf(text), shapeOf(straight));
}

function shapeOf(text: string): SqlShape | undefined {
  const whole = readTokens(text, 0, '');
  let best = graver(matchShapes(BARE, whole), disguised(text));
  const bare = text.includes('/*') ? text.replace(COMMENT, ' ') : text;
  for (const [pattern, kind] of SPELLED) {
    const match = pattern.exec(text) ?? (bare === text ? null : pattern.exec(bare));
    if (match !== null)
      best = graver(best, { kind, confidence: 0.92, start: match.index, end: match.index + match[0].length });
  }
  for (const quote of ["'", '"']) {
    const at = firstQuote(text, quote);
    if (at < 0 || ENDS_TAG.test(text.slice(at + 1, at + 16)) || QUOTED_WORD.test(text)) continue;
    if (quote === '"' && PHRASES.test(text)) continue;
    const tokens = readTokens(text, at + 1, quote);
    best = graver(graver(best, matchShapes(BEHIND_QUOTE, tokens)), lone(text, at, tokens));
  }
  return best === undefined ? undefined : weighed(best, text);
}

/** Asks for one character after the other: `ascii(substring(…` */
const BLIND =
  /\b(?:ascii|ord|unicode|hex|conv|length|len|char_length|bin)\s{0,4}\(\s{0,4}(?:(?:hex|ascii|ord|compress)\s{0,4}\(\s{0,4})?\(?\s{0,4}(?:(?:substr|substring|mid|version|database|schema|user|current_user|system_user|session_user|load_file)\s{0,4}\(|select\b)/i;
/** Numbers that are compared to see what comes of it: `iif(1=2,…`, `case when 1=2 then …`. */
const CHOICE =
  /\bi?if\s{0,4}\(\s{0,4}\d{1,10}\s{0,4}=\s{0,4}\d{1,10}\s{0,4}[,)]|\bcase\s{1,8}(?:when\s{0,8}\(?\s{0,4}\d{1,10}\s{0,4}=\s{0,4}\d{1,10}|\d{1,10}\s{1,8}when\b|['"][^'"]{0,24}['"]\s{1,8}when\b)[^;]{1,80}\bthen\b/i;
const GLUED = /(?:\d|\de\d{0,3}|\d[df.])union[\s/*(+]{1,16}(?:all[\s/*(+]{1,16}|distinct\s{1,16})?select\b/i;
/** What only the database can say of itself, and nothing else. */
const OF_ITSELF =
  /^\s{0,8}(?:select\s{1,8}(?:current_setting\s{0,4}\(|version\s{0,4}\(|@@\w|(?:current_user|session_user|system_user|user|database|current_database|current_schema|inet_server_addr)\s{0,4}(?:\(\s{0,4}\)\s{0,4})?(?:;|--|#|$))|@@\w{2,40}\s{0,4}(?:--|#))/i;
const LOADED =
  /(?:^|['"\d)])\s{0,4};\s{0,8}(?:load\s{1,8}(?:data|xml)\b|do\s{0,4}\(\s{0,4}[\d(]|handler\s{1,8}\w{1,64}\s{1,8}open\b)/i;
const COPIED =
  /(?:^|[;'")])\s{0,8}copy\s{1,8}\w{1,64}\s{1,8}(?:from|to)\s{1,8}(?:program\s{1,8})?'(?:\/|[a-z]:)[^']{0,128}'\s{0,8}(?:;|--|$|with\b|delimiter|csv)/i;
/** Comments around `union` of which half is encoded, since a filter takes whole ones away. */
const HALF_ENCODED =
  /\bunion(?=[^a-z]{0,32}(?:%(?:25)?2[fa]|\*\/|\/\*))(?:[\s*/+(]|%(?:25)?2[0af]){1,32}(?:(?:all|distinct)(?:[\s*/+(]|%(?:25)?2[0af]){1,32})?select\b/i;
/** Behind a value: how many columns there are, and nothing further: `1' and 0 order by 10-- -`. */
const COUNTED =
  /^\s{0,4}(?:-?\d{1,9}|[\w-]{0,24}['"])[^\n]{0,96}\border\s{1,8}by\s{1,8}\d{1,3}\s{0,8}(?:--[\s+-]{0,4}|#\s{0,4}|\/\*\s{0,4})$/i;
/** What the database is made to say in an error. */
const SAID_IN_ERROR =
  /\b(?:concat|group\s{1,8}by|count)\w{0,8}\b[^;]{0,160}\bfloor\s{0,4}\(\s{0,4}rand\s{0,4}\(\s{0,4}\d{0,4}\s{0,4}\)\s{0,4}\*\s{0,4}2\b|['"\d=)]\s{0,4}[^;]{0,24}\bconvert\s{0,4}\(\s{0,4}int\s{0,4},\s{0,4}\(?\s{0,4}(?:@@(?:version|servername)|(?:db_name|user_name|suser_name|host_name|system_user)\s{0,4}\(|select\b)/i;
const MATCHED = /['"]\s{0,8}(?:or|and)\s{1,8}match\b[^;]{1,80}\bagainst\s{0,4}\(/i;

/** A name, or what a function makes of something, that is what it is. */
const SAME_NAME =
  /(?:^|[)'"\d])\s{0,4}(?:or|and|\|\||&&)\s{1,8}\({0,8}\s{0,4}(\w{1,32}(?:\([^()]{0,32}\))?)\s{0,4}=\s{0,4}\1(?!\w)/i;
/** `' = ''`: an empty value that is compared with an empty one. */
const EMPTY_EQUALS = /^\s{0,4}(['"])\s{0,4}(?:=|<>|>=|<=)\s{0,4}\1\1?\s{0,4}$/i;
/** In the place of a column to sort by: what it is depends on what a query finds. */
const CHOSEN = /^\s{0,8}\(?\s{0,4}case\s{1,8}when\s{0,8}\({1,4}\s{0,4}select\b/i;
/** A statement that is put together in a variable, and run. */
const ASSEMBLED =
  /\bdeclare\s{1,8}@\w{1,64}\s{1,8}(?:as\s{1,8})?(?:n?(?:var)?char|int|sysname|cursor|table)\b|\bexec(?:ute)?\s{0,8}\(\s{0,8}@\w{1,64}\s{0,8}\)|\bexecute\s{1,8}immediate\s{0,8}['"]/i;

const SPELLED: readonly [RegExp, SqlInjection][] = [
  [WAITFOR, 'time'],
  [STACKED, 'stacked'],
  [LOADED, 'stacked'],
  [OUTFILE, 'schema'],
  [COPIED, 'schema'],
  [OF_ITSELF, 'schema'],
  [BLIND, 'subquery'],
  [CHOICE, 'probe'],
  [GLUED, 'union'],
  [HALF_ENCODED, 'union'],
  [COUNTED, 'probe'],
  [SAID_IN_ERROR, 'error'],
  [MATCHED, 'tautology'],
  [SAME_NAME, 'tautology'],
  [EMPTY_EQUALS, 'tautology'],
  [CHOSEN, 'subquery'],
  [ASSEMBLED, 'stacked'],
  [CONDITIONAL, 'obfuscated'],
  [BUILT, 'obfuscated'],
];

/** `un/**\/ion`: keywords that are cut in two. */
function disguised(text: string): SqlShape | undefined {
  const isCut = withoutSplitWords(text) !== text;
  return isCut ? { kind: 'obfuscated', confidence: 0.92, start: 0, end: text.length } : undefined;
}

/** `'='`, `' or 'x`: the value ends in the middle of a string that the statement will close. */
function lone(text: string, at: number, { tokens, classes }: Tokens): SqlShape | undefined {
  const last = tokens.at(-1);
  if (last === undefined || last.type !== 's' || tokens.length < 3) return undefined;
  const open = last.text.length === last.end - last.start - 1;
  if (!open || text[last.start] !== text[at] || /^\s/.test(last.text) || /\S\s+\S/.test(text.slice(0, at)))
    return undefined;
  const short = folded(classes);
  if (/^s\)*[|oa]+s$/.test(short)) return { kind: 'tautology', confidence: 0.8, start: at, end: last.end };
  return /^s\)*&\(*s$/.test(short)
    ? { kind: 'tautology', confidence: last.text === '' ? 0.75 : 0.85, start: at, end: last.end }
    : undefined;
}

/** The first quote that is no apostrophe inside of a word; a backslash in front only hides it from the program. */
function firstQuote(text: string, quote: string): number {
  return text.indexOf(quote);
}

function matchShapes(shapes: readonly Shape[], { tokens, classes }: Tokens): SqlShape | undefined {
  const short = folded(classes);
  // A comment up to the end of its line is a space to the statement where another line goes on.
  const joined = LINES.test(short) ? folded(short.replace(/c+(?=[^c])/g, '')) : undefined;
  let best: SqlShape | undefined;
  for (const { kind, confidence, pattern } of shapes) {
    if (!pattern.test(short) && (joined === undefined || !pattern.test(joined))) continue;
    const first = tokens[0];
    const last = tokens.at(-1);
    if (first === undefined || last === undefined) continue;
    best = graver(best, { kind, confidence, start: first.start, end: last.end });
  }
  return best;
}

function graver(a: SqlShape | undefined, b: SqlShape | undefined): SqlShape | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.confidence > a.confidence ? b : a;
}

/** A string to choose, in an instruction. */
const SAID = /^\s*select\s+'[^']*'\s*;?$/i;
/** Quotes and nothing behind: a slip of the hand. */
const WALL = /['"]{6,}$/;
/** A comment, and then what makes a statement. */
const LINES = /c.*[UE&]/;

const PREFIX_CHARS = 128;
/** Words of a language in front: somebody writes about an attack rather than making one. */
const PROSE = /^(?:[\p{L}][\p{L}\p{M}'’-]*[,:]?\s+){4}/u;

const SIGNS_ONLY = /^[^\p{L}\p{N}'"]*$/u;
/** `smith' or name like …`: a quote behind the first word, and signs that no prose has. */
const QUOTED_AT_ONCE = /^[^\s'"]{0,64}['"][^'"].{0,200}?(?:[=<>]|--|#\s{0,8}$|\/\*|\bnull\b|;\s{0,8}$|\w\()/is;

function weighed(found: SqlShape, text: string): SqlShape {
  // `admin'--` has a name in front of the quote, a search has words.
  if (found.kind === 'comment' && /\S\s+\S[^'"]*['"]/.test(text.slice(0, PREFIX_CHARS)))
    return { ...found, confidence: 0.6 };
  // `!@#$%` is what passwords are made of.
  if (found.kind === 'comment' && SIGNS_ONLY.test(text)) return { ...found, confidence: 0.6 };
  // `select 'Save'` is said of buttons.
  if (SAID.test(text) || (found.kind === 'tautology' && WALL.test(text)))
    return { ...found, confidence: Math.min(found.confidence, 0.6) };
  return PROSE.test(text) &&
    !QUOTED_AT_ONCE.test(text) &&
    !/^\s*(?:select|insert|update|delete|drop|create|exec|union|declare|and|or)\b/i.test(text)
    ? { ...found, confidence: Math.min(found.confidence, 0.5) }
    : found;
}
