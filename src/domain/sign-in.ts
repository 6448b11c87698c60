import type { Role } from './roles.ts';

/** How somebody proved who they are. */
export type LoginMethod = 'magic_link' | 'oidc' | 'saml';

/**
 * What a link is for: `sign_in` was asked for by the person, `invitation` mailed to a new member, `first_owner` printed at the
 * start while nobody is known, `operator` made on the command line.
 */
export type MagicLinkPurpose = 'sign_in' | 'invitation' | 'first_owner' | 'operator';

/** Somebody who may sign in, with what they may see. */
export interface Person {
  userId: string;
  email: string;
  name: string;
  organization: { id: string; name: string };
  /** Roles by the id of each tenant that they belong to. */
  tenants: ReadonlyMap<string, readonly Role[]>;
}

/** A login session as it is stored: of its token there is only the hash. */
export interface StoredLoginSession {
  id: string;
  userId: string;
  lastUsedAt: Date;
  expiresAt: Date;
}

/** Where a login session began, for its person to recognise it by. */
export interface SignInPlace {
  /** The network address. */
  address: string;
  /** As `browserName` has it. */
  browser: string;
}

/** A login session as its own person sees it. */
export interface OwnLoginSession {
  id: string;
  method: LoginMethod;
  createdAt: Date;
  lastUsedAt: Date;
  /** Null where it began before such things were kept. */
  address: string | null;
  browser: string | null;
}

/** Keyed hashes of an identity provider's own names, so that what is stored of them tells nobody who they are. */
export interface ProviderMarks {
  /** Of the person. */
  subject: Uint8Array;
  /** Of the provider's session; absent where it gave it no name. */
  session?: Uint8Array;
}

/** What an identity provider ended: sessions of the person, of these sessions of its own, or of both where it names both. */
export interface EndedByProvider {
  connectionId: string;
  subject?: Uint8Array;
  sessions: readonly Uint8Array[];
}

export interface NewLoginSession extends SignInPlace {
  tokenHash: Uint8Array;
  userId: string;
  method: LoginMethod;
  connectionId: string | undefined;
  /** When the connection was last changed, as the person was signed in by it. */
  connectionAsOf: Date | undefined;
  providerSession: string | undefined;
  providerMarks: ProviderMarks | undefined;
  createdAt: Date;
  expiresAt: Date;
  /** When it is over whatever use is made of it. */
  overAt: Date | undefined;
}

/** What is left of a session that was ended: enough to end the identity provider's, too. */
export interface EndedSession {
  id: string;
  userId: string;
  method: LoginMethod;
  connectionId?: string;
  /** As it was given to `begin`. */
  providerSession?: string;
}

/** A link as it is stored. */
export interface MagicLink {
  id: string;
  purpose: MagicLinkPurpose;
  /** Absent for the first owner, who is nobody yet. */
  userId: string | undefined;
  expiresAt: Date;
  usedAt: Date | undefined;
  /** Of an invitation: the tenant whose membership is accepted with it. */
  tenantId: string | undefined;
  /** Whether its person may not sign in, anywhere. */
  disabled: boolean;
}

export interface NewMagicLink {
  tokenHash: Uint8Array;
  userId: string | undefined;
  purpose: MagicLinkPurpose;
  /** Of the browser that asked, where the link works there alone. */
  browserHash: Uint8Array | undefined;
  tenantId: string | undefined;
  /** Of an invitation: what the person is called, unless they have a name from a tenant that they belong to. */
  invitedAs: string | undefined;
  createdAt: Date;
  expiresAt: Date;
}

/** Who the first owner says they are. */
export interface FirstOwner {
  /** Canonical. */
  email: string;
  name: string;
}

/** Where links that sign in are kept. */
export interface MagicLinkStore {
  /** Puts an invitation in place of earlier ones of the same person to the same tenant. */
  insert(link: NewMagicLink): Promise<void>;
  /** The link as it is, used or not. Undefined also for an invitation that was taken back. */
  find(tokenHash: Uint8Array): Promise<MagicLink | undefined>;
  /**
   * Uses the link, in one atomic step: of several at once one succeeds. Undefined where it was used, is over at `at`, is somebody's who
   * is disabled, or is bound to a browser other than `browserHash`; that does not use it up. Never uses a first owner's link.
   */
  use(tokenHash: Uint8Array, browserHash: Uint8Array | undefined, at: Date): Promise<MagicLink | undefined>;
  /**
   * Uses a first owner's link and makes them the owner of every tenant, both or neither; their id. Undefined where the link
   * does not work (any more), or there is somebody already.
   */
  useForFirstOwner(tokenHash: Uint8Array, owner: FirstOwner, at: Date): Promise<string | undefined>;
  /** Takes away the first owner's links of earlier starts. */
  deleteFirstOwnerLinks(): Promise<void>;
  /** Returns how many there were. */
  deleteExpired(before: Date): Promise<number>;
}

/** Where login sessions are kept. Each method is one atomic change; an ended session is never found again. */
export interface LoginSessionStore {
  /** False, and nothing stored, where its connection was changed or disabled since `connectionAsOf`. */
  insert(session: NewLoginSession): Promise<boolean>;
  find(tokenHash: Uint8Array): Promise<StoredLoginSession | undefined>;
  /** Changes nothing where the session was ended meanwhile; never beyond its `overAt`. */
  extend(id: string, lastUsedAt: Date, expiresAt: Date): Promise<void>;
  end(tokenHash: Uint8Array, at: Date): Promise<EndedSession | undefined>;
  endAllOf(userId: string, at: Date): Promise<EndedSession[]>;
  endOneOf(userId: string, id: string, at: Date): Promise<EndedSession[]>;
  endOthersOf(userId: string, exceptId: string, at: Date): Promise<EndedSession[]>;
  /** Those that are not over at `at`, the last used first. */
  listOf(userId: string, at: Date): Promise<OwnLoginSession[]>;
  /** Returns how many there were. */
  deleteExpired(before: Date): Promise<number>;
}
