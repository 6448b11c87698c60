import { parsedUrl } from '../lib/parsed-url.ts';
import type { PlatformRequest } from './http.ts';
import type { Site } from './site.ts';

type Headers = PlatformRequest['headers'];

/**
 * Whether the browser says that a page of this service makes the request, or the person themselves: by its fetch metadata, which no
 * page can forge, else by its Origin. Without either it is not believed.
 */
export function isSameOrigin(headers: Headers, site: Site): boolean {
  const fetchSite = headers.get('sec-fetch-site');
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none';
  return headers.get('origin') === new URL(site.baseUrl).origin;
}

/**
 * The same for a request that only navigates, and has no Origin as a rule: then by its Referer. What a browser fetches ahead, in case
 * somebody should click, nobody meant.
 */
export function isMeantHere(headers: Headers, site: Site): boolean {
  if (headers.has('sec-purpose')) return false;
  if (headers.has('sec-fetch-site') || headers.has('origin')) return isSameOrigin(headers, site);
  const referer = headers.get('referer') ?? '';
  return parsedUrl(referer)?.origin === new URL(site.baseUrl).origin;
}
