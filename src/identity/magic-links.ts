import type { FirstOwner, MagicLink, MagicLinkPurpose, MagicLinkStore } from '../domain/sign-in.ts';
import type { Clock } from '../lib/clock.ts';
import { isToken, randomToken, tokenHash } from './secrets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a link works. */
export const LINK_LIFETIME_MS: Readonly<Record<MagicLinkPurpose, number>> = {
  sign_in: 15 * MINUTE_MS,
  operator: HOUR_MS,
  first_owner: 24 * HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
};

export type LinkRefusal = 'unknown' | 'used' | 'expired' | 'disabled' | 'other_browser';

/** Links that sign in whoever opens them, once. Only the SHA-256 of their 256 random bits is stored. */
export class MagicLinks {
  readonly #store: MagicLinkStore;
  readonly #clock: Clock;

  constructor(store: MagicLinkStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A link that works in the browser with the cookie `browser` alone; the token of it. */
  forBrowser(userId: string, browser: string): Promise<string> {
    return this.#make('sign_in', userId, tokenHash(browser));
  }

  /** A link that works wherever it is opened, so that it must be handed to nobody else; the token of it. */
  forPerson(purpose: 'operator', userId: string): Promise<string> {
    return this.#make(purpose, userId, undefined);
  }

  /**
   * A link that also accepts the membership of the tenant to which the person is invited, in place of earlier ones; the token of it.
   * Whoever belongs to no tenant yet is called `invitedAs` then.
   */
  forInvitation(userId: string, tenantId: string, invitedAs: string): Promise<string> {
    return this.#make('invitation', userId, undefined, { tenantId, invitedAs });
  }

  /** A link for whoever is to be the first owner, in place of earlier ones; the token of it. */
  async forFirstOwner(): Promise<string> {
    await this.#store.deleteFirstOwnerLinks();
    return this.#make('first_owner', undefined, undefined);
  }

  async #make(
    purpose: MagicLinkPurpose,
    userId: string | undefined,
    browserHash: Uint8Array | undefined,
    { tenantId, invitedAs }: { tenantId?: string; invitedAs?: string } = {},
  ): Promise<string> {
    const token = randomToken();
    const now = this.#clock.now();
    const expiresAt = new Date(now + LINK_LIFETIME_MS[purpose]);
    await this.#store.insert({
      tokenHash: tokenHash(token),
      userId,
      purpose,
      browserHash,
      tenantId,
      invitedAs,
      createdAt: new Date(now),
      expiresAt,
    });
    return token;
  }

  /** The link of a token while it works; it is not used up by being looked at. */
  async look(token: string | null): Promise<MagicLink | undefined> {
    const link = isToken(token) ? await this.#store.find(tokenHash(token)) : undefined;
    return link === undefined || this.#stateOf(link) !== undefined ? undefined : link;
  }

  /** Uses the link up. `browser` is the cookie of the browser that shows it. */
  async use(
    token: string | null,
    browser: string | undefined,
  ): Promise<{ ok: true; link: MagicLink } | { ok: false; cause: LinkRefusal; userId?: string }> {
    if (!isToken(token)) return { ok: false, cause: 'unknown' };
    const hash = tokenHash(token);
    const browserHash = isToken(browser) ? tokenHash(browser) : undefined;
    const link = await this.#store.use(hash, browserHash, new Date(this.#clock.now()));
    return link === undefined ? this.#refusalOf(hash) : { ok: true, link };
  }

  /** Uses up a first owner's link, which makes them somebody; their id. Undefined where it does not work, or somebody was first. */
  async useForFirstOwner(token: string | null, owner: FirstOwner): Promise<string | undefined> {
    if (!isToken(token)) return undefined;
    return this.#store.useForFirstOwner(tokenHash(token), owner, new Date(this.#clock.now()));
  }

  async #refusalOf(hash: Uint8Array): Promise<{ ok: false; cause: LinkRefusal; userId?: string }> {
    const link = await this.#store.find(hash);
    if (link === undefined) return { ok: false, cause: 'unknown' };
    const cause = this.#stateOf(link) ?? 'other_browser';
    return { ok: false, cause, ...(link.userId === undefined ? {} : { userId: link.userId }) };
  }

  #stateOf(link: MagicLink): 'used' | 'expired' | 'disabled' | undefined {
    if (link.usedAt !== undefined) return 'used';
    if (link.expiresAt.getTime() <= this.#clock.now()) return 'expired';
    return link.disabled ? 'disabled' : undefined;
  }

  /** Removes what is over; how many. */
  sweep(): Promise<number> {
    return this.#store.deleteExpired(new Date(this.#clock.now()));
  }
}
