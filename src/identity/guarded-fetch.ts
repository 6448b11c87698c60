import { type LookupAddress, lookup as resolve } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isProviderUrl } from '../domain/sso.ts';

/** A request to an identity provider that is not made, or an answer that is not taken. The message names no secret. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

export interface GuardedFetchOptions {
  /** Whether addresses of private networks (and this machine) may be asked. */
  privateNetworks: 'refuse' | 'allow';
  timeoutMs?: number;
  answerBytesMax?: number;
}

export interface GuardedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<Response>;

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 512 * 1024;

/**
 * Fetches what a tenant's settings name, without letting them reach into the network of the service (SSRF): https only (http
 * on this machine, where that is allowed), public addresses only, checked at the moment of connecting so that a name cannot
 * change its address after the check; no redirects, a time limit, and a bound on the answer.
 *
 * @throws {OutboundRefused}
 */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { privateNetworks, timeoutMs = TIMEOUT_MS, answerBytesMax = ANSWER_BYTES_MAX } = options;
  const isOpen = (address: string) => privateNetworks === 'allow' || !isPrivateAddress(address);
  const lookup = guardedLookup(isOpen);
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    if (!isProviderUrl(url)) throw new OutboundRefused('identity providers are asked over https only');
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isOpen(host)) throw refusedAddress();
    const payload = bodyOf(body);
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
      method,
      headers: { ...headers, ...(payload === undefined ? {} : { 'content-length': payload.length }) },
      lookup,
      // A connection of its own, which nothing else was checked for.
      agent: false,
    });
    request.end(payload);
    return answerTo(request, { timeoutMs, signal, answerBytesMax });
  };
}

/** The whole answer. Settles within `timeoutMs`, whatever the other end does, and leaves no connection behind. */
async function answerTo(
  request: ClientRequest,
  { timeoutMs, signal, answerBytesMax }: { timeoutMs: number; signal: AbortSignal | undefined; answerBytesMax: number },
): Promise<Response> {
  let giveUp = () => {};
  const tooLate = new Promise<never>((_, reject) => {
    giveUp = () => reject(new OutboundRefused('the identity provider did not answer in time'));
  });
  const limit = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([tooLate, answered(request, answerBytesMax)]);
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', giveUp);
    request.destroy();
  }
}

function answered(request: ClientRequest, answerBytesMax: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    request.once('response', (answer) => {
      isAnswered = true;
      readAnswer(answer, answerBytesMax).then(resolve, reject);
    });
    // Taken off the request, which then knows of no end or fault any more.
    request.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new OutboundRefused('the identity provider answered in another protocol than HTTP'));
    });
    // Stays: what fails after the end is nobody's business, but must not be without a listener.
    request.on('error', reject);
    request.once('close', () => {
      if (!isAnswered) reject(new OutboundRefused('the identity provider closed the connection without an answer'));
    });
  });
}

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new OutboundRefused('a request body of an unknown kind');
}

async function readAnswer(answer: IncomingMessage, bytesMax: number): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      answer.destroy();
      throw new OutboundRefused(`the identity provider answered with more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return responseOf(answer, Buffer.concat(chunks));
}

const WITHOUT_BODY = [204, 205, 304];

function responseOf(answer: IncomingMessage, body: Buffer): Response {
  const status = answer.statusCode ?? 0;
  try {
    return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers: headersOf(answer) });
  } catch {
    // It takes fewer statuses and headers than the parser lets through.
    throw new OutboundRefused(`the identity provider gave an answer that cannot be used, with status ${status}`);
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

function guardedLookup(isOpen: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return done(error, []);
      const [first] = addresses;
      // One private address among several is enough: which of them is connected to is not for the name's owner to choose.
      if (first === undefined || addresses.some(({ address }) => !isOpen(address))) return done(refusedAddress(), []);
      if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

function refusedAddress(): OutboundRefused {
  return new OutboundRefused(
    'the identity provider is in a private network; the operator can allow that with GATEHOUSE_SSO_PRIVATE_NETWORKS=allow',
  );
}

/** Everything that the IANA registries do not call globally reachable, and the prefixes that carry IPv4 inside IPv6. */
const PRIVATE = new BlockList();
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
for (const [family, subnets] of [
  ['ipv4', PRIVATE_IPV4],
  ['ipv6', PRIVATE_IPV6],
] as const) {
  for (const subnet of subnets) {
    const [net = '', bits] = subnet.split('/');
    PRIVATE.addSubnet(net, Number(bits), family);
  }
}

/** Whether an address is anything but one of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return PRIVATE.check(address, 'ipv4');
  const plain = address.split('%')[0] ?? '';
  return plain !== address || !GLOBAL_IPV6.check(plain, 'ipv6') || PRIVATE.check(plain, 'ipv6');
}
