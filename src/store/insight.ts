import { sql } from 'drizzle-orm';
import { eventIdFloor } from '../domain/ids.ts';
import type { TimeSpan } from './statistics.ts';
import { originalText } from './storable-text.ts';
import type { TenantTransaction } from './tenant-database.ts';

/** What policies, agents and detectors amount to over hours. Hours count as a whole. */

const HOUR_MS = 3_600_000;

/** Whose rows: those of a tenant, or of one agent that it may see. */
export interface Subject {
  tenantId: string;
  agentKey?: string | undefined;
}

const within = ({ tenantId, agentKey }: Subject, { since, until }: TimeSpan) => sql`
  tenant_id = ${tenantId}::uuid and hour >= date_trunc('hour', ${since.toISOString()}::timestamptz, 'UTC')
  and hour < ${until.toISOString()}::timestamptz
  ${agentKey === undefined ? sql`` : sql`and agent_key = ${agentKey}::uuid`}`;

export interface PolicyHits {
  policyId: string;
  /** Events that it matched. */
  enforced: number;
  /** Events that it would have matched, were it not in shadow mode. */
  simulated: number;
  lastAt: Date;
  /** Findings of events that it matched, on which a person gave a verdict, and how many of these verdicts were "false positive". */
  judged: number;
  falsePositives: number;
}

/** The policies that matched most, at most `limit`; all that matched where there is none. */
export async function listPolicyHits(
  tx: TenantTransaction,
  subject: Subject,
  span: TimeSpan,
  limit?: number,
): Promise<PolicyHits[]> {
  const { tenantId, agentKey } = subject;
  const rows = await tx.execute<Omit<PolicyHits, 'lastAt'> & { lastMs: number }>(sql`
    with judged as (
      select policy, count(*) as n, count(*) filter (where t.verdict = 'false_positive') as wrong
      from finding_triage t
      join findings f on f.event_id = t.event_id and f.n = t.n and f.tenant_id = t.tenant_id
      cross join lateral unnest(f.policies) as policy
      where t.tenant_id = ${tenantId}::uuid and t.verdict is not null
        and t.event_id >= ${eventIdFloor(span.since.getTime())}::uuid and t.event_id < ${eventIdFloor(span.until.getTime())}::uuid
        ${agentKey === undefined ? sql`` : sql`and f.agent_key = ${agentKey}::uuid`}
      group by 1
    ), hits as (
      select policy_id, sum(enforced) as enforced, sum(simulated) as simulated, max(last_at) as last_at
      from policy_hits where ${within(subject, span)} group by 1
    )
    select policy_id as "policyId", enforced::float8 as enforced, simulated::float8 as simulated,
      (extract(epoch from last_at) * 1000)::float8 as "lastMs", coalesce(judged.n, 0)::float8 as judged,
      coalesce(judged.wrong, 0)::float8 as "falsePositives"
    from hits left join judged on judged.policy = policy_id
    order by enforced + simulated desc, policy_id limit ${limit ?? null}::bigint`);
  return rows.map(({ lastMs, ...row }) => ({ ...row, lastAt: new Date(lastMs) }));
}

export interface FindingKindCount {
  kind: string;
  severity: string;
  count: number;
}

/** The kinds of findings that were reported most, at most `limit`. */
export async function listFindingKinds(
  tx: TenantTransaction,
  subject: Subject,
  span: TimeSpan,
  limit: number,
): Promise<FindingKindCount[]> {
  const rows = await tx.execute<{ kind: string; severity: string; count: number }>(sql`
    select kind, severity, sum(findings)::float8 as count from finding_hours where ${within(subject, span)}
    group by 1, 2 order by 3 desc, 1, 2 limit ${limit}`);
  return [...rows];
}

export interface AgentCounts {
  agentKey: string;
  agentName: string;
  events: number;
  blocked: number;
  undecided: number;
}

/** The tenant's agents that were blocked most, then those that did most, at most `limit`. */
export async function listBusyAgents(
  tx: TenantTransaction,
  tenantId: string,
  span: TimeSpan,
  limit: number,
): Promise<AgentCounts[]> {
  const rows = await tx.execute<AgentCounts & Record<string, unknown>>(sql`
    with counted as (
      select agent_key, sum(events)::float8 as events, sum(blocked)::float8 as blocked, sum(undecided)::float8 as undecided
      from agent_hours where ${within({ tenantId }, span)} group by 1
      order by 3 desc, 2 desc, 1 limit ${limit}
    )
    select agent_key as "agentKey", name as "agentName", events, blocked, undecided
    from counted join agents a using (agent_key) where a.tenant_id = ${tenantId}::uuid
    order by blocked desc, events desc, agent_key`);
  return rows.map((row) => ({ ...row, agentName: originalText(row.agentName) }));
}

export interface AgentBucket {
  from: Date;
  events: number;
  blocked: number;
  undecided: number;
}

/** What one agent did, in stretches of so many hours, oldest first; those in which it did nothing are there, too. */
export async function agentActivity(
  tx: TenantTransaction,
  subject: Subject,
  { since, until, bucketHours }: TimeSpan & { bucketHours: number },
): Promise<AgentBucket[]> {
  const bucketMs = bucketHours * HOUR_MS;
  const rows = await tx.execute<{ bucket: string; events: number; blocked: number; undecided: number }>(sql`
    select floor(extract(epoch from hour) * 1000 / ${bucketMs}::bigint)::bigint as bucket, sum(events)::float8 as events,
      sum(blocked)::float8 as blocked, sum(undecided)::float8 as undecided
    from agent_hours where ${within(subject, { since, until })} group by 1`);
  const found = new Map(rows.map(({ bucket, ...counts }) => [Number(bucket), counts]));
  const first = Math.floor(since.getTime() / bucketMs);
  const last = Math.ceil(until.getTime() / bucketMs) - 1;
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    from: new Date((first + index) * bucketMs),
    ...(found.get(first + index) ?? { events: 0, blocked: 0, undecided: 0 }),
  }));
}

/** What one agent did, by the type of event and the kind of tool. */
export interface AgentUse {
  eventType: string;
  /** Empty where it was no call, or none that was inspected. */
  toolKind: string;
  events: number;
  blocked: number;
}

export async function agentUses(tx: TenantTransaction, subject: Subject, span: TimeSpan): Promise<AgentUse[]> {
  const rows = await tx.execute<{ eventType: string; toolKind: string; events: number; blocked: number }>(sql`
    select event_type as "eventType", tool_kind as "toolKind", sum(events)::float8 as events, sum(blocked)::float8 as blocked
    from agent_hours where ${within(subject, span)} group by 1, 2 order by 3 desc, 1, 2`);
  return [...rows];
}

/** Findings of one kind that one agent gave rise to. */
export async function countKind(
  tx: TenantTransaction,
  subject: Subject,
  span: TimeSpan,
  kind: string,
): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    select coalesce(sum(findings), 0)::float8 as count from finding_hours where ${within(subject, span)} and kind = ${kind}`);
  return row?.count ?? 0;
}
