import type { Inspection, UndecidedCause } from '../domain/decision.ts';
import type { TenantSlug } from '../domain/ids.ts';

/** One event to inspect, with what its session knows. Texts, so that they cross a thread boundary cheaply. */
export interface InspectionRequest {
  tenant: TenantSlug;
  /** The event as JSON text. */
  event: string;
  /** `SessionFacts` as JSON text. */
  facts: string;
  priority: 'blocking' | 'observational';
  /** Hash of the policy set that decides, which was made ready; the installation's policies where left out. */
  policySet?: string | undefined;
  /** Hash of a set that is tried beside it: what it would have answered is told in the explanation's `shadow`. */
  shadowSet?: string | undefined;
  /** On the monotonic clock, in milliseconds: the result is of no use after it. */
  deadlineAtMs: number;
}

/** An `Inspection` whose explanation stays JSON text: it is stored, not read, on the way of an event. */
export interface InspectionReport extends Omit<Inspection, 'explanation'> {
  explanation: string;
  /** Whether there is nothing to tell: see `isClean`. */
  clean: boolean;
}

/**
 * Allowed, whole, and nothing to tell: the usual case. It may still have effects, which another inspection of the same
 * event would have again.
 */
export function isClean({ action, explanation }: Inspection): boolean {
  const { policies, findings, cuts, simulated, excepted, errors } = explanation;
  if (simulated !== undefined || excepted !== undefined || errors !== undefined) return false;
  return action === 'allow' && policies.length + findings.length + cuts.length === 0;
}

export type InspectionOutcome =
  | { kind: 'inspected'; report: InspectionReport }
  | {
      kind: 'failed';
      cause: Extract<UndecidedCause, 'deadline' | 'queue_full' | 'lane_ended' | 'lane_error' | 'stopping'>;
    };

/** A request under way: its outcome, and the means to hurry it. */
export interface PendingInspection {
  outcome: Promise<InspectionOutcome>;
  /** Moves observational work ahead, since a decision now waits for it. */
  promote(): void;
}

/**
 * Inspects events. Never rejects: a failure is an outcome. An outcome arrives at the deadline at the latest, within
 * the precision of a timer, or where a lane that moves has others before it, soon after it; inspections may finish in any order.
 */
export interface Inspector {
  inspect(request: InspectionRequest): PendingInspection;
  /** Starts threads and waits until they can serve. */
  start(): Promise<void>;
  /** Refuses new work, gives observational work up, lets blocking work finish until its deadline, ends the threads. */
  stop(): Promise<void>;
}
