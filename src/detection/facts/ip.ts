/** IP address literals in every notation that resolvers and HTTP clients accept, and what an address is for. */

export const HOST_CLASSES = ['loopback', 'private', 'link_local', 'metadata', 'public', 'unspecified'] as const;
export type HostClass = (typeof HOST_CLASSES)[number];

export interface Ipv4Literal {
  /** The address as a number, 0 to 2³² − 1. */
  address: number;
  /** Not written as four plain decimal numbers. */
  unusual: boolean;
}

const PART = /^(?:0x[0-9a-f]*|0o?[0-7]*|[0-9]+)$/i;

/**
 * The address that `host` stands for under inet_aton's rules: one to four parts, each decimal, octal (`0177`, `0o177`)
 * or hexadecimal (`0x7f`), the last one filling what is left. Values that are too large wrap around, as they do in
 * clients that do not check: `425.510.425.510` and `7147006462` both reach 169.254.169.254.
 */
export function parseIpv4(host: string): Ipv4Literal | undefined {
  const first = host.charCodeAt(0);
  if (first < 48 || first > 57) return undefined;
  const parts = (host.endsWith('.') ? host.slice(0, -1) : host).split('.');
  if (parts.length > 4 || parts.some((part) => part === '' || part.length > 32 || !PART.test(part))) return undefined;
  let address = 0n;
  let unusual = parts.length !== 4;
  for (const [index, part] of parts.entries()) {
    const value = partValue(part);
    unusual ||= value > 255n || (part.length > 1 && part.startsWith('0'));
    const last = index === parts.length - 1;
    const bits = BigInt(8 * (last ? 4 - index : 1));
    address = (address << bits) | (value & ((1n << bits) - 1n));
  }
  return { address: Number(address & 0xffffffffn), unusual };
}

function partValue(part: string): bigint {
  const lower = part.toLowerCase();
  if (lower === '0x' || lower === '0o') return 0n;
  if (lower.startsWith('0x') || lower.startsWith('0o')) return BigInt(lower);
  if (lower.length > 1 && lower.startsWith('0') && /^[0-7]+$/.test(lower)) return BigInt(`0o${lower}`);
  return BigInt(part);
}

export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** The eight 16-bit groups of the IPv6 literal `host` (no brackets; a zone id is dropped), or undefined. */
export function parseIpv6(host: string): number[] | undefined {
  const zone = host.indexOf('%');
  const text = zone < 0 ? host : host.slice(0, zone);
  if (text.length > 64 || !text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] as string);
  const tail = halves.length === 2 ? parseGroups(halves[1] as string) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function parseGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part);
      if (embedded === undefined) return undefined;
      groups.push(embedded.address >>> 16, embedded.address & 0xffff);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups;
}

/** Addresses at which clouds serve instance metadata and credentials. */
const METADATA_IPV4 = new Set([
  '169.254.169.254', // AWS, Google, Azure, DigitalOcean, OpenStack, Hetzner, Oracle, Equinix
  '169.254.170.2', // AWS ECS task credentials
  '169.254.170.23', // AWS EKS pod identity
  '169.254.169.249', // Oracle classic
  '169.254.0.23', // Tencent
  '169.254.10.10', // Tencent
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle classic
  '168.63.129.16', // Azure WireServer
  '169.254.42.42', // Scaleway
]);

export function classOfIpv4(address: number): HostClass {
  const a = address >>> 24;
  const b = (address >>> 16) & 255;
  if (a === 127) return 'loopback';
  if (a === 0) return 'unspecified';
  if ((a === 169 || a === 100 || a === 192 || a === 168) && METADATA_IPV4.has(formatIpv4(address))) return 'metadata';
  if (a === 169 && b === 254) return 'link_local';
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return 'private';
  // Carrier-grade NAT, benchmarking, multicast and reserved ranges (RFC 6890): none is on the public internet.
  if ((a === 100 && b >= 64 && b < 128) || (a === 198 && (b === 18 || b === 19)) || a >= 224) return 'private';
  return 'public';
}

const METADATA_IPV6 = new Set([
  'fd00:ec2:0:0:0:0:0:254', // AWS
  'fd00:ec2:0:0:0:0:0:23', // AWS EKS pod identity
  'fd20:ce:0:0:0:0:0:254', // Google
  'fd00:c1:0:0:0:0:a9fe:a9fe', // Oracle
  'fe80:0:0:0:0:0:a9fe:a9fe', // OpenStack
  'fd00:42:0:0:0:0:0:42', // Scaleway
  'fd00:a9fe:a9fe:0:0:0:0:1', // Linode
]);

export function classOfIpv6(groups: readonly number[]): HostClass {
  const text = groups.map((group) => group.toString(16)).join(':');
  if (METADATA_IPV6.has(text)) return 'metadata';
  const embedded = embeddedIpv4(groups);
  if (embedded !== undefined) return classOfIpv4(embedded);
  if (groups.slice(0, 7).every((group) => group === 0)) return groups[7] === 1 ? 'loopback' : 'unspecified';
  const top = groups[0] as number;
  if ((top & 0xffc0) === 0xfe80) return 'link_local';
  if ((top & 0xfe00) === 0xfc00 || (top & 0xffc0) === 0xfec0 || (top & 0xff00) === 0xff00) return 'private';
  return 'public';
}

/** The IPv4 address inside a mapped, compatible, NAT64, 6to4, ISATAP or Teredo address. */
export function embeddedIpv4(groups: readonly number[]): number | undefined {
  const at = (index: number): number => groups[index] as number;
  const last = at(6) * 65_536 + at(7);
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (zeros(5) && at(5) === 0xffff) return last;
  if (zeros(4) && at(4) === 0xffff && at(5) === 0) return last;
  if (zeros(6) && last > 0xffff) return last;
  if (at(0) === 0x64 && at(1) === 0xff9b) return last;
  if (at(0) === 0x2002) return at(1) * 65_536 + at(2);
  if (at(0) === 0x2001 && at(1) === 0) return (~last & 0xffffffff) >>> 0;
  if (at(5) === 0x5efe && (at(4) & 0xfdff) === 0) return last;
  return undefined;
}

/** The shortest text of an IPv6 address (RFC 5952). */
export function formatIpv6(groups: readonly number[]): string {
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (best.start < 0) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}
