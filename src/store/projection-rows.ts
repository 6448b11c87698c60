import { isUtf8 } from 'node:buffer';
import { type Explanation, letThrough, triedBeside } from '../domain/decision.ts';
import { type AgentEvent, toolOf } from '../domain/event.ts';
import { dateTimeMs } from '../domain/formats.ts';
import { type AgentSessionKey, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type {
  DecisionRecord,
  EventRecord,
  InspectionRecord,
  JournalRecord,
  LateDecisionRecord,
  ReleaseRecord,
  UnansweredRecord,
} from '../domain/record.ts';
import { ActivityCounts } from './activity-counts.ts';
import { agentKey } from './agent-key.ts';
import type { RowOf } from './row-columns.ts';
import { type RowTexts, RowTextsBuilder } from './row-texts.ts';
import { Sightings } from './sightings.ts';
import { storableText } from './storable-text.ts';

/**
 * Journal records as rows: JSON texts, each a parameter of one statement, that `json_to_recordset` turns into rows of
 * the columns named beside them here. Pure, so that it can be tested without a database.
 */

/** What one tenant's records write. */
export interface TenantRows {
  tenant: TenantSlug;
  agents: RowTexts;
  sessions: RowTexts;
  receipts: RowTexts;
  inspections: RowTexts;
  lateDecisions: RowTexts;
  unanswered: RowTexts;
  releases: RowTexts;
  activity: RowTexts;
  agentHours: RowTexts;
  sightings: RowTexts;
}

export const AGENT_COLUMNS = 'key uuid, id text, name text, first bigint, last bigint, events bigint';
export const SESSION_COLUMNS =
  'key uuid, id text, agent uuid, email text, first bigint, last bigint, ended bigint, reopened int, events bigint, blocked bigint, undecided bigint';
const EVENT_COLUMNS =
  'id uuid, s uuid, a uuid, t text, at bigint, rcv bigint, em text, tool text, corr text, trace text, sub text, dd text, body text, pol text';
const DECISION_COLUMNS =
  'kind text, act text, rsn text, cause text, ans text, onf text, eff text, expl text, shset text, shact text, simact text, nwf uuid[], took bigint, dec bigint';
/** Of an event without a decision, those of the decision are left out. */
export const RECEIPT_COLUMNS = `${EVENT_COLUMNS}, ${DECISION_COLUMNS}`;
export const INSPECTION_COLUMNS = 'id uuid, s uuid, expl text, cause text, eff text, at bigint';
export const LATE_DECISION_COLUMNS = 'id uuid, act text, rsn text, cause text, expl text, eff text, at bigint';
export const UNANSWERED_COLUMNS = 'id uuid, s uuid, cause text, ans text, at bigint';

export const RELEASE_COLUMNS = 'id uuid, s uuid, sub text, rsn text, hold boolean, taints text[], at bigint';
export const FEED_COLUMNS = 't uuid, s uuid, i uuid, d boolean, f smallint';

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
  readonly #releases = new RowTextsBuilder();
  readonly #activity = new ActivityCounts();
  readonly #sightings = new Sightings();

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
        this.#inspections.add(inspectionRow(record), record.explanation?.length ?? 0);
        this.#sightings.add('inspection', record);
        break;
      case 'late_decision':
        this.#lateDecisions.add(lateDecisionRow(record), record.explanation?.length ?? 0);
        this.#sightings.add('late', record);
        break;
      case 'unanswered':
        this.#unanswered.add(unansweredRow(record), 0);
        break;
      case 'release':
        this.#releases.add(releaseRow(record), record.reason.length);
        break;
      case 'joined':
        // Of no use to a reader: the effects of the other session's event tell of it.
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
      releases: this.#releases.finish(),
      ...this.#activity.finish(),
      sightings: this.#sightings.finish(),
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
    const row: RowOf<typeof EVENT_COLUMNS> = {
      id: record.event,
      s: record.session,
      a: agent,
      t: record.eventType,
      at: eventMs,
      rcv: receivedMs,
      em: text(event.user.email),
      tool: textOrNull(toolOf(event)?.name),
      corr: text(record.correlationId),
      trace: textOrNull(record.traceparent),
      sub: text(record.subject),
      dd: text(record.dedupe),
      body,
      pol: record.kind === 'event' ? (record.policySet ?? null) : null,
    };
    if (record.kind === 'decision') Object.assign(row, decisionFields(record));
    this.#countAgent(event, agent, receivedMs);
    this.#countSession(record, event, agent, receivedMs);
    this.#receipts.add(row, body.length + (record.kind === 'decision' ? (record.explanation?.length ?? 0) : 0));
    this.#activity.count(record, agent, receivedMs);
    if (record.kind === 'decision') this.#sightings.add('decision', record);
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
function text(value: string): string {
  requireTexts(value);
  return storableText(value);
}

function textOrNull(value: string | undefined): string | null {
  return value === undefined ? null : text(value);
}

// JSON texts (explanations, effects) are our own making and are kept as they are: `JSON.stringify` leaves no raw NUL
// and no half of a pair in them.

function decisionFields(record: DecisionRecord): RowOf<typeof DECISION_COLUMNS> {
  const { decision } = record;
  const decided = decision.kind === 'decided';
  return {
    kind: decision.kind,
    act: decided ? decision.action : null,
    rsn: textOrNull(decision.reason),
    cause: decided ? null : decision.cause,
    ans: decided ? null : decision.answered,
    onf: record.onFailure,
    eff: JSON.stringify(record.effects),
    expl: record.explanation ?? null,
    ...triedFields(record),
    nwf: record.notWaitedFor ?? null,
    took: Math.round(record.tookUs),
    dec: Math.round(record.atMs),
  };
}

const NOTHING_TRIED = { shset: null, shact: null, simact: null };

/** What policies would have answered that are only tried. An explanation is read again only where there is any. */
function triedFields({ explanation = '', decision }: DecisionRecord) {
  if (!explanation.includes('"shadow":') && !explanation.includes('"simulated":')) return NOTHING_TRIED;
  const { set, action, simulated } = triedBeside(JSON.parse(explanation) as Explanation, decision);
  return { shset: set ?? null, shact: action ?? null, simact: simulated ?? null };
}

function inspectionRow(record: InspectionRecord): RowOf<typeof INSPECTION_COLUMNS> {
  return {
    id: record.event,
    s: record.session,
    expl: record.explanation ?? null,
    cause: record.cause ?? null,
    eff: JSON.stringify(record.effects),
    at: Math.round(record.atMs),
  };
}

function lateDecisionRow(record: LateDecisionRecord): RowOf<typeof LATE_DECISION_COLUMNS> {
  return {
    id: record.event,
    act: record.action ?? null,
    rsn: textOrNull(record.reason),
    cause: record.cause ?? null,
    expl: record.explanation ?? null,
    eff: JSON.stringify(record.effects),
    at: Math.round(record.atMs),
  };
}

function unansweredRow(record: UnansweredRecord): RowOf<typeof UNANSWERED_COLUMNS> {
  const { event, session, cause, answered, atMs } = record;
  return { id: event, s: session, cause, ans: answered, at: Math.round(atMs) };
}

function releaseRow(record: ReleaseRecord): RowOf<typeof RELEASE_COLUMNS> {
  return {
    id: record.event,
    s: record.session,
    sub: text(record.subject),
    rsn: text(record.reason),
    hold: record.hold,
    taints: record.taints.map(text),
    at: Math.round(record.atMs),
  };
}

function agentRows(agents: Map<string, AgentChange>): RowTexts {
  const rows = new RowTextsBuilder();
  for (const [id, { key, name, firstMs, lastMs, eventsCount }] of agents) {
    const row: RowOf<typeof AGENT_COLUMNS> = {
      key,
      id: text(id),
      name: text(name),
      first: firstMs,
      last: lastMs,
      events: eventsCount,
    };
    rows.add(row, id.length + name.length);
  }
  return rows.finish();
}

function sessionRows(sessions: Map<AgentSessionKey, SessionChange>): RowTexts {
  const rows = new RowTextsBuilder();
  for (const [key, session] of sessions) {
    const row: RowOf<typeof SESSION_COLUMNS> = {
      key,
      id: text(session.sessionId),
      agent: session.agentKey,
      email: text(session.email),
      first: session.firstMs,
      last: session.lastMs,
      ended: session.endedMs ?? null,
      reopened: session.reopenedCount,
      events: session.eventsCount,
      blocked: session.blockedCount,
      undecided: session.undecidedCount,
    };
    rows.add(row, session.sessionId.length);
  }
  return rows.finish();
}
