import type { SessionMemory } from '../detection/session-memory.ts';
import type { Effect } from '../domain/decision.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { EventRecord } from '../domain/record.ts';
import { ownerOf, type ReceivedEvent } from './received-event.ts';
import type { AgentSessionState } from './state.ts';
import { type JoinOutcome, join, learn, TREE_DEPTH_MAX, type TreeDirectory, UnreadMembers } from './tree.ts';

/** The session whose family it is. */
export interface FamilyMember {
  tenant: TenantSlug;
  key: AgentSessionKey;
  state: Readonly<AgentSessionState>;
}

/** A session's place in its tree: the session that it is a part of, its sub-agents, and what passes between them. */
export class Family {
  readonly #own: FamilyMember;
  readonly #directory: TreeDirectory;
  readonly #onJoining: (event: EventId, outcome: JoinOutcome) => void;
  /** Sub-agents whose newest this session has not taken over. All of them at first: nobody kept count meanwhile. */
  readonly #unread: UnreadMembers;
  /** What became of the parent that the session's events name. */
  #joining: JoinOutcome | undefined;
  /** The parent, and the session's owner, as long as no record says so. */
  #named: AgentSessionKey | undefined;
  #owner: string | undefined;

  /** @param onJoining told once of each outcome of the session's wish to be a sub-agent's. */
  constructor(own: FamilyMember, directory: TreeDirectory, onJoining: (event: EventId, outcome: JoinOutcome) => void) {
    this.#own = own;
    this.#directory = directory;
    this.#onJoining = onJoining;
    this.#unread = new UnreadMembers(own.state.children);
  }

  /** The session that this one is a part of, also where that is not recorded yet. */
  get parent(): AgentSessionKey | undefined {
    const { memory, parent } = this.#own.state;
    return memory.tree === undefined && this.#joining !== 'joined' ? undefined : (this.#named ?? parent);
  }

  get unread(): Iterable<AgentSessionKey> {
    return this.#unread;
  }

  /** `child` knows something new. */
  hear(child: AgentSessionKey): void {
    this.#unread.add(child);
  }

  /** What sub-agents know is read again: it was taken over by a record that the journal refused. */
  readAgain(): void {
    for (const child of this.#own.state.children) this.#unread.add(child);
  }

  /** What the record of `event` says of the session's family. */
  recordOf(event: ReceivedEvent): Pick<EventRecord, 'owner' | 'parent'> {
    const { state } = this.#own;
    const parent = state.parent === undefined ? event.parent : undefined;
    if (parent === undefined && state.eventsCount > 0) return NOTHING;
    return { owner: ownerOf(event), parent };
  }

  /**
   * The session that this one is a part of, as far as `event` may say so: only the session's owner may. Whose session it is
   * is remembered with it.
   */
  learnParent(event: ReceivedEvent): AgentSessionKey | undefined {
    const { parent, owner, eventsCount } = this.#own.state;
    if (parent !== undefined || event.parent === undefined) return parent;
    if (eventsCount > 0 && owner !== ownerOf(event)) return undefined;
    this.#owner = ownerOf(event);
    return event.parent;
  }

  /** What the session starts with, if it is a sub-agent's and its parent can be found by now. */
  inherit(event: EventId, parent: AgentSessionKey | undefined): Effect[] {
    const { tenant, key, state } = this.#own;
    const { memory, eventsCount, owner = this.#owner } = state;
    if (parent === undefined || memory.tree !== undefined) return [];
    if (this.#joining === 'other_owner' || this.#joining === 'loop') return [];
    const joining = { tenant, key, owner, event, eventsCount, atMs: eventIdTimeMs(event) };
    const joined = join(this.#directory, joining, parent);
    if (joined.outcome !== this.#joining) this.#onJoining(event, joined.outcome);
    this.#joining = joined.outcome;
    this.#named = parent;
    return joined.outcome === 'joined' ? [joined.effect] : [];
  }

  /** What sub-agents found out since this session last asked. */
  learn(atMs: number): Effect[] {
    if (this.#unread.size === 0) return [];
    const learned = learn(this.#directory, this.#own.state, this.#unread, atMs);
    return learned === undefined ? [] : [learned];
  }

  /** Lets the parent know where the session knows something that it did not know at `before`. */
  noteChange(before: SessionMemory): void {
    const { flow, policy } = this.#own.state.memory;
    if (flow !== before.flow || policy.taints !== before.policy.taints) this.tellParent();
  }

  /** Lets the parent know of something new `levels` below. A tree that was put together from its ends may be deeper than any that grew: it is told no further. */
  tellParent(levels = 0): void {
    const { parent } = this;
    if (parent === undefined || levels >= TREE_DEPTH_MAX) return;
    this.#directory.live(parent)?.heardOf(this.#own.key, levels);
  }
}

const NOTHING = { owner: undefined, parent: undefined };
