import { isUtf8 } from 'node:buffer';
import { letThrough } from '../domain/decision.ts';
import type { AgentEvent } from '../domain/event.ts';
import { dateTimeMs } from '../domain/formats.ts';
import { type AgentSessionKey, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type {
  DecisionRecord,
  EventRecord,
  InspectionRecord,
  JournalRecord,
  LateDecisionRecord,
  UnansweredRecord,
} from '../domain/record.ts';
import { agentKey } from './agent-key.ts';
import { storableText } from './storable-text.ts';

/**
 * Journal records as rows: JSON texts, each a parameter of one statement, that `json_to_recordset` turns into rows of
 * the columns named beside them here. Made piece by piece and by hand, because this runs on the thread that answers
 * requests; pure, so that it can be tested without a database.
 */

/** Rows of one kind, in texts of a bounded size. */
export interface RowTexts {
  count: number;
  texts: string[];
}

/** What one tenant's records write. */
export interface TenantRows {
  tenant: TenantSlug;
  agents: RowTexts;
  sessions: RowTexts;
  receipts: RowTexts;
  inspections: RowTexts;
  lateDecisions: RowTexts;
  unanswered: RowTexts;
}

export const AGENT_COLUMNS = 'key uuid, id text, name text, first bigint, last bigint, events bigint';
export const SESSION_COLUMNS =
  'key uuid, id text, agent uuid, email text, first bigint, last bigint, ended bigint, reopened int, events bigint, blocked bigint, undecided bigint';
export const RECEIPT_COLUMNS =
  'id uuid, s uuid, a uuid, t text, at bigint, rcv bigint, em text, tool text, corr text, trace text, sub text, dd text, body text, kind text, act text, rsn text, cause text, ans text, onf text, eff text, expl text, nwf uuid[], took bigint, dec bigint';
export const INSPECTION_COLUMNS = 'id uuid, s uuid, expl text, cause text, eff text, at bigint';
export const LATE_DECISION_COLUMNS = 'id uuid, act text, rsn text, cause text, expl text, eff text, at bigint';
export const UNANSWERED_COLUMNS = 'id uuid, s uuid, cause text, at bigint';

/** Bounds of one text, so that neither the making nor the sending of it holds the thread for long. */
const TEXT_ROWS_MAX = 250;
const TEXT_CHARS_MAX = 256 * 1024;

class RowTextsBuilder {
  #count = 0;
  readonly #texts: string[] = [];
  #rows: string[] = [];
  #chars = 0;

  add(row: string): void {
    this.#count++;
    this.#rows.push(row);
    this.#chars += row.length;
    if (this.#rows.length >= TEXT_ROWS_MAX || this.#chars >= TEXT_CHARS_MAX) this.#close();
  }

  finish(): RowTexts {
    if (this.#rows.length > 0) this.#close();
    return { count: this.#count, texts: this.#texts };
  }

  #close(): void {
    this.#texts.push(`[${this.#rows.join(',')}]`);
    this.#rows = [];
    this.#chars = 0;
  }
}

interface AgentChange {
  key: string;
  name: string;
  firstMs: number;
  lastMs: number;
  eventsCount: number;
}

interface SessionChange {
  sessionId: string;
  agentKey: string;
  email: string;
  firstMs: number;
  lastMs: number;
  endedMs: number | undefined;
  /** Within these records: an event of an ended session opens it again. */
  reopenedCount: number;
  eventsCount: number;
  blockedCount: number;
  undecidedCount: number;
}

/** Gathers the rows of one tenant, record by record in the journal's order. */
export class TenantRowsBuilder {
  readonly #tenant: TenantSlug;
  readonly #agents = new Map<string, AgentChange>();
  readonly #sessions = new Map<AgentSessionKey, SessionChange>();
  readonly #receipts = new RowTextsBuilder();
  readonly #inspections = new RowTextsBuilder();
  readonly #lateDecisions = new RowTextsBuilder();
  readonly #unanswered = new RowTextsBuilder();

  constructor(tenant: TenantSlug) {
    this.#tenant = tenant;
  }

  /** @throws if the record cannot be a row; then nothing of it was added. */
  add(record: JournalRecord): void {
    switch (record.kind) {
      case 'event':
      case 'decision':
        this.#addReceipt(record);
        break;
      case 'inspection':
        this.#inspections.add(inspectionRow(record));
        break;
      case 'late_decision':
        this.#lateDecisions.add(lateDecisionRow(record));
        break;
      case 'unanswered':
        this.#unanswered.add(unansweredRow(record));
        break;
    }
  }

  finish(): TenantRows {
    return {
      tenant: this.#tenant,
      agents: agentRows(this.#agents),
      sessions: sessionRows(this.#sessions),
      receipts: this.#receipts.finish(),
      inspections: this.#inspections.finish(),
      lateDecisions: this.#lateDecisions.finish(),
      unanswered: this.#unanswered.finish(),
    };
  }

  #addReceipt(record: EventRecord | DecisionRecord): void {
    const body = bodyText(record.body);
    const event = JSON.parse(body) as AgentEvent;
    requireTexts(event.session_id, event.agent.id, event.agent.name);
    const eventMs = dateTimeMs(event.timestamp);
    if (!Number.isSafeInteger(eventMs)) throw new TypeError('the timestamp is no date-time');
    const agent = this.#agents.get(event.agent.id)?.key ?? agentKey(this.#tenant, event.agent.id);
    const receivedMs = eventIdTimeMs(record.event);
    const tool = 'tool' in event ? quoted(event.tool.name) : 'null';
    const row =
      `{"id":"${record.event}","s":"${record.session}","a":"${agent}","t":"${record.eventType}"` +
      `,"at":${eventMs},"rcv":${receivedMs},"em":${quoted(event.user.email)},"tool":${tool}` +
      `,"corr":${quoted(record.correlationId)},"trace":${quotedOrNull(record.traceparent)}` +
      `,"sub":${quoted(record.subject)},"dd":${quoted(record.dedupe)},"body":${JSON.stringify(body)}` +
      `${record.kind === 'decision' ? decisionFields(record) : ''}}`;
    this.#countAgent(event, agent, receivedMs);
    this.#countSession(record, event, agent, receivedMs);
    this.#receipts.add(row);
  }

  #countAgent(event: AgentEvent, key: string, atMs: number): void {
    const { id, name } = event.agent;
    const known = this.#agents.get(id);
    if (known === undefined) {
      this.#agents.set(id, { key, name, firstMs: atMs, lastMs: atMs, eventsCount: 1 });
      return;
    }
    known.name = name;
    known.firstMs = Math.min(known.firstMs, atMs);
    known.lastMs = Math.max(known.lastMs, atMs);
    known.eventsCount++;
  }

  #countSession(record: EventRecord | DecisionRecord, event: AgentEvent, key: string, atMs: number): void {
    const known = this.#sessions.get(record.session);
    const change = known ?? newSessionChange(event.session_id, atMs);
    if (known === undefined) this.#sessions.set(record.session, change);
    if (change.endedMs !== undefined) change.reopenedCount++;
    change.endedMs = record.eventType === 'session_end' ? atMs : undefined;
    change.agentKey = key;
    change.email = event.user.email;
    change.firstMs = Math.min(change.firstMs, atMs);
    change.lastMs = Math.max(change.lastMs, atMs);
    change.eventsCount++;
    if (record.kind === 'event') return;
    if (!letThrough(record.decision)) change.blockedCount++;
    if (record.decision.kind === 'undecided') change.undecidedCount++;
  }
}

function newSessionChange(sessionId: string, atMs: number): SessionChange {
  return {
    sessionId,
    agentKey: '',
    email: '',
    firstMs: atMs,
    lastMs: atMs,
    endedMs: undefined,
    reopenedCount: 0,
    eventsCount: 0,
    blockedCount: 0,
    undecidedCount: 0,
  };
}

function bodyText(body: Uint8Array): string {
  if (!isUtf8(body)) throw new TypeError('the body is not UTF-8');
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** The gate lets nothing else in; a body that is otherwise must be found here, and not when all rows are put together. */
function requireTexts(...texts: unknown[]): void {
  if (texts.some((text) => typeof text !== 'string')) throw new TypeError('a field that must be a text is none');
}

/** Text of a sensor. */
function quoted(text: string): string {
  requireTexts(text);
  return JSON.stringify(storableText(text));
}

function quotedOrNull(text: string | undefined): string {
  return text === undefined ? 'null' : quoted(text);
}

/** JSON text of our own making, kept as it is: it holds no raw NUL and no half of a pair. */
function jsonText(text: string | undefined): string {
  return text === undefined ? 'null' : JSON.stringify(text);
}

function decisionFields(record: DecisionRecord): string {
  const { decision } = record;
  const decided = decision.kind === 'decided';
  return (
    `,"kind":"${decision.kind}","act":${decided ? `"${decision.action}"` : 'null'},"rsn":${quotedOrNull(decision.reason)}` +
    `,"cause":${decided ? 'null' : `"${decision.cause}"`},"ans":${decided ? 'null' : `"${decision.answered}"`}` +
    `,"onf":"${record.onFailure}","eff":${jsonText(JSON.stringify(record.effects))},"expl":${jsonText(record.explanation)}` +
    `,"nwf":${record.notWaitedFor === undefined ? 'null' : JSON.stringify(record.notWaitedFor)}` +
    `,"took":${Math.round(record.tookUs)},"dec":${Math.round(record.atMs)}`
  );
}

function inspectionRow(record: InspectionRecord): string {
  return (
    `{"id":"${record.event}","s":"${record.session}","expl":${jsonText(record.explanation)}` +
    `,"cause":${quotedOrNull(record.cause)},"eff":${jsonText(JSON.stringify(record.effects))},"at":${Math.round(record.atMs)}}`
  );
}

function lateDecisionRow(record: LateDecisionRecord): string {
  return (
    `{"id":"${record.event}","act":${quotedOrNull(record.action)},"rsn":${quotedOrNull(record.reason)}` +
    `,"cause":${quotedOrNull(record.cause)},"expl":${jsonText(record.explanation)}` +
    `,"eff":${jsonText(JSON.stringify(record.effects))},"at":${Math.round(record.atMs)}}`
  );
}

function unansweredRow(record: UnansweredRecord): string {
  return `{"id":"${record.event}","s":"${record.session}","cause":${quoted(record.cause)},"at":${Math.round(record.atMs)}}`;
}

function agentRows(agents: Map<string, AgentChange>): RowTexts {
  const rows = new RowTextsBuilder();
  for (const [id, agent] of agents) {
    rows.add(
      `{"key":"${agent.key}","id":${quoted(id)},"name":${quoted(agent.name)}` +
        `,"first":${agent.firstMs},"last":${agent.lastMs},"events":${agent.eventsCount}}`,
    );
  }
  return rows.finish();
}

function sessionRows(sessions: Map<AgentSessionKey, SessionChange>): RowTexts {
  const rows = new RowTextsBuilder();
  for (const [key, session] of sessions) {
    rows.add(
      `{"key":"${key}","id":${quoted(session.sessionId)},"agent":"${session.agentKey}","email":${quoted(session.email)}` +
        `,"first":${session.firstMs},"last":${session.lastMs},"ended":${session.endedMs ?? 'null'}` +
        `,"reopened":${session.reopenedCount},"events":${session.eventsCount}` +
        `,"blocked":${session.blockedCount},"undecided":${session.undecidedCount}}`,
    );
  }
  return rows.finish();
}
