import { createHash } from 'node:crypto';
import type { Claims, MappedClaims } from '../domain/claim-mapping.ts';
import { escapeHtml } from '../lib/escape-html.ts';

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'td,th{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0;overflow-wrap:anywhere}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing runs on the page, and it sends nothing. */
export const PAGE_HEADERS: [string, string][] = [
  [
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  ],
];

/** The result of a try-out: what came, and what it would map to. */
export function claimsPage(
  connection: string,
  result: { fault: string } | { claims: Claims; mapped: MappedClaims },
): string {
  const body = 'fault' in result ? faultOf(result.fault) : resultOf(result.claims, result.mapped);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Test of ${escapeHtml(connection)}</title><style>${STYLE}</style>
<h1>Test of ${escapeHtml(connection)}</h1>
<p>Nobody was signed in.</p>
${body}</html>
`;
}

function faultOf(fault: string): string {
  return `<h2>It would be refused</h2><p>${escapeHtml(fault)}</p>`;
}

function resultOf(claims: Claims, mapped: MappedClaims): string {
  return `${mapped.ok ? personOf(mapped.person) : faultOf(mapped.fault)}<h2>Claims received</h2>${table([...claims])}`;
}

function personOf({
  subject,
  email,
  name,
  roles,
  rolesFromClaims,
}: Extract<MappedClaims, { ok: true }>['person']): string {
  const shown = roles.length === 0 ? ['none: the sign-in would be refused'] : roles;
  const when = rolesFromClaims ? 'set anew at each sign-in' : 'given at the first sign-in';
  return `<h2>Would be signed in</h2>${table([
    ['subject', [subject]],
    ['e-mail', [email]],
    ['name', [name]],
    [`roles (${when})`, shown],
  ])}`;
}

function table(rows: [name: string, values: readonly string[]][]): string {
  const lines = rows.map(
    ([name, values]) => `<tr><th>${escapeHtml(name)}</th><td>${values.map(escapeHtml).join('<br>')}</td></tr>`,
  );
  return `<table>${lines.join('')}</table>`;
}
