import { isLoopbackHost } from '../lib/loopback.ts';

/**
 * Where the service is reached, as the operator says: never taken from a request's Host header. Known for certain only once
 * the service listens, since the port may be any free one.
 */
export interface Site {
  readonly baseUrl: string;
}

/** Whether people reach the service by plain http on their own machine: the one place where a cookie needs no TLS. */
export function isPlainLoopback({ baseUrl }: Site): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && (isLoopbackHost(hostname) || hostname.endsWith('.localhost'));
}

/** The whole address of a path of the service. */
export function wholeAddress({ baseUrl }: Site, path: string): string {
  return `${baseUrl}${path}`;
}
