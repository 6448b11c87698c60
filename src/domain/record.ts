import type { Decision, Effect, OnFailure, UndecidedAnswer, UndecidedCause } from './decision.ts';
import type { EventType } from './event-types.ts';
import type { AgentSessionKey, EventId, TenantSlug } from './ids.ts';

/**
 * What the journal keeps. Session state is a fold over these records, so a record holds everything the fold needs:
 * times, ids and outcomes are in it, and never read from a clock again.
 */
export type JournalRecord =
  | EventRecord
  | DecisionRecord
  | InspectionRecord
  | LateDecisionRecord
  | UnansweredRecord
  | JoinedRecord
  | ReleaseRecord;

/** What every record says. */
export interface RecordEnvelope {
  tenant: TenantSlug;
  session: AgentSessionKey;
  /** The event this record is about. */
  event: EventId;
  /** When the record was made, in Unix milliseconds. */
  atMs: number;
  /**
   * Inspections of the session that were done before this record, and left none of their own. What the record tells rests on them: a
   * fold that made them up for itself afterwards would come to another state.
   */
  untold?: readonly Untold[] | undefined;
}

/** The inspection of an observational event that found nothing to tell. */
export interface Untold {
  event: EventId;
  effects: readonly Effect[];
}

/** How an event came in. */
interface Receipt extends RecordEnvelope {
  eventType: EventType;
  /** Identifies a re-sent event: see `dedupeKey` in `session/received-event.ts`. */
  dedupe: string;
  correlationId: string;
  traceparent?: string | undefined;
  /** The subject of the access token that sent it. */
  subject: string;
  /** The request body, byte for byte. */
  body: Uint8Array;
  /** The session that the event says this one is a part of: `parent_session_id`. */
  parent?: AgentSessionKey | undefined;
  /**
   * Whom the session belongs to: see `ownerOf` in `session/received-event.ts`. In a session's first event, and where there is
   * a `parent`.
   */
  owner?: string | undefined;
}

/** An observational event, written before its 202. */
export interface EventRecord extends Receipt {
  kind: 'event';
  /**
   * Hash of the tenant's policy set that it is to be inspected under, whenever that is done; absent for the installation's
   * policies.
   */
  policySet?: string | undefined;
}

/** A blocking event together with its answer, written before the answer leaves. */
export interface DecisionRecord extends Receipt {
  kind: 'decision';
  decision: Decision;
  onFailure: OnFailure;
  effects: Effect[];
  /** `Explanation` as JSON text; absent where no inspection finished. */
  explanation?: string | undefined;
  /** Events of the session whose inspection this decision did not wait for (P4). */
  notWaitedFor?: EventId[] | undefined;
  /** Microseconds from the first byte of the request to the decision. */
  tookUs: number;
}

/** The inspection of an observational event, written when it is done and there is something to tell. */
export interface InspectionRecord extends RecordEnvelope {
  kind: 'inspection';
  /** Absent where the inspection failed for good (then `cause` says why), or found nothing and only has effects. */
  explanation?: string;
  cause?: UndecidedCause;
  effects: Effect[];
}

/** The inspection of a blocking event that was answered without one, when it finishes after all. */
export interface LateDecisionRecord extends RecordEnvelope {
  kind: 'late_decision';
  /** Absent where this inspection failed too; then `cause` says why. */
  action?: 'allow' | 'block';
  cause?: UndecidedCause;
  reason?: string;
  explanation?: string;
  effects: Effect[];
}

/** A decision that was made, but of which the journal did not say in time that it has it: the sender got another answer. */
export interface UnansweredRecord extends RecordEnvelope {
  kind: 'unanswered';
  cause: UndecidedCause;
  /** What the sender got instead, by the tenant's `onFailure`. */
  answered: UndecidedAnswer;
}

/** Another session became a part of this one. `event` is the event of that session with which it did. */
export interface JoinedRecord extends RecordEnvelope {
  kind: 'joined';
  child: AgentSessionKey;
}

/** A person took back a hold or taints. `event` is an id of its own, which tells its place among the session's events. */
export interface ReleaseRecord extends RecordEnvelope {
  kind: 'release';
  /** Who: the subject of the access token. */
  subject: string;
  /** Why, in the person's words. */
  reason: string;
  /** What was there and ended. */
  hold: boolean;
  taints: string[];
}
