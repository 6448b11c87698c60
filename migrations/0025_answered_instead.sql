ALTER TABLE "decisions" ADD COLUMN "answered_instead" text;--> statement-breakpoint
-- What was stopped instead of answered did not fail open.
CREATE OR REPLACE FUNCTION rebuild_rollups() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE projector_positions IN EXCLUSIVE MODE;
  TRUNCATE findings, activity_minutes, agent_hours, policy_hits, finding_hours;

  CREATE TEMPORARY TABLE told ON COMMIT DROP AS
    SELECT id, base, at,
      CASE jsonb_typeof(x -> 'findings') WHEN 'array' THEN x -> 'findings' ELSE '[]' END AS findings,
      CASE jsonb_typeof(x -> 'policies') WHEN 'array' THEN x -> 'policies' ELSE '[]' END AS matched,
      CASE jsonb_typeof(x -> 'simulated') WHEN 'array' THEN x -> 'simulated' ELSE '[]' END AS simulated
    FROM (
      SELECT id, 0 AS base, decided_at AS at, read_json(explanation) AS x FROM decisions
      UNION ALL SELECT id, 0, inspected_at, read_json(explanation) FROM inspections
      UNION ALL SELECT id, 1000, coalesce(late_at, decided_at), read_json(late_explanation) FROM decisions
    ) AS explained
    WHERE x IS NOT NULL;

  INSERT INTO findings (event_id, n, tenant_id, session_key, agent_key, kind, severity, confidence, pointer, span_start,
    span_end, policies, found_at, search)
  SELECT e.id, t.base + f.n - 1, e.tenant_id, e.session_key, e.agent_key, f.each ->> 'kind', f.each ->> 'severity',
    (f.each ->> 'confidence')::real, f.each #>> '{span,pointer}', (f.each #>> '{span,start}')::int,
    (f.each #>> '{span,end}')::int,
    ARRAY(SELECT p ->> 'id' FROM jsonb_array_elements(t.matched || t.simulated) p),
    t.at,
    search_words(concat_ws(' ', f.each ->> 'kind',
      (SELECT string_agg(p ->> 'reason', ' ') FROM jsonb_array_elements(t.matched || t.simulated) p),
      e.tool_name, s.session_id, a.name, a.agent_id, e.user_email))
  FROM told t
  JOIN events e ON e.id = t.id
  JOIN agents a ON a.tenant_id = e.tenant_id AND a.agent_key = e.agent_key
  JOIN agent_sessions s ON s.tenant_id = e.tenant_id AND s.session_key = e.session_key
  CROSS JOIN LATERAL jsonb_array_elements(t.findings) WITH ORDINALITY f(each, n)
  WHERE jsonb_typeof(f.each -> 'kind') = 'string' AND jsonb_typeof(f.each -> 'severity') = 'string'
    AND jsonb_typeof(f.each -> 'confidence') = 'number';

  INSERT INTO finding_hours (tenant_id, hour, kind, severity, agent_key, findings)
  SELECT e.tenant_id, date_trunc('hour', e.received_at, 'UTC'), f.kind, f.severity, f.agent_key, count(*)
  FROM findings f JOIN events e ON e.id = f.event_id
  GROUP BY 1, 2, 3, 4, 5;

  INSERT INTO policy_hits (tenant_id, hour, policy_id, agent_key, enforced, simulated, last_at)
  SELECT e.tenant_id, date_trunc('hour', e.received_at, 'UTC'), p.id #>> '{}', e.agent_key, sum(p.enforced), sum(p.simulated),
    max(e.received_at)
  FROM told t
  JOIN events e ON e.id = t.id
  CROSS JOIN LATERAL (
    SELECT m -> 'id' AS id, 1 AS enforced, 0 AS simulated FROM jsonb_array_elements(t.matched) m
    UNION ALL SELECT m -> 'id', 0, 1 FROM jsonb_array_elements(t.simulated) m
  ) p
  WHERE jsonb_typeof(p.id) = 'string'
  GROUP BY 1, 2, 3, 4;

  INSERT INTO agent_hours (tenant_id, agent_key, hour, event_type, tool_kind, events, blocked, undecided)
  SELECT e.tenant_id, e.agent_key, date_trunc('hour', e.received_at, 'UTC'), e.event_type,
    coalesce((
      SELECT effect ->> 'toolKind'
      FROM jsonb_array_elements(CASE WHEN d.effects LIKE '%"kind":"call"%' THEN read_json(d.effects) END) effect
      WHERE effect ->> 'kind' = 'call' LIMIT 1
    ), CASE WHEN d.explanation LIKE '%"toolKind":%' THEN read_json(d.explanation) ->> 'toolKind' END, ''),
    count(*), count(*) FILTER (WHERE d.action = 'block' OR d.answered = 'block'), count(*) FILTER (WHERE d.kind = 'undecided')
  FROM events e LEFT JOIN decisions d ON d.id = e.id
  GROUP BY 1, 2, 3, 4, 5;

  INSERT INTO activity_minutes (tenant_id, minute, events, decisions, blocked, undecided, failed_open, timeouts, latency)
  SELECT tenant_id, minute, sum(events), sum(decisions), sum(blocked), sum(undecided), sum(failed_open), sum(timeouts),
    ARRAY(
      SELECT coalesce(max(n), 0)::int
      FROM generate_series(0, 63) i LEFT JOIN unnest(array_agg(bucket), array_agg(decisions)) taken(b, n) ON b = i
      GROUP BY i ORDER BY i
    )
  FROM (
    SELECT e.tenant_id, date_trunc('minute', e.received_at, 'UTC') AS minute, latency_bucket(d.took_us) AS bucket,
      count(*) AS events, count(d.id) AS decisions,
      count(*) FILTER (WHERE d.action = 'block' OR d.answered = 'block') AS blocked,
      count(*) FILTER (WHERE d.kind = 'undecided' OR d.unanswered_at IS NOT NULL) AS undecided,
      count(*) FILTER (WHERE d.answered = 'fail_open' OR i.opened) AS failed_open,
      count(*) FILTER (WHERE (d.answered = 'fail_open' AND d.cause = 'deadline') OR (i.opened AND d.unanswered_cause = 'deadline')) AS timeouts
    FROM events e LEFT JOIN decisions d ON d.id = e.id
    CROSS JOIN LATERAL (
      SELECT d.unanswered_at IS NOT NULL AND coalesce(d.answered_instead, 'fail_open') = 'fail_open' AS opened
    ) i
    GROUP BY 1, 2, 3
  ) AS counted
  GROUP BY 1, 2;
END
$$;
