import type { PolicyInput } from './facts-surface.ts';
import type { PolicyState } from './state.ts';

/** What policies are evaluated on. */
export interface PolicyContext {
  /** Id of the event. */
  event: string;
  input: PolicyInput;
  /** What policies remember of the session, before this event. */
  state: PolicyState;
  /** What one policy may cost: `POLICY_LIMITS.evaluationStepsMax`, unless less. */
  stepsMax?: number;
}
