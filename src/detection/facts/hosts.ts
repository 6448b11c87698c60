import { decodePercent } from './decode.ts';
import { classOfIpv4, classOfIpv6, formatIpv4, formatIpv6, type HostClass, parseIpv4, parseIpv6 } from './ip.ts';

export type { HostClass } from './ip.ts';

/** How a host was written in a way that hides which one it is. */
export type HostDisguise =
  | 'unusual_notation'
  | 'unicode'
  | 'userinfo'
  | 'embedded_address'
  | 'nested_url'
  | 'mapped_address';

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

/** Names under which clouds serve instance metadata. */
const METADATA_NAMES = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'metadata',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.azure.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.oraclecloud.com',
  'api.metadata.cloud.ibm.com',
  'metadata.digitalocean.com',
  'metadata.nicp.io',
  'rancher-metadata',
  'rancher-metadata.rancher.internal',
  'link-local.s3',
]);

const LOOPBACK_NAMES = new Set(['localhost', 'ip6-localhost', 'ip6-loopback', 'localhost.localdomain', 'loopback']);
/** Public names that are known to resolve to 127.0.0.1. */
const LOOPBACK_DOMAINS = [
  'localhost',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'lacolhost.com',
  'yoogle.com',
  'fbi.com',
  'bugbounty.dod.network',
];
/** Public DNS services that resolve a name to the address written in it. */
const ECHOING_DOMAINS = [
  'nip.io',
  'sslip.io',
  'xip.io',
  'xip.name',
  '1u.ms',
  'rbndr.us',
  'nip.fr',
  'ip6.name',
  'traefik.me',
  'local-ip.co',
];
const PRIVATE_SUFFIXES = [
  'local',
  'internal',
  'lan',
  'intranet',
  'corp',
  'home',
  'home.arpa',
  'localdomain',
  'private',
  'svc',
];

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
  return { host: name, class: classOfName(name, disguises), disguises: toList(disguises) };
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
  if (bare.includes('.') || bare.includes('%')) disguises.add('mapped_address');
  return { host: formatIpv6(ipv6), class: classOfIpv6(ipv6) };
}

function classOfName(name: string, disguises: Set<HostDisguise>): HostClass {
  if (METADATA_NAMES.has(name)) return 'metadata';
  if (LOOPBACK_NAMES.has(name) || LOOPBACK_DOMAINS.some((domain) => name.endsWith(`.${domain}`) || name === domain)) {
    return 'loopback';
  }
  const embedded = addressInName(name);
  if (embedded !== undefined) {
    disguises.add('embedded_address');
    return embedded;
  }
  if (!name.includes('.')) return 'private';
  return PRIVATE_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`)) ? 'private' : 'public';
}

const CLASS_RANK: Readonly<Record<HostClass, number>> = {
  metadata: 5,
  link_local: 4,
  loopback: 3,
  unspecified: 2,
  private: 1,
  public: 0,
};

/** The most internal class of the addresses in a name below a service that echoes them back: `169-254-169-254.nip.io`. */
function addressInName(name: string): HostClass | undefined {
  const domain = ECHOING_DOMAINS.find((candidate) => name.endsWith(`.${candidate}`));
  if (domain === undefined) return undefined;
  const labels = name.slice(0, -domain.length - 1);
  let found: HostClass | undefined;
  const offer = (address: number): void => {
    const candidate = classOfIpv4(address);
    if (found === undefined || CLASS_RANK[candidate] > CLASS_RANK[found]) found = candidate;
  };
  for (const match of labels.matchAll(/(?<![0-9])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![0-9])/g)) {
    const literal = parseIpv4(match.slice(1, 5).join('.'));
    if (literal !== undefined) offer(literal.address);
  }
  for (const match of labels.matchAll(/(?<![0-9a-f])[0-9a-f]{8}(?![0-9a-f])/g)) offer(Number.parseInt(match[0], 16));
  return found;
}

interface UrlParts {
  scheme: string | undefined;
  host: string;
  port: number | undefined;
  path: string;
  userinfo: boolean;
  /** The parser's host is not how it was written. */
  rewritten: boolean;
}

const SPECIAL_SCHEMES = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
const NESTED_URLS_MAX = 4;

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

function hostOfUrl(text: string): HostFact | undefined {
  const parts = splitUrl(text);
  if (parts === undefined) return undefined;
  const fact = hostFact(parts.host);
  if (fact === undefined) return undefined;
  const disguises = new Set(fact.disguises);
  if (parts.userinfo) disguises.add('userinfo');
  if (parts.rewritten) disguises.add('unusual_notation');
  return { ...fact, disguises: toList(disguises), scheme: parts.scheme, port: parts.port, path: parts.path };
}

function splitUrl(text: string): UrlParts | undefined {
  const trimmed = unwrapped(text.trim());
  if (/^(?:mailto|data|javascript|about|tel|blob|urn|cid):/i.test(trimmed)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]{0,31}):(?=\/|\\)/i.exec(trimmed);
  if (scheme === null) return splitByHand(`//${trimmed.replace(/^[/\\]+/, '')}`, undefined);
  const name = (scheme[1] as string).toLowerCase();
  if (name === 'file') return undefined;
  const rest = trimmed.slice(scheme[0].length);
  if (!SPECIAL_SCHEMES.has(name)) return splitByHand(rest, name);
  return splitByParser(trimmed, name) ?? splitByHand(rest, name);
}

/** `jar:http://host/a.jar!/entry` and other schemes around a URL. */
function unwrapped(text: string): string {
  const scheme = /^(?:jar|view-source|url|feed):(?=[a-z][a-z0-9+.-]*:)/i.exec(text);
  if (scheme === null) return text;
  const inner = text.slice(scheme[0].length);
  const entry = inner.indexOf('!');
  return entry < 0 ? inner : inner.slice(0, entry);
}

/** The WHATWG parser's reading: what browsers and `fetch` will contact. */
function splitByParser(text: string, scheme: string): UrlParts | undefined {
  // Control characters inside are dropped by the parser, as clients do.
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return {
    scheme,
    host: url.hostname,
    port: url.port === '' ? undefined : Number(url.port),
    path: decodePercent(url.pathname).text,
    userinfo: url.username !== '' || url.password !== '',
    rewritten: !text.toLowerCase().includes(url.hostname),
  };
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
    userinfo: at >= 0,
    rewritten: false,
  };
}

function nestedUrls(text: string): string[] {
  const first = text.indexOf('://');
  const from = first < 0 ? 0 : first + 3;
  const tail = text.slice(from);
  if (!tail.includes('://') && !/%3a|%253a/i.test(tail)) return [];
  const decoded = decodePercent(decodePercent(tail).text).text;
  const found: string[] = [];
  for (
    let at = decoded.indexOf('://');
    at >= 0 && found.length < NESTED_URLS_MAX;
    at = decoded.indexOf('://', at + 3)
  ) {
    const scheme = /[a-z][a-z0-9+.-]{0,15}$/i.exec(decoded.slice(Math.max(0, at - 16), at));
    if (scheme === null) continue;
    const end = decoded.slice(at + 3).search(/[\s"'<>&]/);
    found.push(decoded.slice(at - scheme[0].length, end < 0 ? undefined : at + 3 + end));
  }
  return found;
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
