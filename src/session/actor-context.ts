import type { Decision, UndecidedCause } from '../domain/decision.ts';
import type { EventIds } from '../domain/event-ids.ts';
import type { AgentSessionKey, EventId, TenantSlug } from '../domain/ids.ts';
import type { TenantPolicies } from '../domain/policies.ts';
import type { ReleaseRecord } from '../domain/record.ts';
import type { Inspector } from '../inspection/inspector.ts';
import type { Durability, Journal, Seq } from '../journal/journal.ts';
import type { Clock } from '../lib/clock.ts';
import type { Deadlines } from '../lib/deadlines.ts';
import type { Surge } from '../lib/surge.ts';
import type { QuickInspection, QuickJudge } from './failure.ts';
import type { ReceivedEvent } from './received-event.ts';
import type { JoinOutcome } from './tree.ts';

/** What the actors of all sessions share. */
export interface ActorContext {
  journal: Journal;
  inspector: Inspector;
  clock: Clock;
  /** Goes on from the newest event in the journal. */
  ids: Pick<EventIds, 'continueFrom'>;
  deadlines: Deadlines;
  decisionDurability: Durability;
  /** For `onFailure: degrade`, and for what cannot be inspected. */
  inspectQuickly: QuickInspection;
  quickShare: QuickJudge['quickShare'];
  policies: PoliciesInForce;
  observer: SessionObserver;
  /** Holds back inspections that nobody waits for. */
  surge: Pick<Surge, 'holdBack'>;
  /** Characters of events kept in memory for inspections to come; beyond it they are read back from the journal. */
  scanText: { chars: number; charsMax: number };
}

/** Which policy sets count. What it names can be inspected under, as long as nothing is awaited in between. */
export interface PoliciesInForce {
  of(tenant: TenantSlug): TenantPolicies;
  /** Whether events can be inspected under the set: it is in force, or was so lately. */
  has(hash: string): boolean;
}

/** Is told what happens, for metrics and logs. Must not throw. */
export interface SessionObserver {
  decided(event: ReceivedEvent, decision: Decision): void;
  inspected(outcome: 'clean' | 'finding' | UndecidedCause): void;
  lateBlock(event: EventId): void;
  mailboxOverflow(): void;
  /** A session says that it is a sub-agent's. Told once for each outcome. */
  subAgent(event: EventId, outcome: JoinOutcome): void;
  released(record: ReleaseRecord): void;
  actorCrashed(error: unknown): void;
  /** Keeping memory small failed, for one session or all of them. It is tried again a second later. */
  sweepFailed(error: unknown): void;
  /** The quick rules threw over an event. */
  quickRulesFailed(error: unknown): void;
  /** What was kept of a session cannot be read or folded: it goes on without. Holds no content. */
  unreadable(what: 'snapshot' | 'record', where: AgentSessionKey | Seq): void;
}
