import { activeHold, heldReason } from '../detection/policy/state.ts';
import { type Decision, letThrough, type UndecidedCause } from '../domain/decision.ts';
import type { EventId } from '../domain/ids.ts';
import type { UnansweredRecord } from '../domain/record.ts';
import type { InspectionOutcome, InspectionReport } from '../inspection/inspector.ts';
import { Bag } from '../lib/bag.ts';
import { takeOff } from '../lib/deadlines.ts';
import type { SessionCore } from './core.ts';
import { answerMarginMs, decideWithout, failureMarginMs } from './failure.ts';
import type { DecideItem } from './items.ts';
import type { Answer, ReceivedEvent } from './received-event.ts';
import { decisionRecord } from './records.ts';
import type { Scans } from './scans.ts';
import { lateHoldReason } from './standing.ts';
import { findRecent, isFullOf, type LateHold } from './state.ts';

/** Blocking events of one session that may wait; the next one is answered as undecided. */
export const MAILBOX_EVENTS_MAX = 256;
/** A waiting decision goes ahead of unfinished inspections of its session after this share of its time (P4). */
const OVERTAKE_SHARE = 0.5;

/** A session's blocking events: inspected, stored, answered, and each of them answered by its deadline whatever happens. */
export class Decisions {
  readonly #core: SessionCore;
  readonly #scans: Scans;
  readonly #unanswered = new Bag<DecideItem>();

  /** @param scans takes up what was answered undecided. */
  constructor(core: SessionCore, scans: Scans) {
    this.#core = core;
    this.#scans = scans;
  }

  /** Takes in an event. `resolve` is called once, whatever happens. */
  take(event: ReceivedEvent, dedupe: string, resolve: (answer: Answer) => void): void {
    const { runner } = this.#core;
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
    this.#expireAt(item, event.deadlineAtMs - failureMarginMs(event.tenant.onFailure, deadlineMs));
    this.#unanswered.add(item);
    runner.guard(() => this.#admit(item));
  }

  start(item: DecideItem): void {
    clearTimeout(item.overtaking);
    const { tenant, context, state, family, mailbox, runner } = this.#core;
    if (state.hold !== undefined) return this.#conclude(item, blockedByHold(state.hold));
    item.phase = 'inspecting';
    mailbox.begin(item);
    const { startedAtMs, deadlineAtMs, receivedAtMs, text } = item.event;
    const deadlineMs = deadlineAtMs - startedAtMs;
    const marginMs = answerMarginMs(deadlineMs) + failureMarginMs(item.event.tenant.onFailure, deadlineMs);
    item.tree = [...family.inherit(item.id, family.learnParent(item.event)), ...family.learn(receivedAtMs)];
    const { active, shadow } = context.policies.of(tenant);
    const inspection = context.inspector.inspect({
      tenant,
      policySet: active,
      shadowSet: shadow,
      event: text,
      facts: this.#core.factsFor(item, receivedAtMs, {
        eventsCount: state.eventsCount - item.later.eventsCount,
        blockedCount: state.blockedCount - item.later.blockedCount,
      }),
      priority: 'blocking',
      deadlineAtMs: deadlineAtMs - marginMs,
    });
    void inspection.outcome.then((outcome) => runner.guard(() => this.#finished(item, outcome)));
  }

  /** Answers all that were not answered yet, as by `cause`: the session cannot go on. */
  abandon(cause: UndecidedCause): void {
    const { ledger } = this.#core;
    for (const item of this.#unanswered) {
      const mayBeStored = item.phase === 'persisting' && item.decision?.kind === 'decided';
      const decision = decideWithout(item.event, cause, this.#core.context);
      this.#answer(item, decision);
      if (mayBeStored) ledger.appendUnfolded(this.#unansweredRecord(item, decision));
    }
  }

  #admit(item: DecideItem): void {
    const { context, state, mailbox, runner } = this.#core;
    // Its answer is out: it is recorded as that, and inspected after all.
    if (item.event.answered !== undefined) {
      this.#conclude(item, decideWithout(item.event, 'deadline', context));
      return runner.pump();
    }
    if (state.hold !== undefined) return this.#conclude(item, blockedByHold(state.hold));
    if (mailbox.waiting('decide') >= MAILBOX_EVENTS_MAX) {
      context.observer.mailboxOverflow();
      return this.#giveUp(item, 'mailbox_full');
    }
    mailbox.put(item);
    runner.pump();
    if (item.phase === 'waiting') this.#armOvertaking(item);
  }

  /** The item must wait for earlier ones: speeds those up, and goes ahead of them when half its time is over (P4). */
  #armOvertaking(item: DecideItem): void {
    const { context, mailbox, runner } = this.#core;
    mailbox.hurry();
    const { startedAtMs, deadlineAtMs } = item.event;
    const overtakesAtMs = startedAtMs + (deadlineAtMs - startedAtMs) * OVERTAKE_SHARE;
    item.overtaking = setTimeout(
      () => runner.guard(() => this.#overtake(item)),
      overtakesAtMs - context.clock.monotonic(),
    );
  }

  #overtake(item: DecideItem): void {
    const { mailbox } = this.#core;
    const before = mailbox.before(item);
    if (item.phase !== 'waiting' || before === undefined) return;
    // Of an event that was answered undecided there may be both its first inspection and the next one.
    item.notWaitedFor = [...new Set(before.map(({ id }) => id))];
    for (const id of item.notWaitedFor) this.#leaveOut(item, id);
    mailbox.remove(item);
    this.start(item);
  }

  /** A decision that is not waited for does not count, though it may be recorded already, as one without an inspection. */
  #leaveOut({ later }: DecideItem, event: EventId): void {
    const decision = findRecent(this.#core.state, event)?.decision;
    if (decision === undefined) return;
    later.eventsCount++;
    if (!letThrough(decision)) later.blockedCount++;
  }

  #finished(item: DecideItem, outcome: InspectionOutcome): void {
    const { mailbox, runner } = this.#core;
    mailbox.end(item);
    if (item.phase === 'inspecting') {
      if (outcome.kind === 'failed') this.#giveUp(item, outcome.cause);
      else this.#conclude(item, decisionOf(outcome.report), outcome.report);
    }
    runner.pump();
  }

  /** Records the decision and answers it once the journal has it (P3); what it did not wait for goes on. */
  #conclude(item: DecideItem, decision: Decision, report?: InspectionReport): void {
    this.#record(item, decision, report);
    if (item.notWaitedFor.length > 0) this.#scans.resume();
  }

  #record(item: DecideItem, decision: Decision, report?: InspectionReport): void {
    item.phase = 'persisting';
    item.decision = decision;
    const { context, state, family, runner } = this.#core;
    const tookUs = (context.clock.monotonic() - item.event.startedAtMs) * 1000;
    const record = decisionRecord(this.#core.recordedBy(item.event), item, { decision, report, tookUs });
    const appended = this.#core.append(record, context.decisionDurability, (stored) => {
      if (stored) this.#answer(item, decision);
      else runner.guard(() => this.#answerUnrecorded(item, 'journal_error'));
    });
    if (typeof appended === 'string') {
      if (item.tree.length > 0) family.readAgain();
      return this.#answerUnrecorded(item, appended);
    }
    const late = state.pending.at(-1);
    if (late?.seq === appended.seq) this.#scans.enqueue(late, item.event.text, appended.durable);
    else if (decision.kind === 'undecided' && isFullOf(state, 'late')) context.observer.mailboxOverflow();
    // A fail-open is no decision to be kept back until it is safe; and it is due now.
    if (decision.kind === 'undecided' && decision.answered === 'fail_open') this.#answer(item, decision);
  }

  #giveUp(item: DecideItem, cause: UndecidedCause): void {
    // A hold that a policy set needs no inspection: a failure must not be a way around it.
    const hold = activeHold(this.#core.memoryFor(item).policy, item.event.receivedAtMs);
    if (hold !== undefined) this.#conclude(item, { kind: 'decided', action: 'block', reason: heldReason(hold) });
    else this.#conclude(item, decideWithout(item.event, cause, this.#core.context));
    this.#core.runner.pump();
  }

  #answerUnrecorded(item: DecideItem, cause: UndecidedCause): void {
    this.#answer(item, decideWithout(item.event, cause, this.#core.context));
  }

  #expireAt(item: DecideItem, atMs: number): void {
    const { context, runner } = this.#core;
    item.expiry = context.deadlines.add(atMs, () => runner.guard(() => this.#expire(item)));
  }

  #expire(item: DecideItem): void {
    switch (item.phase) {
      case 'waiting':
        this.#core.mailbox.remove(item);
        return this.#giveUpLate(item);
      case 'inspecting':
        return this.#giveUpLate(item);
      case 'persisting':
        return this.#answerBeforeRecorded(item);
      case 'answered':
        return;
    }
  }

  /** What answers then waits for the journal, but not for longer than the sender does. */
  #giveUpLate(item: DecideItem): void {
    const { startedAtMs, deadlineAtMs } = item.event;
    const soonMs = this.#core.context.clock.monotonic() + answerMarginMs(deadlineAtMs - startedAtMs);
    this.#expireAt(item, Math.max(deadlineAtMs, soonMs));
    this.#giveUp(item, 'deadline');
  }

  /** The decision is made, but the journal does not confirm it in time. */
  #answerBeforeRecorded(item: DecideItem): void {
    // A failure is answered as it will be recorded.
    if (item.decision?.kind === 'undecided') return this.#answer(item, item.decision);
    const decision = decideWithout(item.event, 'deadline', this.#core.context);
    this.#core.append(this.#unansweredRecord(item, decision), 'disk');
    this.#answer(item, decision);
  }

  /** Says what was answered in place of a decision that the journal may have; where it refuses this as well, what would have been. */
  #unansweredRecord({ id }: DecideItem, { cause, answered }: ReturnType<typeof decideWithout>): UnansweredRecord {
    return { kind: 'unanswered', ...this.#core.envelope(id), cause, answered };
  }

  #answer(item: DecideItem, decision: Decision): void {
    if (item.phase === 'answered') return;
    item.phase = 'answered';
    this.#unanswered.delete(item);
    takeOff(item.expiry);
    clearTimeout(item.overtaking);
    this.#core.context.observer.decided(item.event, decision);
    item.resolve({ kind: 'decision', decision });
  }
}

function decisionOf({ action, reason }: InspectionReport): Decision {
  return { kind: 'decided', action, ...(reason === undefined ? {} : { reason }) };
}

function blockedByHold(hold: LateHold): Decision {
  return { kind: 'decided', action: 'block', reason: lateHoldReason(hold) };
}
