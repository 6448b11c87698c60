import { POLICY_LIMITS } from '../limits.ts';

/** Why an expression gave no value. A closed list: it is stored in decisions. */
export type EvaluationCause = 'cost' | 'index' | 'overflow' | 'division' | 'text_length' | 'library';

/** An expression that gave no value. */
export class EvaluationFault extends Error {
  readonly reason: EvaluationCause;

  constructor(reason: EvaluationCause) {
    super(reason);
    this.name = 'EvaluationFault';
    this.reason = reason;
  }
}

/** What running expressions need: the facts of one event, the values of loop variables, and what may still be spent. */
export class Evaluation<Facts extends object = object> {
  readonly facts: Facts;
  /** Values of loop variables, by the depth of their loop. */
  vars: unknown[] = [];
  /** Values of macros, each computed once for an event. */
  readonly memo = new Map<object, unknown>();
  /** What one policy, or macro, may cost. */
  readonly stepsMax: number;
  stepsLeft: number;
  /** All that was spent so far, by whichever policy. */
  spent = 0;

  constructor(facts: Facts, stepsMax: number = POLICY_LIMITS.evaluationStepsMax) {
    this.facts = facts;
    this.stepsMax = stepsMax;
    this.stepsLeft = stepsMax;
  }

  /** Starts the next policy's budget. */
  refill(): void {
    this.stepsLeft = this.stepsMax;
  }

  /** Pays for `steps`; throws where the policy has used up what it may cost. */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    this.spent += steps;
    if (this.stepsLeft < 0) throw new EvaluationFault('cost');
  }
}

/** A compiled expression. Pure but for the evaluation's memo and budget. */
export type Run<Value = unknown> = (evaluation: Evaluation) => Value;
