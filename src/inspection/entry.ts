import type { ShadowOutcome } from '../domain/decision.ts';
import type { TenantSlug } from '../domain/ids.ts';
import type { InspectionOutcome, InspectionRequest } from './inspector.ts';
import { NOT_FOUND_OUT } from './lane-messages.ts';
import type { LaneSet } from './lane-sets.ts';

export type Priority = InspectionRequest['priority'];
export type FailureCause = Extract<InspectionOutcome, { kind: 'failed' }>['cause'];
type Inspected = Extract<InspectionOutcome, { kind: 'inspected' }>;

/** The sets that an event is inspected under; undefined for the installation's, and where none is tried. */
export interface EntrySets {
  set: LaneSet | undefined;
  shadow: LaneSet | undefined;
}

/** A request on its way through the pool: in a line, in a lane, or settled, which it is once. */
export class Entry {
  readonly tenant: TenantSlug;
  readonly event: string;
  readonly facts: string;
  readonly deadlineAtMs: number;
  readonly queuedAtMs = performance.now();
  readonly outcome: Promise<InspectionOutcome>;
  /** What it came as, whatever became of its priority. */
  readonly kind: Priority;
  priority: Priority;
  /** In which line it waits; undefined once it was sent or settled. */
  waitsIn: Priority | undefined = undefined;
  readonly set: LaneSet | undefined;
  readonly shadow: LaneSet | undefined;
  /** What was decided, while it is still being found out what the tried set would have answered. */
  #reached: Inspected | undefined = undefined;
  #isSettled = false;
  readonly #onSettled: () => void;
  #resolve!: (outcome: InspectionOutcome) => void;

  constructor(request: InspectionRequest, { set, shadow }: EntrySets, onSettled: () => void) {
    this.set = set;
    this.shadow = shadow;
    this.tenant = request.tenant;
    this.event = request.event;
    this.facts = request.facts;
    this.deadlineAtMs = request.deadlineAtMs;
    this.kind = request.priority;
    this.priority = request.priority;
    this.#onSettled = onSettled;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether its answer is known, be it that it waits for what the tried set would have said. */
  get isReached(): boolean {
    return this.#isSettled || this.#reached !== undefined;
  }

  /** Takes a lane's answer. Returns whether it waits on for what the tried set would have answered. */
  reach(outcome: InspectionOutcome): boolean {
    if (this.shadow === undefined || outcome.kind === 'failed') {
      this.#settle(outcome);
      return false;
    }
    this.#reached = outcome;
    return true;
  }

  /** Settles what is decided, with what the tried set would have answered: as a lane tells it, see `LaneShadows`. */
  settleReached(shadow: string | null): void {
    if (this.#reached !== undefined && this.shadow !== undefined)
      this.#settle(withShadow(this.#reached, this.shadow, shadow));
  }

  /** Settles it without an inspection, unless one has decided already. */
  fail(cause: FailureCause): void {
    this.settleReached(NOT_FOUND_OUT);
    this.#settle({ kind: 'failed', cause });
  }

  #settle(outcome: InspectionOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.waitsIn = undefined;
    this.#onSettled();
    this.#resolve(outcome);
  }
}

function withShadow({ kind, report }: Inspected, { packed }: LaneSet, shadow: string | null): Inspected {
  if (shadow === null) return { kind, report };
  const told = shadow === NOT_FOUND_OUT ? JSON.stringify({ policySet: packed.hash } satisfies ShadowOutcome) : shadow;
  return { kind, report: { ...report, explanation: `${report.explanation.slice(0, -1)},"shadow":${told}}` } };
}
