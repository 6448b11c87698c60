import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { ACTION_DETECTORS } from '../../src/detection/detectors/actions/action-detectors.ts';
import type { Detection } from '../../src/detection/detectors/detector.ts';
import { eventFacts } from '../../src/detection/facts/gather-facts.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import type { AgentEvent } from '../../src/domain/event.ts';

interface Seen extends Detection {
  detector: string;
}

/** What the detectors of actions report of `event`, each with its detector. */
export function detect(event: AgentEvent): Seen[] {
  const allowance = new Allowance(unlimited);
  const input = { event, facts: eventFacts(event, FULL_LIMITS, allowance), texts: [], limits: FULL_LIMITS, allowance };
  return ACTION_DETECTORS.flatMap((detector) =>
    detector.detect(input).map((detection) => ({ ...detection, detector: detector.id })),
  );
}

/** Whether the built-in policies block it by themselves. */
export const isGrave = ({ severity, confidence }: Detection): boolean =>
  (severity === 'high' || severity === 'critical') && confidence >= 0.7;

/** What was reported, for the message of a test that fails. */
export const told = (event: AgentEvent): string =>
  detect(event)
    .map(({ kind, severity, confidence }) => `${kind} ${severity} ${confidence}`)
    .join(', ');

interface LookAlikes {
  grave: readonly AgentEvent[];
  /** What looks like it, and is daily work. */
  ordinary: readonly AgentEvent[];
}

/** Tests that the built-in policies would block each of the one kind, and none of the other. `title` says what the grave ones have in common. */
export function testLookAlikes(title: string, { grave, ordinary }: LookAlikes): void {
  t.test(title, async (t) => {
    for (const event of grave) t.ok(detect(event).some(isGrave), `${titleOf(event)}: ${told(event)}`);
  });
  t.test('what only looks like it is not', async (t) => {
    for (const event of ordinary) t.notOk(detect(event).some(isGrave), `${titleOf(event)}: ${told(event)}`);
  });
}

function titleOf(event: AgentEvent): string {
  return 'tool' in event ? `${event.tool.name} ${JSON.stringify(event.tool.input)}`.slice(0, 200) : event.event_type;
}
