import { createTransport } from 'nodemailer';
import { assert } from '../lib/assert.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import { type Mail, type Mailer, MailNotSent } from './mailer.ts';

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:port` or `smtps://…`; nodemailer's options may follow as a query. */
  url: string;
  /** As in a message's header: `Gatehouse <gatehouse@example.com>`. */
  from: string;
}

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 20_000;

/** Sends mail through a mail server. Over TLS, unless the server is on this machine or the URL says `requireTLS=false`. */
export class SmtpMailer implements Mailer {
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #from: string;

  /** Does not connect yet. */
  constructor({ url, from }: SmtpMailerOptions) {
    this.#from = from;
    this.#transport = createTransport({
      url: withTls(url),
      connectionTimeout: CONNECT_MS_MAX,
      greetingTimeout: CONNECT_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
    });
  }

  async send({ to, subject, text, html }: Mail): Promise<void> {
    // INVARIANT: nothing that a person wrote begins a header of its own. nodemailer folds them; addresses are canonical.
    assert(!/\p{Cc}/u.test(`${to}${subject}`), 'an address and a subject are one line');
    const message = {
      from: this.#from,
      // As an object, so that a comma or an angle bracket in it does not make two addresses of one.
      to: { name: '', address: to },
      subject,
      text,
      html,
      headers: { 'auto-submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    try {
      await this.#transport.sendMail(message);
    } catch (error) {
      throw new MailNotSent(causeOf(error));
    }
  }
}

/** `url` with `requireTLS`, where it says nothing itself: a link in plain text is anybody's who listens. */
export function withTls(url: string): string {
  const parsed = new URL(url);
  if (parsed.protocol === 'smtps:' || isLoopbackHost(parsed.hostname) || parsed.searchParams.has('requireTLS'))
    return url;
  parsed.searchParams.set('requireTLS', 'true');
  return parsed.href;
}

/** Code and status of the failure. A server's text repeats addresses, and is not for the log. */
function causeOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? `, the server answered ${responseCode}` : '';
  return `the mail could not be sent: ${typeof code === 'string' ? code : 'unknown cause'}${status}`;
}
