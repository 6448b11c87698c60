/**
 * Words that can be told from chance when they come again: addresses, hosts, account and other numbers, handles,
 * identifiers with a digit, paths. In lower case, and in one form whatever they were wrapped in.
 */
export function tellingTokens(text: string, countMax: number): Set<string> {
  const found = new Set<string>();
  const part = text.length > TOKEN_TEXT_CHARS_MAX ? text.slice(0, TOKEN_TEXT_CHARS_MAX) : text;
  if (!MAY_TELL.test(part)) return found;
  WORD.lastIndex = 0;
  for (let match = WORD.exec(part); match !== null && found.size < countMax; match = WORD.exec(part)) {
    if (mayTell(match[0])) addToken(match[0], found);
  }
  GROUPED.lastIndex = 0;
  for (let match = GROUPED.exec(part); match !== null && found.size < countMax; match = GROUPED.exec(part)) {
    if (!DATE_OR_TIME.test(match[0])) found.add(match[0].toLowerCase().replace(/[+ -]/g, ''));
  }
  return found;
}

/** An IBAN or another long number in groups, which is one word without what stands between them. */
const GROUPED =
  /\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?\b|(?:\+\d{1,4}|\b\d{2,6})(?:[ -]\d{2,6}){2,6}\b/g;

/** What every text with a telling token has. */
const MAY_TELL = /[0-9@.:?]/;

/** Whether `written` has what every telling token has: a digit, an `@`, a mark between its letters, or a path and a query. Most words have none. */
function mayTell(written: string): boolean {
  for (let at = 0; at < written.length; at++) {
    const code = written.charCodeAt(at);
    if ((code >= 0x30 && code <= 0x39) || code === AT_SIGN) return true;
    if (code === QUESTION_MARK && written.startsWith('/')) return true;
    if ((code === FULL_STOP || code === COLON) && at > 0 && at < written.length - 1) return true;
  }
  return false;
}

const AT_SIGN = 0x40;
const QUESTION_MARK = 0x3f;
const FULL_STOP = 0x2e;
const COLON = 0x3a;

const TOKEN_TEXT_CHARS_MAX = 65_536;

/**
 * Whether `token` leads somewhere by itself: an address, a host, a number as long as an account's. Others, such as
 * `p-1234`, only mean something to the tool that gave them out.
 */
export function isAddress(token: string): boolean {
  return (
    token.includes('@') ||
    HOST.test(token) ||
    /^\d{6,}$/.test(token) ||
    BANK_ACCOUNT.test(token) ||
    WALLET.test(token) ||
    NETWORK.test(token)
  );
}

/** Whether `token` is somebody's: a mailbox, an account or a wallet. Hosts and numbers stand in any program. */
export function isOfSomebody(token: string): boolean {
  return /^[^@]{1,64}@[^@]{1,190}\.[a-z]{2,24}$/.test(token) || BANK_ACCOUNT.test(token) || WALLET.test(token);
}

/** Addresses of the network, with how much of them counts or without. */
const NETWORK = /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/;

/** An IBAN, of a state whose numbers begin with the bank's letters too. */
const BANK_ACCOUNT = /^[a-z]{2}\d{2}[a-z]{0,4}\d{6,28}[a-z]{0,4}$/;

const WALLET = /^0x[0-9a-f]{36,40}$/;

/** A number with its thousands set off; else what stands between blanks, quotes and brackets. */
const WORD = /\d{1,3}(?:,\d{3}){1,4}(?![\d,])|[^\s"'`<>()[\]{},;|\\]{3,256}/g;

function addToken(written: string, into: Set<string>): void {
  const token = trimmed(written.toLowerCase());
  if (token.length < 3) return;
  const at = token.indexOf('@');
  if (at >= 0) {
    into.add(token.replace(/^mailto:/, ''));
    return;
  }
  const scheme = token.indexOf('://');
  if (scheme > 0) {
    const rest = token.slice(scheme + 3);
    into.add(rest.replace(/\/$/, ''));
    into.add(hostOf(rest));
    const open = openAddress(rest);
    if (open !== undefined) into.add(open);
    return;
  }
  // An address within a site, of which something is left open: `/quote?name=&age=`.
  const path = token.startsWith('/') ? openPath(token) : undefined;
  if (path !== undefined) into.add(path);
  if (HOST.test(token)) into.add(token.replace(/^www\./, ''));
  else if (token.length >= 4 && /\d/.test(token) && !DATE_OR_TIME.test(token)) into.add(digitsTogether(token));
}

const HOST = /^(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,18}(?:[/:].*)?$/;
/** Dates and times are in every text. */
const DATE_OR_TIME =
  /^(?:\d{4}-\d{2}(?:-\d{2})?(?:[t:][\d:.]*z?)?|\d{1,2}:\d{2}(?::\d{2})?(?:am|pm)?|(?:19|20)\d{2}|\d{1,2}\/\d{1,2}\/\d{2,4})$/;

function hostOf(rest: string): string {
  const host = /^[^/?#]{1,253}/.exec(rest)?.[0] ?? rest;
  return host
    .replace(/^.*@/, '')
    .replace(/:\d+$/, '')
    .replace(/^www\./, '');
}

/** `$3,000.00`, `123-1234-1234` and `DE89 3704…`: numbers are written in many ways. */
function digitsTogether(token: string): string {
  return /^[\d.,$€£-]+$/.test(token) ? token.replace(/\.0+$/, '').replace(/[.,$€£-]/g, '') : token;
}

function trimmed(token: string): string {
  let start = 0;
  let end = token.length;
  while (start < end && TRIMMED.has(token.charCodeAt(start)) && token[start] !== '/') start++;
  while (end > start && TRIMMED.has(token.charCodeAt(end - 1))) end--;
  return token.slice(start, end);
}

const TRIMMED = new Set([...'.:!?*=#~&%$€£+/-_'].map((sign) => sign.charCodeAt(0)));

/** An address up to where the value of its first parameter begins: `host/compare?rev`; undefined where it has none. */
export function openAddress(token: string): string | undefined {
  const query = token.indexOf('?');
  const name = query < 0 ? -1 : token.indexOf('=', query);
  return name < 0 || !HOST.test(token.slice(0, query)) ? undefined : token.slice(0, name);
}

/** The same of a path: `/quote?name`. */
export function openPath(token: string): string | undefined {
  const path = token.indexOf('/');
  const query = token.indexOf('?');
  const name = query < 0 ? -1 : token.indexOf('=', query);
  return path < 0 || name < 0 || path > query ? undefined : token.slice(path, name);
}
