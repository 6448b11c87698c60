import type { Release } from '../detection/policy/state.ts';
import type { Decision, Effect, UndecidedCause } from '../domain/decision.ts';
import type { EventId } from '../domain/ids.ts';
import type { InspectionOutcome } from '../inspection/inspector.ts';
import type { Deadline } from '../lib/deadlines.ts';
import type { Answer, ReceivedEvent } from './received-event.ts';
import type { PendingScan } from './state.ts';

/** What waits for its turn in a session. */
export type Item = DecideItem | ScanItem | ReleaseItem;

/** A blocking event. */
export interface DecideItem {
  kind: 'decide';
  id: EventId;
  event: ReceivedEvent;
  dedupe: string;
  phase: 'waiting' | 'inspecting' | 'persisting' | 'answered';
  notWaitedFor: EventId[];
  /** Events after it that were recorded before its inspection began, and how many of them were blocked. */
  later: { eventsCount: number; blockedCount: number };
  /** What the session takes over from others of its tree with this event. */
  tree: Effect[];
  expiry: Deadline | undefined;
  overtaking: NodeJS.Timeout | undefined;
  /** Set once decided: what the answer will be when the journal has it. */
  decision: Decision | undefined;
  resolve: (answer: Answer) => void;
}

/** An inspection that nobody waits for. */
export interface ScanItem {
  kind: 'scan';
  id: EventId;
  scan: PendingScan;
  /** Kept while there is room (`ActorContext.scanText`). */
  text: string | undefined;
  /** When the event can be read back from the journal. */
  durable: Promise<void>;
  /** Once it is its turn: speeds it up, since somebody waits for it now. */
  hurry: (() => void) | undefined;
  /** When it was lined up, on the monotonic clock. */
  queuedAtMs: number;
  /** It is inspected under another set than its record says, since that one is gone. */
  underAnother: boolean;
  /** What the session takes over from others of its tree with this event. */
  tree: Effect[];
}

/** What became of a scan: the inspector's outcome, or that its event could not be read back. */
export type ScanOutcome = InspectionOutcome | { kind: 'failed'; cause: 'journal_error' };

/** What a person asks for: see `ReleaseRecord`. */
export interface ReleaseOrder extends Release {
  /** Made when it was asked for. */
  id: EventId;
  subject: string;
  reason: string;
}

/** What was there and is released; nothing of it is recorded where nothing was. */
export type ReleaseOutcome = ({ kind: 'released' } & Release) | { kind: 'failed'; cause: UndecidedCause };

export interface ReleaseItem {
  kind: 'release';
  id: EventId;
  order: ReleaseOrder;
  tree: Effect[];
  resolve: (outcome: ReleaseOutcome) => void;
}
