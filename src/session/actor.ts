import { activeHold, heldReason, releasable } from '../detection/policy/state.ts';
import { applyEffects, type SessionMemory } from '../detection/session-memory.ts';
import { type Decision, letThrough, type UndecidedCause } from '../domain/decision.ts';
import { isBlocking } from '../domain/event-types.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { JournalRecord, ReleaseRecord } from '../domain/record.ts';
import type { InspectionOutcome, InspectionReport } from '../inspection/inspector.ts';
import type { Appended, Durability, Seq } from '../journal/journal.ts';
import { Bag } from '../lib/bag.ts';
import { takeOff } from '../lib/deadlines.ts';
import type { ActorContext } from './actor-context.ts';
import { FactsText } from './facts-text.ts';
import { decideWithout, failureMarginMs } from './failure.ts';
import { Family } from './family.ts';
import { InFlight } from './in-flight.ts';
import type { DecideItem, Item, ReleaseItem, ReleaseOrder, ReleaseOutcome, ScanItem, ScanOutcome } from './items.ts';
import { Ledger } from './ledger.ts';
import { type Answer, dedupeKey, type ReceivedEvent } from './received-event.ts';
import { decisionRecord, type Envelope, eventRecord, scanRecord } from './records.ts';
import { lateHoldReason } from './standing.ts';
import { type AgentSessionState, type Hold, PENDING_SCANS_MAX, type PendingScan } from './state.ts';
import type { LiveMember, TreeDirectory } from './tree.ts';

/** Blocking events of one session that may wait; the next one is answered as undecided. */
export const MAILBOX_EVENTS_MAX = 256;
/** Releases of one session that may wait for their turn. */
const RELEASES_WAITING_MAX = 16;
/** How long an inspection that nobody waits for may take, once it is its turn. */
const SCAN_DEADLINE_MS = 10_000;
/** An inspection refused for lack of room is asked for again after this. */
const SCAN_RETRY_MS = 250;
/** A waiting decision goes ahead of unfinished inspections of its session after this share of its time (P4). */
const OVERTAKE_SHARE = 0.5;
/** What is left between an inspection's end and the deadline, for the journal and the answer; at most ¼ of the deadline. */
const ANSWER_MARGIN_MS = 10;

/**
 * One agent session: takes its events in order, has them inspected one after the other, folds the outcomes into the
 * session's state, and answers when the journal has the record. A failure in here ends this actor, not another one.
 */
export class AgentSessionActor implements LiveMember {
  readonly tenant: TenantSlug;
  readonly key: AgentSessionKey;
  /** On the monotonic clock. */
  lastUsedAtMs = 0;
  readonly #context: ActorContext;
  readonly #state: AgentSessionState;
  readonly #waiting: Item[] = [];
  readonly #running = new Bag<Item>();
  readonly #unanswered = new Bag<DecideItem>();
  readonly #inFlight = new InFlight();
  readonly #ledger: Ledger;
  readonly #factsText = new FactsText();
  readonly #family: Family;
  #failed = false;
  #stopped = false;

  constructor(
    { tenant, key, state }: { tenant: TenantSlug; key: AgentSessionKey; state: AgentSessionState },
    context: ActorContext,
    directory: TreeDirectory,
  ) {
    this.tenant = tenant;
    this.key = key;
    this.#state = state;
    this.#context = context;
    this.#ledger = new Ledger({ key, state }, context.journal, (error) => this.#crash(error, 'journal_error'));
    this.#family = new Family({ tenant, key, state }, directory, (event, outcome) =>
      context.observer.subAgent(event, outcome),
    );
    for (const scan of state.pending) this.#enqueueScan(scan, undefined, Promise.resolve());
    this.#pump();
  }

  /** Whether the state may be wrong: the session must be built anew from the journal. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Whether nothing is waiting, running or unanswered. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0 && this.#inFlight.size === 0;
  }

  /** Blocking events that wait for their answer. */
  get unansweredCount(): number {
    return this.#inFlight.size;
  }

  /** The oldest record that a restart needs, given what has been saved. */
  get neededFrom(): Seq {
    return this.#ledger.neededFrom;
  }

  get hasUnsaved(): boolean {
    return this.#ledger.hasUnsaved;
  }

  /** Settled once everything appended so far can be read back, or could not be written. */
  get settled(): Promise<void> {
    return this.#ledger.settled;
  }

  // As others of its tree see it.

  get state(): Readonly<AgentSessionState> {
    return this.#state;
  }

  get parent(): AgentSessionKey | undefined {
    return this.#family.parent;
  }

  get unread(): Iterable<AgentSessionKey> {
    return this.#family.unread;
  }

  adopt(child: AgentSessionKey, event: EventId): void {
    this.lastUsedAtMs = this.#context.clock.monotonic();
    this.#family.hear(child);
    if (!this.#state.children.includes(child))
      this.#append({ kind: 'joined', ...this.#envelope(event), child }, 'disk');
  }

  heardOf(child: AgentSessionKey): void {
    this.#family.hear(child);
    this.#family.tellParent();
  }

  /** Takes an event and answers it. Never rejects. The same bytes again get the same answer and are not stored again. */
  submit(event: ReceivedEvent): Promise<Answer> {
    const dedupe = dedupeKey(event.body);
    const known = this.#inFlight.find(dedupe) ?? this.#answerOfRecent(dedupe);
    if (known !== undefined) return known;
    const { answer, settle } = this.#inFlight.add(dedupe);
    if (isBlocking(event.event.event_type)) this.#decide(event, dedupe, settle);
    else this.#observe(event, dedupe, settle);
    return answer;
  }

  /**
   * Ends a hold or taints, once it is its turn: in the order in which they were received, so that the effects of an
   * event before it are released with it, and those of one after it are not. Never rejects.
   */
  release(order: ReleaseOrder): Promise<ReleaseOutcome> {
    if (this.#waiting.filter(({ kind }) => kind === 'release').length >= RELEASES_WAITING_MAX)
      return Promise.resolve({ kind: 'failed', cause: 'mailbox_full' });
    return new Promise((resolve) => {
      this.#waiting.push({ kind: 'release', id: order.id, order, tree: [], resolve });
      for (const running of this.#running) if (running.kind === 'scan') running.inspection?.promote();
      this.#guard(() => this.#pump());
    });
  }

  /** Saves the state to the journal. Settled once it can be read back. */
  save(): Promise<void> {
    return this.#ledger.save();
  }

  /** Marks records folded in by recovery as not saved yet. */
  markUnsaved(from: Seq): void {
    this.#ledger.markUnsaved(from);
  }

  /** Gives up inspections that nobody waits for: their events are in the journal, and the next start takes them up. */
  stop(): void {
    this.#stopped = true;
    for (const item of this.#waiting.filter((waiting) => waiting.kind !== 'decide')) {
      this.#removeWaiting(item);
      if (item.kind === 'release') item.resolve({ kind: 'failed', cause: 'stopping' });
    }
  }

  get #waitingDecisions(): number {
    return this.#waiting.filter(({ kind }) => kind === 'decide').length;
  }

  #answerOfRecent(dedupe: string): Promise<Answer> | undefined {
    const recent = this.#state.recent.get(dedupe);
    if (recent === undefined) return undefined;
    return Promise.resolve(
      recent.decision === undefined ? { kind: 'accepted' } : { kind: 'decision', decision: recent.decision },
    );
  }

  // Observational events: stored first, inspected afterwards.

  #observe(event: ReceivedEvent, dedupe: string, answer: (answer: Answer) => void): void {
    if (this.#state.pending.length >= PENDING_SCANS_MAX) {
      this.#context.observer.mailboxOverflow();
      return answer({ kind: 'failed', cause: 'mailbox_full' });
    }
    const { active: policySet } = this.#context.policies.of(this.tenant);
    const record = eventRecord(this.#recordedBy(event), event, { dedupe, policySet });
    const appended = this.#append(record, 'disk', (stored) =>
      answer(stored ? { kind: 'accepted' } : { kind: 'failed', cause: 'journal_error' }),
    );
    if (typeof appended === 'string') return answer({ kind: 'failed', cause: appended });
    const scan = this.#state.pending.at(-1);
    if (scan !== undefined) this.#enqueueScan(scan, event.text, appended.durable);
    this.#pump();
  }

  // Blocking events: inspected, stored, answered.

  #decide(event: ReceivedEvent, dedupe: string, resolve: (answer: Answer) => void): void {
    const item: DecideItem = {
      kind: 'decide',
      id: event.id,
      event,
      dedupe,
      phase: 'waiting',
      notWaitedFor: [],
      later: { eventsCount: 0, blockedCount: 0 },
      tree: [],
      expiry: undefined,
      overtaking: undefined,
      decision: undefined,
      resolve,
    };
    const deadlineMs = event.deadlineAtMs - event.startedAtMs;
    const expiresAtMs = event.deadlineAtMs - failureMarginMs(event.tenant.onFailure, deadlineMs);
    item.expiry = this.#context.deadlines.add(expiresAtMs, () => this.#guard(() => this.#expire(item)));
    this.#unanswered.add(item);
    this.#guard(() => this.#admit(item));
  }

  #admit(item: DecideItem): void {
    if (this.#state.hold !== undefined) return this.#conclude(item, blockedByHold(this.#state.hold));
    if (this.#waiting.length >= MAILBOX_EVENTS_MAX && this.#waitingDecisions >= MAILBOX_EVENTS_MAX) {
      this.#context.observer.mailboxOverflow();
      return this.#giveUp(item, 'mailbox_full');
    }
    this.#waiting.push(item);
    this.#pump();
    if (item.phase === 'waiting') this.#hurry(item);
  }

  /** The item must wait for earlier ones: speeds those up, and goes ahead of them when half its time is over (P4). */
  #hurry(item: DecideItem): void {
    for (const running of this.#running) if (running.kind === 'scan') running.inspection?.promote();
    const { startedAtMs, deadlineAtMs } = item.event;
    const overtakesAtMs = startedAtMs + (deadlineAtMs - startedAtMs) * OVERTAKE_SHARE;
    item.overtaking = setTimeout(
      () => this.#guard(() => this.#overtake(item)),
      overtakesAtMs - this.#context.clock.monotonic(),
    );
  }

  #overtake(item: DecideItem): void {
    const position = this.#waiting.indexOf(item);
    if (item.phase !== 'waiting' || position < 0) return;
    item.notWaitedFor = [...this.#running, ...this.#waiting.slice(0, position)].map(({ id }) => id);
    this.#removeWaiting(item);
    this.#startDecide(item);
  }

  /** Starts what waits first, if nothing is running: a session's events are inspected one after the other. */
  #pump(): void {
    while (this.#running.size === 0) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      if (item.kind === 'decide') this.#startDecide(item);
      else if (item.kind === 'scan') this.#startScan(item);
      else this.#release(item);
    }
  }

  #startDecide(item: DecideItem): void {
    clearTimeout(item.overtaking);
    if (this.#state.hold !== undefined) return this.#conclude(item, blockedByHold(this.#state.hold));
    item.phase = 'inspecting';
    this.#running.add(item);
    const { startedAtMs, deadlineAtMs, text, tenant } = item.event;
    const marginMs = Math.min(ANSWER_MARGIN_MS, (deadlineAtMs - startedAtMs) / 4);
    item.tree = [
      ...this.#family.inherit(item.id, this.#family.namedBy(item.event)),
      ...this.#family.learn(item.event.receivedAtMs),
    ];
    const { active, shadow } = this.#context.policies.of(this.tenant);
    const inspection = this.#context.inspector.inspect({
      tenant: tenant.slug,
      policySet: active,
      shadowSet: shadow,
      event: text,
      facts: this.#facts(item, item.event.receivedAtMs, {
        eventsCount: this.#state.eventsCount - item.later.eventsCount,
        blockedCount: this.#state.blockedCount - item.later.blockedCount,
      }),
      priority: 'blocking',
      deadlineAtMs: deadlineAtMs - marginMs - failureMarginMs(tenant.onFailure, deadlineAtMs - startedAtMs),
    });
    void inspection.outcome.then((outcome) => this.#guard(() => this.#decideFinished(item, outcome)));
  }

  #decideFinished(item: DecideItem, outcome: InspectionOutcome): void {
    this.#running.delete(item);
    if (item.phase === 'inspecting') {
      if (outcome.kind === 'failed') this.#giveUp(item, outcome.cause);
      else this.#conclude(item, decisionOf(outcome.report), outcome.report);
    }
    this.#pump();
  }

  /** Records the decision and answers it once the journal has it (P3). */
  #conclude(item: DecideItem, decision: Decision, report?: InspectionReport): void {
    item.phase = 'persisting';
    item.decision = decision;
    const tookUs = (this.#context.clock.monotonic() - item.event.startedAtMs) * 1000;
    const record = decisionRecord(this.#recordedBy(item.event), item, { decision, report, tookUs });
    const appended = this.#append(record, this.#context.decisionDurability, (stored) => {
      if (stored) this.#answer(item, decision);
      else this.#guard(() => this.#answerUnrecorded(item, 'journal_error'));
    });
    if (typeof appended === 'string') {
      if (item.tree.length > 0) this.#family.readAgain();
      return this.#answerUnrecorded(item, appended);
    }
    const late = this.#state.pending.at(-1);
    if (late?.seq === appended.seq) this.#enqueueScan(late, item.event.text, appended.durable);
    // A fail-open is no decision to be kept back until it is safe; and it is due now.
    if (decision.kind === 'undecided' && decision.answered === 'fail_open') this.#answer(item, decision);
  }

  #giveUp(item: DecideItem, cause: UndecidedCause): void {
    // A hold that a policy set needs no inspection: a failure must not be a way around it.
    const hold = activeHold(this.#memoryFor(item).policy, item.event.receivedAtMs);
    if (hold !== undefined) this.#conclude(item, { kind: 'decided', action: 'block', reason: heldReason(hold) });
    else this.#conclude(item, decideWithout(item.event, cause, this.#context.inspectQuickly));
    this.#pump();
  }

  #answerUnrecorded(item: DecideItem, cause: UndecidedCause): void {
    this.#answer(item, decideWithout(item.event, cause, this.#context.inspectQuickly));
  }

  #expire(item: DecideItem): void {
    switch (item.phase) {
      case 'waiting':
        this.#removeWaiting(item);
        return this.#giveUp(item, 'deadline');
      case 'inspecting':
        return this.#giveUp(item, 'deadline');
      case 'persisting':
        return this.#answerBeforeRecorded(item);
      case 'answered':
        return;
    }
  }

  /** The decision is made, but the journal does not confirm it in time. */
  #answerBeforeRecorded(item: DecideItem): void {
    // A failure is answered as it will be recorded.
    if (item.decision?.kind === 'undecided') return this.#answer(item, item.decision);
    this.#append({ kind: 'unanswered', ...this.#envelope(item.id), cause: 'journal_error' }, 'disk');
    this.#answerUnrecorded(item, 'journal_error');
  }

  #answer(item: DecideItem, decision: Decision): void {
    if (item.phase === 'answered') return;
    item.phase = 'answered';
    this.#unanswered.delete(item);
    takeOff(item.expiry);
    clearTimeout(item.overtaking);
    this.#context.observer.decided(item.event, decision);
    item.resolve({ kind: 'decision', decision });
  }

  // Inspections that nobody waits for.

  #enqueueScan(scan: PendingScan, text: string | undefined, durable: Promise<void>): void {
    const budget = this.#context.scanText;
    const keeps = text !== undefined && budget.chars + text.length <= budget.charsMax;
    if (keeps) budget.chars += text.length;
    const item: ScanItem = {
      kind: 'scan',
      id: scan.event,
      scan,
      text: keeps ? text : undefined,
      durable,
      inspection: undefined,
      underAnother: false,
      tree: [],
    };
    this.#waiting.push(item);
  }

  #startScan(item: ScanItem): void {
    this.#running.add(item);
    if (item.text !== undefined) return this.#inspectScan(item, item.text);
    void item.durable.then(
      () => this.#guard(() => this.#inspectScan(item, this.#ledger.readEvent(item.scan.seq))),
      () => this.#guard(() => this.#inspectScan(item, undefined)),
    );
  }

  #inspectScan(item: ScanItem, event: string | undefined): void {
    if (event === undefined) return this.#scanFinished(item, { kind: 'failed', cause: 'journal_error' });
    if (item.scan.kind === 'observational') item.tree = this.#family.inherit(item.id, this.#state.parent);
    item.inspection = this.#context.inspector.inspect({
      tenant: this.tenant,
      policySet: this.#policySetOf(item),
      event,
      facts: this.#facts(item, eventIdTimeMs(item.id), item.scan),
      priority: 'observational',
      deadlineAtMs: this.#context.clock.monotonic() + SCAN_DEADLINE_MS,
    });
    if (this.#waiting.some(({ kind }) => kind === 'decide')) item.inspection.promote();
    void item.inspection.outcome.then((outcome) => this.#guard(() => this.#scanFinished(item, outcome)));
  }

  /** The set that counted when an observational event came; else, and for late inspections, the one that does now. */
  #policySetOf(item: ScanItem): string | undefined {
    const { policies } = this.#context;
    const { kind, policySet } = item.scan;
    if (kind === 'observational' && (policySet === undefined || policies.has(policySet))) return policySet;
    item.underAnother = kind === 'observational';
    return policies.of(this.tenant).active;
  }

  #scanFinished(item: ScanItem, outcome: ScanOutcome): void {
    if (outcome.kind === 'failed' && outcome.cause === 'queue_full') return this.#retryScan(item);
    this.#running.delete(item);
    this.#forgetText(item);
    if (outcome.kind === 'failed' && outcome.cause === 'stopping') return;
    // Nothing to tell has no record of its own, which costs less: the next record has its effects, and until there is one, a start
    // inspects the event again, to the same end.
    const untold = item.scan.kind === 'observational' && item.tree.length === 0 && !item.underAnother;
    if (untold && outcome.kind === 'inspected' && outcome.report.clean) {
      const { memory } = this.#state;
      this.#ledger.foldUntold(item.scan, outcome.report.effects);
      this.#family.noteChange(memory);
    } else {
      this.#append(scanRecord(this.#envelope(item.id), item, outcome), 'disk');
    }
    this.#observeScan(item, outcome);
    this.#pump();
  }

  #retryScan(item: ScanItem): void {
    setTimeout(() => {
      if (this.#stopped || this.#failed) this.#running.delete(item);
      else this.#guard(() => this.#startScan(item));
    }, SCAN_RETRY_MS);
  }

  #forgetText(item: ScanItem): void {
    if (item.text !== undefined) this.#context.scanText.chars -= item.text.length;
    item.text = undefined;
  }

  #observeScan(item: ScanItem, outcome: ScanOutcome): void {
    const { observer } = this.#context;
    if (outcome.kind === 'failed') return observer.inspected(outcome.cause);
    observer.inspected(outcome.report.clean ? 'clean' : 'finding');
    if (this.#state.hold?.event === item.id) observer.lateBlock(item.id);
  }

  // Releases.

  #release({ order, resolve }: ReleaseItem): void {
    const { id, subject, reason } = order;
    const { hold, memory } = this.#state;
    const found = releasable(memory.policy, order, eventIdTimeMs(id));
    const release = { ...found, hold: found.hold || (order.hold && hold !== undefined) };
    if (!release.hold && release.taints.length === 0) return resolve({ kind: 'released', ...release });
    const taints = [...release.taints];
    const record: ReleaseRecord = {
      kind: 'release',
      ...this.#envelope(id),
      subject,
      reason,
      hold: release.hold,
      taints,
    };
    const appended = this.#append(record, 'disk', (stored) => {
      if (stored) this.#context.observer.released(record);
      resolve(stored ? { kind: 'released', ...release } : { kind: 'failed', cause: 'journal_error' });
    });
    if (typeof appended === 'string') resolve({ kind: 'failed', cause: appended });
  }

  // Common ground.

  /** What is known once `item` has taken over what others of the tree know. */
  #memoryFor({ id, tree }: Item): SessionMemory {
    return tree.length === 0 ? this.#state.memory : applyEffects(this.#state.memory, tree, eventIdTimeMs(id));
  }

  /** What the inspection of `item` is told, as JSON text. */
  #facts(
    item: Item,
    receivedAtMs: number,
    { eventsCount, blockedCount }: { eventsCount: number; blockedCount: number },
  ): string {
    const own = { tenant: this.tenant, event: item.id, receivedAtMs, eventsCount, blockedCount };
    return this.#factsText.of(own, this.#memoryFor(item));
  }

  /** What every record of this session says that is made now. */
  #envelope(event: EventId): Envelope {
    return { tenant: this.tenant, session: this.key, event, atMs: this.#context.clock.now() };
  }

  #recordedBy(event: ReceivedEvent) {
    const { owner, parent } = this.#family.recordOf(event);
    return { tenant: this.tenant, session: this.key, owner, parent };
  }

  /** As `Ledger.append`; others of the tree hear of what it changed. */
  #append(
    record: JournalRecord,
    durability: Durability,
    whenKnown?: (stored: boolean) => void,
  ): Appended | UndecidedCause {
    const { memory } = this.#state;
    const appended = this.#ledger.append(record, durability, whenKnown);
    if (typeof appended === 'string') return appended;
    this.#noteRecorded(record);
    this.#family.noteChange(memory);
    return appended;
  }

  /** Those that wait came before it, and are told of as many events as came before them. */
  #noteRecorded(record: JournalRecord): void {
    if (record.kind !== 'event' && record.kind !== 'decision') return;
    for (const item of this.#waiting) {
      if (item.kind !== 'decide' || item.id > record.event) continue;
      item.later.eventsCount++;
      if (record.kind === 'decision' && !letThrough(record.decision)) item.later.blockedCount++;
    }
  }

  #removeWaiting(item: Item): void {
    const position = this.#waiting.indexOf(item);
    if (position >= 0) this.#waiting.splice(position, 1);
    if (item.kind === 'scan') this.#forgetText(item);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#crash(error);
    }
  }

  #crash(error: unknown, cause: 'actor_error' | 'journal_error' = 'actor_error'): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#context.observer.actorCrashed(error);
    for (const item of [...this.#waiting.splice(0), ...this.#running]) {
      if (item.kind === 'scan') this.#forgetText(item);
      else if (item.kind === 'release') item.resolve({ kind: 'failed', cause });
    }
    this.#running.clear();
    for (const item of this.#unanswered) this.#answerUnrecorded(item, cause);
  }
}

function decisionOf({ action, reason }: InspectionReport): Decision {
  return { kind: 'decided', action, ...(reason === undefined ? {} : { reason }) };
}

function blockedByHold(hold: Hold): Decision {
  return { kind: 'decided', action: 'block', reason: lateHoldReason(hold) };
}
