import { type Explanation, type OnFailure, triedBeside } from '../domain/decision.ts';
import { memoizedOf } from '../lib/memo.ts';
import { dedupeKey } from '../session/received-event.ts';
import { lateHoldReason } from '../session/standing.ts';
import type { StoredDecision, StoredEvent } from '../store/stored-sessions.ts';

/** Of one session, so many contradictions are told. */
const TOLD_MAX = 8;

/**
 * What in the stored rows of a session cannot be so, up to its last event: bodies that are not those that were received, and what the row of the last
 * event's decision says twice, in two ways.
 */
export function contradictions(events: readonly StoredEvent[]): string[] {
  const found = events.filter(wasChanged).map(({ id }) => `the body of ${id} is not the one that was received`);
  const target = events.at(-1);
  if (target?.decision !== undefined) found.push(...inDecision(target.decision, events.slice(0, -1)));
  return found.slice(0, TOLD_MAX);
}

/** Asked of the same event once more for each one behind it. */
const wasChanged = memoizedOf(({ body, dedupe }: StoredEvent) => dedupeKey(Buffer.from(body)) !== dedupe);

function inDecision(decision: StoredDecision, before: readonly StoredEvent[]): string[] {
  const found: string[] = [];
  const { kind, action, cause, answered, onFailure, explanation, notWaitedFor, tried } = decision;
  const known = new Set(before.map(({ id }) => id));
  if (notWaitedFor.some((id) => !known.has(id))) found.push('it says that it did not wait for what was not before it');
  if (kind === 'undecided') {
    if (explanation !== undefined || action !== undefined) found.push('it is undecided, and says what was decided');
    if (cause === undefined || !ANSWERS[onFailure].includes(answered ?? ''))
      found.push(`it is undecided, and was answered ${answered ?? 'nothing'} where onFailure is ${onFailure}`);
  } else if (explanation !== undefined) {
    const told = triedBeside(parsedOrNothing(explanation), { kind, action: action ?? 'allow' });
    if (JSON.stringify(told) !== JSON.stringify(tried))
      found.push('what tried policies would have answered is told in two ways');
  }
  return found;
}

/** What each says, where nothing is decided. */
const ANSWERS: Readonly<Record<OnFailure, readonly string[]>> = {
  allow: ['fail_open'],
  block: ['block'],
  degrade: ['allow', 'block'],
};

function parsedOrNothing(explanation: string): Pick<Explanation, 'shadow' | 'simulated'> {
  try {
    return (JSON.parse(explanation) as Explanation | null) ?? {};
  } catch {
    return {};
  }
}

/** The reasons of holds that late blocks, and blocks that were not answered, of `events` put on their session. */
export function lateHolds(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ id, decision }) => {
    if (decision === undefined) return [];
    const { action, reason, late, answeredInstead } = decision;
    const unanswered = action === 'block' && answeredInstead !== undefined ? [reason] : [];
    const tooLate = late.action === 'block' ? [late.reason] : [];
    return [...unanswered, ...tooLate].map((each) =>
      lateHoldReason({ event: id, reason: each ?? 'an earlier event of this session' }),
    );
  });
}
