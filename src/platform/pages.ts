import { createHash } from 'node:crypto';
import { escapeHtml } from '../lib/escape-html.ts';
import { LOGIN_PATH } from './addresses.ts';
import {
  html,
  isRefusal,
  type PlainAnswer,
  type PlatformAnswer,
  type PlatformRequest,
  type Refusal,
  type Route,
} from './http.ts';
import { isPlainLoopback, type Site } from './site.ts';

const STYLE = `body{font:1.1rem/1.6 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem;color-scheme:light dark}
h1{font-size:1.5rem}label{display:block;margin:1rem 0 .25rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem}
button{font:inherit;margin-top:1rem;padding:.5rem 1.25rem}[role=alert]{font-weight:600}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** What a page shows. `body` is HTML: everything in it that came from outside has been escaped. */
export interface PageContent {
  title: string;
  body: string;
}

/** A page that needs no script and may load nothing. */
export function page(site: Site, content: PageContent, headers: readonly [string, string][] = []): PlainAnswer {
  return html(document(content), [...pageHeaders(site), ...headers]);
}

/** The same refusal, shown as `content` where a person's browser asked for a page; programs get the Problem. */
export function withPage(site: Site, refusal: Refusal, request: PlatformRequest, content: PageContent): Refusal {
  if (!(request.headers.get('accept') ?? '').includes('text/html')) return refusal;
  return { ...refusal, headers: [...pageHeaders(site), ...refusal.headers], page: document(content) };
}

/** `route` as people's browsers come to it: what it refuses is shown with its detail and a way back to the sign-in page. */
export function forPeople(site: Site, route: Route): Route {
  const handle = async (request: PlatformRequest): Promise<PlatformAnswer> => {
    const answer = await route.handle(request);
    return isRefusal(answer) && answer.page === undefined ? refusalPage(site, answer, request) : answer;
  };
  return { ...route, handle };
}

function refusalPage(site: Site, refusal: Refusal, request: PlatformRequest): Refusal {
  const body = `<p role="alert">${escapeHtml(sentence(refusal.detail))}</p><p><a href="${LOGIN_PATH}">Sign in</a></p>`;
  return withPage(site, refusal, request, { title: 'This did not work', body });
}

export function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

/** `text` as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function document({ title, body }: PageContent): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Gatehouse</title>
<style>${STYLE}</style>
<main><h1>${escapeHtml(title)}</h1>${body}</main></html>
`;
}

function pageHeaders(site: Site): [string, string][] {
  // A form may lead on to an identity provider, and some browsers hold the redirect after a form to this list, too.
  const elsewhere = isPlainLoopback(site) ? 'https: http:' : 'https:';
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${elsewhere}; frame-ancestors 'none'; base-uri 'none'`;
  return [
    ['content-security-policy', policy],
    // Not "no-referrer": under that a browser sends forms with "Origin: null".
    ['referrer-policy', 'same-origin'],
    ['x-frame-options', 'DENY'],
  ];
}
