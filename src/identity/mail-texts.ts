import { escapeHtml } from '../lib/escape-html.ts';
import type { Mail } from './mailer.ts';

const NAME_CHARS_MAX = 80;

/** The mail with the link that somebody asked for to sign in. */
export function signInMail(to: string, link: string): Mail {
  return mail({
    to,
    link,
    subject: 'Your sign-in link for Gatehouse',
    before: 'Open this link in the browser in which you asked for it. It works once, within 15 minutes:',
    button: 'Sign in to Gatehouse',
    after: 'If you did not ask for it, ignore this message: nobody can sign in with it but you.',
  });
}

/** The mail with which somebody is invited to a tenant. The names are people's own words, made one short line. */
export function invitationMail(to: string, link: string, by: { tenantName: string; invitedBy: string }): Mail {
  const tenant = oneLine(by.tenantName);
  return mail({
    to,
    link,
    subject: `You are invited to ${tenant} on Gatehouse`,
    before: `${oneLine(by.invitedBy)} invites you to ${tenant} on Gatehouse. This link signs you in. It works once, within 7 days:`,
    button: 'Accept the invitation',
    after: 'Do not hand it on: whoever opens it signs in as you. Later you sign in with your e-mail address.',
  });
}

interface Words {
  to: string;
  link: string;
  subject: string;
  before: string;
  button: string;
  after: string;
}

function mail({ to, link, subject, before, button, after }: Words): Mail {
  const href = escapeHtml(link);
  return {
    to,
    subject,
    link,
    text: `${before}\n\n${link}\n\n${after}\n`,
    html: `<!doctype html>
<html lang="en"><body style="font:16px/1.5 sans-serif">
<p>${escapeHtml(before)}</p>
<p><a href="${href}">${escapeHtml(button)}</a></p>
<p>Or copy this address: ${href}</p>
<p>${escapeHtml(after)}</p>
</body></html>
`,
  };
}

const MAILBOX = /^[^\s@/:]+@[^\s@/:]+$/;

/** Control characters and line ends become spaces; what would be a link to a mail program is taken apart, but for a mailbox; cut at a length. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  const shown = MAILBOX.test(line)
    ? line
    : line.replace(/:\/\//g, ': //').replace(/(?<=[^\s.])[.。．｡](?=[^\s.])/g, '. ');
  const chars = [...shown];
  return chars.length <= NAME_CHARS_MAX ? chars.join('') : `${chars.slice(0, NAME_CHARS_MAX - 1).join('')}…`;
}
