import { isIPv4, isIPv6 } from 'node:net';

/** IPv4 addresses written as IPv6 ones, in the form that `URL` gives them. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

/**
 * The network that an address is counted with: an IPv4 address itself, of an IPv6 address its first 64 bits, since whoever has
 * one address of a /64 has all of them. Anything else is one network.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return 'unknown';
  // Canonical: lower case, no leading zeros, the longest run of zeros as "::".
  const { hostname } = new URL(`http://[${plain}]`);
  const mapped = MAPPED.exec(hostname);
  if (mapped !== null) return ipv4Of(mapped[1] as string, mapped[2] as string);
  const [left = '', right = ''] = hostname.slice(1, -1).split('::');
  const head = groups(left);
  const tail = groups(right);
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return `${all.slice(0, 4).join(':')}::/64`;
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function ipv4Of(high: string, low: string): string {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
