import type { OnFailure, Severity } from '../../domain/decision.ts';
import type { EventType } from '../../domain/event-types.ts';
import type { NotGranted } from './allow-only.ts';
import type { Run } from './cel/evaluation.ts';
import type { SequenceShape } from './chains.ts';
import type { RateShape } from './counters.ts';
import type { PolicyEffectName, PolicyTestDocument } from './document.ts';
import type { FingerprintOf } from './effects.ts';
import type { CompiledMatch } from './match.ts';
import type { PastFact } from './past-facts.ts';
import type { Template } from './template.ts';

/** Which events something is about: their types, a cheap match, and conditions. */
export interface Selector {
  on: ReadonlySet<EventType>;
  match: CompiledMatch;
  when: Run<boolean> | undefined;
  unless: Run<boolean> | undefined;
}

export interface CompiledException {
  owner: string;
  untilMs: number;
  match: CompiledMatch;
  when: Run<boolean> | undefined;
}

export interface CompiledRate extends RateShape {
  key: Run | undefined;
  value: Run | undefined;
}

export interface CompiledSequence extends SequenceShape {
  key: Run | undefined;
  steps: readonly Selector[];
}

/** What a match changes in the session. */
export interface CompiledEffects {
  taint: { add: readonly string[]; clear: ((label: string) => boolean) | undefined; forMs?: number } | undefined;
  fingerprint: { label: string; of: readonly FingerprintOf[] | undefined } | undefined;
  hold: { reason: Template | undefined; forMs?: number } | undefined;
}

/** One policy, ready to be evaluated. */
export interface CompiledPolicy extends Selector {
  id: string;
  severity: Severity;
  mode: 'enforce' | 'shadow';
  effect: PolicyEffectName;
  onFailure: OnFailure;
  tags: readonly string[];
  exceptions: readonly CompiledException[];
  notGranted: NotGranted | undefined;
  rate: CompiledRate | undefined;
  sequence: CompiledSequence | undefined;
  effects: CompiledEffects | undefined;
  reason: Template;
  agentHint: Template | undefined;
  /** What it asks about the session's past. */
  past: readonly PastFact[];
  /** Place among the policies of its set: the gravest first, ties by id. */
  order: number;
}

/** A test that a policy brings along. */
export interface InlineTest {
  /** The policy that is meant. */
  policy: string;
  test: PolicyTestDocument;
  file: string;
}
