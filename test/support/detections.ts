import { Allowance } from '../../src/detection/cuts.ts';
import { ACTION_DETECTORS } from '../../src/detection/detectors/actions/action-detectors.ts';
import type { Detection } from '../../src/detection/detectors/detector.ts';
import { eventFacts } from '../../src/detection/facts/event-facts.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { unlimited } from '../../src/detection/pipeline.ts';
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
