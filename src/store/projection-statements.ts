import { ACTIVITY_COLUMNS, AGENT_HOUR_COLUMNS } from './activity-counts.ts';
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
import { FIND_COLUMNS, HIT_COLUMNS, SIGHTING_COLUMNS } from './sightings.ts';

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
      correlation_id, traceparent, subject, dedupe, body, policy_set)
    select id, $1::uuid, s, a, t, ${at('at')}, ${at('rcv')}, em, tool, corr, trace, sub, dd, body, pol from r
    on conflict (id) do nothing returning id
  ), d as (
    insert into decisions (id, tenant_id, session_key, kind, action, reason, cause, answered, on_failure, effects,
      explanation, shadow_set, shadow_action, simulated_action, not_waited_for, took_us, decided_at)
    select id, $1::uuid, s, kind, act, rsn, cause, ans, onf, eff, expl, shset, shact, simact, nwf, took, ${at('dec')}
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

const FAILED_OPEN = `coalesce(r.ans, 'fail_open') = 'fail_open'`;

/** Answers with the events whose decision is not there. */
export const UPDATE_UNANSWERED = `
  with r as materialized (select * from ${rows(UNANSWERED_COLUMNS)}), d as (
    update decisions d set unanswered_at = ${at('r.at')}, unanswered_cause = r.cause, answered_instead = r.ans
    from r where d.id = r.id and d.tenant_id = $1::uuid returning d.id
  ), counted as (
    update agent_sessions s set undecided_count = s.undecided_count + n.count
    from (
      select r.s, count(*) as count from r join decisions old on old.id = r.id and old.tenant_id = $1::uuid
      where old.unanswered_at is null group by r.s
    ) n
    where s.tenant_id = $1::uuid and s.session_key = n.s
  ), opened as (
    -- What this statement writes is not seen yet: a record that comes again finds its decision unanswered already.
    select date_trunc('minute', e.received_at, 'UTC') as minute, count(*) filter (where old.kind = 'decided') as undecided,
      count(*) filter (where ${FAILED_OPEN}) as failed_open,
      count(*) filter (where ${FAILED_OPEN} and r.cause = 'deadline') as timeouts
    from r join decisions old on old.id = r.id and old.tenant_id = $1::uuid
    cross join lateral (select received_at from events where id = r.id limit 1) e
    where old.unanswered_at is null and old.answered is distinct from 'fail_open'
    group by 1
  ), activity as (
    update activity_minutes a set undecided = a.undecided + o.undecided, failed_open = a.failed_open + o.failed_open,
      timeouts = a.timeouts + o.timeouts
    from opened o where a.tenant_id = $1::uuid and a.minute = o.minute
  ) select r.id from r where r.id not in (select id from d)`;

export const INSERT_RELEASES = `
  insert into releases (id, tenant_id, session_key, subject, reason, hold, taints, released_at)
  select id, $1::uuid, s, sub, rsn, hold, taints, ${at('at')} from ${rows(RELEASE_COLUMNS)}
  on conflict (id) do nothing`;

export const UPSERT_ACTIVITY = `
  insert into activity_minutes as a (tenant_id, minute, events, decisions, blocked, undecided, failed_open, timeouts, latency)
  select $1::uuid, ${at('r.at')}, r.ev, r.dec, r.blk, r.und, r.fo, r.tmo, r.lat from ${rows(ACTIVITY_COLUMNS)}
  order by r.at
  on conflict (tenant_id, minute) do update set
    events = a.events + excluded.events,
    decisions = a.decisions + excluded.decisions,
    blocked = a.blocked + excluded.blocked,
    undecided = a.undecided + excluded.undecided,
    failed_open = a.failed_open + excluded.failed_open,
    timeouts = a.timeouts + excluded.timeouts,
    latency = array(
      select coalesce(old, 0) + coalesce(new, 0)
      from unnest(a.latency, excluded.latency) with ordinality as bucket(old, new, i) order by i)`;

export const UPSERT_AGENT_HOURS = `
  insert into agent_hours as h (tenant_id, agent_key, hour, event_type, tool_kind, events, blocked, undecided)
  select $1::uuid, r.a, ${at('r.at')}, r.t, r.k, r.ev, r.blk, r.und from ${rows(AGENT_HOUR_COLUMNS)}
  order by r.a, r.at, r.t, r.k
  on conflict (tenant_id, agent_key, hour, event_type, tool_kind) do update set
    events = h.events + excluded.events,
    blocked = h.blocked + excluded.blocked,
    undecided = h.undecided + excluded.undecided`;

/**
 * What explanations say. To be sent behind the receipts and before what marks inspections and late decisions as known, which
 * tells whether one was counted already. What is about an event that is not stored is left out. Each row looks its event up
 * by itself: no plan may read whole days. Answers with the findings that are new, as rows of `INSERT_FEED`.
 */
export const INSERT_SIGHTINGS = `
  with r as materialized (select * from ${rows(SIGHTING_COLUMNS)}), fresh as materialized (
    select r.*, e.session_key, e.agent_key, e.received_at, e.tool_name, e.user_email
    from r cross join lateral (
      select session_key, agent_key, received_at, tool_name, user_email from events
      where id = r.id and tenant_id = $1::uuid limit 1
    ) e
    where case r.src
      when 'inspection' then not exists (select from inspections i where i.id = r.id)
      when 'late' then exists (select from decisions d where d.id = r.id and d.late_at is null)
      else true
    end
  ), found as (
    insert into findings (event_id, n, tenant_id, session_key, agent_key, kind, severity, confidence, pointer, span_start,
      span_end, policies, found_at, search)
    select fresh.id, f.n, $1::uuid, session_key, agent_key, f.k, f.v, f.c, f.p, f.a, f.z, pol, ${at('fresh.at')},
      search_words(concat_ws(' ', f.k, why, tool_name, s.session_id, a.name, a.agent_id, user_email))
    from fresh
    cross join lateral (select session_id from agent_sessions s
      where s.tenant_id = $1::uuid and s.session_key = fresh.session_key limit 1) s
    cross join lateral (select name, agent_id from agents a
      where a.tenant_id = $1::uuid and a.agent_key = fresh.agent_key limit 1) a
    cross join lateral json_to_recordset(finds) as f(${FIND_COLUMNS})
    on conflict (event_id, n) do nothing returning tenant_id, session_key, event_id, n
  ), kinds as (
    insert into finding_hours as h (tenant_id, hour, kind, severity, agent_key, findings)
    select $1::uuid, date_trunc('hour', received_at, 'UTC'), f.k, f.v, agent_key, count(*)
    from fresh cross join lateral json_to_recordset(finds) as f(${FIND_COLUMNS})
    group by 2, 3, 4, 5 order by 2, 3, 4, 5
    on conflict (tenant_id, hour, kind, severity, agent_key) do update set findings = h.findings + excluded.findings
  ), hits as (
    insert into policy_hits as h (tenant_id, hour, policy_id, agent_key, enforced, simulated, last_at)
    select $1::uuid, date_trunc('hour', received_at, 'UTC'), p, agent_key, sum(e), sum(s), max(received_at)
    from fresh cross join lateral json_to_recordset(hits) as hit(${HIT_COLUMNS})
    group by 2, 3, 4 order by 2, 3, 4
    on conflict (tenant_id, hour, policy_id, agent_key) do update set
      enforced = h.enforced + excluded.enforced,
      simulated = h.simulated + excluded.simulated,
      last_at = greatest(h.last_at, excluded.last_at)
  ) select tenant_id as t, session_key as s, event_id as i, n as f from found`;

/**
 * Takes rows of all tenants of a batch ($1), of events (`d`: with a decision) and of findings (`f`: its number), and answers with the
 * tenants whose feeds go on. An agent that is shared is told of to its guests, too. INVARIANT: the heads are locked in the order of
 * their tenants, until the end of the transaction: so the numbers of a tenant are given out in the order in which their rows become
 * visible.
 */
export const INSERT_FEED = `
  with r as materialized (
    select * from json_to_recordset($1::text::json) as r(${FEED_COLUMNS})
  ), seen as (
    select t as viewer, s, i, d, f from r
    union all
    select share.shared_with, r.s, r.i, r.d, r.f from r
    join agent_sessions a on a.tenant_id = r.t and a.session_key = r.s
    join agent_shares share on share.tenant_id = a.tenant_id and share.agent_key = a.agent_key
  ), gathered as (
    select viewer, array_agg(distinct s) as sessions,
      coalesce(array_agg(i order by i) filter (where i is not null and f is null), '{}') as events,
      coalesce(array_agg(i order by i) filter (where d), '{}') as decisions,
      coalesce(array_agg(i || '.' || f order by i, f) filter (where f is not null), '{}') as findings
    from seen group by viewer
  ), heads as (
    insert into feed_heads as h (tenant_id, seq) select viewer, 1 from gathered order by viewer
    on conflict (tenant_id) do update set seq = h.seq + 1
    returning tenant_id, seq
  )
  insert into feed_batches (tenant_id, seq, events, decisions, sessions, findings)
  select h.tenant_id, h.seq, g.events, g.decisions, g.sessions, g.findings from gathered g join heads h on h.tenant_id = g.viewer
  returning tenant_id as id`;
