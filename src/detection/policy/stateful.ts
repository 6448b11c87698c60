import type { EventType } from '../../domain/event-types.ts';
import { memoized } from '../../lib/memo.ts';
import { sha256 } from './canonical.ts';
import type { Evaluation, Run } from './cel/evaluation.ts';
import { advanceChain, type SequenceShape } from './chains.ts';
import type { CompiledPolicy, CompiledRate, CompiledSequence, Selector } from './compiled-policy.ts';
import type { PolicyContext } from './context.ts';
import { addToCounter, countAt, type RateShape } from './counters.ts';
import type { PolicyEffect } from './effects.ts';
import type { PolicyInput } from './facts-surface.ts';
import type { PolicyMemory } from './state.ts';

/** Hex digits of a hash that stands for a key or value: 64 bits. */
const HASH_CHARS = 16;
/** Values of one event that a `value_count` looks at. */
const VALUES_MAX = 256;

/** What a rate or sequence came to with an event. */
export interface Counted {
  reached: boolean;
  /** What has to be remembered of the event, whether or not it is reached. */
  effect?: PolicyEffect;
}

/** Whether the event is one of those that `selector` is about. */
export function selects({ on, match, when, unless }: Selector, evaluation: Evaluation, input: PolicyInput): boolean {
  return (
    on.has(input.event.type as EventType) &&
    match.test(input) &&
    (when === undefined || when(evaluation)) &&
    !unless?.(evaluation)
  );
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

/** Counts the event for the rate of `policy`. */
export function countRate(
  policy: CompiledPolicy,
  rate: CompiledRate,
  evaluation: Evaluation,
  context: PolicyContext,
): Counted {
  const { windowMs, gt, distinct } = rate;
  const shape: RateShape = { windowMs, gt, distinct };
  const values = rate.value === undefined ? [] : hashesOf(rate.value(evaluation));
  if (distinct && values.length === 0) return { reached: false };
  const key = keyOf(policy, rate.key, evaluation);
  const { timeMs } = context.input.event;
  const counter = addToCounter(memoryOf(policy, context).counters[key], shape, values, timeMs);
  return {
    reached: countAt(counter, shape, timeMs) > gt,
    effect: { kind: 'count', policy: policy.id, key, rate: shape, values, simulated: policy.mode === 'shadow' },
  };
}

function hashesOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(values.map(hashOf))].slice(0, VALUES_MAX);
}

/** Takes the steps of the sequence of `policy` that the event is. */
export function advanceSequence(
  policy: CompiledPolicy,
  sequence: CompiledSequence,
  evaluation: Evaluation,
  context: PolicyContext,
): Counted {
  const { input } = context;
  const steps = [...sequence.steps.keys()].filter((index) =>
    selects(sequence.steps[index] as Selector, evaluation, input),
  );
  if (steps.length === 0) return { reached: false };
  const { stepsCount, withinMs, ordered } = sequence;
  const shape: SequenceShape = { stepsCount, withinMs, ordered };
  const key = keyOf(policy, sequence.key, evaluation);
  const known = memoryOf(policy, context).chains[key];
  // The last step of an ordered sequence leaves nothing to remember, nor does one whose steps before are missing.
  const { complete, chain } = advanceChain(known, shape, steps, input.event.timeMs);
  const remembered = chain.startsMs.some((startMs, index) => startMs !== (known?.startsMs[index] ?? 0));
  if (!remembered) return { reached: complete };
  const simulated = policy.mode === 'shadow';
  return { reached: complete, effect: { kind: 'step', policy: policy.id, key, sequence: shape, steps, simulated } };
}
