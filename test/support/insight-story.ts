import type { Explanation, Finding, Severity } from '../../src/domain/decision.ts';
import type { EventType } from '../../src/domain/event-types.ts';
import { agentSessionKey, type TenantSlug } from '../../src/domain/ids.ts';
import type { DecisionRecord, EventRecord, JournalRecord } from '../../src/domain/record.ts';
import type { StoredRecord } from '../../src/journal/journal.ts';
import { agentKey } from '../../src/store/agent-key.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { ProjectionStore, prepareBatch } from '../../src/store/projection.ts';
import { newEventId } from './event-ids.ts';

/** Records of agents at work, as the journal keeps them: calls of several kinds, blocks, findings, failures. */

/** What a pointer, a reason and a name may be made of by who wants to break a page or a row. */
export const HOSTILE_TEXT = 'a\0b\ud800\ufffd <img src=x onerror="alert(1)"> \u202e\\u0000';

export interface Teller {
  tenant: TenantSlug;
  agent?: string;
  session?: string;
  email?: string;
}

/** Makes records of one agent's session. */
export class Story {
  readonly records: JournalRecord[] = [];
  readonly #teller: Required<Teller>;

  constructor({ tenant, agent = 'coder', session = 'session-1', email = 'dev@example.com' }: Teller) {
    this.#teller = { tenant, agent, session, email };
  }

  get agentKey(): string {
    return agentKey(this.#teller.tenant, this.#teller.agent);
  }

  get sessionKey(): string {
    return agentSessionKey(this.#teller.tenant, this.#teller.session);
  }

  /** An event that nobody waits for; with an explanation, its inspection too. */
  observed(atMs: number, eventType: EventType = 'tool_result', explanation?: Explanation): EventRecord {
    const record: EventRecord = { kind: 'event', ...this.#receipt(atMs, eventType, 'Bash') };
    this.records.push(record);
    if (explanation !== undefined) this.inspected(record, explanation);
    return record;
  }

  inspected({ tenant, session, event, atMs }: EventRecord, explanation: Explanation): void {
    const text = JSON.stringify(explanation);
    this.records.push({ kind: 'inspection', tenant, session, event, atMs: atMs + 5, explanation: text, effects: [] });
  }

  /** A call, and how it was answered. */
  call(atMs: number, how: Partial<DecisionRecord> & { explanation?: string } = {}, tool = 'Bash'): DecisionRecord {
    const record: DecisionRecord = {
      kind: 'decision',
      ...this.#receipt(atMs, 'tool_invocation', tool),
      decision: { kind: 'decided', action: 'allow' },
      onFailure: 'allow',
      effects: [{ kind: 'call', tool, toolKind: kindOf(tool) } as never],
      explanation: JSON.stringify(explain({})),
      tookUs: 400,
      ...how,
    };
    this.records.push(record);
    return record;
  }

  blocked(atMs: number, explanation: Explanation, tool = 'Bash'): DecisionRecord {
    const reason = explanation.policies[0]?.reason ?? 'no';
    const how = {
      decision: { kind: 'decided', action: 'block', reason },
      // As of a call that was blocked: of which there is nothing to come.
      effects: [],
      explanation: JSON.stringify({ ...explanation, toolKind: kindOf(tool) }),
    } satisfies Partial<DecisionRecord>;
    return this.call(atMs, how, tool);
  }

  failedOpen(atMs: number): DecisionRecord {
    const { explanation: _, ...record } = this.call(atMs, {
      decision: { kind: 'undecided', cause: 'deadline', answered: 'fail_open' },
      effects: [],
      tookUs: 800_000,
    });
    this.records[this.records.length - 1] = record;
    return record;
  }

  #receipt(atMs: number, eventType: EventType, tool: string) {
    const { tenant, agent, session, email } = this.#teller;
    const body = {
      event_type: eventType,
      session_id: session,
      timestamp: new Date(atMs).toISOString(),
      agent: { id: agent, name: `Agent ${agent}` },
      user: { email },
      ...(eventType.startsWith('tool') ? { tool: { name: tool, input: { command: 'rm -rf ~' } } } : {}),
    };
    return {
      tenant,
      session: agentSessionKey(tenant, session),
      event: newEventId(atMs),
      atMs,
      eventType,
      dedupe: 'd',
      correlationId: 'c',
      subject: 'ci',
      body: Buffer.from(JSON.stringify(body)),
    };
  }
}

interface Said {
  /** Ids of policies that matched. */
  policies?: string[];
  simulated?: string[];
  findings?: [kind: string, severity: Severity, pointer?: string][];
  reason?: string;
}

export function explain({ policies = [], simulated = [], findings = [], reason = 'Deletes' }: Said): Explanation {
  const match = (id: string) => ({
    id,
    severity: 'high' as const,
    effect: 'block' as const,
    reason: `${id}: ${reason}`,
    tags: [],
  });
  const found = findings.map(
    ([kind, severity, pointer = '/tool/input/command']): Finding => ({
      kind,
      severity,
      confidence: 0.9,
      span: { pointer, start: 0, end: 8 },
    }),
  );
  return {
    policies: policies.map(match),
    findings: found,
    cuts: [],
    ...(simulated.length === 0 ? {} : { simulated: simulated.map(match) }),
    policySet: 'set',
    engine: 'engine',
    tookUs: 40,
  };
}

/** Stores `records` as a projector does, in batches of `batch`. */
export async function project(url: string, records: readonly JournalRecord[], batch = 1_000): Promise<void> {
  const database: Database = openDatabase(url, 1);
  try {
    const projection = new ProjectionStore(database, `journal-${Math.random()}`);
    await projection.position();
    const positioned = records.map((record, index) => ({ seq: index + 1, record }));
    for (let from = 0; from < positioned.length; from += batch) {
      const run = positioned.slice(from, from + batch);
      await projection.write(prepareBatch(run, from, run.at(-1) as StoredRecord));
    }
  } finally {
    await database.close();
  }
}

function kindOf(tool: string): string {
  return tool === 'Bash' ? 'shell' : 'net';
}
