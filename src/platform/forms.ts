import { type PlatformRequest, type Refusal, refuse } from './http.ts';
import { isSameOrigin } from './same-origin.ts';
import type { Site } from './site.ts';

/** Largest body of a form of ours, in bytes. */
export const FORM_BYTES_MAX = 16 * 1024;

/**
 * The fields of a form that a page of ours posted. A form of another site is refused: signing somebody in as somebody else is an
 * attack, too.
 */
export function readForm(request: PlatformRequest, site: Site): URLSearchParams | Refusal {
  if (!isSameOrigin(request.headers, site)) return refuse('forbidden', 'the form was sent by a page of another site');
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    return refuse('invalid-request', 'send the fields with content-type: application/x-www-form-urlencoded');
  return new URLSearchParams(request.body.toString('utf8'));
}

export function isForm(form: URLSearchParams | Refusal): form is URLSearchParams {
  return form instanceof URLSearchParams;
}
