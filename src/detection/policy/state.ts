import { REASON_CHARS_MAX, readable } from '../reason.ts';
import { advanceChain, type Chain } from './chains.ts';
import { addToCounter, type Counter } from './counters.ts';
import type { PolicyEffect } from './effects.ts';
import { POLICY_LIMITS } from './limits.ts';

/** A label that a policy gave to the session. */
export interface Taint {
  label: string;
  policy: string;
  /** The event that it matched; absent in what an earlier version kept. */
  event?: string;
  /** When it was last set, and when it ends. */
  atMs: number;
  untilMs?: number;
}

/** Why the session is on hold. */
export interface Hold {
  policy: string;
  reason: string;
  /** The event that it matched; absent in what an earlier version kept. */
  event?: string;
  atMs: number;
  untilMs?: number;
}

/** What counts and sequences of policies remember, by policy and key. */
export interface PolicyMemory {
  counters: Readonly<Record<string, Counter>>;
  chains: Readonly<Record<string, Chain>>;
}

/**
 * What policies remember of one session. Plain data and bounded: it is stored in snapshots and crosses threads. Holds
 * hashes of what is counted, never the values.
 */
export interface PolicyState extends PolicyMemory {
  taints: readonly Taint[];
  hold?: Hold;
  /** When labels were released by a person, or cleared by a policy: a sub-agent's taint from before does not come back. The newest `taintsMax`. */
  released?: Readonly<Record<string, number>>;
  /** What shadow policies count: apart, so that they never displace what enforced policies know. */
  shadow: PolicyMemory;
}

export const EMPTY_POLICY_STATE: PolicyState = {
  counters: {},
  chains: {},
  taints: [],
  shadow: { counters: {}, chains: {} },
};

/** `state` after `effects`, which took place at `atMs`. Pure; effects of shadow policies change `shadow` only. */
export function applyPolicyEffects(state: PolicyState, effects: readonly PolicyEffect[], atMs: number): PolicyState {
  return effects.reduce((next, effect) => applyEffect(next, effect, atMs), state);
}

function applyEffect(state: PolicyState, effect: PolicyEffect, atMs: number): PolicyState {
  switch (effect.kind) {
    case 'count':
    case 'step':
      if (effect.simulated) return { ...state, shadow: remember(state.shadow, effect, atMs) };
      return { ...state, ...remember(state, effect, atMs) };
    case 'taint':
      return { ...state, taints: withTaint(state, effect, atMs) };
    case 'clear_taint':
      return withoutTaints(state, [effect.label], atMs);
    case 'hold':
      return { ...state, hold: longer(activeHold(state, atMs), { ...causeOf(effect, atMs), reason: effect.reason }) };
    case 'fingerprint':
      // Data flow keeps those.
      return state;
  }
}

/** What did it, and for how long. */
function causeOf(
  { policy, event, forMs }: Extract<PolicyEffect, { kind: 'taint' | 'hold' }>,
  atMs: number,
): Omit<Taint, 'label'> {
  return {
    policy,
    ...(event === undefined ? {} : { event }),
    atMs,
    ...(forMs === undefined ? {} : { untilMs: atMs + forMs }),
  };
}

type Remembered = Extract<PolicyEffect, { kind: 'count' | 'step' }>;

function remember(memory: PolicyMemory, effect: Remembered, atMs: number): PolicyMemory {
  const { counters, chains } = memory;
  if (effect.kind === 'count') {
    const counter = addToCounter(counters[effect.key], effect.rate, effect.values, atMs);
    return { counters: bounded({ ...counters, [effect.key]: counter }, POLICY_LIMITS.countersMax), chains };
  }
  const { chain } = advanceChain(chains[effect.key], effect.sequence, effect.steps, atMs);
  return { counters, chains: bounded({ ...chains, [effect.key]: chain }, POLICY_LIMITS.chainsMax) };
}

/**
 * Without one entry where there are more than `max`: of the policy that has the most, the one that was longest
 * untouched. So a policy whose keys an agent can make up forgets its own, not those of others.
 */
function bounded<T extends { atMs: number }>(entries: Record<string, T>, max: number): Record<string, T> {
  const keys = Object.keys(entries);
  if (keys.length <= max) return entries;
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(policyOf(key), (counts.get(policyOf(key)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const [oldest] = keys
    .filter((key) => counts.get(policyOf(key)) === most)
    .sort((left, right) => (entries[left] as T).atMs - (entries[right] as T).atMs || (left < right ? -1 : 1));
  const { [oldest as string]: _, ...kept } = entries;
  return kept;
}

/** Keys are the policy's id, a space, and a hash. */
function policyOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

function withTaint(state: PolicyState, effect: Extract<PolicyEffect, { kind: 'taint' }>, atMs: number): Taint[] {
  const active = activeTaints(state, atMs);
  const own = active.find(({ label }) => label === effect.label);
  const kept = active.filter((taint) => taint !== own);
  return [...kept, longer(own, { label: effect.label, ...causeOf(effect, atMs) })].slice(-POLICY_LIMITS.taintsMax);
}

/** Which of two reasons for the same lasts longer: else the later; of one event the first, whose policy is graver. */
export function longer<T extends Taint | Hold>(own: T | undefined, next: T): T {
  if (own === undefined || lasts(own) < lasts(next)) return next;
  return lasts(own) > lasts(next) || own.atMs >= next.atMs ? own : next;
}

/** When it ends by itself. */
export function lasts({ untilMs = Number.POSITIVE_INFINITY }: Pick<Taint, 'untilMs'>): number {
  return untilMs;
}

/** The taints that hold at `timeMs`. */
export function activeTaints({ taints }: PolicyState, timeMs: number): readonly Taint[] {
  return taints.filter(({ untilMs }) => untilMs === undefined || untilMs > timeMs);
}

/** What a blocked event of a session on hold is told. */
export function heldReason({ policy, reason }: Hold): string {
  return readable(`${policy}: this session is on hold: ${reason}`, REASON_CHARS_MAX);
}

/** The hold that is in force at `timeMs`, if there is one. */
export function activeHold({ hold }: PolicyState, timeMs: number): Hold | undefined {
  return hold === undefined || (hold.untilMs !== undefined && hold.untilMs <= timeMs) ? undefined : hold;
}

/** What a person takes back: the hold, and taints by label. */
export interface Release {
  hold: boolean;
  taints: readonly string[];
}

/** What of `wanted` there is to release at `timeMs`. */
export function releasable(state: PolicyState, wanted: Release, timeMs: number): Release {
  const labels = new Set(activeTaints(state, timeMs).map(({ label }) => label));
  return {
    hold: wanted.hold && activeHold(state, timeMs) !== undefined,
    taints: [...new Set(wanted.taints)].filter((label) => labels.has(label)),
  };
}

/** `state` after a person released `release` at `atMs`. Pure. What policies set from then on holds again. */
export function applyRelease(state: PolicyState, { hold, taints }: Release, atMs: number): PolicyState {
  const { hold: held, ...rest } = state;
  const next = hold || held === undefined ? rest : state;
  if (taints.length === 0) return next;
  return withoutTaints(next, taints, atMs);
}

function withoutTaints(state: PolicyState, labels: readonly string[], atMs: number): PolicyState {
  const kept = Object.entries(state.released ?? {}).filter(([label]) => !labels.includes(label));
  const released = [...kept, ...labels.map((label) => [label, atMs] as const)].slice(-POLICY_LIMITS.taintsMax);
  return {
    ...state,
    taints: state.taints.filter(({ label }) => !labels.includes(label)),
    released: Object.fromEntries(released),
  };
}
