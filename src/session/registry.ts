import type { UndecidedCause } from '../domain/decision.ts';
import { isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import { nextSeq, type Seq } from '../journal/journal.ts';
import { takingTurns } from '../lib/giving-way.ts';
import { Patience } from '../lib/patience.ts';
import { AgentSessionActor } from './actor.ts';
import type { ActorContext } from './actor-context.ts';
import { decideWithout, failureMarginMs } from './failure.ts';
import type { ReleaseOrder, ReleaseOutcome } from './items.ts';
import type { Answer, ReceivedEvent } from './received-event.ts';
import { type FoldedSession, Recovery } from './recovery.ts';
import type { AgentSessionState } from './state.ts';
import type { TreeDirectory, TreeMember } from './tree.ts';

export interface AgentSessionsOptions {
  context: ActorContext;
  /** Sessions in memory; one that was idle for a while makes room for a new one. */
  sessionsActiveMax: number;
  /** A session that was idle for longer leaves memory. */
  idleMs: number;
  /** A session that was not heard of for longer is forgotten: its next event begins it anew. */
  memoryMs: number;
  /** With more sessions saved than these, those that were not heard of for longest are forgotten earlier. */
  sessionsRememberedMax: number;
}

const SWEEP_MS = 1000;
/** How long a sweep keeps the thread in one go, while answers wait. */
const SWEEP_TURN_MS = 1;
/** A state that lacks more records than this is saved, so that a restart has no more than these to fold again: some seconds. */
const UNSAVED_RECORDS_MAX = 300_000;
/** With more of its bytes held back only because sessions were not saved, the journal's room is short, and the older half of them is saved. */
const UNSAVED_BYTES_SHARE = 0.25;
const SAVES_PER_SWEEP_MAX = 500;
/** Room beyond `sessionsActiveMax` while idle sessions are being saved before they leave: a tenth, or these where they are more. */
const OVERSHOOT = 0.1;
const OVERSHOOT_SESSIONS_MIN = 256;
/** How many sessions are looked at, for each new one, to find idle ones to put out. */
const EVICTION_LOOKS_MAX = 16;
/** Saved sessions that are looked at in one go, and in a sweep where there are too many. */
const SAVED_LOOKS = 200;
const SAVED_LOOKS_MAX = 10_000;

/** All agent sessions in memory: brings them in from the journal, puts them out, and builds them anew after a failure. */
export class AgentSessions {
  readonly #options: AgentSessionsOptions;
  readonly #actors = new Map<AgentSessionKey, AgentSessionActor>();
  readonly #rebuilding = new Map<AgentSessionKey, Promise<void>>();
  /** Failed sessions that the next pass over the journal builds anew. */
  #nextPass: { actors: Set<AgentSessionActor>; done: Promise<void> } | undefined;
  #lastPass: Promise<void> = Promise.resolve();
  readonly #recovery: Recovery;
  #lookedAtMs = 0;
  #sweeping: NodeJS.Timeout | undefined;
  #sweep: Promise<void> = Promise.resolve();

  constructor(options: AgentSessionsOptions) {
    this.#options = options;
    this.#recovery = new Recovery(options.context);
  }

  get activeCount(): number {
    return this.#actors.size;
  }

  /** Folds what the journal holds beyond the snapshots, and takes up the inspections that were never finished. */
  async start(): Promise<void> {
    const { context } = this.#options;
    this.#continueIds();
    for (const session of await this.#recovery.fold(() => true, this.#options.sessionsActiveMax)) this.#adopt(session);
    this.#sweeping = setInterval(() => {
      this.#sweep = this.#sweep.then(() => this.#runSweep()).catch((error) => context.observer.sweepFailed(error));
    }, SWEEP_MS);
  }

  /** Never rejects. */
  submit(event: ReceivedEvent): Promise<Answer> {
    try {
      return this.#submit(event);
    } catch (error) {
      this.#options.context.observer.actorCrashed(error);
      return Promise.resolve(this.refuse(event, 'actor_error'));
    }
  }

  #submit(event: ReceivedEvent): Promise<Answer> {
    const actor = this.#actors.get(event.session) ?? this.#activate(event.tenant.slug, event.session);
    if (actor === undefined) return Promise.resolve(this.refuse(event, 'sessions_full'));
    if (actor.failed) return this.#submitRebuilt(event, actor);
    actor.lastUsedAtMs = event.startedAtMs;
    return actor.submit(event);
  }

  /** Answers an event that no session takes, as its tenant wants it where nothing is decided. */
  refuse(event: ReceivedEvent, cause: UndecidedCause): Answer {
    if (!isBlocking(event.event.event_type)) return { kind: 'failed', cause };
    const { context } = this.#options;
    const decision = decideWithout(event, cause, context);
    context.observer.decided(event, decision);
    return { kind: 'decision', decision };
  }

  /**
   * Ends a hold or taints of a session, as a person ordered. `unknown_session`: nothing is remembered of it, so that there
   * is nothing to release. Never rejects.
   */
  async release(
    tenant: TenantSlug,
    key: AgentSessionKey,
    order: ReleaseOrder,
  ): Promise<ReleaseOutcome | { kind: 'unknown_session' }> {
    const known = this.#actors.get(key);
    if (known?.failed) {
      const rebuilt = await this.#rebuildOnce(known).then(
        () => true,
        () => false,
      );
      return rebuilt ? this.release(tenant, key, order) : { kind: 'failed', cause: 'actor_error' };
    }
    if (known === undefined && this.#options.context.journal.readSnapshot(key) === undefined)
      return { kind: 'unknown_session' };
    const actor = known ?? this.#wake(tenant, key);
    if (actor === undefined) return { kind: 'failed', cause: 'sessions_full' };
    actor.lastUsedAtMs = this.#options.context.clock.monotonic();
    return actor.release(order);
  }

  /** The session's state as it is now; undefined where nothing is remembered of it. It may change at any time. */
  peek(key: AgentSessionKey): Readonly<AgentSessionState> | undefined {
    const known = this.#actors.get(key);
    if (known !== undefined) return known.failed ? undefined : known.state;
    return this.#options.context.journal.readSnapshot(key) === undefined ? undefined : this.#recovery.saved(key);
  }

  /** Waits for the answers under way, then saves every session. Call when no event can arrive any more. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#sweep;
    for (const actor of this.#actors.values()) actor.stop();
    while ([...this.#actors.values()].some((actor) => actor.unansweredCount > 0)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const unsaved = [...this.#actors.values()].filter(isUnsaved);
    const failures: unknown[] = [];
    // Some at a time: all states at once are as much memory again as the service ran with. What cannot be saved, the next start folds again.
    for (let at = 0; at < unsaved.length; at += SAVES_PER_SWEEP_MAX) {
      const saves = unsaved.slice(at, at + SAVES_PER_SWEEP_MAX).map((actor) => actor.save());
      for (const saved of await Promise.allSettled(saves)) if (saved.status === 'rejected') failures.push(saved.reason);
    }
    this.#markFolded();
    if (failures.length > 0) throw failures[0];
  }

  #activate(tenant: TenantSlug, key: AgentSessionKey): AgentSessionActor | undefined {
    if (this.#actors.size >= this.#options.sessionsActiveMax) this.#makeRoom();
    const { sessionsActiveMax } = this.#options;
    const overshoot = Math.max(sessionsActiveMax * OVERSHOOT, OVERSHOOT_SESSIONS_MIN);
    if (this.#actors.size >= sessionsActiveMax + overshoot) return undefined;
    return this.#open(tenant, key, this.#recovery.saved(key));
  }

  #open(tenant: TenantSlug, key: AgentSessionKey, state: AgentSessionState): AgentSessionActor {
    const actor = new AgentSessionActor({ tenant, key, state }, this.#options.context, this.#directory);
    this.#actors.set(key, actor);
    return actor;
  }

  // Where sessions of one tree find each other. No session of another tenant: its keys are others, and it is asked for anyway.

  readonly #directory: TreeDirectory = {
    live: (key) => this.#live(key),
    bringIn: (tenant, key) => {
      const actor = this.#actors.has(key) ? this.#live(key) : this.#wake(tenant, key);
      return actor?.tenant === tenant ? actor : undefined;
    },
    look: (key) => (this.#actors.has(key) ? this.#live(key) : this.#lookAtSnapshot(key)),
  };

  #live(key: AgentSessionKey): AgentSessionActor | undefined {
    const actor = this.#actors.get(key);
    return actor?.failed ? undefined : actor;
  }

  #wake(tenant: TenantSlug, key: AgentSessionKey): AgentSessionActor | undefined {
    const { journal, clock } = this.#options.context;
    if (journal.readSnapshot(key) === undefined) return undefined;
    const actor = this.#activate(tenant, key);
    if (actor !== undefined) actor.lastUsedAtMs = clock.monotonic();
    return actor;
  }

  #lookAtSnapshot(key: AgentSessionKey): TreeMember | undefined {
    const state = this.#recovery.saved(key);
    const { memory, parent, children, eventsCount } = state;
    if (eventsCount === 0) return undefined;
    return { key, state, parent: memory.tree === undefined ? undefined : parent, unread: children };
  }

  /** Takes a session up whose snapshot lacks something, or that has an inspection to come; any other comes when it is asked for. */
  #adopt({ tenant, key, state, unsavedFrom }: FoldedSession): void {
    if (unsavedFrom === undefined && state.pending.length === 0) return;
    const actor = this.#open(tenant, key, state);
    if (unsavedFrom !== undefined) actor.markUnsaved(unsavedFrom);
  }

  // A failed session.

  async #submitRebuilt(event: ReceivedEvent, failed: AgentSessionActor): Promise<Answer> {
    const rebuilding = this.#rebuildOnce(failed);
    const marginMs = failureMarginMs(event.tenant.onFailure, event.deadlineAtMs - event.startedAtMs);
    const leftMs = event.deadlineAtMs - marginMs - this.#options.context.clock.monotonic();
    const isRebuilt = await new Patience(leftMs).outlasts(rebuilding).catch(() => false);
    return isRebuilt ? this.submit(event) : this.refuse(event, 'actor_error');
  }

  #rebuildOnce(failed: AgentSessionActor): Promise<void> {
    const { key } = failed;
    let rebuilding = this.#rebuilding.get(key);
    if (rebuilding === undefined) {
      rebuilding = this.#nextRebuild(failed).finally(() => this.#rebuilding.delete(key));
      this.#rebuilding.set(key, rebuilding);
    }
    return rebuilding;
  }

  /** One pass over the journal for all that failed together, and one for all that fail meanwhile: each reads the whole rest of it. */
  #nextRebuild(failed: AgentSessionActor): Promise<void> {
    if (this.#nextPass === undefined) {
      const actors = new Set<AgentSessionActor>();
      const done = this.#lastPass.then(() => this.#rebuild(actors));
      this.#nextPass = { actors, done };
      this.#lastPass = done.catch(() => {});
    }
    this.#nextPass.actors.add(failed);
    return this.#nextPass.done;
  }

  /** From the snapshots and what the journal really holds. */
  async #rebuild(failed: Set<AgentSessionActor>): Promise<void> {
    for (let settled = 0; settled < failed.size; ) {
      settled = failed.size;
      await Promise.all([...failed].map((actor) => actor.settled));
    }
    this.#nextPass = undefined;
    const keys = new Set([...failed].map(({ key }) => key));
    const sessions = await this.#recovery.fold((key) => keys.has(key));
    for (const actor of failed) {
      // One that another pass built anew meanwhile goes on.
      if (this.#actors.get(actor.key) === actor) this.#actors.delete(actor.key);
      else keys.delete(actor.key);
    }
    for (const session of sessions) if (keys.has(session.key)) this.#adopt(session);
  }

  // Recovery.

  /** The order of a session's events is that of their ids, also where the clock was set back while nothing ran. */
  #continueIds(): void {
    const { journal, ids } = this.#options.context;
    const newest = journal.read(journal.head);
    if (newest !== undefined) ids.continueFrom(Math.max(newest.atMs, eventIdTimeMs(newest.event)));
  }

  // Keeping memory and the journal small.

  async #runSweep(): Promise<void> {
    const { context, idleMs } = this.#options;
    const { journal, clock } = context;
    const idleSinceMs = clock.monotonic() - idleMs;
    const giveWay = takingTurns(SWEEP_TURN_MS);
    const saves: Promise<void>[] = [];
    const savedBefore = this.#savedBefore();
    let needed = journal.head + 1;
    // Those of now: what comes in meanwhile needs no look.
    const actors = [...this.#actors.values()];
    for (const actor of actors) {
      await giveWay();
      if (actor.failed && this.#actors.get(actor.key) === actor)
        await this.#rebuildOnce(actor).catch((error) => context.observer.sweepFailed(error));
      const isIdle = actor.lastUsedAtMs < idleSinceMs && actor.idle;
      const isBehind = actor.hasUnsaved && actor.neededFrom < savedBefore;
      if ((isIdle || isBehind) && saves.length < SAVES_PER_SWEEP_MAX) saves.push(this.#passivate(actor, idleSinceMs));
      // Whatever an actor comes to need after this look has a later number than the journal's head had at the beginning.
      needed = Math.min(needed, actor.neededFrom);
    }
    await Promise.all(saves);
    journal.markFolded(needed - 1);
    await this.#forgetSaved(giveWay);
  }

  /** Sessions that need an older record than this are saved, though they are in use. */
  #savedBefore(): Seq {
    const { journal } = this.#options.context;
    const { head, foldedUpTo, bytes, bytesMax } = journal;
    const byCount = head - UNSAVED_RECORDS_MAX;
    // What only the database lacks is there for as long, whatever is saved.
    const unfoldedShare = (head - foldedUpTo) / Math.max(1, head + 1 - nextSeq(journal, 0));
    if (bytes * unfoldedShare < bytesMax * UNSAVED_BYTES_SHARE) return byCount;
    return Math.max(byCount, Math.ceil((foldedUpTo + head) / 2) + 1);
  }

  /**
   * Forgets saved sessions, a few at a time in a round-robin: those that were not heard of for `memoryMs`, and where too many are
   * saved, of those looked at the half that was not heard of for longer. None that is in memory: a start builds it from its snapshot.
   */
  async #forgetSaved(giveWay: () => Promise<void> | undefined): Promise<void> {
    const { context, memoryMs, sessionsRememberedMax } = this.#options;
    const { journal, clock } = context;
    for (let looks = 0; looks < SAVED_LOOKS_MAX; looks += SAVED_LOOKS) {
      const isFull = journal.snapshotCount > sessionsRememberedMax;
      const saved = journal.nextSnapshots(SAVED_LOOKS).filter(({ key }) => !this.#actors.has(key));
      const beforeMs = Math.max(clock.now() - memoryMs, isFull ? medianOf(saved.map(({ lastAtMs }) => lastAtMs)) : 0);
      journal.dropSnapshots(saved.flatMap(({ key, lastAtMs }) => (lastAtMs < beforeMs ? [key] : [])));
      if (!isFull) return;
      await giveWay();
    }
  }

  /** Saves the session, and lets it go if it was not used since `idleSinceMs`. A failed save leaves it where it is. */
  async #passivate(actor: AgentSessionActor, idleSinceMs: number): Promise<void> {
    if (isUnsaved(actor)) await actor.save().catch(() => {});
    const leaves = actor.lastUsedAtMs < idleSinceMs && actor.idle && !actor.hasUnsaved && !actor.failed;
    if (leaves && this.#actors.get(actor.key) === actor) this.#actors.delete(actor.key);
  }

  /**
   * Puts idle sessions out, by second chance: in the order they came in, and those used since the last look go to the
   * end of the line.
   */
  #makeRoom(): void {
    const lookedAtMs = this.#lookedAtMs;
    this.#lookedAtMs = this.#options.context.clock.monotonic();
    let looks = 0;
    for (const [key, actor] of this.#actors) {
      if (++looks > EVICTION_LOOKS_MAX) return;
      this.#actors.delete(key);
      this.#actors.set(key, actor);
      if (actor.idle && !actor.failed && actor.lastUsedAtMs <= lookedAtMs)
        void this.#passivate(actor, this.#lookedAtMs);
    }
  }

  #markFolded(): void {
    let needed = this.#options.context.journal.head + 1;
    for (const actor of this.#actors.values()) needed = Math.min(needed, actor.neededFrom);
    this.#options.context.journal.markFolded(needed - 1);
  }
}

/** 0 of nothing. */
function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function isUnsaved(actor: AgentSessionActor): boolean {
  return actor.hasUnsaved && !actor.failed;
}
