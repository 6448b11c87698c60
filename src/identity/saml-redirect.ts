import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { RedirectParameters, SentMessage } from './saml-messages.ts';

const NAMES = ['SAMLRequest', 'RelayState', 'SigAlg', 'Signature'] as const;

/**
 * A request by HTTP-Redirect; undefined where `queryText` (as it was sent, without the `?`) holds none, or a parameter of it
 * twice. What is signed are these very characters, so that they are not encoded anew; other parameters are left out.
 */
export function readRedirect(queryText: string): Extract<SentMessage, { binding: 'redirect' }> | undefined {
  const pairs = queryText.split('&').map((pair) => ({ pair, at: pair.indexOf('=') }));
  const found = new Map<string, string>();
  for (const { pair, at } of pairs) {
    const name = NAMES.find((known) => known === pair.slice(0, at));
    if (name === undefined) continue;
    if (found.has(name)) return undefined;
    found.set(name, pair);
  }
  const parameters: RedirectParameters = { SAMLRequest: '', SigAlg: '', Signature: '' };
  for (const [name, pair] of found) {
    const value = decoded(pair.slice(name.length + 1));
    if (value === undefined) return undefined;
    parameters[name as keyof RedirectParameters] = value;
  }
  if (parameters.SAMLRequest === '') return undefined;
  const signed = (['SAMLRequest', 'RelayState', 'SigAlg'] as const).flatMap((name) => found.get(name) ?? []);
  return { binding: 'redirect', parameters, query: signed.join('&') };
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const inflate = promisify(inflateRaw);

/** The XML of a deflated message; undefined where it is none, or larger than `bytesMax`. */
export async function inflated(message: string, bytesMax: number): Promise<string | undefined> {
  try {
    return (await inflate(Buffer.from(message, 'base64'), { maxOutputLength: bytesMax })).toString('utf8');
  } catch {
    return undefined;
  }
}
