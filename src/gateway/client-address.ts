import { isIP } from 'node:net';

/**
 * The address a request came from: `peer`, who opened the connection, or with `hops` proxies in front the address that the
 * outermost of them saw. Only what those proxies wrote at the end of `X-Forwarded-For` is believed; what stands before it, anybody
 * can send. A request that did not pass through as many proxies is its peer's.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, hops: number): string {
  if (hops === 0 || forwardedFor === undefined) return peer;
  const seen = forwardedFor.split(',').at(-hops);
  const address = seen === undefined ? undefined : withoutPort(seen.trim());
  return address !== undefined && isIP(address) !== 0 ? address : peer;
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  return bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
