import type { Claims } from '../domain/claim-mapping.ts';
import type { SamlKeys } from './saml-keys.ts';

/** What passes between the service and the thread that reads XML of strangers. */
export type SamlTask =
  | { kind: 'response'; check: ResponseCheck }
  | { kind: 'logout'; check: LogoutCheck }
  | { kind: 'metadata'; xml: string };

/** A response, and all that it must fit. */
export interface ResponseCheck {
  xml: string;
  /** Of the provider: it signs with one of these keys. */
  entityId: string;
  certificates: readonly string[];
  signed: 'either' | 'assertion' | 'response' | 'both';
  wantEncrypted: boolean;
  /** What was asked for; the NameID of another format names nobody. */
  nameIdFormat?: string;
  /** Of ours. */
  audience: string;
  acsUrl: string;
  requestId: string;
  keys: SamlKeys;
  /** Unix milliseconds. */
  nowMs: number;
}

/**
 * Failures are values: an error that crosses the thread loses what it says. `fault` is one line without content. `isUnread`: there
 * was no room or time to read it, which says nothing about it.
 */
export type ResponseOutcome = { ok: true; assertion: CheckedAssertion } | { ok: false; fault: string; isUnread?: true };

export interface CheckedAssertion {
  id: string;
  claims: Claims;
  /** When it would be refused as too old, in Unix milliseconds. */
  expiresAtMs: number;
  nameId: string;
  nameIdFormat: string;
  nameQualifier: string;
  spNameQualifier: string;
  sessionIndex: string;
  /** When the session at the provider is over, in Unix milliseconds, where it says so. */
  overAtMs?: number;
}

/** A provider's request to end sessions, and all that it must fit. */
export interface LogoutCheck {
  xml: string;
  /** As it came: the signature is over that. */
  sent: SentMessage;
  /** Of the provider: it signs with one of these keys. */
  entityId: string;
  certificates: readonly string[];
  /** Of ours. */
  audience: string;
  sloUrl: string;
  keys: SamlKeys;
  /** Unix milliseconds. */
  nowMs: number;
}

/** A message by HTTP-POST, signed in itself, or by HTTP-Redirect, where `query` is what the signature is over. */
export type SentMessage =
  | { binding: 'post'; message: string }
  | { binding: 'redirect'; parameters: RedirectParameters; query: string };

/** Parameters of HTTP-Redirect, decoded. */
export interface RedirectParameters {
  SAMLRequest: string;
  SigAlg: string;
  Signature: string;
  RelayState?: string;
}

export type LogoutOutcome = { ok: true; logout: CheckedLogout } | { ok: false; fault: string };

/** Whose sessions end. */
export interface CheckedLogout {
  id: string;
  /** When it would be refused as too old, in Unix milliseconds. */
  expiresAtMs: number;
  nameId: string;
  /** The provider's names for the sessions; all of the person's where there is none. */
  sessions: string[];
}

/** What a provider's metadata says of signing people in. */
export interface ProviderMetadata {
  entityId: string;
  ssoUrl: string;
  sloUrl?: string;
  certificates: string[];
}

export type MetadataOutcome = { ok: true; metadata: ProviderMetadata } | { ok: false; fault: string };
