import type postgres from 'postgres';
import type { EventId, TenantSlug } from '../domain/ids.ts';
import type { JournalRecord } from '../domain/record.ts';
import type { StoredRecord, UnreadableRecord } from '../journal/journal.ts';
import { sqlStateOf } from './connection.ts';
import type { Database } from './database.ts';
import { type FeedRow, FeedRowsBuilder } from './feed-rows.ts';
import { type Day, dayAt, dayOf, ensurePartitions } from './partitions.ts';
import { type TenantRows, TenantRowsBuilder } from './projection-rows.ts';
import {
  INSERT_FEED,
  INSERT_INSPECTIONS,
  INSERT_RECEIPTS,
  INSERT_RELEASES,
  INSERT_SIGHTINGS,
  UPDATE_LATE_DECISIONS,
  UPDATE_UNANSWERED,
  UPSERT_ACTIVITY,
  UPSERT_AGENT_HOURS,
  UPSERT_AGENTS,
  UPSERT_SESSIONS,
} from './projection-statements.ts';
import { newestEventMs, type Removal, type Removed, removeExpired } from './retention.ts';
import type { RowTexts } from './row-texts.ts';
import { refuseNewer } from './schema-version.ts';
import { storableText } from './storable-text.ts';

/** A run of records as rows. */
export interface Batch {
  /** Position before the first record. */
  from: number;
  /** The one up to which the database holds the journal then. */
  last: StoredRecord;
  records: StoredRecord[];
  tenants: TenantRows[];
  /** What those who watch are told of, by tenant. */
  feed: Map<TenantSlug, FeedRow[]>;
  days: Set<Day>;
  /** Records that cannot be rows. */
  unfit: Unfit[];
}

export interface Unfit {
  stored: StoredRecord;
  /** What PostgreSQL called it, if it came that far. */
  sqlState?: string;
  error: string;
}

/** Up to where a database holds a journal. */
export interface HeldPosition {
  seq: number;
  /** `markOf` the record there; undefined where that is not known. */
  mark: string | undefined;
}

/** Tells a record from every other that may ever have its number. */
export function markOf({ record: { kind, event, atMs } }: StoredRecord): string {
  return `${kind} ${event} ${atMs}`;
}

/** Another writer moved the position of this journal, or this process does not know that its own commit succeeded. */
export class PositionMoved extends Error {
  override readonly name = 'PositionMoved';
}

/** Events of a batch are in the database already, though its position says that they are not. */
class EventsAlreadyStored extends Error {
  override readonly name = 'EventsAlreadyStored';
}

/** How far into the past and the future a day may lie to get partitions of its own. */
const PAST_DAYS_MAX = 4000;
const FUTURE_DAYS_MAX = 2;
/** Of a record in quarantine of which nothing could be read. */
const NO_EVENT = '00000000-0000-0000-0000-000000000000';
const FOREIGN_KEY_VIOLATION = '23503';

/** Writes journal records into the database, each batch in one transaction with the journal's position. */
export class ProjectionStore {
  readonly #database: Database;
  readonly #journalId: string;
  readonly #tenantIds = new Map<TenantSlug, string>();
  readonly #days = new Set<Day>();
  readonly #onFed: (tenantIds: readonly string[]) => void;

  /** @param onFed told, after each batch, of the tenants who can see something new. */
  constructor(database: Database, journalId: string, onFed: (tenantIds: readonly string[]) => void = () => {}) {
    this.#database = database;
    this.#journalId = journalId;
    this.#onFed = onFed;
  }

  /** Position up to which this journal's records are in the database; 0 for a journal it never saw. */
  async position(): Promise<HeldPosition> {
    // An earlier attempt of ours may still hold the row and commit: its outcome is waited for.
    const [row] = await this.#database.withSql(
      (sql) => sql<{ seq: string; mark: string | null }[]>`
        insert into projector_positions as p (journal_id, seq) values (${this.#journalId}, 0)
        on conflict (journal_id) do update set seq = p.seq returning seq, mark`,
    );
    return { seq: Number(row?.seq ?? 0), mark: row?.mark ?? undefined };
  }

  /** Moves the position without rows: for a journal whose records are not those that the database holds. */
  async rewind(from: number, to: number): Promise<void> {
    await this.#database.withSql((sql) => this.#movePosition(sql, from, { seq: to, mark: undefined }));
  }

  /** Writes all of `batch`, or nothing. Returns how many records went to quarantine. */
  async write(batch: Batch): Promise<number> {
    const remembered = this.#tenantIds.size;
    try {
      await this.#ensureDays(batch.days);
      return await this.#writeOnce(batch);
    } catch (error) {
      // What is remembered may be what was wrong: the tables were restored or exchanged meanwhile.
      this.#tenantIds.clear();
      this.#days.clear();
      if (error instanceof EventsAlreadyStored) return this.#writeOnce(await this.#withoutStored(batch));
      if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION && remembered > 0) return this.#writeOnce(batch);
      throw error;
    }
  }

  /** Keeps `unfit` aside as it is and moves the position over it. */
  async quarantine(from: number, unfit: Unfit): Promise<void> {
    this.#tenantIds.clear();
    await this.#inTransaction(async (sql) => {
      await this.#movePosition(sql, from, placeOf(unfit.stored));
      await this.#quarantineAll(sql, [unfit]);
    });
  }

  /** Keeps the bytes of a record that cannot be read, and moves the position over it. */
  async quarantineBytes(from: number, { seq, bytes, message }: UnreadableRecord): Promise<void> {
    await this.#inTransaction(async (sql) => {
      await this.#movePosition(sql, from, { seq, mark: undefined });
      await sql`
        insert into quarantine (journal_id, seq, event_id, record, error)
        values (${this.#journalId}, ${seq}, ${NO_EVENT}, ${Buffer.from(bytes)}, ${message})
        on conflict (journal_id, seq, event_id) do nothing`;
    });
  }

  /** Makes the partitions of today and tomorrow. */
  async prepareDays(nowMs: number): Promise<void> {
    const today = dayAt(nowMs);
    this.#days.clear();
    await this.#ensureDays(new Set([today, today + 1]));
  }

  /** Removes some of what is older than `retentionDays`. */
  removeExpired(removal: Removal, nowMs: number, retentionDays: number): Promise<Removed> {
    return this.#ofThisVersion((sql) => removeExpired(sql, removal, { nowMs, retentionDays }));
  }

  /** When the newest stored event came, in Unix milliseconds; undefined where there is none. */
  newestEventMs(): Promise<number | undefined> {
    return this.#database.withSql(newestEventMs);
  }

  /** Ends the connections at once. What was under way is either committed or not: `position` tells. */
  close(): Promise<void> {
    return this.#database.close(0);
  }

  async #ensureDays(days: Set<Day>): Promise<void> {
    const today = dayAt(Date.now());
    for (const day of days) {
      if (this.#days.has(day) || day < today - PAST_DAYS_MAX || day > today + FUTURE_DAYS_MAX) continue;
      await this.#ofThisVersion((sql) => ensurePartitions(sql, day));
      this.#days.add(day);
    }
  }

  async #writeOnce(batch: Batch): Promise<number> {
    const { unfitCount, fed } = await this.#inTransaction(async (sql) => {
      await this.#movePosition(sql, batch.from, placeOf(batch.last));
      const tenants = [];
      for (const rows of batch.tenants) tenants.push({ id: await this.#tenantId(sql, rows.tenant), rows });
      const { lost, found } = await writeTenants(sql, tenants);
      const unfit = [...batch.unfit, ...findOrphans(batch, new Set(lost))];
      await this.#quarantineAll(sql, unfit);
      return { unfitCount: unfit.length, fed: await this.#feed(sql, batch, found) };
    });
    this.#onFed(fed);
    return unfitCount;
  }

  /** Last, since it keeps other writers of the same tenants waiting until the end of the transaction. */
  async #feed(sql: postgres.Sql, { feed }: Batch, found: readonly FoundRow[]): Promise<string[]> {
    const rows: object[] = [...found];
    for (const [tenant, ofTenant] of feed) {
      const t = await this.#tenantId(sql, tenant);
      for (const { session, id, isDecision } of ofTenant) rows.push({ t, s: session, i: id, d: isDecision });
    }
    if (rows.length === 0) return [];
    const fed = await sql.unsafe<{ id: string }[]>(INSERT_FEED, [JSON.stringify(rows)], { prepare: true });
    return fed.map(({ id }) => id);
  }

  /** Work of several transactions. @throws {NewerDatabaseError} before it begins */
  #ofThisVersion<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    return this.#database.withSql(async (sql) => {
      await refuseNewer(sql);
      return work(sql);
    });
  }

  /** @throws {NewerDatabaseError} where a newer version migrated the database meanwhile: nothing is written then. */
  #inTransaction<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const checked = async (sql: postgres.Sql): Promise<T> => {
      const result = await work(sql);
      await refuseNewer(sql);
      return result;
    };
    return this.#database.withSql((sql) => sql.begin((sql) => checked(sql as unknown as postgres.Sql))) as Promise<T>;
  }

  async #movePosition(sql: postgres.Sql, from: number, to: HeldPosition): Promise<void> {
    const moved = await sql`
      update projector_positions set seq = ${to.seq}, mark = ${to.mark ?? null}, updated_at = now() where journal_id = ${this.#journalId} and seq = ${from}`;
    if (moved.count !== 1) throw new PositionMoved(`the database does not hold this journal up to record ${from}`);
  }

  /** A record is acknowledged: a tenant that the database does not know (any more) is made, not a reason to lose it. */
  async #tenantId(sql: postgres.Sql, slug: TenantSlug): Promise<string> {
    const known = this.#tenantIds.get(slug);
    if (known !== undefined) return known;
    const [row] = await sql<{ id: string }[]>`
      with made as (insert into tenants (slug, name) values (${slug}, ${slug}) on conflict (slug) do nothing returning id)
      select id from made union all select id from tenants where slug = ${slug}`;
    if (row === undefined) throw new Error(`tenant ${slug} was made by another transaction; try again`);
    this.#tenantIds.set(slug, row.id);
    return row.id;
  }

  async #quarantineAll(sql: postgres.Sql, unfit: Unfit[]): Promise<void> {
    for (const { stored, sqlState, error } of unfit) {
      const { record, seq } = stored;
      await sql`
        insert into quarantine (tenant_id, journal_id, seq, event_id, record, sql_state, error)
        values (${await this.#tenantId(sql, record.tenant)}, ${this.#journalId}, ${seq}, ${record.event},
          ${encodeForQuarantine(record)}, ${sqlState ?? null}, ${storableText(error)})
        on conflict (journal_id, seq, event_id) do nothing`;
    }
  }

  async #withoutStored(batch: Batch): Promise<Batch> {
    const ids = batch.records.map(({ record }) => record.event);
    const rows = await this.#database.withSql(
      (sql) => sql<{ id: EventId }[]>`
        select id from events where id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json)::uuid)`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    const missing = batch.records.filter(({ record }) => !isReceipt(record) || !stored.has(record.event));
    return prepareBatch(missing, batch.from, batch.last);
  }
}

function isReceipt(record: JournalRecord): boolean {
  return record.kind === 'event' || record.kind === 'decision';
}

function placeOf(stored: StoredRecord): HeldPosition {
  return { seq: stored.seq, mark: markOf(stored) };
}

/** Turns a run of records into rows; with them in the database, it holds the journal up to `last`. */
export function prepareBatch(records: StoredRecord[], from: number, last: StoredRecord): Batch {
  const tenants = new Map<TenantSlug, TenantRowsBuilder>();
  const feed = new FeedRowsBuilder();
  const batch: Batch = { from, last, records, tenants: [], feed: new Map(), days: new Set(), unfit: [] };
  for (const stored of records) {
    const { tenant, event } = stored.record;
    const builder = tenants.get(tenant) ?? new TenantRowsBuilder(tenant);
    tenants.set(tenant, builder);
    try {
      builder.add(stored.record);
      feed.add(stored.record);
      batch.days.add(dayOf(event));
    } catch (error) {
      batch.unfit.push({ stored, error: (error as Error).message });
    }
  }
  for (const builder of tenants.values()) batch.tenants.push(builder.finish());
  batch.feed = feed.finish();
  return batch;
}

/** Records that add to a decision which is not there: it is in quarantine itself, or was too old to keep. */
function findOrphans(batch: Batch, lost: Set<EventId>): Unfit[] {
  if (lost.size === 0) return [];
  return batch.records
    .filter(({ record }) => (record.kind === 'late_decision' || record.kind === 'unanswered') && lost.has(record.event))
    .map((stored) => ({ stored, error: 'the decision that this record is about is not stored' }));
}

function encodeForQuarantine(record: JournalRecord): Buffer {
  const plain = 'body' in record ? { ...record, body: Buffer.from(record.body).toString('base64') } : record;
  return Buffer.from(JSON.stringify(plain));
}

type Rows<T> = readonly T[];

/** A finding that is new: a row of `INSERT_FEED`. */
interface FoundRow {
  t: string;
  s: string;
  i: EventId;
  f: number;
}

/** Statements that were sent. */
interface Sent {
  receiptsCount: number;
  receipts: Promise<Rows<{ stored: number }>>[];
  /** Each answers with the events whose decision is not there. */
  updates: Promise<Rows<{ id: EventId }>>[];
  findings: Promise<Rows<FoundRow>>[];
  /** Every answer, in the order of sending. */
  all: Promise<unknown>[];
}

/**
 * Writes the rows of several tenants; every statement names one of them only. Statements are sent without waiting for
 * the answers of those before. Returns the events whose decision is not there, and the findings that are new.
 */
async function writeTenants(
  sql: postgres.Sql,
  tenants: { id: string; rows: TenantRows }[],
): Promise<{ lost: EventId[]; found: FoundRow[] }> {
  const sent: Sent = { receiptsCount: 0, receipts: [], updates: [], findings: [], all: [] };
  for (const { id, rows } of tenants) sendTenant(sql, id, rows, sent);
  // What failed first is why those after it failed.
  for (const answer of sent.all) await answer;
  const stored = (await Promise.all(sent.receipts)).flat().reduce((sum, row) => sum + row.stored, 0);
  if (stored !== sent.receiptsCount)
    throw new EventsAlreadyStored(`${sent.receiptsCount - stored} events are stored already`);
  const lost = (await Promise.all(sent.updates)).flat().map(({ id }) => id);
  return { lost, found: (await Promise.all(sent.findings)).flat() };
}

function sendTenant(sql: postgres.Sql, tenantId: string, rows: TenantRows, sent: Sent): void {
  const send = <T>(statement: string, { texts }: RowTexts, answers: Promise<Rows<T>>[] = []): void => {
    for (const text of texts) {
      const answer = sql.unsafe(statement, [tenantId, text], { prepare: true }).execute() as Promise<unknown>;
      // It is awaited later; until then its failure must not count as one that nobody looks at.
      answer.catch(() => {});
      answers.push(answer as Promise<Rows<T>>);
      sent.all.push(answer);
    }
  };
  send(UPSERT_AGENTS, rows.agents);
  send(UPSERT_SESSIONS, rows.sessions);
  send(INSERT_RECEIPTS, rows.receipts, sent.receipts);
  send(UPSERT_ACTIVITY, rows.activity);
  send(UPSERT_AGENT_HOURS, rows.agentHours);
  send(INSERT_SIGHTINGS, rows.sightings, sent.findings);
  send(INSERT_INSPECTIONS, rows.inspections);
  send(UPDATE_LATE_DECISIONS, rows.lateDecisions, sent.updates);
  send(UPDATE_UNANSWERED, rows.unanswered, sent.updates);
  send(INSERT_RELEASES, rows.releases);
  sent.receiptsCount += rows.receipts.count;
}
