import type { AgentEvent } from '../domain/event.ts';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import { unlimited } from './budget.ts';
import type { Engine } from './engine.ts';
import { inspect } from './pipeline.ts';
import { testEvents } from './policy/inline-tests.ts';
import { factsAlone } from './session-facts.ts';

/** Enough that most of the code has run; more of them save less than they take. */
const EVENTS = 24;

/**
 * Inspects what the policies' own tests are about, before any event that somebody sent: the first ones of a thread cost fifty
 * times what later ones do.
 */
export function warmUp(engine: Engine): void {
  const alone = factsAlone('' as TenantSlug, '00000000-0000-7000-8000-000000000000' as EventId, 0);
  const samples = new Map(engine.policies.tests.map(({ policy, test }) => [policy, test]));
  for (const test of [...samples.values()].slice(0, EVENTS)) {
    const written = testEvents(test);
    if (written.ok) inspect(written.events.event as unknown as AgentEvent, alone, engine, unlimited);
  }
}
