/** What Gatehouse concluded about an event, and why. */

/** The least first. */
export const SEVERITIES = ['informational', 'low', 'medium', 'high', 'critical'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Negative where `left` is the lesser. */
export function compareSeverities(left: Severity, right: Severity): number {
  return SEVERITIES.indexOf(left) - SEVERITIES.indexOf(right);
}

/** Where in the event the evidence stands: a JSON pointer and UTF-16 offsets into the string found there. */
export interface Span {
  pointer: string;
  start: number;
  end: number;
}

/** One problem that a detector saw in an event. Holds where the evidence is, never the evidence itself. */
export interface Finding {
  kind: string;
  severity: Severity;
  /** How sure the detector is, 0 to 1. */
  confidence: number;
  span?: Span;
}

/** A policy that matched, and what it asked for. */
export interface PolicyMatch {
  id: string;
  severity: Severity;
  effect: 'block' | 'alert' | 'log';
  /** For the person: what was done and where. Of the event it holds only what the policy's template names. */
  reason: string;
  /** What the agent may do instead: for people, beside the decision. The answer of the contract has no field for it. */
  agentHint?: string;
  tags: string[];
}

/** A part of the event that was not looked at, and the bound that cut it. A cut event is never called clean. */
export interface Cut {
  what: string;
  bound: string;
}

/** Something remembered that the event would have sent out. */
export interface FlowTrace {
  /** Where it was first seen: the event, and the tool whose result it was; empty for what a person wrote. */
  event: string;
  tool: string;
  /** Why it is remembered: `secret`, `pii`, `private`, or a policy's own word. */
  label: string;
  /** As what it would have left: `plain`, `base64` … */
  encoding: string;
  /** How much of it, 0 to 1. */
  coverage: number;
}

/** What of the session's past the policies that matched, in shadow mode or not, asked about, as it was then. */
export interface Past {
  /** Events before, and how many of them were blocked. */
  events?: number;
  blocked?: number;
  /** Labels that held. */
  taints?: PastEffect[];
  hold?: PastEffect;
  /** Where private data, and content from outside, were first seen. */
  privateData?: PastSight;
  untrusted?: PastSight;
}

/** What a policy did to the session, when it did so last: a label, or a hold, which has none. */
export interface PastEffect {
  label?: string;
  /** `late_decision` where a parent's hold was taken over after an event that went through. */
  policy: string;
  /** The event that it matched, where that is known, and when that was, in Unix milliseconds. */
  event?: string;
  atMs: number;
}

/** An event, and the tool whose result it was. */
export interface PastSight {
  event: string;
  tool: string;
}

/** Everything needed to understand a decision later. */
export interface Explanation {
  policies: PolicyMatch[];
  findings: Finding[];
  cuts: Cut[];
  /** The kind of tool that a call is of; absent where it was not looked at. */
  toolKind?: string;
  /** What would have left, the most complete first. */
  flows?: FlowTrace[];
  past?: Past;
  /** What policies in shadow mode would have done. */
  simulated?: PolicyMatch[];
  /** Policies that an exception kept from matching, and who answers for the exception. */
  excepted?: { policy: string; owner: string }[];
  /** Policies that could not be evaluated. */
  errors?: { policy: string; cause: string }[];
  /** SHA-256 of the session's facts as the inspection was given them. */
  facts?: string;
  /** What the set that is tried beside the one that decided would have answered. */
  shadow?: ShadowOutcome;
  /** Hash of the policy set that decided, and the version of the code that applied it. */
  policySet: string;
  engine: string;
  /** Microseconds of work in the inspection, without waiting. */
  tookUs: number;
}

/** What a policy set that only is tried would have answered to an event. */
export interface ShadowOutcome {
  /** Its hash. */
  policySet: string;
  /** Absent where it was not found out in time: the decision does not wait for it. */
  action?: 'allow' | 'block';
  reason?: string;
  policies?: PolicyMatch[];
  /** As in `Explanation`. */
  cuts?: Cut[];
  errors?: { policy: string; cause: string }[];
}

/** A change to what is remembered of the agent session. Plain data; what it means is in `detection/session-memory.ts`. */
export interface Effect {
  readonly kind: string;
}

/** The complete result of inspecting one event. Plain data: it crosses threads and is stored. */
export interface Inspection {
  action: 'allow' | 'block';
  /** For the person: what was blocked and why. Present exactly when `action` is `block`. */
  reason?: string;
  effects: Effect[];
  explanation: Explanation;
}

/** Why no decision could be made in time. The closed list behind every fail-open (P7). */
export const UNDECIDED_CAUSES = [
  'deadline',
  'queue_full',
  'mailbox_full',
  'sessions_full',
  'lane_ended',
  'lane_error',
  'actor_error',
  'journal_full',
  'journal_error',
  'stopping',
] as const;
export type UndecidedCause = (typeof UNDECIDED_CAUSES)[number];

/** The share of decisions that may fail open before somebody should look into it: one in a thousand. */
export const FAIL_OPEN_BUDGET = 0.001;

/** What a tenant wants answered when no decision could be made: see `docs/ARCHITECTURE.md`, "When a decision fails". */
export const ON_FAILURE = ['allow', 'degrade', 'block'] as const;
export type OnFailure = (typeof ON_FAILURE)[number];

/**
 * How a blocking event was answered, as it is stored. An undecided event was answered by its tenant's `onFailure`:
 * `fail_open` is a 408 or 500, which the sender treats as allow.
 */
export type Decision =
  | { kind: 'decided'; action: 'allow' | 'block'; reason?: string }
  | { kind: 'undecided'; cause: UndecidedCause; answered: UndecidedAnswer; reason?: string };

export type UndecidedAnswer = 'fail_open' | 'allow' | 'block';

/** Whether the sender goes on: it does unless it was told to block. */
export function letThrough(decision: Decision): boolean {
  return decision.kind === 'decided' ? decision.action === 'allow' : decision.answered !== 'block';
}

/** What policies would have answered that do not decide: the tried set, and whether those in shadow mode would have blocked what went through. */
export function triedBeside(
  { shadow, simulated = [] }: Pick<Explanation, 'shadow' | 'simulated'>,
  decision: Decision,
): { set: string | undefined; action: 'allow' | 'block' | undefined; simulated: 'block' | undefined } {
  const wouldBlock = letThrough(decision) && simulated.some(({ effect }) => effect === 'block');
  return { set: shadow?.policySet, action: shadow?.action, simulated: wouldBlock ? 'block' : undefined };
}
