import type { Effect } from '../domain/decision.ts';
import { applyFlowEffects } from './flow/fold-memory.ts';
import { type FlowEffect, type FlowMemory, NO_FLOW } from './flow/memory.ts';
import type { PolicyEffect } from './policy/effects.ts';
import { applyPolicyEffects, EMPTY_POLICY_STATE, type PolicyState } from './policy/state.ts';
import { applyTreeEffect, type TreeEffect, type TreePlace } from './tree-memory.ts';

/** What inspections remember of one session: plain data, a fold over the effects of its events, bounded. */
export interface SessionMemory {
  policy: PolicyState;
  flow: FlowMemory;
  /**
   * The tools called so far, the least recently called first. A list, since names come from outside: as the keys of an object, in
   * ever other orders, each session's would have a shape of its own.
   */
  open: readonly OpenCalls[];
  /** Kinds of the tools called so far. */
  toolKinds: readonly string[];
  /** The directory that the shell of a tool was left in, where that tells; see `work-directory.ts`. */
  cwd?: { tool: string; path: string };
  /** Where the session is a sub-agent's. */
  tree?: TreePlace;
}

/** A tool, and how many of its calls were announced and have no result yet. */
export type OpenCalls = readonly [tool: string, calls: number];

export const NO_MEMORY: SessionMemory = { policy: EMPTY_POLICY_STATE, flow: NO_FLOW, open: [], toolKinds: [] };

/** Tools of one session whose calls are counted. */
const TOOLS_MAX = 64;
const TOOL_CHARS_MAX = 64;

/** A call was announced, or its result came: what coverage is told by. */
export type CallEffect =
  | {
      kind: 'call';
      tool: string;
      toolKind: string;
      /** Where it leaves the shell, if elsewhere than before; null where that means nothing. */
      cwd?: string | null;
    }
  | { kind: 'result'; tool: string; cwd?: null };

/** A change to a session's memory. Stored with what caused it, and folded again on recovery. */
export type SessionEffect = CallEffect | FlowEffect | PolicyEffect | TreeEffect;

/** The name under which calls of a tool are counted. */
export function countedTool(name: string): string {
  return name.slice(0, TOOL_CHARS_MAX).toWellFormed();
}

/** `memory` after `effects`, which took place at `atMs`. Pure. */
export function applyEffects(memory: SessionMemory, effects: readonly Effect[], atMs: number): SessionMemory {
  return effects.length === 0 ? memory : (effects as readonly SessionEffect[]).reduce(applier(atMs), memory);
}

const applier =
  (atMs: number) =>
  (memory: SessionMemory, effect: SessionEffect): SessionMemory => {
    if (effect.kind === 'call' || effect.kind === 'result') return withCall(memory, effect);
    if (isTree(effect)) return applyTreeEffect(memory, effect);
    if (isFlow(effect)) return { ...memory, flow: applyFlowEffects(memory.flow, [effect]) };
    return { ...memory, policy: applyPolicyEffects(memory.policy, [effect], atMs) };
  };

function isFlow(effect: FlowEffect | PolicyEffect): effect is FlowEffect {
  return effect.kind.startsWith('flow.');
}

function isTree(effect: Effect): effect is TreeEffect {
  return effect.kind.startsWith('tree.');
}

/** What `effects` took over from other sessions of the tree, and what the inspection of the event itself changed. */
export function splitTreeEffects(effects: readonly Effect[]): { tree: TreeEffect[]; own: Effect[] } {
  return { tree: effects.filter(isTree), own: effects.filter((effect) => !isTree(effect)) };
}

/** The directory that the shell of the tool `name` was left in. */
export function directoryOf({ cwd }: SessionMemory, name: string): string | undefined {
  return cwd?.tool === countedTool(name) ? cwd.path : undefined;
}

function inDirectory(memory: SessionMemory, { tool, cwd: path }: CallEffect): SessionMemory {
  if (path === undefined) return memory;
  // In one order whatever came first: a decision's facts are told by the hash of their text.
  const { cwd: _, tree, ...others } = memory;
  return { ...others, ...(path === null ? {} : { cwd: { tool, path } }), ...(tree === undefined ? {} : { tree }) };
}

function withCall(memory: SessionMemory, effect: CallEffect): SessionMemory {
  const { tool } = effect;
  const others = memory.open.filter(([name]) => name !== tool);
  const calls = openCallsOf(memory, tool);
  if (effect.kind === 'result')
    return { ...inDirectory(memory, effect), open: [...others, [tool, Math.max(0, calls - 1)]] };
  const { toolKinds } = memory;
  return {
    ...inDirectory(memory, effect),
    open: [...others.slice(-(TOOLS_MAX - 1)), [tool, calls + 1]],
    toolKinds: toolKinds.includes(effect.toolKind) ? toolKinds : [...toolKinds, effect.toolKind],
  };
}

/** How many calls of `tool`, as `countedTool` names it, were announced and have no result yet. */
export function openCallsOf({ open }: SessionMemory, tool: string): number {
  return open.find(([name]) => name === tool)?.[1] ?? 0;
}
