import { releasable } from '../detection/policy/state.ts';
import { isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { ReleaseRecord } from '../domain/record.ts';
import type { Seq } from '../journal/journal.ts';
import type { ActorContext } from './actor-context.ts';
import { SessionCore } from './core.ts';
import { Decisions } from './decisions.ts';
import { InFlight } from './in-flight.ts';
import type { Item, ReleaseItem, ReleaseOrder, ReleaseOutcome } from './items.ts';
import { type Answer, dedupeKey, type ReceivedEvent } from './received-event.ts';
import { eventRecord } from './records.ts';
import { Scans } from './scans.ts';
import { type AgentSessionState, isFullOf } from './state.ts';
import type { LiveMember, TreeDirectory } from './tree.ts';

/** Releases of one session that may wait for their turn. */
const RELEASES_WAITING_MAX = 16;

/**
 * One agent session: takes its events in order, has them inspected one after the other, folds the outcomes into the
 * session's state, and answers when the journal has the record. A failure in here ends this actor, not another one.
 */
export class AgentSessionActor implements LiveMember {
  /** On the monotonic clock. */
  lastUsedAtMs = 0;
  readonly #core: SessionCore;
  readonly #scans: Scans;
  readonly #decisions: Decisions;
  readonly #inFlight = new InFlight();
  #failed = false;

  constructor(
    session: { tenant: TenantSlug; key: AgentSessionKey; state: AgentSessionState },
    context: ActorContext,
    directory: TreeDirectory,
  ) {
    this.#core = new SessionCore(session, context, directory, {
      guard: (work) => this.#guard(work),
      pump: () => this.#pump(),
      crash: (error, cause) => this.#crash(error, cause),
    });
    this.#scans = new Scans(this.#core);
    this.#decisions = new Decisions(this.#core, this.#scans);
    for (const scan of session.state.pending) this.#scans.enqueue(scan, undefined, Promise.resolve());
    this.#pump();
  }

  get tenant(): TenantSlug {
    return this.#core.tenant;
  }

  get key(): AgentSessionKey {
    return this.#core.key;
  }

  /** Whether the state may be wrong: the session must be built anew from the journal. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Whether nothing is waiting, running or unanswered. */
  get idle(): boolean {
    return this.#core.mailbox.empty && this.#inFlight.size === 0;
  }

  /** Events that were not answered yet. */
  get unansweredCount(): number {
    return this.#inFlight.size;
  }

  /** The oldest record that a restart needs, given what has been saved. */
  get neededFrom(): Seq {
    return this.#core.ledger.neededFrom;
  }

  get hasUnsaved(): boolean {
    return this.#core.ledger.hasUnsaved;
  }

  /** Settled once everything appended so far can be read back, or could not be written. */
  get settled(): Promise<void> {
    return this.#core.ledger.settled;
  }

  // As others of its tree see it.

  get state(): Readonly<AgentSessionState> {
    return this.#core.state;
  }

  get parent(): AgentSessionKey | undefined {
    return this.#core.family.parent;
  }

  get unread(): Iterable<AgentSessionKey> {
    return this.#core.family.unread;
  }

  adopt(child: AgentSessionKey, event: EventId): boolean {
    const { context, family, state } = this.#core;
    this.lastUsedAtMs = context.clock.monotonic();
    if (!state.children.includes(child)) {
      const appended = this.#core.append({ kind: 'joined', ...this.#core.envelope(event), child }, 'disk');
      if (typeof appended === 'string') return false;
    }
    family.hear(child);
    return true;
  }

  heardOf(child: AgentSessionKey, levels: number): void {
    this.#core.family.hear(child);
    this.#core.family.tellParent(levels + 1);
  }

  hurry(): void {
    this.#scans.holdNothingBack();
  }

  /** Takes an event and answers it. Never rejects. The same bytes again get the same answer and are not stored again. */
  submit(event: ReceivedEvent): Promise<Answer> {
    const dedupe = dedupeKey(event.body);
    const known = this.#inFlight.find(dedupe) ?? this.#answerOfRecent(dedupe);
    if (known !== undefined) return known;
    const { answer, settle } = this.#inFlight.add(dedupe);
    if (isBlocking(event.event.event_type)) this.#decisions.take(event, dedupe, settle);
    else this.#observe(event, dedupe, settle);
    return answer;
  }

  /**
   * Ends a hold or taints, once it is its turn: in the order in which they were received, so that the effects of an
   * event before it are released with it, and those of one after it are not. Never rejects.
   */
  release(order: ReleaseOrder): Promise<ReleaseOutcome> {
    const { mailbox } = this.#core;
    if (mailbox.waiting('release') >= RELEASES_WAITING_MAX)
      return Promise.resolve({ kind: 'failed', cause: 'mailbox_full' });
    return new Promise((resolve) => {
      mailbox.put({ kind: 'release', id: order.id, order, tree: [], resolve });
      mailbox.hurry();
      this.#guard(() => this.#pump());
    });
  }

  /** Saves the state to the journal. Settled once it can be read back. */
  save(): Promise<void> {
    return this.#core.ledger.save();
  }

  /** Marks records folded in by recovery as not saved yet. */
  markUnsaved(from: Seq): void {
    this.#core.ledger.markUnsaved(from);
  }

  /** Gives up inspections that nobody waits for: their events are in the journal, and the next start takes them up. */
  stop(): void {
    this.#scans.stop();
    for (const item of this.#core.mailbox.giveUpUndecided()) this.#drop(item, 'stopping');
  }

  #answerOfRecent(dedupe: string): Promise<Answer> | undefined {
    const recent = this.#core.state.recent.get(dedupe);
    if (recent === undefined) return undefined;
    return Promise.resolve(
      recent.decision === undefined ? { kind: 'accepted' } : { kind: 'decision', decision: recent.decision },
    );
  }

  /** An observational event: stored first, inspected afterwards. */
  #observe(event: ReceivedEvent, dedupe: string, answer: (answer: Answer) => void): void {
    const { tenant, context, state } = this.#core;
    if (isFullOf(state, 'observational')) {
      context.observer.mailboxOverflow();
      return answer({ kind: 'failed', cause: 'mailbox_full' });
    }
    const { active: policySet } = context.policies.of(tenant);
    const record = eventRecord(this.#core.recordedBy(event), event, { dedupe, policySet });
    const appended = this.#core.append(record, 'disk', (stored) =>
      answer(stored ? { kind: 'accepted' } : { kind: 'failed', cause: 'journal_error' }),
    );
    if (typeof appended === 'string') return answer({ kind: 'failed', cause: appended });
    const scan = state.pending.at(-1);
    if (scan !== undefined) this.#scans.enqueue(scan, event.text, appended.durable);
    this.#pump();
  }

  /** Starts what waits first, if nothing is running: a session's events are inspected one after the other. */
  #pump(): void {
    const { mailbox } = this.#core;
    while (!mailbox.busy) {
      const item = mailbox.take();
      if (item === undefined) return;
      if (item.kind === 'decide') this.#decisions.start(item);
      else if (item.kind === 'scan') this.#scans.start(item);
      else this.#answerRelease(item);
    }
  }

  #answerRelease(item: ReleaseItem): void {
    try {
      this.#release(item);
    } catch (error) {
      // It left the mailbox: nobody else would answer it.
      this.#drop(item, 'actor_error');
      throw error;
    }
  }

  #release({ order, resolve }: ReleaseItem): void {
    const { id, subject, reason } = order;
    const { context, state } = this.#core;
    const found = releasable(state.memory.policy, order, eventIdTimeMs(id));
    const release = { ...found, hold: found.hold || (order.hold && state.hold !== undefined) };
    if (!release.hold && release.taints.length === 0) return resolve({ kind: 'released', ...release });
    const taints = [...release.taints];
    const record: ReleaseRecord = {
      kind: 'release',
      ...this.#core.envelope(id),
      subject,
      reason,
      hold: release.hold,
      taints,
    };
    const appended = this.#core.append(record, 'disk', (stored) => {
      if (stored) context.observer.released(record);
      resolve(stored ? { kind: 'released', ...release } : { kind: 'failed', cause: 'journal_error' });
    });
    if (typeof appended === 'string') resolve({ kind: 'failed', cause: appended });
  }

  #drop(item: Item, cause: 'actor_error' | 'journal_error' | 'stopping'): void {
    if (item.kind === 'scan') this.#scans.forget(item);
    else if (item.kind === 'release') item.resolve({ kind: 'failed', cause });
  }

  /** Of an actor that crashed nothing is run: whatever comes late is its successor's to do again. */
  #guard(work: () => void): void {
    if (this.#failed) return;
    try {
      work();
    } catch (error) {
      this.#crash(error, 'actor_error');
    }
  }

  #crash(error: unknown, cause: 'actor_error' | 'journal_error'): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#core.context.observer.actorCrashed(error);
    this.#scans.stop();
    for (const item of this.#core.mailbox.drain()) this.#drop(item, cause);
    this.#decisions.abandon(cause);
  }
}
