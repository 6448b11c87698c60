import { isCutByTime } from '../detection/cuts.ts';
import type { Decision, Inspection, OnFailure, UndecidedCause } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import type { TenantSlug } from '../domain/ids.ts';
import type { TimeShare } from '../lib/time-share.ts';
import type { ReceivedEvent } from './received-event.ts';

/** Tenants that answer failures themselves do so this long before the deadline, but never before ¾ of it. */
const FAILURE_MARGIN_MS = 50;

/** What is left between an inspection's end and the deadline, for the journal and the answer; at most ¼ of the deadline. */
const ANSWER_MARGIN_MS = 10;

/** Rules cheap enough for the main thread. */
export type QuickInspection = (task: QuickTask) => Inspection;

export interface QuickTask {
  tenant: TenantSlug;
  event: AgentEvent;
  /** Length of the event's text, in code units. */
  textChars: number;
  receivedAtMs: number;
}

/** What judges where the whole inspection could not, and who is told where that fails as well. */
export interface QuickJudge {
  inspectQuickly: QuickInspection;
  /** What answers may take of the main thread's time for that, by tenant; late inspections come one at a time, and take what they need. */
  quickShare: Pick<TimeShare, 'run'>;
  observer: { quickRulesFailed(error: unknown): void };
}

/** By the quick rules; undefined where they fail, or take too long. Never throws: what makes an inspection fail may be meant to. */
export function judgeQuickly({ inspectQuickly, observer }: QuickJudge, task: QuickTask): Inspection | undefined {
  try {
    const judged = inspectQuickly(task);
    return judged.action === 'allow' && isCutByTime(judged.explanation) ? undefined : judged;
  } catch (error) {
    observer.quickRulesFailed(error);
    return undefined;
  }
}

/** How long before its deadline a failure must be answered, in milliseconds. */
export function failureMarginMs(onFailure: OnFailure, deadlineMs: number): number {
  return onFailure === 'allow' ? 0 : Math.min(FAILURE_MARGIN_MS, deadlineMs / 4);
}

/** How long before its deadline an inspection must have ended, in milliseconds. */
export function answerMarginMs(deadlineMs: number): number {
  return Math.min(ANSWER_MARGIN_MS, deadlineMs / 4);
}

/** What a failure means, for the person who reads the answer. */
const CAUSE_TEXT: Record<UndecidedCause, string> = {
  deadline: 'the deadline passed',
  queue_full: 'too many events are waiting',
  mailbox_full: 'too many events of this session are waiting',
  sessions_full: 'too many sessions are active',
  lane_ended: 'the inspection did not end and was stopped',
  lane_error: 'the inspection failed',
  actor_error: 'the session state failed',
  journal_full: 'the journal is full',
  journal_error: 'the journal could not be written',
  stopping: 'the service is stopping',
};

/** Whether the inspection itself is what failed (its thread had to be ended, or it threw): it would again. */
export function inspectionFailed(cause: UndecidedCause): boolean {
  return cause === 'lane_ended' || cause === 'lane_error';
}

/**
 * The answer to an event that could not be decided, by the tenant's `onFailure`: `allow` leaves it to the sender (a 408
 * or 500), `block` blocks, `degrade` lets the quick rules decide; of one that was answered already, that answer. Never throws.
 */
export function decideWithout(
  event: ReceivedEvent,
  cause: UndecidedCause,
  judge: QuickJudge,
): Extract<Decision, { kind: 'undecided' }> {
  switch (event.answered ?? event.tenant.onFailure) {
    case 'allow':
      return { kind: 'undecided', cause, answered: 'fail_open' };
    case 'block':
      return { kind: 'undecided', cause, answered: 'block', reason: notDecided(cause) };
    case 'degrade':
      return { kind: 'undecided', cause, ...decideQuickly(event, cause, judge) };
  }
}

/** Where the quick rules fail as well, or have no time, nothing is left that could let it through. */
function decideQuickly(
  { tenant: { slug: tenant }, event, text, receivedAtMs }: ReceivedEvent,
  cause: UndecidedCause,
  judge: QuickJudge,
): { answered: 'allow' | 'block'; reason?: string } {
  const task = { tenant, event, textChars: text.length, receivedAtMs };
  const judged = judge.quickShare.run(tenant, () => judgeQuickly(judge, task));
  if (judged === undefined) return { answered: 'block', reason: notDecided(cause) };
  const { action, reason } = judged;
  return { answered: action, ...(reason === undefined ? {} : { reason }) };
}

/** Why an event that could not be decided is blocked. */
export function notDecided(cause: UndecidedCause): string {
  return `Not decided in time: ${CAUSE_TEXT[cause]}.`;
}

export function describeCause(cause: UndecidedCause): string {
  return CAUSE_TEXT[cause];
}
