import { activeHold, activeTaints, heldReason, type Taint } from '../detection/policy/state.ts';
import type { AgentSessionState, LateHold } from './state.ts';

/** What holds in a session at `timeMs` (Unix milliseconds) that a person could end. */
export function standingOf(
  { hold, memory }: Readonly<AgentSessionState>,
  timeMs: number,
): { hold: string | undefined; taints: readonly Taint[] } {
  const ofPolicy = activeHold(memory.policy, timeMs);
  return {
    hold: hold?.reason ?? (ofPolicy === undefined ? undefined : heldReason(ofPolicy)),
    taints: activeTaints(memory.policy, timeMs),
  };
}

/** Why an event of a session is blocked whose late decision was a block: as `heldReason` for a hold of a policy. */
export function lateHoldReason({ reason }: LateHold): string {
  return `This session is on hold, because an earlier event went through that should have been blocked: ${reason}`;
}
