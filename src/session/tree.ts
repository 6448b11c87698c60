import type { Hold } from '../detection/policy/state.ts';
import type { SessionMemory } from '../detection/session-memory.ts';
import { inheritance, lessons, type TreeEffect } from '../detection/tree-memory.ts';
import type { AgentSessionKey, EventId, TenantSlug } from '../domain/ids.ts';
import type { AgentSessionState, LateHold } from './state.ts';

/** A session as others of its tree see it. */
export interface TreeMember {
  readonly key: AgentSessionKey;
  readonly state: Readonly<AgentSessionState>;
  /** The session that it is a part of, also where that is not recorded yet. */
  readonly parent: AgentSessionKey | undefined;
  /** Its sub-agents of which it has not taken over the newest. */
  readonly unread: Iterable<AgentSessionKey>;
}

/** A member that is in memory. */
export interface LiveMember extends TreeMember {
  /** Takes `child` for a part of itself, from the event on with which the child joins. False where the journal has no room for that. */
  adopt(child: AgentSessionKey, event: EventId): boolean;
  /** Is told that `child` knows something new, `levels` further down. */
  heardOf(child: AgentSessionKey, levels: number): void;
  /** Inspects what it has stored as soon as it can, since another member waits for it. */
  hurry(): void;
}

/** Where the members of trees are found. */
export interface TreeDirectory {
  /** The session of `tenant` in memory, brought in if need be; undefined where there is none, or no room. */
  bringIn(tenant: TenantSlug, key: AgentSessionKey): LiveMember | undefined;
  /** The same without bringing it in: only to be read. */
  look(key: AgentSessionKey): TreeMember | undefined;
  live(key: AgentSessionKey): LiveMember | undefined;
}

/**
 * What became of a session that says it is a part of another. `unknown` and `pending` may change: the parent's events may come
 * later, and what it took before the sub-agent's event may still be under inspection.
 */
export type JoinOutcome = 'joined' | 'unknown' | 'pending' | 'other_owner' | 'loop';

/** Sessions above a session, at most. */
export const TREE_DEPTH_MAX = 16;
/** Sub-agents that one event catches up with; the next event does with the next ones. */
const MEMBERS_READ_MAX = 32;
const UNREAD_MAX = 1024;

/** A session that wants to be a part of another. */
export interface Joining {
  tenant: TenantSlug;
  key: AgentSessionKey;
  owner: string | undefined;
  event: EventId;
  eventsCount: number;
  atMs: number;
}

/** Makes `child` a part of `parentKey`: what it takes over from there, or why it cannot be. */
export function join(
  directory: TreeDirectory,
  child: Joining,
  parentKey: AgentSessionKey,
): { outcome: 'joined'; effect: TreeEffect } | { outcome: Exclude<JoinOutcome, 'joined'> } {
  const parent = directory.bringIn(child.tenant, parentKey);
  if (parent === undefined || parent.state.eventsCount === 0) return { outcome: 'unknown' };
  const { owner, memory, eventsCount, hold, pending } = parent.state;
  if (owner === undefined || owner !== child.owner) return { outcome: 'other_owner' };
  if (isBelow(directory, parent, child.key)) return { outcome: 'loop' };
  // Else what those events bring would be lost to it: it takes over once, and learns nothing of its parent afterwards.
  if (pending.some(({ event }) => event < child.event)) {
    parent.hurry();
    return { outcome: 'pending' };
  }
  if (!parent.adopt(child.key, child.event)) return { outcome: 'pending' };
  const source = { memory, eventsCount, key: parentKey, hold: hold && inherited(hold, child.atMs) };
  return { outcome: 'joined', effect: inheritance(source, child.eventsCount, child.atMs) };
}

/** A parent's hold after a late block, as its part has it: as one of a policy. */
function inherited({ reason, event }: LateHold, atMs: number): Hold {
  const why = `an earlier event of its parent went through that should have been blocked: ${reason}`;
  return { policy: 'late_decision', reason: why, event, atMs };
}

/** Whether `member` is a part of `key`, or so deep in a tree that it may have no parts. */
function isBelow(directory: TreeDirectory, member: TreeMember, key: AgentSessionKey): boolean {
  let at: TreeMember | undefined = member;
  for (let depth = 0; depth < TREE_DEPTH_MAX; depth++) {
    if (at === undefined) return false;
    if (at.key === key) return true;
    at = at.parent === undefined ? undefined : directory.look(at.parent);
  }
  return at !== undefined;
}

/**
 * What `own` takes over from sub-agents of which it has not read the newest, and theirs. Takes the keys that it read out of
 * `unread`; where there are too many, the rest is there for the next event.
 */
export function learn(
  directory: TreeDirectory,
  own: { memory: SessionMemory; eventsCount: number },
  unread: UnreadMembers,
  atMs: number,
): TreeEffect | undefined {
  const members = new Map<AgentSessionKey, TreeMember>();
  const waiting = unread.takeAll();
  for (let at = 0; at < waiting.length && members.size < MEMBERS_READ_MAX; at++) {
    const key = waiting[at] as AgentSessionKey;
    const member = members.has(key) ? undefined : directory.look(key);
    waiting[at] = undefined;
    if (member === undefined) continue;
    members.set(key, member);
    waiting.push(...member.unread);
  }
  for (const key of waiting) if (key !== undefined && !members.has(key)) unread.add(key);
  return lessons(
    own,
    [...members.values()].map(({ state }) => state),
    atMs,
  );
}

/** Members of a tree of which one has not read the newest, at most `UNREAD_MAX`: of more, the first are forgotten. */
export class UnreadMembers implements Iterable<AgentSessionKey> {
  readonly #keys: Set<AgentSessionKey>;

  constructor(keys: Iterable<AgentSessionKey>) {
    this.#keys = new Set(keys);
  }

  get size(): number {
    return this.#keys.size;
  }

  [Symbol.iterator](): Iterator<AgentSessionKey> {
    return this.#keys.values();
  }

  add(key: AgentSessionKey): void {
    this.#keys.add(key);
    if (this.#keys.size <= UNREAD_MAX) return;
    for (const first of this.#keys) {
      this.#keys.delete(first);
      return;
    }
  }

  /** What there is, in order; nothing is left. */
  takeAll(): (AgentSessionKey | undefined)[] {
    const taken = [...this.#keys];
    this.#keys.clear();
    return taken;
  }
}
