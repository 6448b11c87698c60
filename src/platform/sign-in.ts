import { browserName } from '../domain/browser-name.ts';
import type { FirstOwner, MagicLink, Person } from '../domain/sign-in.ts';
import type { LoginSessions } from '../identity/login-sessions.ts';
import type { LinkRefusal, MagicLinks } from '../identity/magic-links.ts';
import { signInMail } from '../identity/mail-texts.ts';
import { type Mailer, MailNotSent } from '../identity/mailer.ts';
import type { SignInLimits } from '../identity/sign-in-limits.ts';
import { errorText } from '../lib/error-text.ts';
import type { Log } from '../lib/log.ts';
import { Turns } from '../lib/turns.ts';
import { magicLinkPath } from './addresses.ts';
import type { SignInAudit } from './sign-in-audit.ts';
import { type Site, wholeAddress } from './site.ts';

export interface SignInOptions {
  site: Site;
  links: MagicLinks;
  sessions: LoginSessions;
  limits: SignInLimits;
  mailer: Mailer;
  audit: SignInAudit;
  log: Log;
  findPerson: (userId: string) => Promise<Person | undefined>;
  /** The id of whoever a link to this canonical address signs in. */
  findMailbox: (email: string) => Promise<string | undefined>;
}

export interface AskedLink {
  /** Canonical. */
  email: string;
  /** The cookie that binds the link to the browser. */
  browser: string;
  returnTo: string;
  address: string;
}

export interface TriedLink {
  token: string | null;
  /** The binding cookie of the browser that shows it. */
  browser: string | undefined;
  /** What the session cookie held before. */
  previousToken: string | undefined;
  address: string;
  /** What shows it. */
  userAgent: string | undefined;
  /** Who they are, where the link is the first owner's. */
  owner: FirstOwner | undefined;
}

export type SignInOutcome =
  | { ok: true; setCookie: string }
  | { ok: false; cause: LinkRefusal | 'owner_wanted' }
  | { ok: false; cause: 'limited'; retryAfterSeconds: number };

const MAILS_AT_ONCE = 4;
const MAILS_WAITING_MAX = 1000;

/** Signing in by a link: asking for one, and using it. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #turns = new Turns(MAILS_AT_ONCE, MAILS_WAITING_MAX);
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Counts a request for a link. Seconds to wait where it is one too many; undefined where not. */
  limit(email: string, address: string): number | undefined {
    return this.#options.limits.ask(email, address);
  }

  /**
   * Sends a link, if the address is somebody's. Returns at once and works afterwards, so that neither the answer nor its time tells
   * whether it is.
   */
  ask(asked: AskedLink): void {
    const work = this.#turns.run(() => answerGone().then(() => this.#send(asked)));
    if (work === undefined) this.#options.log.error({}, 'too many sign-in links wait to be sent; one was not made');
    else this.#follow(work);
  }

  /** Settles once nothing that was asked for is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #follow(work: Promise<void>): void {
    const { log } = this.#options;
    const followed = work
      .catch((error) => log.error({ error: errorText(error) }, 'a sign-in link could not be sent'))
      .finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  async #send({ email, browser, returnTo, address }: AskedLink): Promise<void> {
    const { findMailbox, log, links, mailer, audit, site } = this.#options;
    const userId = await findMailbox(email);
    if (userId === undefined) return log.info({ address }, 'a sign-in link was asked for an unknown e-mail address');
    await audit.record(userId, { action: 'sign_in.asked', actor: 'nobody', address });
    const token = await links.forBrowser(userId, browser);
    try {
      await mailer.send(signInMail(email, wholeAddress(site, magicLinkPath(token, returnTo))));
    } catch (error) {
      if (error instanceof MailNotSent)
        await audit.record(userId, { action: 'sign_in.failed', actor: 'nobody', detail: { cause: 'mail_not_sent' } });
      throw error;
    }
  }

  /** What a link is for, while it works; it is not used up by being looked at. */
  async look(token: string | null): Promise<(MagicLink & { email: string | undefined }) | undefined> {
    const link = await this.#options.links.look(token);
    if (link === undefined || link.userId === undefined) return link && { ...link, email: undefined };
    const person = await this.#options.findPerson(link.userId);
    return person && { ...link, email: person.email };
  }

  /** Uses a link up, and begins a session. */
  async use(tried: TriedLink): Promise<SignInOutcome> {
    const { limits, links } = this.#options;
    const link = await links.look(tried.token);
    const retryAfterSeconds = limits.try(link?.userId, tried.address);
    if (retryAfterSeconds !== undefined) return { ok: false, cause: 'limited', retryAfterSeconds };
    if (link?.purpose === 'first_owner') return this.#useForFirstOwner(tried);
    const used = await links.use(tried.token, tried.browser);
    if (!used.ok) return this.#refuse(tried, used.cause, used.userId);
    return this.#begin(tried, used.link.userId as string, used.link.purpose);
  }

  async #useForFirstOwner(tried: TriedLink): Promise<SignInOutcome> {
    if (tried.owner === undefined) return { ok: false, cause: 'owner_wanted' };
    const userId = await this.#options.links.useForFirstOwner(tried.token, tried.owner);
    return userId === undefined ? this.#refuse(tried, 'used', undefined) : this.#begin(tried, userId, 'first_owner');
  }

  async #begin(tried: TriedLink, userId: string, purpose: string): Promise<SignInOutcome> {
    const { findPerson, audit, sessions } = this.#options;
    if ((await findPerson(userId)) === undefined) return this.#refuse(tried, 'unknown', userId);
    // Before the session: there is none without its entry.
    const detail = { method: 'magic_link', purpose };
    await audit.record(userId, { action: 'sign_in.succeeded', actor: 'person', detail, address: tried.address });
    const { previousToken, address, userAgent } = tried;
    const place = { address, browser: browserName(userAgent) };
    return { ok: true, ...(await sessions.begin({ userId, method: 'magic_link', previousToken, ...place })) };
  }

  async #refuse(tried: TriedLink, cause: LinkRefusal, userId: string | undefined): Promise<SignInOutcome> {
    const { audit, log } = this.#options;
    const { address } = tried;
    if (userId === undefined) log.info({ address, cause }, 'a sign-in link was refused');
    else await audit.record(userId, { action: 'sign_in.failed', actor: 'nobody', detail: { cause }, address });
    return { ok: false, cause };
  }
}

/** Lets an answer that is ready leave first. */
function answerGone(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
