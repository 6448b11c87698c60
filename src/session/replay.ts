import type { Release } from '../detection/policy/state.ts';
import type { SessionFacts } from '../detection/session-facts.ts';
import { applyEffects } from '../detection/session-memory.ts';
import type { Decision, Effect, Inspection } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, type EventId, eventIdFloor, type TenantSlug } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';
import { type AgentSessionState, initialState, step } from './state.ts';

/** Decides one event, given what its session knows. */
export type Inspect = (event: AgentEvent, facts: SessionFacts) => Inspection;

const NO_BODY = new Uint8Array(0);

/**
 * A session lived through again: each event is inspected with the state that those before it left, and the outcome is
 * folded in by the same `step` as in the live service.
 */
export class Replay {
  readonly #inspect: Inspect;
  readonly #state: AgentSessionState = initialState();
  readonly #tenant: TenantSlug;
  #seq = 0;

  /** `tenant`: whose session it is, where it takes over what was remembered for a tenant: fingerprints are keyed. */
  constructor(inspect: Inspect, tenant: TenantSlug = REPLAYED) {
    this.#inspect = inspect;
    this.#tenant = tenant;
  }

  /**
   * Inspects the session's next event, received at `atMs` (Unix milliseconds), with which the session took over `tree` from
   * others of its tree.
   */
  next(event: AgentEvent, atMs: number, tree: readonly Effect[] = []): Inspection {
    const id = replayedEventId(atMs, this.#seq + 1);
    const { eventsCount, blockedCount } = this.#state;
    const memory = applyEffects(this.#state.memory, tree, atMs);
    const facts = { tenant: this.#tenant, event: id, receivedAtMs: atMs, eventsCount, blockedCount, memory };
    const inspection = this.#inspect(event, facts);
    for (const record of recordsOf(event, { id, atMs, inspection, tree }))
      step(this.#state, { seq: ++this.#seq, record });
    return inspection;
  }

  /** A person took back a hold or taints at `atMs`. */
  release({ hold, taints }: Release, atMs: number): void {
    const seq = ++this.#seq;
    const event = replayedEventId(atMs, seq);
    const envelope = { tenant: REPLAYED, session: '' as AgentSessionKey, event, atMs };
    const record: JournalRecord = {
      kind: 'release',
      ...envelope,
      subject: 'replay',
      reason: '',
      hold,
      taints: [...taints],
    };
    step(this.#state, { seq, record });
  }
}

const REPLAYED = 'replay' as TenantSlug;

/** Stands in for the id that the live service would draw. */
function replayedEventId(atMs: number, seq: number): EventId {
  return `${eventIdFloor(atMs).slice(0, 24)}${seq.toString(16).padStart(12, '0')}` as EventId;
}

interface Outcome {
  id: EventId;
  atMs: number;
  inspection: Inspection;
  tree: readonly Effect[];
}

function recordsOf(event: AgentEvent, { id, atMs, inspection, tree }: Outcome): JournalRecord[] {
  const { action, reason } = inspection;
  const effects = [...tree, ...inspection.effects];
  const envelope = { tenant: REPLAYED, session: '' as AgentSessionKey, event: id, atMs };
  const receipt = {
    ...envelope,
    eventType: event.event_type,
    dedupe: id,
    correlationId: id,
    subject: 'replay',
    body: NO_BODY,
  };
  const explanation = '';
  if (!isBlocking(event.event_type)) {
    return [
      { kind: 'event', ...receipt },
      { kind: 'inspection', ...envelope, explanation, effects },
    ];
  }
  const decision: Decision = { kind: 'decided', action, ...(reason === undefined ? {} : { reason }) };
  return [{ kind: 'decision', ...receipt, decision, onFailure: 'allow', effects, tookUs: 0 }];
}
