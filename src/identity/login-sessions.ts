import type {
  EndedSession,
  LoginMethod,
  LoginSessionStore,
  OwnLoginSession,
  ProviderMarks,
  SignInPlace,
  StoredLoginSession,
} from '../domain/sign-in.ts';
import type { Clock } from '../lib/clock.ts';
import { isToken, randomToken, tokenHash } from './secrets.ts';

export interface NewSignIn extends SignInPlace {
  userId: string;
  method: LoginMethod;
  /** The identity provider's connection, where one signed them in. */
  connectionId?: string;
  /** When the connection was last changed, as they were signed in by it: a later change leaves no session of what was before. */
  connectionAsOf?: Date;
  /** What the identity provider needs to end its own session: sealed by whoever gives it, and given back as it is. */
  providerSession?: string;
  /** By which the identity provider can end the session. */
  providerMarks?: ProviderMarks;
  /** When the identity provider says that the session is over, however much it is used. */
  overAt?: Date;
  /** What the browser's cookie held before, if anything: that session ends. */
  previousToken?: string | undefined;
}

export interface FoundSession {
  id: string;
  userId: string;
}

export interface LoginSessionsOptions {
  store: LoginSessionStore;
  clock: Clock;
  /** How long a session lasts after its last use. */
  lifetimeMs: number;
  /** Whether the cookie may only travel over https: everywhere but on plain http to this machine itself. Asked each time. */
  isSecure: () => boolean;
}

/** Whoever signs in is asked to by settings that hold no more. */
export class ConnectionChanged extends Error {
  override readonly name = 'ConnectionChanged';
}

export const SESSION_COOKIE = 'session';
/** A session that is used is written at most this often. */
const EXTEND_MS = 60_000;

/**
 * People's sessions. A session begins with a fresh token of 256 random bits, of which only the SHA-256 is stored, and ends
 * `lifetimeMs` after its last use, or before where the identity provider says so. The cookie itself has no end: the server alone says when it is over.
 */
export class LoginSessions {
  readonly #options: LoginSessionsOptions;
  readonly #listeners = new Set<(loginSessionId: string) => void>();
  readonly #rightsListeners = new Set<(userId: string) => void>();

  constructor(options: LoginSessionsOptions) {
    this.#options = options;
  }

  /**
   * Begins a session under a token that nobody knew before, and ends the one that this browser had.
   *
   * @throws {ConnectionChanged}
   */
  async begin({ previousToken, ...signIn }: NewSignIn): Promise<{ setCookie: string }> {
    const { store, clock, lifetimeMs } = this.#options;
    if (previousToken !== undefined) await this.end(previousToken);
    const token = randomToken();
    const now = clock.now();
    const isStored = await store.insert({
      tokenHash: tokenHash(token),
      userId: signIn.userId,
      method: signIn.method,
      address: signIn.address,
      browser: signIn.browser,
      connectionId: signIn.connectionId,
      connectionAsOf: signIn.connectionAsOf,
      providerSession: signIn.providerSession,
      providerMarks: signIn.providerMarks,
      createdAt: new Date(now),
      expiresAt: new Date(Math.min(now + lifetimeMs, signIn.overAt?.getTime() ?? Number.POSITIVE_INFINITY)),
      overAt: signIn.overAt,
    });
    if (!isStored) throw new ConnectionChanged('the connection was changed or disabled meanwhile');
    // Their identity provider, or an invitation that they accepted by this link, may have given them other roles.
    this.rightsChanged(signIn.userId);
    return { setCookie: this.#cookie(token, '') };
  }

  /** The session of a cookie, extended by its use; undefined where it is none, ended, or over. */
  async use(token: string | undefined): Promise<FoundSession | undefined> {
    const session = await this.#find(token);
    if (session === undefined) return undefined;
    const { store, clock, lifetimeMs } = this.#options;
    const { id, userId, lastUsedAt } = session;
    const now = clock.now();
    if (now - lastUsedAt.getTime() >= EXTEND_MS) await store.extend(id, new Date(now), new Date(now + lifetimeMs));
    return { id, userId };
  }

  /** The same, without counting as a use. */
  async look(token: string | undefined): Promise<FoundSession | undefined> {
    const session = await this.#find(token);
    return session === undefined ? undefined : { id: session.id, userId: session.userId };
  }

  /** Ends the session; undefined where there was none. */
  async end(token: string | undefined): Promise<EndedSession | undefined> {
    if (!isToken(token)) return undefined;
    const { store, clock } = this.#options;
    const ended = await store.end(tokenHash(token), new Date(clock.now()));
    if (ended !== undefined) this.#tell(ended);
    return ended;
  }

  /** Ends every session of the person: they were disabled, removed, or asked for it. */
  endAllOf(userId: string): Promise<EndedSession[]> {
    return this.#endSome((store, at) => store.endAllOf(userId, at));
  }

  /** Ends one session of the person, if it is theirs. Returns what ended. */
  endOneOf(userId: string, id: string): Promise<EndedSession[]> {
    return this.#endSome((store, at) => store.endOneOf(userId, id, at));
  }

  /** Ends every session of the person but one. */
  endOthersOf(userId: string, exceptId: string): Promise<EndedSession[]> {
    return this.#endSome((store, at) => store.endOthersOf(userId, exceptId, at));
  }

  /** The person's sessions that are not over, the last used first, at most 200. */
  listOf(userId: string): Promise<OwnLoginSession[]> {
    return this.#options.store.listOf(userId, new Date(this.#options.clock.now()));
  }

  async #endSome(end: (store: LoginSessionStore, at: Date) => Promise<EndedSession[]>): Promise<EndedSession[]> {
    const ended = await end(this.#options.store, new Date(this.#options.clock.now()));
    this.tellEnded(ended);
    return ended;
  }

  /** Closes the live sockets of sessions that were ended in the database already. */
  tellEnded(ended: readonly Pick<EndedSession, 'id'>[]): void {
    for (const session of ended) this.#tell(session);
  }

  /**
   * Calls `listener` with the id of each session that is ended here, so that its live sockets can be closed; returns how to
   * stop it. Sessions that another server ended, or that ran out, are not told: a socket must ask again now and then.
   */
  onEnded(listener: (loginSessionId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls `listener` with the id of each person who may do something else here from now on, so that what they hold open can be
   * looked at again; returns how to stop it. As with `onEnded`, other servers are not told.
   */
  onRightsChanged(listener: (userId: string) => void): () => void {
    this.#rightsListeners.add(listener);
    return () => this.#rightsListeners.delete(listener);
  }

  /** Their roles or memberships changed: to be called once that is stored. */
  rightsChanged(userId: string): void {
    for (const listener of this.#rightsListeners) listener(userId);
  }

  /** Removes what is over; how many. */
  sweep(): Promise<number> {
    return this.#options.store.deleteExpired(new Date(this.#options.clock.now()));
  }

  /** Takes the cookie out of the browser. */
  clearCookie(): string {
    return this.#cookie('', '; Max-Age=0');
  }

  async #find(token: string | undefined): Promise<StoredLoginSession | undefined> {
    if (!isToken(token)) return undefined;
    const { store, clock, lifetimeMs } = this.#options;
    const session = await store.find(tokenHash(token));
    const now = clock.now();
    // The second holds sessions to a lifetime that was made shorter.
    if (session === undefined || session.expiresAt.getTime() <= now) return undefined;
    return session.lastUsedAt.getTime() + lifetimeMs <= now ? undefined : session;
  }

  #cookie(token: string, rest: string): string {
    const secure = this.#options.isSecure() ? '; Secure' : '';
    return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax${secure}${rest}`;
  }

  #tell({ id }: Pick<EndedSession, 'id'>): void {
    for (const listener of this.#listeners) listener(id);
  }
}
