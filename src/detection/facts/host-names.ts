import { classOfIpv4, classOfIpv6, type HostClass, parseIpv4, parseIpv6 } from './ip.ts';

/** What the names of hosts tell without a resolver. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

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
  'metadata.exoscale.com',
  'metadata.vultr.com',
  'metadata.linode.com',
  'metadata.hetzner.cloud',
  'metadata.aliyun.com',
  'metadata.ovh.net',
  'aws-metadata',
  'ec2-metadata',
  'gce-metadata',
]);

const LOOPBACK_NAMES = new Set(['localhost', 'ip6-localhost', 'ip6-loopback', 'localhost.localdomain', 'loopback']);
/** Public names that are known to resolve to 127.0.0.1. */
const LOOPBACK_DOMAINS = words(
  'localhost localtest.me lvh.me vcap.me lacolhost.com yoogle.com fbi.com bugbounty.dod.network mail.ebc.apple.com spoofed.burpcollaborator.net localho.st localh.st local.gd fuf.me lcl.host smackaho.st 127-0-0-1.org.uk loopback.website',
);
/** Public DNS services that resolve a name to the address written in it. */
const ECHOING_DOMAINS = words(
  'nip.io sslip.io xip.io xip.name 1u.ms rbndr.us nip.fr ip6.name traefik.me local-ip.co local-ip.sh backname.io rebind.network rebind.it',
);
const PRIVATE_SUFFIXES = words('local internal lan intranet corp home home.arpa localdomain private svc consul');

/** What the host called `name` is, and whether the name is there to hide an address in it. */
export function classOfName(name: string): { hostClass: HostClass; embedded: boolean } {
  const embedded = addressInName(name);
  return { hostClass: embedded ?? plainClassOf(name), embedded: embedded !== undefined };
}

function plainClassOf(name: string): HostClass {
  if (METADATA_NAMES.has(name)) return 'metadata';
  if (LOOPBACK_NAMES.has(name) || LOOPBACK_DOMAINS.has(name) || domainIn(name, LOOPBACK_DOMAINS) !== undefined)
    return 'loopback';
  if (!name.includes('.')) return 'private';
  return domainIn(name, PRIVATE_SUFFIXES) === undefined ? 'public' : 'private';
}

/** Of those of `domains` that `name` lies below, the longest. */
function domainIn(name: string, domains: ReadonlySet<string>): string | undefined {
  let found: string | undefined;
  let dot = name.lastIndexOf('.');
  for (let labels = 1; dot >= 0 && labels <= DOMAIN_LABELS_MAX; labels++) {
    const domain = name.slice(dot + 1);
    if (domains.has(domain)) found = domain;
    dot = dot === 0 ? -1 : name.lastIndexOf('.', dot - 1);
  }
  return found;
}

/** None of the listed domains has more. */
const DOMAIN_LABELS_MAX = 4;

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
  const domain = domainIn(name, ECHOING_DOMAINS);
  if (domain === undefined) return undefined;
  const labels = name.slice(0, -domain.length - 1);
  let found: HostClass | undefined;
  const offerClass = (candidate: HostClass): void => {
    if (found === undefined || CLASS_RANK[candidate] > CLASS_RANK[found]) found = candidate;
  };
  const offer = (address: number): void => offerClass(classOfIpv4(address));
  for (const match of labels.matchAll(/(?<![0-9])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![0-9])/g)) {
    const literal = parseIpv4(match.slice(1, 5).join('.'));
    if (literal !== undefined) offer(literal.address);
  }
  for (const match of labels.matchAll(/(?<![0-9a-f])[0-9a-f]{8}(?![0-9a-f])/g)) offer(Number.parseInt(match[0], 16));
  // `--1` and `fe80--1` are IPv6 with dashes.
  const ipv6 = /(?:^|\.)([0-9a-f-]*--[0-9a-f-]*)$/.exec(labels)?.[1];
  const groups = ipv6 === undefined ? undefined : parseIpv6(ipv6.replaceAll('-', ':'));
  if (groups !== undefined) offerClass(classOfIpv6(groups));
  return found;
}
