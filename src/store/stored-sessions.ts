import type { Effect, OnFailure, triedBeside } from '../domain/decision.ts';
import { type AgentSessionKey, type EventId, eventIdTimeMs, type TenantSlug } from '../domain/ids.ts';
import type { Database } from './database.ts';
import { originalText } from './storable-text.ts';

/** An event as it is stored, with what was decided about it. */
export interface StoredEvent {
  id: EventId;
  receivedAtMs: number;
  /** The request body. */
  body: string;
  /** See `dedupeKey`. */
  dedupe: string;
  /** Of an observational event: hash of the tenant's policy set that it came under. */
  policySet: string | undefined;
  /** Of a blocking event. */
  decision: StoredDecision | undefined;
  /** Of an observational event whose inspection had something to tell: its effects, as JSON text. */
  effects: string | undefined;
}

export interface StoredDecision {
  kind: 'decided' | 'undecided';
  action: 'allow' | 'block' | undefined;
  /** Of an undecided one: why, and how it was answered. */
  cause: string | undefined;
  answered: string | undefined;
  /** What the tenant wanted to be answered then. */
  onFailure: OnFailure;
  reason: string | undefined;
  /** JSON texts. */
  effects: string;
  explanation: string | undefined;
  notWaitedFor: readonly EventId[];
  /** Unix milliseconds: when it was reached. */
  decidedAtMs: number;
  /** What policies would have answered that do not decide, as it is told beside the explanation. */
  tried: ReturnType<typeof triedBeside>;
  /** How the sender was answered, where that was something else. */
  answeredInstead: string | undefined;
  /** Of an inspection that finished after the answer; its effects as JSON text. */
  late: { action: 'allow' | 'block' | undefined; reason: string | undefined };
  lateEffects: string | undefined;
}

export interface StoredSession {
  tenant: TenantSlug;
  /** UUID of the tenant. */
  tenantId: string;
  key: AgentSessionKey;
  /** In the order of receipt. */
  events: StoredEvent[];
  /** What people took back before the last of them, in that order. */
  releases: StoredRelease[];
}

export interface StoredRelease {
  id: EventId;
  receivedAtMs: number;
  hold: boolean;
  taints: readonly string[];
}

/** A stored session has more events, or longer ones, than are read at once. */
export class SessionTooLarge extends Error {
  override readonly name = 'SessionTooLarge';
}

/** What one session may hold to be read, and rows of one page. */
const SESSION_EVENTS_MAX = 100_000;
const SESSION_CHARS_MAX = 256 * 1024 * 1024;
const PAGE_ROWS_MAX = 100;

/** The session that an event is of. */
export interface SessionPlace {
  tenant_id: string;
  slug: TenantSlug;
  session_key: AgentSessionKey;
}

/** What was read of a session: all of it, unless it `isCut` where it has more than is read at once. */
export interface ReadSession extends StoredSession {
  isCut: boolean;
}

/**
 * The session of the event `id`, up to and with it; undefined where there is no such event (any more).
 *
 * @throws {SessionTooLarge}
 */
export async function sessionUpTo(database: Database, id: EventId): Promise<StoredSession | undefined> {
  const place = await placeOf(database, id);
  if (place === undefined) return undefined;
  const session = await readSession(database, place, id);
  if (session.isCut) throw tooLarge(id, session);
  return session;
}

/** Of which session the event `id` is; undefined where there is no such event (any more). */
export async function placeOf(database: Database, id: EventId): Promise<SessionPlace | undefined> {
  const [found] = await database.withSql(
    (sql) => sql<SessionPlace[]>`
      select e.tenant_id, t.slug, e.session_key from events e join tenants t on t.id = e.tenant_id where e.id = ${id}`,
  );
  return found;
}

/** The session at `place`, up to and with the event `upTo`, or as far as it goes by now. */
export async function readSession(database: Database, place: SessionPlace, upTo?: EventId): Promise<ReadSession> {
  const events: StoredEvent[] = [];
  let chars = 0;
  let isCut = false;
  for (let after: EventId | undefined; !isCut; after = events.at(-1)?.id) {
    const page = await sessionPage(database, { ...place, after, upTo });
    events.push(...page);
    for (const { body } of page) chars += body.length;
    isCut = events.length > SESSION_EVENTS_MAX || chars > SESSION_CHARS_MAX;
    if (page.length < PAGE_ROWS_MAX) break;
  }
  const releases = await releasesUpTo(database, { ...place, upTo });
  return { tenant: place.slug, tenantId: place.tenant_id, key: place.session_key, events, releases, isCut };
}

/** What is thrown where the event `id` cannot be had, since its session is too large to be read so far. */
export function tooLarge(id: EventId, { events }: StoredSession): SessionTooLarge {
  const chars = events.reduce((sum, { body }) => sum + body.length, 0);
  return new SessionTooLarge(`the session of ${id} is too large: ${events.length} events, ${chars} characters`);
}

async function releasesUpTo(
  database: Database,
  { tenant_id, session_key, upTo }: Omit<PageBounds, 'after'>,
): Promise<StoredRelease[]> {
  const rows = await database.withSql(
    (sql) => sql<{ id: EventId; hold: boolean; labels: string[] }[]>`
      select id, hold, to_json(taints) as labels from releases
      where tenant_id = ${tenant_id} and session_key = ${session_key}
        ${upTo === undefined ? sql`` : sql`and id <= ${upTo}::uuid`}
      order by id limit ${SESSION_EVENTS_MAX}`,
  );
  return rows.map(({ id, hold, labels }) => {
    return { id, receivedAtMs: eventIdTimeMs(id), hold, taints: labels.map(originalText) };
  });
}

interface PageBounds {
  tenant_id: string;
  session_key: AgentSessionKey;
  after: EventId | undefined;
  upTo: EventId | undefined;
}

async function sessionPage(
  database: Database,
  { tenant_id, session_key, after, upTo }: PageBounds,
): Promise<StoredEvent[]> {
  const rows = await database.withSql(
    (sql) => sql<EventRow[]>`
      select e.id, (extract(epoch from e.received_at) * 1000)::float8 as received_ms, e.body, e.dedupe, e.policy_set, i.effects as inspected,
        d.kind, d.action, d.cause, d.answered, d.on_failure, d.reason, d.effects, d.explanation,
        to_json(d.not_waited_for) as not_waited, d.took_us::float8 as took_us,
        d.shadow_set, d.shadow_action, d.simulated_action, d.answered_instead, d.late_action, d.late_reason, d.late_effects
      from events e left join decisions d on d.id = e.id left join inspections i on i.id = e.id
      where e.tenant_id = ${tenant_id} and e.session_key = ${session_key}
        ${upTo === undefined ? sql`` : sql`and e.id <= ${upTo}::uuid`}
        ${after === undefined ? sql`` : sql`and e.id > ${after}::uuid`}
      order by e.id limit ${PAGE_ROWS_MAX}`,
  );
  return rows.map(eventOf);
}

/** The newest event of each session that had one at `since` or later, the newest first. */
export async function sessionsSince(database: Database, since: EventId, limit: number): Promise<EventId[]> {
  const rows = await database.withSql(
    (sql) => sql<{ last: EventId }[]>`
      select (array_agg(id order by id desc))[1] as last
      from events where id >= ${since} group by tenant_id, session_key order by 1 desc limit ${limit}`,
  );
  return rows.map(({ last }) => last);
}

interface EventRow {
  id: EventId;
  received_ms: number;
  body: string;
  dedupe: string;
  policy_set: string | null;
  inspected: string | null;
  kind: 'decided' | 'undecided' | null;
  action: 'allow' | 'block' | null;
  cause: string | null;
  answered: string | null;
  on_failure: OnFailure;
  reason: string | null;
  effects: string | null;
  explanation: string | null;
  not_waited: EventId[] | null;
  took_us: number | null;
  shadow_set: string | null;
  shadow_action: 'allow' | 'block' | null;
  simulated_action: 'block' | null;
  answered_instead: string | null;
  late_action: 'allow' | 'block' | null;
  late_reason: string | null;
  late_effects: string | null;
}

function eventOf(row: EventRow): StoredEvent {
  return {
    id: row.id,
    receivedAtMs: row.received_ms,
    body: row.body,
    dedupe: originalText(row.dedupe),
    policySet: row.policy_set ?? undefined,
    decision: row.kind === null ? undefined : decisionOf(row, row.kind),
    effects: row.inspected ?? undefined,
  };
}

function decisionOf(row: EventRow, kind: StoredDecision['kind']): StoredDecision {
  return {
    kind,
    action: row.action ?? undefined,
    cause: row.cause ?? undefined,
    answered: row.answered ?? undefined,
    onFailure: row.on_failure,
    reason: row.reason === null ? undefined : originalText(row.reason),
    effects: row.effects ?? '[]',
    explanation: row.explanation ?? undefined,
    notWaitedFor: row.not_waited ?? [],
    decidedAtMs: row.received_ms + (row.took_us ?? 0) / 1_000,
    tried: {
      set: row.shadow_set ?? undefined,
      action: row.shadow_action ?? undefined,
      simulated: row.simulated_action ?? undefined,
    },
    answeredInstead: row.answered_instead ?? undefined,
    late: {
      action: row.late_action ?? undefined,
      reason: row.late_reason === null ? undefined : originalText(row.late_reason),
    },
    lateEffects: row.late_effects ?? undefined,
  };
}

/** All that the session remembers of an event, where that was recorded: with its answer, and by a later inspection. */
export function recordedEffects({ decision, effects }: StoredEvent): Effect[] | undefined {
  if (decision === undefined) return effects === undefined ? undefined : (JSON.parse(effects) as Effect[]);
  return [decision.effects, decision.lateEffects ?? '[]'].flatMap((text) => JSON.parse(text) as Effect[]);
}
