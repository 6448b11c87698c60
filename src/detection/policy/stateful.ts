import { memoized } from '../../lib/memo.ts';
import { sha256 } from './canonical.ts';
import type { Evaluation, Run } from './cel/evaluation.ts';
import { advanceChain, type SequenceShape } from './chains.ts';
import type { CompiledPolicy, CompiledRate, CompiledSequence } from './compiled-policy.ts';
import type { PolicyContext } from './context.ts';
import { addToCounter, countAt, type RateShape } from './counters.ts';
import type { PolicyEffect } from './effects.ts';
import type { PolicyMemory } from './state.ts';

/** Hex digits of a hash that stands for a key or value: 64 bits. */
const HASH_CHARS = 16;
/** Values of one event that a `value_count` looks at. */
const VALUES_MAX = 256;

/**
 * Whether the rate or sequence of `policy` is reached with this event. Adds to `effects` what has to be remembered of
 * it, whether or not it is.
 */
export function countStateful(
  policy: CompiledPolicy,
  evaluation: Evaluation,
  context: PolicyContext,
  effects: PolicyEffect[],
): boolean {
  const { rate, sequence } = policy;
  if (rate !== undefined) return countRate(policy, rate, evaluation, context, effects);
  return sequence !== undefined && advanceSequence(policy, sequence, evaluation, context, effects);
}

function memoryOf({ mode }: CompiledPolicy, { state }: PolicyContext): PolicyMemory {
  return mode === 'shadow' ? state.shadow : state;
}

function keyOf({ id }: CompiledPolicy, key: Run | undefined, evaluation: Evaluation): string {
  return `${id} ${key === undefined ? '' : hashOf(key(evaluation))}`;
}

const hashOfText = memoized((text) => sha256(text).slice(0, HASH_CHARS));

function hashOf(value: unknown): string {
  return hashOfText(String(value));
}

function countRate(
  policy: CompiledPolicy,
  rate: CompiledRate,
  evaluation: Evaluation,
  context: PolicyContext,
  effects: PolicyEffect[],
): boolean {
  const { windowMs, gt, distinct } = rate;
  const shape: RateShape = { windowMs, gt, distinct };
  const values = rate.value === undefined ? [] : hashesOf(rate.value(evaluation));
  if (distinct && values.length === 0) return false;
  const key = keyOf(policy, rate.key, evaluation);
  effects.push({ kind: 'count', policy: policy.id, key, rate: shape, values, simulated: policy.mode === 'shadow' });
  const { timeMs } = context.input.event;
  return countAt(addToCounter(memoryOf(policy, context).counters[key], shape, values, timeMs), shape, timeMs) > gt;
}

function hashesOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value.slice(0, VALUES_MAX) : [value];
  return [...new Set(values.map(hashOf))];
}

function advanceSequence(
  policy: CompiledPolicy,
  sequence: CompiledSequence,
  evaluation: Evaluation,
  context: PolicyContext,
  effects: PolicyEffect[],
): boolean {
  const { input } = context;
  const steps: number[] = [];
  for (const [index, { on, match, when, unless }] of sequence.steps.entries()) {
    const fits =
      on.has(input.event.type as never) &&
      match.test(input) &&
      (when === undefined || when(evaluation)) &&
      !unless?.(evaluation);
    if (fits) steps.push(index);
  }
  if (steps.length === 0) return false;
  const { stepsCount, withinMs, ordered } = sequence;
  const shape: SequenceShape = { stepsCount, withinMs, ordered };
  const key = keyOf(policy, sequence.key, evaluation);
  const known = memoryOf(policy, context).chains[key];
  // The last step of an ordered sequence leaves nothing to remember, nor does one whose steps before are missing.
  const { complete, chain } = advanceChain(known, shape, steps, input.event.timeMs);
  const remembered = chain.startsMs.some((startMs, index) => startMs !== (known?.startsMs[index] ?? 0));
  if (remembered) {
    effects.push({ kind: 'step', policy: policy.id, key, sequence: shape, steps, simulated: policy.mode === 'shadow' });
  }
  return complete;
}
