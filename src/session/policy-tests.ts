import { unlimited } from '../detection/budget.ts';
import type { Engine } from '../detection/engine.ts';
import { inspect } from '../detection/pipeline.ts';
import type { InlineTest } from '../detection/policy/compiled-policy.ts';
import { testEvents, testTimeMs } from '../detection/policy/inline-tests.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { PolicyTestOutcome } from '../domain/policy-work.ts';
import { Replay } from './replay.ts';

/**
 * Runs `test`, whose events were checked when it was read, through the whole pipeline: the events given, one after the
 * other, and then the one that is meant.
 */
export function runPolicyTest({ policy, test, file }: InlineTest, engine: Engine): PolicyTestOutcome {
  const outcome = { policy, name: test.name, file };
  const written = testEvents(test);
  if (!written.ok) return { ...outcome, ok: false, problem: written.problem };
  const replay = new Replay((event, facts) => inspect(event, facts, engine, unlimited));
  let came = 'allow';
  for (const [index, given] of [...written.events.given, written.events.event].entries()) {
    const { explanation } = replay.next(given as unknown as AgentEvent, testTimeMs(index, given));
    const matched = [...explanation.policies, ...(explanation.simulated ?? [])];
    came = matched.find(({ id }) => id === policy)?.effect ?? 'allow';
  }
  if (came === test.expect) return { ...outcome, ok: true };
  const isOff = !engine.policies.policies.some(({ id }) => id === policy);
  return { ...outcome, ok: false, problem: `expected ${test.expect}, but it ${isOff ? 'is off' : `says ${came}`}` };
}
