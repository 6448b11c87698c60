import { POLICY_LIMITS } from '../limits.ts';

/** Why an expression gave no value. `budget`: time was used up. A closed list: it is stored in decisions. */
export type EvaluationCause = 'budget' | 'cost' | 'index' | 'overflow' | 'division' | 'text_length' | 'library';

/** An expression that gave no value. */
export class EvaluationFault extends Error {
  readonly reason: EvaluationCause;

  constructor(reason: EvaluationCause) {
    super(reason);
    this.name = 'EvaluationFault';
    this.reason = reason;
  }
}

/** Some milliseconds at most. */
const LOOK_EVERY_STEPS = 256;

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
  readonly #isOver: () => boolean;
  #stepsToLook = 0;

  /** @param isOver asked every so many steps whether time is used up. */
  constructor(facts: Facts, stepsMax: number = POLICY_LIMITS.evaluationStepsMax, isOver = () => false) {
    this.facts = facts;
    this.stepsMax = stepsMax;
    this.stepsLeft = stepsMax;
    this.#isOver = isOver;
  }

  /** Starts the next policy's budget. */
  refill(): void {
    this.stepsLeft = this.stepsMax;
  }

  /** Pays for `steps`; throws where the policy has used up what it may cost, or time is over. */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) throw new EvaluationFault('cost');
    this.#stepsToLook -= steps;
    if (this.#stepsToLook > 0) return;
    this.#stepsToLook = LOOK_EVERY_STEPS;
    if (this.#isOver()) throw new EvaluationFault('budget');
  }
}

/** A compiled expression. Pure but for the evaluation's memo and budget. */
export type Run<Value = unknown> = (evaluation: Evaluation) => Value;
