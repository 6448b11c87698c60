import type { Effect } from '../domain/decision.ts';
import { type AgentEvent, parentSessionIdOf, toolOf } from '../domain/event.ts';
import { isBlocking } from '../domain/event-types.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import type { PolicyDifference } from '../domain/policy-work.ts';
import { type Inspect, Replay } from './replay.ts';
import type { PastRelease } from './verification.ts';

/** An event of a stored session. */
export interface ReplayedEvent {
  id: EventId;
  receivedAtMs: number;
  event: AgentEvent;
  /** What the session took over from others of its tree with it. */
  tree: readonly Effect[];
}

/** A difference, and the session in which it was found. */
export interface SessionDifference extends PolicyDifference {
  session: string;
}

export interface BacktestCounts {
  sessions: number;
  decisions: number;
  newlyBlocked: number;
  newlyAllowed: number;
}

/** Lives through sessions twice, under the policies of today and under others, and collects where they differ. */
export class Backtest {
  readonly counts: BacktestCounts = { sessions: 0, decisions: 0, newlyBlocked: 0, newlyAllowed: 0 };
  /** Sessions that name a parent: what they took over from others of their tree was recorded, and is not lived through again. */
  subAgents = 0;
  readonly #after: Inspect;

  constructor(after: Inspect) {
    this.#after = after;
  }

  /**
   * Lives through one session, each time with the state that the policies themselves leave behind. `today`: under the
   * policies of its tenant.
   */
  add(
    { tenant, today }: { tenant: TenantSlug; today: Inspect },
    events: readonly (ReplayedEvent | PastRelease)[],
  ): SessionDifference[] {
    const [before, after] = [new Replay(today, tenant), new Replay(this.#after, tenant)];
    const differences: SessionDifference[] = [];
    this.counts.sessions++;
    if (events.some((each) => 'event' in each && parentSessionIdOf(each.event) !== undefined)) this.subAgents++;
    for (const each of events) {
      if ('release' in each) {
        for (const replay of [before, after]) replay.release(each.release, each.receivedAtMs);
        continue;
      }
      const { id, receivedAtMs, event, tree } = each;
      const [old, young] = [before.next(event, receivedAtMs, tree), after.next(event, receivedAtMs, tree)];
      if (!isBlocking(event.event_type)) continue;
      this.counts.decisions++;
      if (old.action === young.action) continue;
      const now = young.action === 'block' ? 'blocked' : 'allowed';
      if (now === 'blocked') this.counts.newlyBlocked++;
      else this.counts.newlyAllowed++;
      const tool = toolOf(event)?.name ?? '';
      differences.push({ event: id, session: event.session_id, tool, now, reason: young.reason ?? old.reason ?? '' });
    }
    return differences;
  }
}
