import type { Decision } from '../../src/domain/decision.ts';
import { type AgentSessionKey, agentSessionKey, type TenantSlug } from '../../src/domain/ids.ts';
import type { DecisionRecord, EventRecord } from '../../src/domain/record.ts';
import { newEventId } from './event-ids.ts';

export const TENANT = 'demo' as TenantSlug;

let made = 0;

/** An observational event as the journal keeps it. */
export function eventRecord(overrides: Partial<EventRecord> = {}): EventRecord {
  const atMs = 1_760_000_000_000 + made++;
  const session: AgentSessionKey = agentSessionKey(TENANT, 'session-1');
  return {
    kind: 'event',
    tenant: TENANT,
    session,
    event: newEventId(atMs),
    atMs,
    eventType: 'tool_result',
    dedupe: `dedupe-${made}`,
    correlationId: `correlation-${made}`,
    subject: 'ci',
    body: Buffer.from(JSON.stringify({ event_type: 'tool_result', n: made })),
    ...overrides,
  };
}

/** A blocking event with its decision. */
export function decisionRecord(decision: Decision, overrides: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    ...eventRecord({ eventType: 'tool_invocation' }),
    kind: 'decision',
    decision,
    onFailure: 'allow',
    effects: [],
    tookUs: 100,
    ...overrides,
  };
}
