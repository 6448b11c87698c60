import { compareSeverities } from '../../domain/decision.ts';
import { type EventType, isBlocking } from '../../domain/event-types.ts';
import type { Allowance } from '../cuts.ts';
import { Evaluation, EvaluationFault } from './cel/evaluation.ts';
import type { CompiledPolicySet } from './compile.ts';
import type { CompiledPolicy, Selector } from './compiled-policy.ts';
import type { PolicyContext } from './context.ts';
import type { PolicyEffectName } from './document.ts';
import type { PolicyEffect } from './effects.ts';
import { POLICY_LIMITS } from './limits.ts';
import { effectsOfMatch } from './match-effects.ts';
import type { ExceptedPolicy, MatchedPolicy, PolicyError, PolicyErrorCause, PolicyResult } from './result.ts';
import { advanceSequence, type Counted, countRate, selects } from './stateful.ts';

/** How many policies are evaluated between two looks at the clock; each looks itself where it takes many steps. */
const CLOCK_EVERY = 16;

/**
 * Evaluates all policies of `set` on one event. Pure: equal arguments give equal results, whatever the order of the
 * policies, as long as the allowance lasts; then the remaining policies are errors, which `onFailure` decides, and the
 * least grave ones remain.
 */
export function evaluatePolicies(set: CompiledPolicySet, context: PolicyContext, allowance: Allowance): PolicyResult {
  const { input } = context;
  const type = input.event.type as EventType;
  const candidates = set.index.candidates(type, input);
  if (candidates.length === 0) return NO_POLICIES;
  const evaluating = new Evaluating(context, type, () => allowance.over('policies'));
  let over = false;
  for (const [index, policy] of candidates.entries()) {
    over ||= index % CLOCK_EVERY === 0 && allowance.over('policies');
    if (over) evaluating.skip(policy);
    else evaluating.evaluate(policy);
  }
  return evaluating.result(allowance);
}

/** Of an event that no policy was asked about, or none had anything to say. */
export const NO_POLICIES: PolicyResult = Object.freeze({
  action: 'allow',
  matched: [],
  simulated: [],
  excepted: [],
  errors: [],
  effects: [],
});

/** A policy that has a say in the decision: it matched, or failed. */
interface Hit {
  policy: CompiledPolicy;
  effect: PolicyEffectName;
  failed?: PolicyErrorCause;
}

class Evaluating {
  readonly #context: PolicyContext;
  readonly #type: EventType;
  readonly #evaluation: Evaluation;
  readonly #matched: Hit[] = [];
  readonly #simulated: Hit[] = [];
  readonly #excepted: ExceptedPolicy[] = [];
  readonly #errors: PolicyError[] = [];
  readonly #effects: PolicyEffect[] = [];

  constructor(context: PolicyContext, type: EventType, isOver: () => boolean) {
    this.#context = context;
    this.#type = type;
    this.#evaluation = new Evaluation(context.input, context.stepsMax, isOver);
  }

  evaluate(policy: CompiledPolicy): void {
    this.#evaluation.refill();
    try {
      if (this.#applies(policy)) this.#match(policy);
    } catch (error) {
      if (!(error instanceof EvaluationFault)) throw error;
      this.#fail(policy, error.reason);
    }
  }

  /** Records that there was no time for `policy`, where the event could have matched it. */
  skip(policy: CompiledPolicy): void {
    const { input } = this.#context;
    const selectors: readonly Selector[] = policy.sequence?.steps ?? [policy];
    if (selectors.some(({ on, match }) => on.has(this.#type) && match.test(input))) this.#fail(policy, 'budget');
  }

  result(allowance: Allowance): PolicyResult {
    const { matchesMax, errorsMax } = POLICY_LIMITS;
    if (this.#matched.length > matchesMax || this.#simulated.length > matchesMax) {
      allowance.cut('policies', `matches ${matchesMax}`);
    }
    if (this.#errors.length > errorsMax) allowance.cut('policies', `errors ${errorsMax}`);
    const matched = this.#told(this.#matched);
    const blocked = matched[0]?.effect === 'block';
    return {
      action: blocked ? 'block' : 'allow',
      matched,
      simulated: this.#told(this.#simulated),
      excepted: this.#excepted,
      errors: this.#errors.slice(0, errorsMax),
      effects: blocked ? this.#effects.filter(({ kind }) => kind !== 'step') : this.#effects,
    };
  }

  #applies(policy: CompiledPolicy): boolean {
    if (policy.sequence !== undefined) {
      // Steps count whether or not the policy decides about this event.
      const complete = this.#reaches(advanceSequence(policy, policy.sequence, this.#evaluation, this.#context));
      return complete && this.#selects(policy) && !this.#isExcepted(policy);
    }
    if (!this.#selects(policy) || policy.notGranted?.(this.#context.input) === false) return false;
    if (this.#isExcepted(policy)) return false;
    return policy.rate === undefined || this.#reaches(countRate(policy, policy.rate, this.#evaluation, this.#context));
  }

  #reaches({ reached, effect }: Counted): boolean {
    if (effect !== undefined) this.#effects.push(effect);
    return reached;
  }

  #selects(selector: Selector): boolean {
    return selects(selector, this.#evaluation, this.#context.input);
  }

  #isExcepted({ id, exceptions }: CompiledPolicy): boolean {
    const { input } = this.#context;
    for (const { untilMs, match, when, owner } of exceptions) {
      if (input.event.timeMs >= untilMs || !match.test(input) || when?.(this.#evaluation) === false) continue;
      this.#excepted.push({ policy: id, owner });
      return true;
    }
    return false;
  }

  #match(policy: CompiledPolicy): void {
    const effect = policy.effect === 'block' && !isBlocking(this.#type) ? 'alert' : policy.effect;
    if (policy.mode === 'shadow') {
      this.#simulated.push({ policy, effect });
      return;
    }
    this.#matched.push({ policy, effect });
    if (policy.effects !== undefined) {
      this.#effects.push(...effectsOfMatch(policy, policy.effects, this.#evaluation, this.#context));
    }
  }

  #fail(policy: CompiledPolicy, cause: PolicyErrorCause): void {
    const simulated = policy.mode === 'shadow';
    this.#errors.push({ policy: policy.id, cause });
    if (policy.onFailure === 'allow') return;
    const effect = policy.onFailure === 'block' && isBlocking(this.#type) ? 'block' : 'alert';
    (simulated ? this.#simulated : this.#matched).push({ policy, effect, failed: cause });
  }

  #told(hits: Hit[]): MatchedPolicy[] {
    return hits
      .sort(byWeight)
      .slice(0, POLICY_LIMITS.matchesMax)
      .map((hit) => this.#describe(hit));
  }

  #describe({ policy, effect, failed }: Hit): MatchedPolicy {
    this.#evaluation.refill();
    const { id, severity, tags, past } = policy;
    const matched: MatchedPolicy = {
      id,
      severity,
      effect,
      reason:
        failed === undefined
          ? policy.reason.render(this.#evaluation)
          : `the policy ${id} could not be evaluated: ${FAILURES[failed]}`,
      tags,
      findings: policy.match.findingsOf(this.#context.input),
      past,
    };
    if (policy.agentHint !== undefined) matched.agentHint = policy.agentHint.render(this.#evaluation);
    return matched;
  }
}

/** Causes of failure for a person to read. */
const FAILURES: Readonly<Record<PolicyErrorCause, string>> = {
  budget: 'time was used up',
  cost: 'it costs too much on this event',
  index: 'an element that it asks for is not there',
  overflow: 'a number is too large',
  division: 'it divides by zero',
  text_length: 'a text is too long for matches()',
  library: 'a text is no time, duration or number',
};

const EFFECT_RANK = { block: 2, alert: 1, log: 0 } as const;

function byWeight(left: Hit, right: Hit): number {
  return (
    EFFECT_RANK[right.effect] - EFFECT_RANK[left.effect] ||
    compareSeverities(right.policy.severity, left.policy.severity) ||
    (left.policy.id < right.policy.id ? -1 : 1)
  );
}
