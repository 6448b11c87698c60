import type { SequenceShape } from './chains.ts';
import type { RateShape } from './counters.ts';

/** What is remembered of an event as fingerprints: values of these findings, or whole texts. */
export type FingerprintOf = 'findings' | 'output' | 'input' | 'message';

/**
 * What a policy changes. Plain data: it is stored with the decision. `event` is the one that it matched; what an earlier version stored has none. `simulated` marks what shadow policies count; they
 * have no other effects.
 */
export type PolicyEffect =
  | { kind: 'count'; policy: string; key: string; rate: RateShape; values: readonly string[]; simulated: boolean }
  | { kind: 'step'; policy: string; key: string; sequence: SequenceShape; steps: readonly number[]; simulated: boolean }
  | { kind: 'taint'; policy: string; label: string; forMs?: number; event?: string }
  | { kind: 'clear_taint'; policy: string; label: string }
  | { kind: 'hold'; policy: string; reason: string; forMs?: number; event?: string }
  | {
      kind: 'fingerprint';
      policy: string;
      label: string;
      of: readonly FingerprintOf[];
      /** For `findings`: which of the event's. */
      findings: readonly number[];
    };
