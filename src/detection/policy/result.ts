import type { Severity } from '../../domain/decision.ts';
import type { EvaluationCause } from './cel/evaluation.ts';
import type { PolicyEffectName } from './document.ts';
import type { PolicyEffect } from './effects.ts';
import type { PastFact } from './past-facts.ts';

/** A policy that matched an event. */
export interface MatchedPolicy {
  id: string;
  severity: Severity;
  /** What it does. Of an event that nobody waits for, a block can only be an alert. */
  effect: PolicyEffectName;
  /** For the person; at most 300 characters, without content of the event. */
  reason: string;
  /** For the agent. */
  agentHint?: string;
  tags: readonly string[];
  /** The findings that it rests on, as indices. */
  findings: readonly number[];
  /** What it asked about the session's past. */
  past: readonly PastFact[];
}

/** Why a policy could not be evaluated. `budget`: time was used up, in the midst of it or before its turn. */
export type PolicyErrorCause = EvaluationCause;

/** A policy that could not be evaluated. What its `onFailure` asks for instead stands among those that matched. */
export interface PolicyError {
  policy: string;
  cause: PolicyErrorCause;
}

/** A policy that would have matched, and the exception that kept it from it. */
export interface ExceptedPolicy {
  policy: string;
  owner: string;
}

/** What all policies together say of one event. Plain data. */
export interface PolicyResult {
  action: 'allow' | 'block';
  /** The one that decides first: block before alert before log, then the gravest, then by id. */
  matched: readonly MatchedPolicy[];
  /** What shadow policies would have done. Without influence on anything else here. */
  simulated: readonly MatchedPolicy[];
  excepted: readonly ExceptedPolicy[];
  errors: readonly PolicyError[];
  /** What changes in the session. Of a blocked event, no step of a sequence: it did not happen. */
  effects: readonly PolicyEffect[];
}
