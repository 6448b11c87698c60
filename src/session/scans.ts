import type { AgentEvent } from '../domain/event.ts';
import { type EventId, eventIdTimeMs } from '../domain/ids.ts';
import type { SessionCore } from './core.ts';
import { inspectionFailed, judgeQuickly } from './failure.ts';
import type { ScanItem, ScanOutcome } from './items.ts';
import { scanRecord } from './records.ts';
import type { PendingScan } from './state.ts';

/** How long an inspection that nobody waits for may take with what it waits for; one that did not begin by then is asked for again. */
const SCAN_DEADLINE_MS = 10_000;
/** Where there was no room for an inspection, or for its record, it is tried again after this. */
const SCAN_RETRY_MS = 250;
/** How long after its event came an inspection may be held back in a surge. */
const HELD_BACK_MS_MAX = 5_000;
/** With so many of its session waiting none is: a decision must be able to wait for them all. */
const HELD_BACK_SCANS_MAX = 32;

/** A session's inspections that nobody waits for: of events that were stored first, and of those that were answered undecided. */
export class Scans {
  readonly #core: SessionCore;
  /** Done, but a decision that did not wait for them is not reached yet. */
  #overtaken: (() => void)[] = [];
  #stopped = false;
  /** Until then others of the session's tree wait for its inspections. */
  #waitedForUntilMs = 0;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** `text` is the event's, where it is at hand; else it is read back from the journal once it is `durable`. */
  enqueue(scan: PendingScan, text: string | undefined, durable: Promise<void>): void {
    const budget = this.#core.context.scanText;
    const keeps = text !== undefined && budget.chars + text.length <= budget.charsMax;
    if (keeps) budget.chars += text.length;
    const item: ScanItem = {
      kind: 'scan',
      id: scan.event,
      scan,
      text: keeps ? text : undefined,
      durable,
      hurry: undefined,
      queuedAtMs: this.#core.context.clock.monotonic(),
      underAnother: false,
      tree: [],
    };
    const { mailbox } = this.#core;
    // What waits already came after an event that is answered undecided now, and would neither be told of what it does nor say so.
    if (scan.kind === 'late') mailbox.putInOrder(item);
    else mailbox.put(item);
  }

  start(item: ScanItem): void {
    const { context, mailbox, runner } = this.#core;
    mailbox.begin(item);
    const untilMs = this.#mayWait() ? item.queuedAtMs + HELD_BACK_MS_MAX : 0;
    item.hurry = context.surge.holdBack(untilMs, () => runner.guard(() => this.#begin(item)));
    if (item.hurry === undefined) this.#begin(item);
  }

  /** Whether nobody waits for an inspection of this session. For those of a tree's members the others' decisions do, without asking. */
  #mayWait(): boolean {
    const { context, mailbox, state } = this.#core;
    if (mailbox.waiting('decide') > 0 || mailbox.waiting('scan') >= HELD_BACK_SCANS_MAX) return false;
    if (state.parent !== undefined || state.children.length > 0) return false;
    return context.clock.monotonic() >= this.#waitedForUntilMs;
  }

  /** For a while nothing of this session is held back. */
  holdNothingBack(): void {
    const { context, mailbox } = this.#core;
    this.#waitedForUntilMs = context.clock.monotonic() + HELD_BACK_MS_MAX;
    mailbox.hurry();
  }

  #begin(item: ScanItem): void {
    const { ledger, runner } = this.#core;
    item.hurry = undefined;
    if (this.#stopped) return this.#giveUp(item);
    if (item.text !== undefined) return this.#inspect(item, item.text);
    void item.durable.then(
      () => runner.guard(() => this.#inspect(item, ledger.readEvent(item.scan.seq))),
      () => runner.guard(() => this.#inspect(item, undefined)),
    );
  }

  /** Nothing of `item` is kept any more: it is done, or will not be. */
  forget(item: ScanItem): void {
    if (item.text !== undefined) this.#core.context.scanText.chars -= item.text.length;
    item.text = undefined;
  }

  /** Those for which there was no room are not tried again. */
  stop(): void {
    this.#stopped = true;
  }

  #inspect(item: ScanItem, event: string | undefined): void {
    if (event === undefined) return this.#finished(item, { kind: 'failed', cause: 'journal_error' });
    if (item.scan.quickly)
      return this.#finished(item, this.#judgedQuickly(item.id, event) ?? { kind: 'failed', cause: 'lane_error' });
    const { tenant, context, state, family, mailbox, runner } = this.#core;
    if (item.scan.kind === 'observational') item.tree = family.inherit(item.id, state.parent);
    const inspection = context.inspector.inspect({
      tenant,
      policySet: this.#policySetOf(item),
      event,
      facts: this.#core.factsFor(item, eventIdTimeMs(item.id), item.scan),
      priority: 'observational',
      deadlineAtMs: context.clock.monotonic() + SCAN_DEADLINE_MS,
    });
    item.hurry = () => inspection.promote();
    if (mailbox.waiting('decide') > 0) item.hurry();
    void inspection.outcome.then((outcome) =>
      runner.guard(() => this.#finished(item, this.#orQuickly(item, event, outcome))),
    );
  }

  /** Whoever can make an inspection fail gets one event through by it, and no session: what the quick rules would block counts as a late block. */
  #orQuickly({ id, scan }: ScanItem, event: string, outcome: ScanOutcome): ScanOutcome {
    if (outcome.kind !== 'failed' || scan.kind !== 'late') return outcome;
    // It was its turn: whatever waited until its deadline failed as `queue_full`.
    const hadItsTurn = outcome.cause === 'deadline' || inspectionFailed(outcome.cause);
    return hadItsTurn ? (this.#judgedQuickly(id, event) ?? outcome) : outcome;
  }

  #judgedQuickly(id: EventId, text: string): ScanOutcome | undefined {
    const { tenant, context } = this.#core;
    const event = JSON.parse(text) as AgentEvent;
    const judged = judgeQuickly(context, {
      tenant,
      event,
      textChars: text.length,
      receivedAtMs: eventIdTimeMs(id),
    });
    if (judged === undefined || judged.action === 'allow') return undefined;
    const { explanation, ...rest } = judged;
    return {
      kind: 'inspected',
      report: { ...rest, effects: [], explanation: JSON.stringify(explanation), clean: false },
    };
  }

  /** The set that counted when an observational event came; else, and for late inspections, the one that does now. */
  #policySetOf(item: ScanItem): string | undefined {
    const { policies } = this.#core.context;
    const { kind, policySet } = item.scan;
    if (kind === 'observational' && (policySet === undefined || policies.has(policySet))) return policySet;
    item.underAnother = kind === 'observational';
    return policies.of(this.#core.tenant).active;
  }

  #finished(item: ScanItem, outcome: ScanOutcome): void {
    if (outcome.kind === 'failed' && outcome.cause === 'queue_full') return this.#later(item, () => this.#begin(item));
    const { mailbox, runner } = this.#core;
    // What was folded in before a decision that was not told of it could be told by nobody later (P5).
    if (mailbox.isOvertaking(item.id)) {
      this.#overtaken.push(() => this.#finished(item, outcome));
      return;
    }
    if (outcome.kind === 'failed' && outcome.cause === 'stopping') return this.#giveUp(item);
    // Its turn is not over before the journal has it: what it found would be forgotten, and nobody would look again.
    if (!this.#record(item, outcome)) return this.#later(item, () => this.#finished(item, outcome));
    mailbox.end(item);
    this.forget(item);
    this.#observe(item, outcome);
    runner.pump();
  }

  /** Folds the outcome in, with a record of it where it needs one. False where the journal refuses that. */
  #record(item: ScanItem, outcome: ScanOutcome): boolean {
    const { state, ledger, family } = this.#core;
    // Nothing to tell has no record of its own, which costs less: the next record has its effects, and until there is one, a start
    // inspects the event again, to the same end.
    const untold = item.scan.kind === 'observational' && item.tree.length === 0 && !item.underAnother;
    if (untold && outcome.kind === 'inspected' && outcome.report.clean) {
      const { memory } = state;
      ledger.foldUntold(item.scan, outcome.report.effects);
      family.noteChange(memory);
      return true;
    }
    return typeof this.#core.append(scanRecord(this.#core.envelope(item.id), item, outcome), 'disk') !== 'string';
  }

  /** A decision was reached. */
  resume(): void {
    for (const finish of this.#overtaken.splice(0)) finish();
  }

  /** Goes on with `item` by `work` in a while, or as soon as somebody waits for it. */
  #later(item: ScanItem, work: () => void): void {
    if (this.#stopped) return this.#giveUp(item);
    const again = () => {
      item.hurry = undefined;
      this.#core.runner.guard(work);
    };
    const timer = setTimeout(again, SCAN_RETRY_MS);
    item.hurry = () => {
      clearTimeout(timer);
      again();
    };
  }

  /** Its event is in the journal as not inspected: the next start takes it up. */
  #giveUp(item: ScanItem): void {
    this.#core.mailbox.end(item);
    this.forget(item);
  }

  #observe(item: ScanItem, outcome: ScanOutcome): void {
    const { context, state } = this.#core;
    if (outcome.kind === 'failed') return context.observer.inspected(outcome.cause);
    context.observer.inspected(outcome.report.clean ? 'clean' : 'finding');
    if (state.hold?.event === item.id) context.observer.lateBlock(item.id);
  }
}
