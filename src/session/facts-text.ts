import type { SessionMemory } from '../detection/session-memory.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';

/** What an inspection is told of the session, beside its memory. */
export interface FactsOf {
  tenant: TenantSlug;
  event: EventId;
  receivedAtMs: number;
  eventsCount: number;
  blockedCount: number;
}

/** `SessionFacts` as JSON text. The large parts of a memory are seldom others than the last time, and are not written again then. */
export class FactsText {
  readonly #policy = new LastText<SessionMemory['policy']>();
  readonly #flow = new LastText<SessionMemory['flow']>();

  of(
    { tenant, event, receivedAtMs, eventsCount, blockedCount }: FactsOf,
    { policy, flow, open, toolKinds, cwd, tree }: SessionMemory,
  ): string {
    const directory = cwd === undefined ? '' : `,"cwd":${JSON.stringify(cwd)}`;
    const place = tree === undefined ? '' : `,"tree":${JSON.stringify(tree)}`;
    const memory = `{"policy":${this.#policy.of(policy)},"flow":${this.#flow.of(flow)},"open":${JSON.stringify(open)},"toolKinds":${JSON.stringify(toolKinds)}${directory}${place}}`;
    return `{"tenant":"${tenant}","event":"${event}","receivedAtMs":${receivedAtMs},"eventsCount":${eventsCount},"blockedCount":${blockedCount},"memory":${memory}}`;
  }
}

/** The JSON text of a value that never changes in place: made again only for another value. */
class LastText<T extends object> {
  #value: T | undefined;
  #text = '';

  of(value: T): string {
    if (value !== this.#value) {
      this.#value = value;
      this.#text = JSON.stringify(value);
    }
    return this.#text;
  }
}
