import { hash } from 'node:crypto';
import type { Decision, OnFailure, UndecidedCause } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { AgentSessionKey, EventId } from '../domain/ids.ts';
import type { Tenant } from '../domain/tenant.ts';

/** A valid event of an authenticated sensor, on its way to its session. */
export interface ReceivedEvent {
  id: EventId;
  tenant: Tenant;
  session: AgentSessionKey;
  /** The session that the event says this one is a part of. */
  parent?: AgentSessionKey;
  event: AgentEvent;
  /** The request body as it came, and the same as text. */
  body: Uint8Array;
  text: string;
  correlationId: string;
  traceparent?: string;
  /** The subject of the access token. */
  subject: string;
  receivedAtMs: number;
  /** When the request began and when it must be answered, on the monotonic clock, in milliseconds. */
  startedAtMs: number;
  deadlineAtMs: number;
  /** What was answered where it could not be handed on before its deadline: as by this `onFailure`, whatever the tenant's is. */
  answered?: Exclude<OnFailure, 'degrade'>;
}

/** What becomes of a received event. `failed`: an observational event that was not stored. */
export type Answer =
  | { kind: 'accepted' }
  | { kind: 'decision'; decision: Decision }
  | { kind: 'failed'; cause: UndecidedCause };

/**
 * The idempotency key of an event within its session: 96 bits of the SHA-256 of the request body. Two requests with the
 * same bytes are the same event re-sent. A cryptographic hash, because a sensor's content is partly an attacker's, and
 * an event that collides with an allowed one would be answered with that one's decision.
 */
export function dedupeKey(body: Uint8Array): string {
  return shortHash(body);
}

/**
 * Whom a session belongs to: 96 bits of a hash over the holder of the token that sent the event and the user whom it is
 * about. Only sessions of one owner make a tree.
 */
export function ownerOf({ subject, event }: ReceivedEvent): string {
  return shortHash(`${subject}\0${event.user.email.toLowerCase()}`);
}

/** 96 bits of the SHA-256 in Base64. From the bytes: a slice of the whole text would keep all of it wherever the hash is remembered. */
function shortHash(data: Uint8Array | string): string {
  return hash('sha256', data, 'buffer').toString('base64', 0, 12);
}
