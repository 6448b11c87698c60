import { ISSUERS, NAME_CHARS_MAX, NAME_MARKS, type NameStrength, strengthOf } from './names.ts';
import type { Probe, Scan } from './seen.ts';
import { judgeValue, type ValueStyle } from './value-judgement.ts';

/** Code units of a value that are read. */
const VALUE_CHARS_MAX = 1_024;

interface Value {
  start: number;
  text: string;
  style: ValueStyle;
}

/**
 * Values that a name calls a secret, in whatever notation: `.env`, ini, JSON, YAML, XML, code, headers, command lines,
 * query strings and prose. A name is read once, however many marks it holds.
 */
export function assignments(probe: number): Probe {
  return {
    marks: [...NAME_MARKS, ...ISSUERS],
    look(scan, start, end) {
      const { text } = scan;
      const from = nameStart(text, start);
      const to = nameEnd(text, end);
      scan.readUntil[probe] = to;
      if (to - from > NAME_CHARS_MAX) return;
      const value = readValue(text, from, to);
      if (value === undefined) return;
      const name = text.slice(from, to);
      const strength = strengthIn(text, from, name);
      if (strength === undefined || (value.style === 'spaced' && !isHandedOver(text, from, strength, value))) return;
      judge(scan, name, strength, value);
    },
  };
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

const STARTS_LINE = /^[ \t]*$/;
const ENDS_LINE = /^[ \t]{0,2}(?:\r?\n|$)/;

/** What stands on the line before `at`, as far as a name may be indented. */
function lineUpTo(text: string, at: number): string {
  const piece = text.slice(Math.max(0, at - 24), at);
  return piece.slice(piece.lastIndexOf('\n') + 1);
}

function judge(scan: Scan, name: string, strength: NameStrength, value: Value): void {
  const { style } = value;
  if (style === 'prose' && strength !== 'password') return;
  const confidence = judgeValue(value.text, strength, style);
  if (confidence === 0 || name.toLowerCase().includes(value.text.toLowerCase())) return;
  scan.add({
    what: strength === 'password' ? 'password' : /api_?-?key/i.test(name) ? 'api_key' : 'generic',
    title: strength === 'password' ? 'a password' : 'a key or token',
    severity: strength === 'password' ? 'high' : strength === 'secret' ? 'high' : 'medium',
    confidence,
    start: value.start,
    value: value.text,
  });
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
const TYPE = String.raw`(?::[ \t]{0,2}(?:string|str|String|SecretStr|Optional\[str\]|&(?:'static )?str|\[\]byte|any|final|const char \*)\??[ \t]{0,4}(?==))?`;
/** A sign that gives the name before it the value behind it. */
const SIGN = new RegExp(
  String.raw`${CLOSERS}[ \t]{0,24}${TYPE}(:{1,3}=|\?{1,3}=|\|\|=|={1,3}>?|!={1,2}|=>|->|<-|:)[ \t]{0,12}`,
  'y',
);
/** An argument behind the name as an argument: `setenv("API_KEY", "…")`. */
const ARGUMENT = /\\?["'`]\]?\)?[ \t]{0,4},[ \t]{0,8}(?=\\?["'`])/y;
/** `<password>…`, and `key="password" value="…"`. */
const ELEMENT = /(?:[ \t][\w:]{1,24}="[^"]{0,64}"){0,2}>[ \t]{0,4}|["'][ \t]{1,8}value[ \t]{0,2}=[ \t]{0,2}(?=["'])/y;
/** `- name: API_TOKEN`, its `value:` on the next line; `variable "api_token" { default = "…" }`. */
const PAIR =
  /["']?[,;]?\s{1,24}["']?(?:value|defaultValue|default|secret_value)["']?[ \t]{0,4}[:=][ \t]{0,4}|" {0,2}\{\s{1,16}(?:(?:type|description|sensitive|"?type"?)[ \t]{0,8}[=:][^\n]{0,120}\n\s{0,16}){0,3}"?(?:default|value)"?[ \t]{0,8}[=:][ \t]{0,4}(?=")|["']: {0,2}\{\s{0,16}"value": {0,2}(?=")/y;
/** `--password …` on a command line, `password '…'` in a file of settings. */
const SPACE = /[ \t]{1,12}/y;
/** `the password for the database is …`, `password: …` apart. */
const PROSE =
  /(?:["'])?(?: (?:for|of|to) [\w'"@. -]{2,48}?)? (?:is|was|=|equals|will be|set to|changed to|reads)(?: now| currently| set to)?:?[ ]{1,2}/y;

/** What stands in front of a literal: string prefixes, a default behind a variable. */
const OPENING =
  /(?:process\.env\.\w{1,64} {0,2}(?:\|\||\?\?) {0,2}|(?:[brfuBRFU]{1,2}|@|\$|N|L|b)(?=["'])|(?:new String|SecretStr|String|Buffer\.from|Secret|str|ConvertTo-SecureString) {0,2}(?:-String )?\(? {0,2}(?=["']))/y;
const SCHEME =
  /(?:bearer|(?:[a-z]{1,12}-)?token|basic|ssws|api-?key|key|bot|oauth|digest|signature|[a-z]{1,12}-key) {1,3}/iy;

function readValue(text: string, from: number, to: number): Value | undefined {
  const sign = stickyEnd(SIGN, text, to);
  if (sign !== undefined && text[sign] !== '{') return literal(text, sign, true);
  const pair = stickyEnd(PAIR, text, to);
  if (pair !== undefined) return literal(text, pair, true);
  const argument = stickyEnd(ARGUMENT, text, to);
  if (argument !== undefined && /["'`]/.test(text[from - 1] ?? '')) return literal(text, argument, false);
  const element = stickyEnd(ELEMENT, text, to);
  if (element !== undefined && /[<"':]/.test(text[from - 1] ?? '')) return literal(text, element, true, '<');
  const prose = stickyEnd(PROSE, text, to);
  if (prose !== undefined) return inProse(text, prose);
  const space = stickyEnd(SPACE, text, to);
  if (space === undefined) return undefined;
  if (text[from] === '-') return text[space] === '-' ? undefined : literal(text, space, true);
  // In prose, what stands in backticks is a name.
  return text[space] === '`' ? undefined : (literal(text, space, false) ?? spaced(text, space));
}

function stickyEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The literal at `at`: quoted, or where `bare` allows it up to what ends a word there. */
function literal(text: string, at: number, bare: boolean, until = ''): Value | undefined {
  const opened = stickyEnd(OPENING, text, at) ?? at;
  const quote = quoteAt(text, opened);
  if (quote === '') return bare ? bareValue(text, opened, until) : undefined;
  const inner = opened + quote.length;
  const start = stickyEnd(SCHEME, text, inner) ?? inner;
  const end = closing(text, start, quote);
  return end === undefined ? undefined : { start, text: text.slice(start, end), style: 'quoted' };
}

/** The quotation mark at `at`, with what escapes it: `"`, `\"`, `&quot;`, `"""`. */
function quoteAt(text: string, at: number): string {
  let slashes = 0;
  while (slashes < 3 && text[at + slashes] === '\\') slashes++;
  const mark = text[at + slashes] ?? '';
  if (mark === '"' || mark === "'" || mark === '`') {
    const triple = mark.repeat(3);
    if (text.startsWith(triple, at)) return triple;
    // `'"…"'`: a literal in a literal, of which the inner one is meant.
    const inner = text[at + slashes + 1];
    const nested = slashes === 0 && inner !== mark && (inner === '"' || inner === "'") ? inner : '';
    return text.slice(at, at + slashes) + mark + nested;
  }
  return text.startsWith('&quot;', at) ? '&quot;' : '';
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const AMPERSAND = 38;
const BACKSLASH = 92;

function closing(text: string, start: number, quote: string): number | undefined {
  const last = quote.endsWith(';') ? AMPERSAND : quote.charCodeAt(quote.length - 1);
  const escaped = quote.charCodeAt(0) === BACKSLASH;
  const most = Math.min(text.length, start + VALUE_CHARS_MAX);
  for (let at = start; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return undefined;
    if (code === BACKSLASH && !escaped) at++;
    else if (code === last) return escaped && text.charCodeAt(at - 1) === BACKSLASH ? at - 1 : at;
  }
  return undefined;
}

const BARE = /[^\s"'`<>,;&|(){}\][\\]{1,640}/y;
/** What a value may be followed by when it is written without quotation marks; anything else makes it code or prose. */
const BARE_END = /[ \t]{0,8}(?:$|[\r\n,;&|"'`<}\]]|#|\/\/|--|\\|[ \t][-\w.]{1,40}=|[ \t]-|[ \t](?:@|https?:|\/))/y;

function bareValue(text: string, at: number, until: string): Value | undefined {
  const start = stickyEnd(SCHEME, text, at) ?? at;
  const end = stickyEnd(BARE, text, start);
  if (end === undefined) return undefined;
  const ends = until === '' ? stickyEnd(BARE_END, text, end) !== undefined : text[end] === until;
  const value = text.slice(start, end);
  if (!ends || /^[$%]\w*$/.test(value)) return undefined;
  return { start, text: value, style: 'bare' };
}

const SPACED = /[\w+/=.~!@#%^&*?-]{6,256}(?![^\s,;"'])/y;

/** `token 9fQ2…`: a value behind nothing but a space. */
function spaced(text: string, at: number): Value | undefined {
  const end = stickyEnd(SPACED, text, at);
  return end === undefined ? undefined : { start: at, text: text.slice(at, end), style: 'spaced' };
}

function inProse(text: string, at: number): Value | undefined {
  const quoted = literal(text, at, false);
  if (quoted !== undefined) return quoted;
  const end = stickyEnd(BARE, text, at);
  if (end === undefined) return undefined;
  return { start: at, text: text.slice(at, end).replace(/[.?!:]+$/, ''), style: 'prose' };
}
