import { and, asc, desc, eq, gte, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Severity } from '../domain/decision.ts';
import { eventIdFloor, isUuid } from '../domain/ids.ts';
import type { FindingStatus, Verdict } from '../domain/triage.ts';
import { agents } from './schema/agents.ts';
import { findings, findingTriage } from './schema/findings.ts';
import { agentShares } from './schema/memberships.ts';
import { users } from './schema/organizations.ts';
import { type OfSharedAgent, ownedBy, ownersSeenBy, sharedWithUs } from './shares.ts';
import type { TimeSpan } from './statistics.ts';
import { originalText, storableText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What detectors reported, and what people made of it. */

/** Which finding: the event, and its place in the explanation. Written as `<event>.<n>`. */
export interface FindingKey {
  eventId: string;
  n: number;
}

export function writeFindingKey({ eventId, n }: FindingKey): string {
  return `${eventId}.${n}`;
}

/** The inverse of `writeFindingKey`; undefined for any other text. */
export function readFindingKey(text: string): FindingKey | undefined {
  const [, eventId, n] = /^([0-9a-f-]{36})\.(\d{1,4})$/.exec(text) ?? [];
  return eventId === undefined || n === undefined || !isUuid(eventId) ? undefined : { eventId, n: Number(n) };
}

export interface Triage {
  status: FindingStatus;
  verdict: Verdict | null;
  note: string | null;
  /** A person's id; their name where they are a member still. */
  assignee: string | null;
  assigneeName: string | null;
  changedBy: string;
  changedAt: Date;
}

export interface FindingRow extends FindingKey, OfSharedAgent {
  sessionKey: string;
  agentKey: string;
  agentName: string;
  kind: string;
  severity: Severity;
  confidence: number;
  pointer: string | null;
  spanStart: number | null;
  spanEnd: number | null;
  policies: string[];
  foundAt: Date;
  /** Undefined where nobody judged it, or the tenant may not know. */
  triage: Triage | undefined;
}

export interface FindingFilter {
  severities?: readonly string[] | undefined;
  kind?: string | undefined;
  policyId?: string | undefined;
  verdict?: Verdict | undefined;
  status?: FindingStatus | undefined;
  assignee?: string | undefined;
  agentKey?: string | undefined;
  sessionKey?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  /** Words, each of which must begin one of those that the finding is searched by. Text without a word finds nothing. */
  search?: string | undefined;
}

/** A page, newest first; `inverted`: the last of them, oldest first. */
export interface FindingPage {
  limit: number;
  inverted: boolean;
  before?: FindingKey | undefined;
  after?: FindingKey | undefined;
}

const KEY = sql`(${findings.eventId}, ${findings.n})`;
const keyValue = ({ eventId, n }: FindingKey) => sql`(${eventId}::uuid, ${n}::smallint)`;
const ORDER = [findings.eventId, findings.n];

/** Findings of the tenant and of the agents shared with it. */
export async function listFindings(
  tx: TenantTransaction,
  tenantId: string,
  filter: FindingFilter,
  { limit, inverted, before, after }: FindingPage,
): Promise<FindingRow[]> {
  const rows = await findingsWithTriage(tx)
    .where(
      and(
        await searched(tx, filter.search),
        ownedBy(findings.tenantId, await ownersSeenBy(tx, tenantId)),
        ...conditions(tenantId, filter),
        after === undefined ? undefined : sql`${KEY} < ${keyValue(after)}`,
        before === undefined ? undefined : sql`${KEY} > ${keyValue(before)}`,
      ),
    )
    .orderBy(...ORDER.map((column) => (inverted ? asc(column) : desc(column))))
    .limit(limit);
  return rows.map((row) => readable(tenantId, row));
}

/** Those of `keys` that the tenant may see. */
export async function findFindings(
  tx: TenantTransaction,
  tenantId: string,
  keys: readonly FindingKey[],
): Promise<FindingRow[]> {
  if (keys.length === 0) return [];
  const rows = await findingsWithTriage(tx).where(sql`${KEY} in (${sql.join(keys.map(keyValue), sql`, `)})`);
  return rows.map((row) => readable(tenantId, row));
}

/** Findings of these events that the tenant may see. */
export async function findFindingsOf(
  tx: TenantTransaction,
  tenantId: string,
  eventIds: readonly string[],
): Promise<FindingRow[]> {
  if (eventIds.length === 0) return [];
  const rows = await findingsWithTriage(tx).where(inArray(findings.eventId, [...eventIds]));
  return rows.map((row) => readable(tenantId, row));
}

function findingsWithTriage(tx: TenantTransaction) {
  return tx
    .select({
      eventId: findings.eventId,
      n: findings.n,
      ownerId: findings.tenantId,
      sessionKey: findings.sessionKey,
      agentKey: findings.agentKey,
      agentName: agents.name,
      kind: findings.kind,
      severity: findings.severity,
      confidence: findings.confidence,
      pointer: findings.pointer,
      spanStart: findings.spanStart,
      spanEnd: findings.spanEnd,
      policies: findings.policies,
      foundAt: findings.foundAt,
      triage: findingTriage,
      assigneeName: users.name,
      permission: agentShares.permission,
    })
    .from(findings)
    .innerJoin(agents, and(eq(agents.tenantId, findings.tenantId), eq(agents.agentKey, findings.agentKey)))
    .leftJoin(
      findingTriage,
      and(
        eq(findingTriage.tenantId, findings.tenantId),
        eq(findingTriage.eventId, findings.eventId),
        eq(findingTriage.n, findings.n),
      ),
    )
    .leftJoin(users, eq(users.id, findingTriage.assignee))
    .leftJoin(agentShares, sharedWithUs(findings.tenantId, findings.agentKey));
}

type StoredFinding = Omit<FindingRow, 'triage'> & {
  triage: typeof findingTriage.$inferSelect | null;
  assigneeName: string | null;
};

/** Of another tenant's people nobody is named. */
function readable(tenantId: string, { triage, assigneeName, ...row }: StoredFinding): FindingRow {
  const isOwn = row.ownerId === tenantId;
  return {
    ...row,
    agentName: originalText(row.agentName),
    pointer: row.pointer === null ? null : originalText(row.pointer),
    triage:
      triage === null
        ? undefined
        : {
            ...triage,
            note: originalOrNull(triage.note),
            assignee: isOwn ? triage.assignee : null,
            assigneeName: isOwn ? originalOrNull(assigneeName) : null,
            changedBy: isOwn || triage.changedBy === `tenant:${tenantId}` ? triage.changedBy : `tenant:${row.ownerId}`,
          },
  };
}

function originalOrNull(stored: string | null): string | null {
  return stored === null ? null : originalText(stored);
}

function conditions(tenantId: string, filter: FindingFilter): (SQL | undefined)[] {
  const { severities, kind, policyId, verdict, status, assignee, agentKey, sessionKey, since, until } = filter;
  return [
    severities === undefined ? undefined : inArray(findings.severity, severities as Severity[]),
    kind === undefined ? undefined : eq(findings.kind, storableText(kind)),
    policyId === undefined ? undefined : sql`${findings.policies} @> array[${storableText(policyId)}]`,
    verdict === undefined ? undefined : eq(findingTriage.verdict, verdict),
    status === 'closed' ? eq(findingTriage.status, status) : undefined,
    status === 'open' ? or(isNull(findingTriage.status), eq(findingTriage.status, status)) : undefined,
    // Guests are not told whom a finding is given to, and so must not find it by that.
    assignee === undefined ? undefined : and(eq(findingTriage.assignee, assignee), eq(findings.tenantId, tenantId)),
    agentKey === undefined ? undefined : eq(findings.agentKey, agentKey),
    sessionKey === undefined ? undefined : eq(findings.sessionKey, sessionKey),
    since === undefined ? undefined : gte(findings.eventId, eventIdFloor(since.getTime())),
    until === undefined ? undefined : lt(findings.eventId, eventIdFloor(until.getTime())),
  ];
}

/** What `search_words` takes for a part of a word. */
const WORD = /[^\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/;
/** A search that finds more is of common words: a walk through the newest findings meets them soon. */
const FOUND_MAX = 5_000;

async function searched(tx: TenantTransaction, search: string | undefined): Promise<SQL | undefined> {
  if (search === undefined || search.trim() === '') return undefined;
  // What holds no word is the beginning of none.
  if (!WORD.test(search)) return sql`false`;
  const asked = storableText(search);
  const found = sql`(select event_id, n from search_findings(${asked}, ${FOUND_MAX + 1}::int))`;
  const [counted] = await tx.execute<{ count: number }>(sql`select count(*)::int as count from ${found} as found`);
  return (counted?.count ?? 0) > FOUND_MAX
    ? sql`${findings.search} @@ search_query(${asked})`
    : sql`${KEY} in ${found}`;
}

export interface FindingCount {
  severity: Severity;
  open: number;
  closed: number;
}

/** Findings of the tenant's own agents by severity, of whole hours. */
export async function countFindings(
  tx: TenantTransaction,
  tenantId: string,
  { since, until }: TimeSpan,
): Promise<FindingCount[]> {
  const hour = new Date(since.getTime() - (since.getTime() % 3_600_000));
  const rows = await tx.execute<{ severity: Severity; open: number; closed: number }>(sql`
    with closed as (
      select f.severity, count(*) as n
      from finding_triage t join findings f on f.event_id = t.event_id and f.n = t.n and f.tenant_id = t.tenant_id
      where t.tenant_id = ${tenantId}::uuid and t.status = 'closed'
        and t.event_id >= ${eventIdFloor(hour.getTime())}::uuid and t.event_id < ${eventIdFloor(until.getTime())}::uuid
      group by 1
    )
    select severity, greatest(0, sum(findings) - coalesce(max(closed.n), 0))::float8 as open,
      coalesce(max(closed.n), 0)::float8 as closed
    from finding_hours left join closed using (severity)
    where tenant_id = ${tenantId}::uuid and hour >= ${hour.toISOString()}::timestamptz
      and hour < ${until.toISOString()}::timestamptz
    group by 1`);
  return [...rows];
}

/** What is changed of triage: what is undefined stays as it is, null takes away. */
export interface TriageChange {
  status?: FindingStatus | undefined;
  verdict?: Verdict | null | undefined;
  note?: string | null | undefined;
  assignee?: string | null | undefined;
}

/** Writes what was made of these findings, all of which belong to `tenantId`. */
export async function writeTriage(
  tx: TenantTransaction,
  { tenantId, changedBy }: { tenantId: string; changedBy: string },
  keys: readonly FindingKey[],
  change: TriageChange,
): Promise<void> {
  const note = typeof change.note === 'string' ? storableText(change.note) : change.note;
  const changed = { ...change, note, changedBy, changedAt: new Date() };
  await tx
    .insert(findingTriage)
    .values(keys.map(({ eventId, n }) => ({ eventId, n, tenantId, ...changed, status: change.status ?? 'open' })))
    .onConflictDoUpdate({
      target: [findingTriage.tenantId, findingTriage.eventId, findingTriage.n],
      set: changed,
    });
}
