import { type GuardedFetch, OutboundRefused } from './guarded-fetch.ts';

/** Fetches metadata from where the service may ask (see `guardedFetch`). @throws {OutboundRefused} */
export function metadataFetcher(fetch: GuardedFetch): (url: string) => Promise<string> {
  return async (url) => {
    const response = await fetch(url, {
      headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    });
    if (response.status !== 200) throw new OutboundRefused(`it answered with status ${response.status}`);
    return response.text();
  };
}
