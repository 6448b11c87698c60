import {
  AGENT_COLUMNS,
  FEED_COLUMNS,
  INSPECTION_COLUMNS,
  LATE_DECISION_COLUMNS,
  RECEIPT_COLUMNS,
  RELEASE_COLUMNS,
  SESSION_COLUMNS,
  UNANSWERED_COLUMNS,
} from './projection-rows.ts';

/**
 * The statements of the projection. Each takes a tenant's id ($1) and rows as JSON text ($2): one parameter, whatever
 * the number of rows, costs a fraction of a parameter for each value.
 */

const rows = (columns: string) => `json_to_recordset($2::text::json) as r(${columns})`;

/** Unix milliseconds as a moment, exact from the year 0 to the year 9999 (a double of seconds would not be). */
const at = (column: string) =>
  `timestamptz 'epoch' + (${column} / 1000) * interval '1 second' + (${column} % 1000) * interval '1 millisecond'`;

// INVARIANT: rows are locked in the order of their keys, so that two writers never wait for each other.
export const UPSERT_AGENTS = `
  insert into agents as a (tenant_id, agent_key, agent_id, name, first_seen_at, last_seen_at, events_count)
  select $1::uuid, r.key, r.id, r.name, ${at('r.first')}, ${at('r.last')}, r.events
  from ${rows(AGENT_COLUMNS)} order by r.key
  on conflict (tenant_id, agent_key) do update set
    name = excluded.name,
    first_seen_at = least(a.first_seen_at, excluded.first_seen_at),
    last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
    events_count = a.events_count + excluded.events_count`;

export const UPSERT_SESSIONS = `
  insert into agent_sessions as s (tenant_id, session_key, session_id, agent_key, user_email, started_at, last_at,
    ended_at, state, reopened_count, events_count, blocked_count, undecided_count)
  select $1::uuid, r.key, r.id, r.agent, r.email, ${at('r.first')}, ${at('r.last')}, ${at('r.ended')},
    case when r.ended is null then 'open' else 'ended' end, r.reopened, r.events, r.blocked, r.undecided
  from ${rows(SESSION_COLUMNS)} order by r.key
  on conflict (tenant_id, session_key) do update set
    agent_key = excluded.agent_key,
    user_email = excluded.user_email,
    started_at = least(s.started_at, excluded.started_at),
    last_at = greatest(s.last_at, excluded.last_at),
    ended_at = excluded.ended_at,
    state = excluded.state,
    reopened_count = s.reopened_count + excluded.reopened_count + case s.state when 'ended' then 1 else 0 end,
    events_count = s.events_count + excluded.events_count,
    blocked_count = s.blocked_count + excluded.blocked_count,
    undecided_count = s.undecided_count + excluded.undecided_count`;

/** Answers with how many events were new. */
export const INSERT_RECEIPTS = `
  with r as materialized (select * from ${rows(RECEIPT_COLUMNS)}), e as (
    insert into events (id, tenant_id, session_key, agent_key, event_type, event_at, received_at, user_email, tool_name,
      correlation_id, traceparent, subject, dedupe, body)
    select id, $1::uuid, s, a, t, ${at('at')}, ${at('rcv')}, em, tool, corr, trace, sub, dd, body from r
    on conflict (id) do nothing returning id
  ), d as (
    insert into decisions (id, tenant_id, session_key, kind, action, reason, cause, answered, on_failure, effects,
      explanation, not_waited_for, took_us, decided_at)
    select id, $1::uuid, s, kind, act, rsn, cause, ans, onf, eff, expl, nwf, took, ${at('dec')}
    from r where kind is not null
    on conflict (id) do nothing
  ) select count(*)::int as stored from e`;

/** An inspection may be there twice: a crash can lose the record that it was done after the row was written. */
export const INSERT_INSPECTIONS = `
  insert into inspections (id, tenant_id, session_key, explanation, cause, effects, inspected_at)
  select id, $1::uuid, s, expl, cause, eff, ${at('at')} from ${rows(INSPECTION_COLUMNS)}
  on conflict (id) do nothing`;

/** Answers with the events whose decision is not there. */
export const UPDATE_LATE_DECISIONS = `
  with r as materialized (select * from ${rows(LATE_DECISION_COLUMNS)}), d as (
    update decisions d set late_at = ${at('r.at')}, late_action = r.act, late_reason = r.rsn,
      late_cause = r.cause, late_explanation = r.expl, late_effects = r.eff
    from r where d.id = r.id and d.tenant_id = $1::uuid returning d.id
  ) select r.id from r where r.id not in (select id from d)`;

/** Answers with the events whose decision is not there. */
export const UPDATE_UNANSWERED = `
  with r as materialized (select * from ${rows(UNANSWERED_COLUMNS)}), d as (
    update decisions d set unanswered_at = ${at('r.at')}, unanswered_cause = r.cause
    from r where d.id = r.id and d.tenant_id = $1::uuid returning d.id
  ), counted as (
    update agent_sessions s set undecided_count = s.undecided_count + n.count
    from (select r.s, count(*) as count from r join d on d.id = r.id group by r.s) n
    where s.tenant_id = $1::uuid and s.session_key = n.s
  ) select r.id from r where r.id not in (select id from d)`;

export const INSERT_RELEASES = `
  insert into releases (id, tenant_id, session_key, subject, reason, hold, taints, released_at)
  select id, $1::uuid, s, sub, rsn, hold, taints, ${at('at')} from ${rows(RELEASE_COLUMNS)}
  on conflict (id) do nothing`;

/**
 * Takes rows of all tenants of a batch ($1), and answers with the tenants whose feeds go on. An agent that is shared is told of to
 * its guests, too. INVARIANT: the heads are locked in the order of their tenants, until the end of the transaction: so the numbers of
 * a tenant are given out in the order in which their rows become visible.
 */
export const INSERT_FEED = `
  with r as materialized (
    select * from json_to_recordset($1::text::json) as r(${FEED_COLUMNS})
  ), seen as (
    select t as viewer, s, i, d from r
    union all
    select share.shared_with, r.s, r.i, r.d from r
    join agent_sessions a on a.tenant_id = r.t and a.session_key = r.s
    join agent_shares share on share.tenant_id = a.tenant_id and share.agent_key = a.agent_key
  ), gathered as (
    select viewer, array_agg(distinct s) as sessions,
      coalesce(array_agg(i order by i) filter (where i is not null), '{}') as events,
      coalesce(array_agg(i order by i) filter (where d), '{}') as decisions
    from seen group by viewer
  ), heads as (
    insert into feed_heads as h (tenant_id, seq) select viewer, 1 from gathered order by viewer
    on conflict (tenant_id) do update set seq = h.seq + 1
    returning tenant_id, seq
  )
  insert into feed_batches (tenant_id, seq, events, decisions, sessions)
  select h.tenant_id, h.seq, g.events, g.decisions, g.sessions from gathered g join heads h on h.tenant_id = g.viewer
  returning tenant_id as id`;
