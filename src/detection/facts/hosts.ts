import { parsedUrl } from '../../lib/parsed-url.ts';
import { decodePercent } from './decode.ts';
import { classOfName } from './host-names.ts';
import {
  classOfIpv4,
  classOfIpv6,
  embeddedIpv4,
  formatIpv4,
  formatIpv6,
  type HostClass,
  parseIpv4,
  parseIpv6,
} from './ip.ts';
import { nestedUrls } from './nested-urls.ts';

export type { HostClass } from './ip.ts';

/** How a host was written in a way that hides which one it is. */
export const HOST_DISGUISES = [
  'unusual_notation',
  'unicode',
  'userinfo',
  'embedded_address',
  'nested_url',
  'malformed_address',
  'mapped_address',
] as const;
export type HostDisguise = (typeof HOST_DISGUISES)[number];

/** A host that a tool call or a command is going to talk to. */
export interface HostFact {
  /** Canonical: lower case, no trailing dot, IP addresses in their usual notation. */
  host: string;
  scheme: string | undefined;
  port: number | undefined;
  /** Decoded path of the URL, without query and fragment; empty where there is none. */
  path: string;
  class: HostClass;
  disguises: readonly HostDisguise[];
}

const NONE: readonly HostDisguise[] = [];

const HOST_CHARS_MAX = 1_024;

/** The class and canonical form of `written`, a host as it stands in a URL or a command. */
export function hostFact(written: string): Pick<HostFact, 'host' | 'class' | 'disguises'> | undefined {
  const disguises = new Set<HostDisguise>();
  // Behind a dollar sign stands what only the shell knows: `169.254.170.2$PATH_OF_CREDENTIALS`.
  const dollar = written.indexOf('$');
  const literal = dollar < 0 ? written : written.slice(0, dollar);
  const name = normalizeHost(literal.slice(0, HOST_CHARS_MAX), disguises);
  if (name === '') return undefined;
  const address = literalHost(name, disguises);
  if (address !== undefined) return { ...address, disguises: toList(disguises) };
  if (!/^[\p{L}\p{N}\p{M}._*-]+$/u.test(name)) return undefined;
  const { hostClass, embedded } = classOfName(name);
  if (embedded) disguises.add('embedded_address');
  if (/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)) disguises.add('malformed_address');
  return { host: name, class: hostClass, disguises: toList(disguises) };
}

function toList(disguises: Set<HostDisguise>): readonly HostDisguise[] {
  return disguises.size === 0 ? NONE : [...disguises];
}

function normalizeHost(written: string, disguises: Set<HostDisguise>): string {
  let name = written;
  if (name.includes('%') && !name.startsWith('[')) name = decodePercent(name).text;
  if (/[^\0-\x7f]/.test(name)) {
    // What IDNA does with compatibility characters: circled letters, fullwidth digits, ideographic full stops.
    const folded = name
      .normalize('NFKC')
      .replace(/[\u3002\uff0e\uff61]/g, '.')
      .replace(/\u00ad|\u200b|\u2060|\ufeff/g, '');
    if (folded !== name) disguises.add('unicode');
    name = folded;
  }
  return name.toLowerCase().replace(/\.+$/, '');
}

function literalHost(name: string, disguises: Set<HostDisguise>): Pick<HostFact, 'host' | 'class'> | undefined {
  const ipv4 = parseIpv4(name);
  if (ipv4 !== undefined) {
    if (ipv4.unusual) disguises.add('unusual_notation');
    return { host: formatIpv4(ipv4.address), class: classOfIpv4(ipv4.address) };
  }
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  const ipv6 = parseIpv6(bare);
  if (ipv6 === undefined) return undefined;
  const isMapped = embeddedIpv4(ipv6) !== undefined;
  if (bare.includes('.') || bare.includes('%') || isMapped) disguises.add('mapped_address');
  return { host: formatIpv6(ipv6), class: classOfIpv6(ipv6) };
}

interface UrlParts {
  scheme: string | undefined;
  host: string;
  port: number | undefined;
  path: string;
  userinfo: boolean;
  /** The parser's host is not how it was written. */
  rewritten: boolean;
  /** It was written in other characters than it has. */
  unicode: boolean;
}

/** A host with characters beyond ASCII, in a URL. */
const OTHER_CHARACTERS = /^[a-z]+:[/\\]*[^/\\?#]*[^\0-\x7f]/i;
const SPECIAL_SCHEMES = new Set(['http', 'https', 'ws', 'wss', 'ftp']);

/**
 * The hosts that the URL `text` leads to: its own, and those of URLs inside its path and query, which a redirector
 * or a server-side fetch would follow. A text without a scheme is read as a command would: `host:port/path`.
 */
export function hostsOfUrl(text: string): HostFact[] {
  const found: HostFact[] = [];
  const own = hostOfUrl(text);
  if (own !== undefined) found.push(own);
  for (const nested of nestedUrls(text)) {
    const fact = hostOfUrl(nested);
    if (fact !== undefined) found.push({ ...fact, disguises: [...fact.disguises, 'nested_url'] });
  }
  return found;
}

/** `text` in at most `charsMax` code units. A host counts that stands behind more than that of `user:password@`. */
export function shortenedUrl(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const scheme = /^\s{0,64}[a-z][a-z0-9+.-]{0,31}:[/\\]{0,8}/i.exec(text)?.[0] ?? '';
  const authority = /^[^/\\?#\s]*/.exec(text.slice(scheme.length))?.[0] ?? '';
  const at = authority.lastIndexOf('@');
  if (scheme.length + at < charsMax / 2) return text.slice(0, charsMax);
  return `${scheme}_@${text.slice(scheme.length + at + 1)}`.slice(0, charsMax);
}

function hostOfUrl(text: string): HostFact | undefined {
  const parts = splitUrl(text);
  if (parts === undefined) return undefined;
  const fact = hostFact(parts.host);
  if (fact === undefined) return undefined;
  const { scheme, port, path, userinfo, rewritten, unicode } = parts;
  let { disguises } = fact;
  if (userinfo || rewritten) {
    const all = new Set(disguises);
    if (userinfo) all.add('userinfo');
    if (rewritten) all.add(unicode ? 'unicode' : 'unusual_notation');
    disguises = toList(all);
  }
  // Field by field: spreading a fact costs more than all the rest.
  return { host: fact.host, scheme, port, path, class: fact.class, disguises };
}

function splitUrl(text: string): UrlParts | undefined {
  const trimmed = unwrapped(text.trim());
  if (/^(?:mailto|data|javascript|about|tel|blob|urn|cid):/i.test(trimmed)) return undefined;
  // Clients need no slash behind the schemes of the web: `http:host` is `http://host`.
  const scheme = /^([a-z][a-z0-9+.-]{0,31}):(?:(?=[/\\])|(?<=^(?:https?|wss?|ftp):)(?!\d{1,5}(?:\/|$)))/i.exec(trimmed);
  if (scheme === null) return splitByHand(`//${trimmed.replace(/^[/\\]+/, '')}`, undefined);
  const name = (scheme[1] as string).toLowerCase();
  if (name === 'file') return undefined;
  const rest = trimmed.slice(scheme[0].length);
  if (!SPECIAL_SCHEMES.has(name)) return splitByHand(rest, name);
  return splitPlain(trimmed, name) ?? splitByParser(trimmed, name) ?? splitByHand(rest, name);
}

/** `jar:http://host/a.jar!/entry` and other schemes around a URL. */
function unwrapped(text: string): string {
  const scheme = /^(?:jar|view-source|url|feed):(?=[a-z][a-z0-9+.-]*:)/i.exec(text);
  if (scheme === null) return text;
  const inner = text.slice(scheme[0].length);
  const entry = inner.indexOf('!');
  return entry < 0 ? inner : inner.slice(0, entry);
}

/** An address that the parser would give back as it stands, but for its query: most are. Its host ends in no number. */
const PLAIN = /^[a-z]{2,5}:\/\/((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)((?:\/[\w~!$&()*+,;=:@.-]*)*)(?=[?#]|$)/i;
const STEP = /\/\.{1,2}(?:\/|$)/;

function splitPlain(text: string, scheme: string): UrlParts | undefined {
  const parts = PLAIN.exec(text);
  if (parts === null) return undefined;
  const host = (parts[1] as string).toLowerCase();
  const path = parts[2] as string;
  if (host.includes('xn--') || STEP.test(path)) return undefined;
  return { scheme, host, port: undefined, path: path || '/', userinfo: false, rewritten: false, unicode: false };
}

/** The WHATWG parser's reading: what browsers and `fetch` will contact. */
function splitByParser(text: string, scheme: string): UrlParts | undefined {
  // Control characters inside are dropped by the parser, as clients do.
  const url = parsedUrl(text);
  if (url === undefined) return undefined;
  return {
    scheme,
    host: url.hostname,
    port: url.port === '' ? undefined : Number(url.port),
    path: decodePercent(url.pathname).text,
    userinfo: looksLikeHost(url.username, url.password !== ''),
    rewritten: !text.toLowerCase().includes(url.hostname),
    unicode: !url.hostname.includes('xn--') && OTHER_CHARACTERS.test(text),
  };
}

/** Whether somebody who reads `user@host` may take the user for the host: `admin:secret@` is a login, and said to be one. */
function looksLikeHost(user: string, hasPassword: boolean): boolean {
  return user === '' ? hasPassword : !hasPassword || !/^[\w-]{1,64}$/.test(user);
}

function userOf(userinfo: string): [user: string, hasPassword: boolean] {
  const colon = userinfo.indexOf(':');
  return colon < 0 ? [userinfo, false] : [userinfo.slice(0, colon), true];
}

/** For what the parser refuses (numbers that overflow) or does not look into (other schemes, no scheme). */
function splitByHand(rest: string, scheme: string | undefined): UrlParts | undefined {
  const body = rest.replace(/^[/\\]*/, '');
  const end = body.search(/[/\\?#!$]/);
  const authority = end < 0 ? body : body.slice(0, end);
  const at = authority.lastIndexOf('@');
  const hostPort = authority.slice(at + 1);
  const split = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?/.exec(hostPort);
  const host = split?.[1] ?? '';
  if (host === '') return undefined;
  const tail = end < 0 ? '' : body.slice(end);
  const pathEnd = tail.search(/[?#]/);
  return {
    scheme,
    host,
    port: split?.[2] === undefined ? undefined : Number(split[2]),
    path: decodePercent(pathEnd < 0 ? tail : tail.slice(0, pathEnd)).text,
    userinfo: at >= 0 && looksLikeHost(...userOf(authority.slice(0, at))),
    rewritten: false,
    unicode: false,
  };
}

/** The URLs with a scheme in `text`, at most `urlsMax`, each cut at `charsMax` code units. One pass. */
export function urlsIn(text: string, urlsMax: number, charsMax: number): { url: string; start: number; end: number }[] {
  const found: { url: string; start: number; end: number }[] = [];
  for (let at = text.indexOf('://'); at >= 0 && found.length < urlsMax; at = text.indexOf('://', at)) {
    let start = at;
    while (start > 0 && at - start < 16 && /[a-z0-9+.-]/i.test(text[start - 1] as string)) start--;
    let end = at + 3;
    while (end < text.length && end - start < charsMax && !/[\s"'`<>|]/.test(text[end] as string)) end++;
    if (start < at) found.push({ url: text.slice(start, end), start, end });
    at = end;
  }
  return found;
}
