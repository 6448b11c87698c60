import type { ValueStyle } from './value-judgement.ts';

/** Code units of a value that are read. */
const VALUE_CHARS_MAX = 2_048;

/** A value as it stands in a text. */
export interface Value {
  start: number;
  text: string;
  style: ValueStyle;
}

/** What stands in front of a literal: string prefixes, a default behind a variable. */
const OPENING =
  /(?:[\w$.]{1,64}(?:\([^()\n]{0,64}\)|\[["']\w{1,64}["']\])? {0,2}(?:\|\||\?\?|\?:|or) {0,2}(?=["'`])|(?:[brfuBRFU]{1,2}|@|\$|N|L|b)(?=["'])|(?:new String|SecretStr|String|Buffer\.from|Secret|str|ConvertTo-SecureString) {0,2}(?:-String )?\(? {0,2}(?=["']))/y;
const SCHEME =
  /(?:bearer|(?:[a-z]{1,12}-)?token|basic|ssws|api-?key|key|bot|oauth|digest|signature|[a-z]{1,12}-key) {1,3}/iy;

/** Where `pattern`, a sticky one, ends if it stands at `at`. */
export function stickyEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The literal at `at`: quoted, or where `bare` allows it up to what ends a word there. */
export function literal(text: string, at: number, bare: boolean, until = ''): Value | undefined {
  const opened = stickyEnd(OPENING, text, at) ?? at;
  const quote = quoteAt(text, opened);
  if (quote === '') return bare ? bareValue(text, opened, until) : undefined;
  const inner = opened + quote.length;
  const start = stickyEnd(SCHEME, text, inner) ?? inner;
  const end = closing(text, start, quote);
  return end === undefined ? undefined : trimmed({ start, text: text.slice(start, end), style: 'quoted' });
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

const BARE = /[^\s"'`<>,;&|(){}\][\\]{1,2048}/y;
/** What a value may be followed by when it is written without quotation marks; anything else makes it code or prose. */
const BARE_END = /[ \t]{0,8}(?:$|[\r\n,;&|"'`<}\]]|#|\/\/|--|\\|[ \t][-\w.]{1,40}=|[ \t]-|[ \t](?:@|https?:|\/))/y;

/** What is of letters of both cases and digits, or of signs, and no name of a type: a password rather than a measure, or a name in a call. */
export function isMixed(value: string): boolean {
  return MIXED.test(value) && !TYPE_NAME.test(value);
}

const MIXED =
  /^(?=\D{0,64}\d)(?=[^A-Za-z]{0,64}[A-Za-z])(?=[^A-Z]{0,64}[A-Z][^a-z]{0,64}[a-z]|[^a-z]{0,64}[a-z][^A-Z]{0,64}[A-Z]|[^!@#%^&*]{0,64}[!@#%^&*])[^.=$]{6,64}$/;
const TYPE_NAME = /^(?:[A-Z][a-z]{1,16}){1,3}\d{1,3}$/;

/** Where the word at `at` ends. */
export function bareEnd(text: string, at: number): number | undefined {
  return stickyEnd(BARE, text, at);
}

function bareValue(text: string, at: number, until: string): Value | undefined {
  const start = stickyEnd(SCHEME, text, at) ?? at;
  const end = bareEnd(text, start);
  if (end === undefined) return undefined;
  const value = text.slice(start, end);
  const ends =
    until === ''
      ? stickyEnd(BARE_END, text, end) !== undefined || (text[end] === ')' && isMixed(value))
      : text[end] === until;
  if (!ends || /^[$%]\w*$/.test(value)) return undefined;
  return { start, text: value, style: 'bare' };
}

const ELEMENT_TEXT = /[ \t]{0,8}\{?([^<>\n\r{}]{1,640})\}?(?:[ \t]{0,8}|\r?\n[ \t]{0,24})(?=<\/)/y;

/** What an element holds that is more than one word, or in braces. */
export function elementText(text: string, at: number): Value | undefined {
  ELEMENT_TEXT.lastIndex = at;
  const match = ELEMENT_TEXT.exec(text);
  const held = match?.[1];
  if (match === null || held === undefined) return undefined;
  return trimmed({ start: at + match[0].indexOf(held), text: held, style: 'quoted' });
}

/** Blanks beside a value are not of it. */
function trimmed(value: Value): Value {
  const text = value.text.trim();
  return text.length === value.text.length ? value : { ...value, start: value.start + value.text.indexOf(text), text };
}

const SPACED = /[\w+/=.~!@#%^&*?-]{6,256}(?![^\s,;"'])/y;

/** `token 9fQ2…`: a value behind nothing but a space. */
export function spaced(text: string, at: number): Value | undefined {
  const end = stickyEnd(SPACED, text, at);
  return end === undefined ? undefined : { start: at, text: text.slice(at, end), style: 'spaced' };
}
