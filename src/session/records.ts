import type { Decision } from '../domain/decision.ts';
import type { DecisionRecord, EventRecord, JournalRecord, RecordEnvelope } from '../domain/record.ts';
import type { InspectionReport } from '../inspection/inspector.ts';
import type { DecideItem, ScanItem, ScanOutcome } from './items.ts';
import type { ReceivedEvent } from './received-event.ts';

/** What a session writes to the journal. */

type OfSession = Pick<RecordEnvelope, 'tenant' | 'session'> & Pick<EventRecord, 'owner' | 'parent'>;

/** @param policySet hash of the tenant's own set that counts as the event comes; undefined for the installation's policies. */
export function eventRecord(
  own: OfSession,
  event: ReceivedEvent,
  { dedupe, policySet }: { dedupe: string; policySet: string | undefined },
): EventRecord {
  return { kind: 'event', ...receipt(own, event, dedupe), policySet };
}

/** @param tookUs microseconds from the request to the decision. */
export function decisionRecord(
  own: OfSession,
  { event, dedupe, tree, notWaitedFor }: DecideItem,
  { decision, report, tookUs }: { decision: Decision; report: InspectionReport | undefined; tookUs: number },
): DecisionRecord {
  return {
    kind: 'decision',
    ...receipt(own, event, dedupe),
    decision,
    onFailure: event.tenant.onFailure,
    effects: [...tree, ...(report?.effects ?? [])],
    explanation: report?.explanation,
    notWaitedFor: notWaitedFor.length === 0 ? undefined : notWaitedFor,
    tookUs: Math.round(tookUs),
  };
}

/**
 * What is kept of any event that was taken. Field by field, and always the same ones: where a spread comes first in an object, or spreads
 * now these fields and now those, V8 makes a shape of its own for each object, which took 10 µs an event.
 */
function receipt(
  { tenant, session, owner, parent }: OfSession,
  event: ReceivedEvent,
  dedupe: string,
): Omit<EventRecord, 'kind' | 'policySet'> {
  return {
    tenant,
    session,
    event: event.id,
    atMs: event.receivedAtMs,
    eventType: event.event.event_type,
    dedupe,
    correlationId: event.correlationId,
    traceparent: event.traceparent,
    subject: event.subject,
    body: event.body,
    owner,
    parent,
  };
}

/** What an inspection found that nobody waited for, or why there was none. */
export function scanRecord(envelope: RecordEnvelope, { scan, tree }: ScanItem, outcome: ScanOutcome): JournalRecord {
  if (outcome.kind === 'failed') {
    const kind = scan.kind === 'late' ? 'late_decision' : 'inspection';
    return { kind, ...envelope, cause: outcome.cause, effects: tree };
  }
  const { action, reason, explanation } = outcome.report;
  const effects = [...tree, ...outcome.report.effects];
  if (scan.kind === 'observational')
    return { kind: 'inspection', ...envelope, ...(explanation === '' ? {} : { explanation }), effects };
  const said = { action, ...(reason === undefined ? {} : { reason }), explanation };
  return { kind: 'late_decision', ...envelope, ...said, effects };
}
