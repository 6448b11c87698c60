import type { EventIds } from '../domain/event-ids.ts';
import type { AgentSessionKey, EventId, TenantSlug } from '../domain/ids.ts';
import type { Clock } from '../lib/clock.ts';
import { type Refusal, refuse } from './http.ts';

/** Sessions of agents as they are now, and what people take back of them. */

/** What holds in a session that a person could end. */
export interface SessionStanding {
  /** Why its next blocking event is blocked, whatever it is. */
  hold: string | undefined;
  taints: readonly { label: string; policy: string; sinceMs: number }[];
}

export interface ReleaseOrder {
  subject: string;
  reason: string;
  hold: boolean;
  taints: readonly string[];
}

/** What was there and is released. */
export interface Released {
  hold: boolean;
  taints: readonly string[];
}

/** The live sessions. */
export interface AgentSessionsPort {
  /** Undefined where nothing is remembered of the session. */
  standing(key: AgentSessionKey): SessionStanding | undefined;
  /** Never rejects. */
  release(
    tenant: TenantSlug,
    key: AgentSessionKey,
    order: ReleaseOrder & { id: EventId },
  ): Promise<({ kind: 'released' } & Released) | { kind: 'unknown_session' } | { kind: 'failed'; detail: string }>;
}

/** Releases under way at once: people order them one by one. */
const UNDER_WAY_MAX = 64;

/** Takes back holds and taints, whichever way it was asked for. */
export class Releases {
  readonly #sessions: AgentSessionsPort;
  readonly #clock: Clock;
  readonly #ids: EventIds;
  #underWay = 0;

  constructor(sessions: AgentSessionsPort, clock: Clock, ids: EventIds) {
    this.#sessions = sessions;
    this.#clock = clock;
    this.#ids = ids;
  }

  standing(key: AgentSessionKey): SessionStanding | undefined {
    return this.#sessions.standing(key);
  }

  async release(tenant: TenantSlug, key: AgentSessionKey, order: ReleaseOrder): Promise<Released | Refusal> {
    if (this.#underWay >= UNDER_WAY_MAX) return refuse('internal-error', 'try again later');
    this.#underWay++;
    try {
      const id = this.#ids.next(this.#clock.now());
      const outcome = await this.#sessions.release(tenant, key, { ...order, id });
      if (outcome.kind === 'unknown_session') return refuse('unknown-session', 'nothing is remembered of this session');
      if (outcome.kind === 'failed') return refuse('internal-error', `nothing was released: ${outcome.detail}`);
      return { hold: outcome.hold, taints: outcome.taints };
    } finally {
      this.#underWay--;
    }
  }
}
