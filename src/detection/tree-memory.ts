import { type FlowMemory, NO_FLOW } from './flow/memory.ts';
import { mergeMemories } from './flow/merge-memories.ts';
import { handedDown, reportedBack } from './flow/share-memory.ts';
import { NO_WORDS } from './flow/word-hashes.ts';
import { POLICY_LIMITS } from './policy/limits.ts';
import { activeHold, activeTaints, type Hold, lasts, longer, type PolicyState, type Taint } from './policy/state.ts';

/** That a session is a sub-agent's, and what came with that. */
export interface TreePlace {
  /** Key of the parent's session. */
  parent: string;
  /**
   * Whether it knows what the parent's user asked for. Then the messages of this session are its parent's orders: who
   * writes them does not speak for the user.
   */
  asked: boolean;
}

/**
 * What sessions of one tree tell each other. Stands in front of the effects of the event with which it was taken over, so
 * that the state stays a fold over the records of one session. `tree.inherit`: what a sub-agent starts with; `tree.learn`:
 * what its sub-agents found out. At most `TREE_EFFECT_BYTES_MAX` as JSON: both are cut by the bounds of the memory itself.
 */
export type TreeEffect =
  | { kind: 'tree.inherit'; parent: string; flow: FlowMemory; taints: readonly Taint[]; hold?: Hold }
  | { kind: 'tree.learn'; flow: FlowMemory; taints: readonly Taint[] };

export const TREE_EFFECT_BYTES_MAX = 65_536;

/** What a member of a tree knows. */
export interface TreeMemory {
  policy: PolicyState;
  flow: FlowMemory;
  tree?: TreePlace;
}

/** A member of a tree at a moment: what it knows, and how many events it has seen. */
export interface TreeMoment {
  memory: TreeMemory;
  eventsCount: number;
}

/** What a session of `eventsCount` events takes over from its parent at `atMs`, as it joins it. */
export function inheritance(
  parent: TreeMoment & { key: string; hold: Hold | undefined },
  eventsCount: number,
  atMs: number,
): TreeEffect {
  const { policy, flow } = parent.memory;
  const hold = activeHold(policy, atMs) ?? parent.hold;
  return {
    kind: 'tree.inherit',
    parent: parent.key,
    flow: handedDown(flow, eventsCount - parent.eventsCount),
    taints: activeTaints(policy, atMs),
    ...(hold === undefined ? {} : { hold }),
  };
}

/** What `own` learns at `atMs` from what its sub-agents know; undefined where it knows all that. */
export function lessons(own: TreeMoment, members: readonly TreeMoment[], atMs: number): TreeEffect | undefined {
  let flow: FlowMemory | undefined;
  let taints: readonly Taint[] = [];
  for (const { memory, eventsCount } of members) {
    const news = reportedBack(memory.flow, own.memory.flow, own.eventsCount - eventsCount);
    if (news !== undefined) flow = flow === undefined ? news : mergeMemories(flow, news);
    taints = withTaints(taints, activeTaints(memory.policy, atMs).filter(isNewTo(own.memory.policy)));
  }
  if (flow === undefined && taints.length === 0) return undefined;
  return { kind: 'tree.learn', flow: flow ?? NO_FLOW, taints };
}

/** `memory` after `effect`. Pure. */
export function applyTreeEffect<T extends TreeMemory>(memory: T, effect: TreeEffect): T {
  const flow = mergeMemories(memory.flow, effect.flow);
  const policy = { ...memory.policy, taints: withTaints(memory.policy.taints, effect.taints) };
  if (effect.kind === 'tree.learn') return { ...memory, policy, flow };
  const { hold } = effect;
  if (hold !== undefined) policy.hold = longer(policy.hold, hold);
  return { ...memory, policy, flow, tree: { parent: effect.parent, asked: effect.flow.userWords !== NO_WORDS } };
}

/** By label; where both have one, the one that lasts longer. */
function withTaints(taints: readonly Taint[], more: readonly Taint[]): readonly Taint[] {
  const added = more.filter((taint) => !taints.some((own) => own.label === taint.label && lasts(own) >= lasts(taint)));
  if (added.length === 0) return taints;
  const kept = taints.filter(({ label }) => !added.some((taint) => taint.label === label));
  return [...kept, ...added].slice(-POLICY_LIMITS.taintsMax);
}

function isNewTo({ taints, released = {} }: PolicyState): (taint: Taint) => boolean {
  return (taint) =>
    taint.atMs >
      (Object.hasOwn(released, taint.label) ? (released[taint.label] as number) : Number.NEGATIVE_INFINITY) &&
    !taints.some((own) => own.label === taint.label && lasts(own) >= lasts(taint));
}
