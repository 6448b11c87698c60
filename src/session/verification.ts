import { applyRelease, type Release } from '../detection/policy/state.ts';
import type { SessionFacts } from '../detection/session-facts.ts';
import { applyEffects, NO_MEMORY } from '../detection/session-memory.ts';
import type { Effect, Explanation, Inspection } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { isBlocking } from '../domain/event-types.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';

/** An event of a stored session, as far as its state depends on it. */
export interface PastEvent {
  id: EventId;
  receivedAtMs: number;
  event: AgentEvent;
  blocked: boolean;
  /** Hash of the tenant's policy set that it came under, where it is not inspected under the installation's policies. */
  policySet?: string | undefined;
  /** What its inspection changed, where that was recorded; else it is inspected again, to the same end. */
  effects: readonly Effect[] | undefined;
  /** Of one that was answered undecided: what its session took over from its tree with it, which was folded in with the answer. */
  answerEffects?: readonly Effect[];
  /** Events that it did not wait for, of a decision. */
  notWaitedFor: readonly EventId[];
  /** When it was decided, in Unix milliseconds; undefined where it never was, by an inspection. */
  decidedAtMs: number | undefined;
}

/** What a person took back, between two events of a session. */
export interface PastRelease {
  id: EventId;
  receivedAtMs: number;
  release: Release;
}

/** Events and releases of one session, in the order in which they were received. */
export function inOrder<T extends { id: EventId }>(
  events: readonly T[],
  releases: readonly (Omit<PastRelease, 'release'> & Release)[],
): (T | PastRelease)[] {
  const released = releases.map(({ id, receivedAtMs, hold, taints }): PastRelease => {
    return { id, receivedAtMs, release: { hold, taints } };
  });
  return [...events, ...released].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * What the inspection of `target` was told: the fold over the events before it. Of those that the decision did not wait for
 * (`notWaitedFor`), the ones that were recorded already count, but had no effect yet; decisions were not, unless they had been answered undecided by then
 * (`wereAnswered`: in which order that was, only the journal knew). What the session took over from others of its tree with `target` itself is in `target.tree`.
 */
export function factsBefore(
  past: readonly (PastEvent | PastRelease)[],
  target: {
    tenant: TenantSlug;
    event: EventId;
    receivedAtMs: number;
    notWaitedFor: readonly EventId[];
    wereAnswered?: boolean;
    tree: readonly Effect[];
  },
  inspect: (past: PastEvent, facts: SessionFacts) => Pick<Inspection, 'effects'>,
): SessionFacts {
  const { tenant, event, receivedAtMs } = target;
  const facts = { tenant, event, receivedAtMs, eventsCount: 0, blockedCount: 0, memory: NO_MEMORY };
  const order = new FoldOrder(past);
  for (const each of past) {
    const isWaitedFor = !target.notWaitedFor.includes(each.id);
    if ('release' in each) {
      if (!isWaitedFor) continue;
      order.fold(each.id, () => {
        const policy = applyRelease(facts.memory.policy, each.release, each.receivedAtMs);
        facts.memory = { ...facts.memory, policy };
      });
      continue;
    }
    const own: SessionFacts = { ...facts, event: each.id, receivedAtMs: each.receivedAtMs };
    if (!isWaitedFor && isBlocking(each.event.event_type)) {
      if (target.wereAnswered) facts.memory = applyEffects(facts.memory, each.answerEffects ?? [], each.receivedAtMs);
      continue;
    }
    if (isWaitedFor) {
      const effects = each.effects ?? inspect(each, own).effects;
      order.fold(each.id, () => {
        facts.memory = applyEffects(facts.memory, effects, each.receivedAtMs);
      });
    }
    facts.eventsCount++;
    if (each.blocked) facts.blockedCount++;
  }
  facts.memory = applyEffects(facts.memory, target.tree, receivedAtMs);
  return facts;
}

/**
 * The order in which a live session folds effects in: that of receipt, but what a decision did not wait for comes after that
 * decision (`Scans` sees to that), unless it was itself decided before.
 */
class FoldOrder {
  /** Of an event, the decisions that went ahead of it. */
  readonly #ahead = new Map<EventId, EventId[]>();
  #waiting: { id: EventId; ahead: Set<EventId>; fold: () => void }[] = [];

  constructor(past: readonly (PastEvent | PastRelease)[]) {
    const events = past.filter((each) => 'event' in each);
    const decidedAtMs = new Map(events.map((each) => [each.id, each.decidedAtMs ?? Number.POSITIVE_INFINITY]));
    for (const { id: decision, notWaitedFor, decidedAtMs: atMs } of events) {
      // Of one that was answered undecided, what its inspection found comes in its turn.
      if (atMs === undefined) continue;
      for (const id of notWaitedFor)
        if ((decidedAtMs.get(id) ?? Number.POSITIVE_INFINITY) > atMs)
          this.#ahead.set(id, [...(this.#ahead.get(id) ?? []), decision]);
    }
  }

  /** Calls `fold` when it is the turn of event `id`: now, or once those ahead of it were folded in. */
  fold(id: EventId, fold: () => void): void {
    const ahead = this.#ahead.get(id);
    if (ahead !== undefined) {
      this.#waiting.push({ id, ahead: new Set(ahead), fold });
      return;
    }
    fold();
    this.#folded(id);
  }

  #folded(id: EventId): void {
    const ready = this.#waiting.filter(({ ahead }) => ahead.delete(id) && ahead.size === 0);
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each));
    for (const each of ready) {
      each.fold();
      this.#folded(each.id);
    }
  }
}

/** In what a decision and the same computed again differ; empty where they are equal, bit for bit. */
export function differences(
  stored: { action: string; reason: string | undefined; effects: readonly Effect[]; explanation: Explanation },
  computed: Inspection,
  factsHash: string,
): string[] {
  const { tookUs: _, facts, ...told } = stored.explanation;
  const { tookUs: __, ...now } = computed.explanation;
  const found: string[] = [];
  if (told.engine !== now.engine)
    found.push(
      `it was decided by another release (${told.engine}; this one is ${now.engine}): verify it with that one`,
    );
  const compare = (what: string, before: unknown, after: unknown): void => {
    const [left, right] = [JSON.stringify(before), JSON.stringify(after)];
    if (left !== right) found.push(`${what}: stored ${left}, computed ${right}`);
  };
  compare('action', stored.action, computed.action);
  compare('reason', stored.reason, computed.reason);
  compare('state of the session', facts, factsHash);
  for (const name of new Set([...Object.keys(told), ...Object.keys(now)] as (keyof typeof now)[]))
    if (name !== 'engine') compare(name, told[name as keyof typeof told], now[name]);
  compare('effects', stored.effects, computed.effects);
  return found;
}
