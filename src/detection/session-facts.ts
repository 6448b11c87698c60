import { hash } from 'node:crypto';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import { NO_MEMORY, type SessionMemory } from './session-memory.ts';

/** What the inspection of an event is told beside the event: all that a decision rests on. Serialisable. */
export interface SessionFacts {
  tenant: TenantSlug;
  /** The event's own id, and when it was received, in Unix milliseconds. */
  event: EventId;
  receivedAtMs: number;
  /** Events of the session before this one, and how many of them were blocked. */
  eventsCount: number;
  blockedCount: number;
  memory: SessionMemory;
}

/** The facts of an event that is looked at by itself. */
export function factsAlone(tenant: TenantSlug, event: EventId, receivedAtMs: number): SessionFacts {
  return { tenant, event, receivedAtMs, eventsCount: 0, blockedCount: 0, memory: NO_MEMORY };
}

/** The digest by which a decision's explanation names the facts it rests on. */
export function digestOfFacts(factsJson: string): string {
  return hash('sha256', factsJson, 'base64url');
}
