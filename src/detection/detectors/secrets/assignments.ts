import { bareEnd, elementText, isMixed, literal, spaced, stickyEnd, type Value } from './literals.ts';
import { ISSUERS, NAME_CHARS_MAX, NAME_MARKS, type NameStrength, strengthOf } from './names.ts';
import { isRandom, lookOf } from './randomness.ts';
import type { Probe, Scan } from './seen.ts';
import { judgeValue } from './value-judgement.ts';

/**
 * Values that a name calls a secret, in whatever notation: `.env`, ini, JSON, YAML, XML, code, headers, command lines,
 * query strings and prose. A name is read once, however many marks it holds.
 */
export function assignments(): Probe {
  return {
    marks: [...NAME_MARKS, ...ISSUERS],
    look(scan, start, end) {
      const { text } = scan;
      const from = nameStart(text, start);
      const to = nameEnd(text, end);
      scan.skipTo(to);
      if (to - from > NAME_CHARS_MAX || isCrowded(scan, from, to)) return;
      const value = readValue(text, from, to);
      if (value === undefined) return;
      const name = text.slice(from, to);
      const strength = strengthIn(text, from, name);
      if (strength === undefined || (value.style === 'spaced' && !isHandedOver(text, from, strength, value))) return;
      if (isCode(text, from, strength, value)) return;
      judge(scan, name, strength, value);
    },
  };
}

/** Names that are read in one word: with the value of each reaching to the word's end, more would cost its length over and over. */
const NAMES_IN_WORD_MAX = 4;
/** What no value holds that is written without quotation marks. */
const WORD_BREAK = /[\s"'`<>,;&|(){}\][\\]/;

/** Whether so many names stand in one word before the one at `from` that its value is but a piece of theirs. */
function isCrowded(scan: Scan, from: number, to: number): boolean {
  const isSameWord = from >= scan.nameEnd && !WORD_BREAK.test(scan.text.slice(scan.nameEnd, from));
  scan.namesInWord = isSameWord ? scan.namesInWord + 1 : 1;
  scan.nameEnd = to;
  return scan.namesInWord > NAMES_IN_WORD_MAX;
}

const WORD_BEFORE = /(?:^|[^\w.-])(\w{2,24})[ \t]$/;

function wordBefore(text: string, from: number): string | undefined {
  return WORD_BEFORE.exec(text.slice(Math.max(0, from - 26), from))?.[1];
}

/** A name that says little alone says more with the word before it: `API key`, `public key`, `cache key`. */
function strengthIn(text: string, from: number, name: string): NameStrength | undefined {
  const strength = strengthOf(name);
  if (strength !== 'weak') return strength;
  const before = wordBefore(text, from);
  return before === undefined ? strength : strengthOf(`${before}_${name}`);
}

/** Words before `key` by which it is one that everybody may see: `using RSA key 9A3C…`. */
const PUBLIC_KEYS = /^(?:rsa|dsa|ecdsa|eddsa|ed25519|gpg|pgp|ssh|signing|host|recv|node|peer|verify\w*)$/i;
const SPACED_CHARS_MIN = 20;

/** Whether `name value`, without any sign between, is more than prose: by the line, or by a value that only a generator writes. */
function isHandedOver(text: string, from: number, strength: NameStrength, { start, text: value }: Value): boolean {
  if (
    ENDS_LINE.test(text.slice(start + value.length, start + value.length + 3)) &&
    STARTS_LINE.test(lineUpTo(text, from))
  )
    return strength !== 'weak' || value.length >= SPACED_CHARS_MIN;
  if (strength === 'password' || value.length < SPACED_CHARS_MIN) return false;
  const digits = value.replace(/\D/g, '').length;
  return digits >= 2 && !PUBLIC_KEYS.test(wordBefore(text, from) ?? '');
}

/** With the number of the line, as `grep -n` has it. */
const STARTS_LINE = /^(?:\d{1,6}[:-])?[ \t]*$/;
const ENDS_LINE = /^[ \t]{0,2}(?:\r?\n|$)/;

/** What stands on the line before `at`, as far as a name may be indented. */
function lineUpTo(text: string, at: number): string {
  const piece = text.slice(Math.max(0, at - 24), at);
  return piece.slice(piece.lastIndexOf('\n') + 1);
}

/** A name of code: words alone, which nobody types as a password where code goes on behind. */
const CODE_NAME = /^[A-Za-z_$][A-Za-z_$.]*$/;
const CODE_BEHIND = /[ \t]{0,4}[;,<&|{]/y;
/** Of an ARN, whose next part says what kind of thing it names: `…:123456789012:secret:…`. */
const ACCOUNT = /:\d{12}:$/;
/** What stands before the question mark of an address that only shows a picture: its token may be seen by all. */
const PICTURE = /\.(?:svg|png|gif)\?$/;
const BRANCH = /\?[ \t]{0,4}["']$/;
const BEFORE_CHARS_MAX = 14;

/** Whether `pattern`, which ends with `last`, stands right before `at`. */
function stands(pattern: RegExp, text: string, at: number, last: string): boolean {
  return text[at - 1] === last && pattern.test(text.slice(Math.max(0, at - BEFORE_CHARS_MAX), at));
}

/** Whether `name: value` is a variable, a type, a branch (`? 'pass' : 'fail'`) or a badge's address rather than a value. */
function isCode(text: string, from: number, strength: NameStrength, { start, text: value, style }: Value): boolean {
  if (stands(PICTURE, text, from, '?') || stands(ACCOUNT, text, from, ':')) return true;
  if (stands(BRANCH, text, from, '"') || stands(BRANCH, text, from, "'")) return true;
  // `${PASSWORD:?has to be set}`: what a shell says where it is not.
  if (style === 'bare' && value.startsWith('?') && text[start - 1] === ':') return true;
  if (style !== 'bare' || strength !== 'password' || text[from] === '$' || !CODE_NAME.test(value)) return false;
  // `Password=hunter;` is a connection string.
  return text[start - 1] !== '=' && stickyEnd(CODE_BEHIND, text, start + value.length) !== undefined;
}

function judge(scan: Scan, name: string, strength: NameStrength, value: Value): void {
  const { style } = value;
  if (style === 'prose' && strength !== 'password') return;
  const several = strength === 'secret' && style === 'quoted' && value.text.includes(' ');
  const { text, start } = several ? tellingWord(value) : value;
  const confidence = judgeValue(text, strength, style);
  if (confidence === 0 || name.toLowerCase().includes(text.toLowerCase())) return;
  // A power, a width or somebody's initials, unless the value can be nothing else.
  if (/(?:^|[^A-Za-z])pw$/i.test(name) && !isMixed(text)) return;
  scan.add({
    what: strength === 'password' ? 'password' : /api_?-?key/i.test(name) ? 'api_key' : 'generic',
    title: strength === 'password' ? 'a password' : 'a key or token',
    severity: strength === 'password' ? 'high' : strength === 'secret' ? 'high' : 'medium',
    confidence,
    start,
    value: text,
  });
}

/** Words that may stand with a secret in one value: `Token 9fQ2…`, `{client 9fQ2…}`. More are prose. */
const WORDS_MAX = 4;
const TELLING_CHARS_MIN = 16;

/** Of a value of several words the one that looks generated; the value itself where none does. */
function tellingWord(value: Value): Value {
  const words = value.text.split(/[ \t{}]+/, WORDS_MAX + 1);
  if (words.length > WORDS_MAX) return value;
  const text = words.find((word) => isRandom(lookOf(word), TELLING_CHARS_MIN));
  return text === undefined ? value : { ...value, start: value.start + value.text.indexOf(text), text };
}

function isNameChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code === 36
  );
}

function nameStart(text: string, at: number): number {
  const least = Math.max(0, at - NAME_CHARS_MAX);
  while (at > least && isNameChar(text.charCodeAt(at - 1))) at--;
  return at;
}

function nameEnd(text: string, at: number): number {
  const most = Math.min(text.length, at + NAME_CHARS_MAX);
  while (at < most && isNameChar(text.charCodeAt(at))) at++;
  return at;
}

const CLOSERS = String.raw`(?:\\{0,3}["'\x60]|&quot;|\*\*)?[\])]?\]?`;
const TYPE = String.raw`(?::[ \t]{0,2}(?:string|str|String|SecretStr|Optional\[str\]|&(?:'static )?(?:str|\[u8\])|\[\]byte|any|final|const char \*)[?!]?[ \t]{0,4}(?==))?`;
/** A sign that gives the name before it the value behind it: `=`, `:`, `=>`, in notes a dash; `::` is a path in code. */
const SIGN = new RegExp(
  String.raw`${CLOSERS}(?:[ \t]{0,24}|\r?\n[ \t]{1,24}(?==[ \t]))${TYPE}(:{1,3}=|\?{1,3}=|\|\|=|={1,3}>?|!={1,2}|=>|->|<-|:(?!:)|(?<=[ \t])[-–—](?=[ \t]{1,4}["']))[ \t]{0,12}(?:\\?\r?\n[ \t]{0,24}(?=["'\x60]))?`,
  'y',
);
/** What is built or set by its name: `.apiKey("…")`, `std::string token{"…"}`. */
const CALL = /(?:\(|\{(?:\r?\n)?)[ \t]{0,24}(?=["'])/y;
/** Verbs that ask for a value by its name instead of giving one. */
const ASKS =
  /(?:^|\.)(?:get|has|is|find|fetch|read|load|lookup|resolve|check|validate|verify|match|expect|remove|delete)[A-Z_]/;
/** What is made of a user's name first: `BasicAuth("…", "…")`. */
const MADE_OF_USER = /auth\W{1,3}$/i;
/** An argument behind the name as an argument: `setenv("API_KEY", "…")`. */
const ARGUMENT = /\\?["'`]\]?\)?[ \t]{0,4},[ \t]{0,8}(?=\\?["'`])/y;
/** Behind a further item, what follows is the next one: `'text', 'password', 'checkbox'`. */
const IN_LIST = /["'`][ \t]{0,2},\s{0,4}\\?["'`]$/;
/** `<password>…`, and `key="password" value="…"`. */
const ELEMENT =
  /(?:[ \t][\w:]{1,24}="[^"]{0,64}"){0,2}>(?:\r?\n[ \t]{0,24}|[ \t]{0,4})|["'][ \t]{1,8}value[ \t]{0,2}=[ \t]{0,2}(?=["'])/y;
/** In braces, Base64 of what nobody can read. */
const BRACED = /\{([\w+/]{24,640}={0,2})\}\s{0,24}<\//y;

/** Whether Maven encrypted it, with a password that is kept elsewhere. Jenkins' own, which its own disk decrypts, begin with AQAA. */
function isMavens(text: string, at: number): boolean {
  BRACED.lastIndex = at;
  const held = BRACED.exec(text)?.[1];
  if (held === undefined || held.length % 4 !== 0 || held.startsWith('AQAA')) return false;
  return /[^\x20-\x7e]/.test(Buffer.from(held, 'base64').toString('latin1'));
}

/** `- name: API_TOKEN`, its `value:` on the next line; `variable "api_token" { default = "…" }`. */
const PAIR =
  /["']?[,;]?\s{1,24}["']?(?:value|defaultValue|default|secret_value)["']?[ \t]{0,4}[:=][ \t]{0,4}|" {0,2}\{\s{1,16}(?:(?:type|description|sensitive|"?type"?)[ \t]{0,8}[=:][^\n]{0,120}\n\s{0,16}){0,3}"?(?:default|value)"?[ \t]{0,8}[=:][ \t]{0,4}(?=")|["']: {0,2}\{\s{0,16}"value": {0,2}(?=")/y;
/** `smtp_password | …`: two cells of a table. */
const CELL = /[ \t]{1,48}\|[ \t]{1,4}(?![|\s])/y;
/** `--password …` on a command line, `password '…'` in a file of settings. */
const SPACE = /[ \t]{1,12}/y;
/** `the password for the database is …`, `password: …` apart. */
const PROSE =
  /(?:["'])?(?: (?:for|of|to) [\w'"@. -]{2,48}?)? (?:is|was|=|equals|will be|set to|changed to|reads)(?: now| currently| set to)?:?[ ]{1,2}/y;
/** `password for the database: …` */
const NOTE = /["']? (?:for|of|to) [\w'"@. -]{2,48}?:[ ]?/y;

function readValue(text: string, from: number, to: number): Value | undefined {
  const sign = stickyEnd(SIGN, text, to);
  if (sign !== undefined && text[sign] !== '{')
    return literal(text, sign, true) ?? ofQuery(text, from, sign) ?? ofCommand(text, from, sign);
  const call = stickyEnd(CALL, text, to);
  if (call !== undefined) return given(text, from, call);
  const pair = stickyEnd(PAIR, text, to);
  if (pair !== undefined) return literal(text, pair, true);
  const argument = stickyEnd(ARGUMENT, text, to);
  if (
    argument !== undefined &&
    /["']/.test(text[from - 1] ?? '') &&
    !/[:=][ \t]?.$/.test(text.slice(Math.max(0, from - 3), from))
  ) {
    const listed = text[from] !== '-' && IN_LIST.test(text.slice(Math.max(0, from - 8), from));
    const value = literal(text, argument, false);
    return listed && value !== undefined && !isRandom(lookOf(value.text), TELLING_CHARS_MIN) ? undefined : value;
  }
  const element = stickyEnd(ELEMENT, text, to);
  if (element !== undefined && /[<"':]/.test(text[from - 1] ?? '')) {
    if (isMavens(text, element) && /pass(?:word|phrase)$/i.test(text.slice(from, to))) return undefined;
    return literal(text, element, true, '<') ?? elementText(text, element);
  }
  const prose = stickyEnd(PROSE, text, to);
  if (prose !== undefined) return inProse(text, prose);
  const note = stickyEnd(NOTE, text, to);
  if (note !== undefined && /passw|pwd$|passphrase$/i.test(text.slice(from, to))) return inProse(text, note);
  const cell = stickyEnd(CELL, text, to);
  if (cell !== undefined) return inProse(text, cell);
  const space = stickyEnd(SPACE, text, to);
  if (space === undefined) return undefined;
  if (text[from] === '-') return text[space] === '-' ? undefined : literal(text, space, true);
  // In prose, what stands in backticks is a name, and to pass something is to hand it on.
  if (text[space] === '`' || (/^pass$/i.test(text.slice(from, to)) && !STARTS_LINE.test(lineUpTo(text, from))))
    return undefined;
  return literal(text, space, false) ?? spaced(text, space);
}

/** `GET /hook?token=9fQ2… HTTP/1.1`: a value of an address ends at a blank, whatever stands behind it. */
function ofQuery(text: string, from: number, at: number): Value | undefined {
  if (!/[?&]/.test(text[from - 1] ?? '') || text[at - 1] !== '=') return undefined;
  const end = bareEnd(text, at);
  if (end === undefined) return undefined;
  const value = text.slice(at, end);
  return isRandom(lookOf(value), TELLING_CHARS_MIN) ? { start: at, text: value, style: 'bare' } : undefined;
}

/** `PGPASSWORD=9fQ2… psql shop`: a variable that one command is given ends at a blank too, and no sentence has such a name. */
function ofCommand(text: string, from: number, at: number): Value | undefined {
  if (!VARIABLE.test(text.slice(from, at))) return undefined;
  const end = bareEnd(text, at);
  if (end === undefined || text[end] !== ' ') return undefined;
  const value = text.slice(at, end);
  return isMixed(value) || isRandom(lookOf(value), TELLING_CHARS_MIN)
    ? { start: at, text: value, style: 'bare' }
    : undefined;
}

const VARIABLE = /^[A-Z][A-Z0-9_]{2,95}=$/;

/** What a call is given, or an object is made of: only what is no plain word, since names are given too. */
function given(text: string, from: number, at: number): Value | undefined {
  const value = literal(text, at, false);
  if (value === undefined || !/[\d!#$%&*@^]/.test(value.text)) return undefined;
  const ends = /^["']\s{0,16}[)},]/.test(
    text.slice(value.start + value.text.length, value.start + value.text.length + 18),
  );
  return ends && !ASKS.test(text.slice(from, at)) && !MADE_OF_USER.test(text.slice(from, at)) ? value : undefined;
}

function inProse(text: string, at: number): Value | undefined {
  const quoted = literal(text, at, false);
  if (quoted !== undefined) return quoted;
  const end = bareEnd(text, at);
  if (end === undefined) return undefined;
  return { start: at, text: text.slice(at, end).replace(/[.?!:]+$/, ''), style: 'prose' };
}
